"""Model servers and their tests, and the address, model and key that the user entered for each server."""

import json
import re
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from typing import Any

import httpx
import numpy as np

from core.base.errors import ConfigError, UnknownChoice
from core.base.frozen import TextMap, frozen
from core.base.messages import message
from core.embedding import EMBEDDERS
from core.embedding.openai_compatible import OpenAICompatible
from core.indexing.models.trials import QUESTIONS
from core.model import LocalServer, Progress, ServerCard, ServerTrial, no_progress
from core.providers import keys
from core.providers.connection import Request, ServerConnection, is_this_machine
from core.reranking import RERANKERS, Candidate
from core.reranking.servers import Llm, RerankApi
from core.settings import config
from core.settings.config import Settings, settings
from core.settings.sections import EmbeddingServer, LlmSettings, key_variable

HOST = "127.0.0.1"
# Maximum wait in seconds for a connection, and for the whole response.
CONNECT_SECONDS = 0.3
SECONDS = 1.5
# Maximum size in bytes of a model listing to read.
MOST_BYTES = 1 << 20
# Maximum number of models to offer per server, and maximum length of a model's name in characters.
MOST_MODELS = 50
LONGEST_NAME = 200


@frozen
class Dialect:
    """A kind of model server, with the path of its model list and the owner named in that list.

    If `owner` is "", a list with an unknown owner counts as this kind of server.
    """

    name: str
    path: str
    owner: str = ""


DIALECTS = (
    Dialect("Ollama", "api/tags"),
    Dialect("LM Studio", "v1/models"),
    Dialect("llama.cpp", "v1/models", "llamacpp"),
    Dialect("vLLM", "v1/models", "vllm"),
)
# The usual port of each kind of server.
PORTS: dict[str, int] = {"Ollama": 11434, "LM Studio": 1234, "llama.cpp": 8080, "vLLM": 8000}

_OWNERS = {"library": "Ollama", "organization_owner": "LM Studio", "llamacpp": "llama.cpp", "vllm": "vLLM"}

# Names of models that don't generate text.
_NO_CHAT = re.compile(r"(?i)embed|rerank|\bbge\b|\be5\b|\bgte\b|minilm|colbert|whisper")
# Names of models that Ollama runs in the cloud, not on this machine.
_CLOUD = re.compile(r"(?i)[:-]cloud$")


def discover(ports: Mapping[str, int]) -> tuple[LocalServer, ...]:
    """Check the port of each kind of server concurrently, and return the servers' states.

    Each port gets one request, which times out after SECONDS. A port with an unexpected response doesn't count as a
    server, because it could be a program that forwards text to another machine.
    """
    places = [(dialect, ports[dialect.name]) for dialect in DIALECTS if dialect.name in ports]
    with ThreadPoolExecutor(len(DIALECTS), thread_name_prefix="look-for-servers") as pool:
        return tuple(pool.map(lambda place: _look_at(*place), places))


def _look_at(dialect: Dialect, port: int) -> LocalServer:
    address = f"{HOST}:{port}"
    url = f"http://{address}/{dialect.path}"
    absent = LocalServer(dialect.name, address)
    try:
        with closing(ServerConnection(httpx.URL(url))) as connection:
            reply = connection.exchange(Request(url, None, {}, MOST_BYTES, SECONDS, CONNECT_SECONDS))
        listing = json.loads(reply.body) if reply.status == 200 and reply.body else None
    except (httpx.HTTPError, ValueError, RecursionError):
        return absent
    rows = {}
    for part in ("data", "models"):
        if isinstance(listing, dict) and isinstance(items := listing.get(part), list):
            rows[part] = [row for row in items if isinstance(row, dict)]
    owners = sorted(_OWNERS.keys() & {str(row.get("owned_by")) for row in rows.get("data", ())})
    name = _OWNERS[owners[0]] if owners else dialect.name
    expected = "models" if dialect.path == "api/tags" else "data"
    if not owners and (dialect.owner or expected not in rows):
        return absent  # another program
    offered = [row.get("id") for row in rows.get("data", ())]
    for row in rows.get("models", ()) if "data" not in rows else ():
        details = row.get("details")
        families = [details.get("family"), details.get("families")] if isinstance(details, dict) else []
        # Don't offer models that run on another machine or can only embed.
        if not (row.get("remote_host") or row.get("remote_model")) and "bert" not in repr(families).lower():
            offered.append(row.get("name"))
    names = dict.fromkeys(
        model
        for model in offered
        if isinstance(model, str)
        and 0 < len(model) <= LONGEST_NAME
        and model == model.strip()
        and model.isprintable()
        and not _NO_CHAT.search(model)
        and not _CLOUD.search(model)
    )
    return LocalServer(name, address, running=True, models=tuple(names)[:MOST_MODELS])


# The kind of model used for the server in each section of the settings, keyed by section.
SECTIONS: TextMap = {"embeddings": "openai_compatible", "rerank": "rerank-api", "llm": "llm"}


@dataclass
class Servers:
    """The servers in the settings.

    Changes take effect at once. `_settings` are updated, and `_changed` is called with the kinds of models affected.
    """

    _settings: Settings | None = None
    _changed: Callable[[Collection[str]], object] = lambda kinds: None

    def all(self) -> list[ServerCard]:
        """Return the cards of all servers, whether set up or not. No requests are sent."""
        return [self.get(section) for section in (*SECTIONS, *_named_servers())]

    def get(self, section: str) -> ServerCard:
        """Return the card of the server in a section. Raises UnknownChoice if there is no such section."""
        server = _settings_of(section)
        sources = {name: config.source_of(section, name) for name in ("base_url", "model")}
        card = ServerCard(
            section, server.base_url, server.model, sources, key_variable(section), keys.server_of(section)
        )
        try:
            url = httpx.URL(server.base_url)
        except httpx.InvalidURL:  # the address is from the settings file; a search reports the error
            return card
        if not url.host:
            return card
        key = keys.active_key(section, url)
        return replace(
            card,
            variable=key.variable,
            key=key.place,
            host=url.host,
            here=is_this_machine(url.host),
            encrypted=url.scheme == "https",
        )

    def look(self, progress: Progress = no_progress) -> tuple[LocalServer, ...]:
        """Look for model servers on their usual ports on this machine. This takes up to two seconds.

        If the setting `discover` is off, send no requests and return an empty tuple.
        """
        progress(0, 1, "")
        return discover(PORTS) if settings().llm.discover else ()

    def update(self, section: str, **values: str) -> None:
        """Store a server's `base_url`, `model` or both. Raises ConfigError for an invalid address."""
        try:
            httpx.URL(values.get("base_url", "").strip())
        except httpx.InvalidURL:
            raise ConfigError(
                "'{url}' isn't a valid address. An address begins with http:// or https://.",
                url=values["base_url"].strip(),
            ) from None
        config.store_entered_server(_check_section(section), values)
        self.refresh()

    def enter_key(self, section: str, key: str) -> None:
        """Store the key for a server's address. Raises ConfigError if there is no address or the key is invalid."""
        server = _settings_of(section)
        if not server.base_url:
            raise ConfigError("Enter the address of the server first, because each key belongs to one address.")
        keys.store(section, httpx.URL(server.base_url), key)

    def remove_key(self, section: str) -> None:
        """Delete the key that the user entered for a server."""
        _settings_of(section)
        keys.remove(section)

    def delete_for_good(self, section: str) -> None:
        """Delete the address, model and key entered for a server."""
        keys.remove(_check_section(section))
        self.update(section, base_url="", model="")

    def test(self, section: str, progress: Progress = no_progress) -> ServerTrial:
        """Ask a server to compare a question with three sentences, without retries.

        Raises ConfigError if the server isn't set up, and ProviderError if it fails.
        """
        progress(0, 1, section)
        server = _settings_of(section).model_copy(update={"retries": 0})
        question, answer = next(iter(QUESTIONS["en"].items()))
        texts = list(QUESTIONS["en"].values())
        if isinstance(server, EmbeddingServer):
            embedder = OpenAICompatible(settings=server, section=section)
            notes = embedder.embed(texts, role="note")  # the first request may include loading the model
            started = time.perf_counter()
            scores = notes @ embedder.embed([question], role="query")[0]
            dimension = embedder.dimension
        else:
            reranker = Llm(settings=server) if isinstance(server, LlmSettings) else RerankApi(settings=server)
            started = time.perf_counter()
            scores = np.array(reranker.score(question, [Candidate(text) for text in texts]))
            dimension = None
        return ServerTrial(
            section, time.perf_counter() - started, dimension, bool(texts[int(np.argmax(scores))] == answer)
        )

    def refresh(self) -> None:
        """Reload the servers' settings."""
        if self._settings is not None:
            new = settings()
            for section in SECTIONS:
                setattr(self._settings, section, getattr(new, section))
        self._changed(SECTIONS.values())


@contextmanager
def override_settings(chosen: Settings) -> Iterator[None]:
    """Make this process's models use the folder and servers in `chosen`, which are settings passed by a program."""

    def forget_models() -> None:
        for table in (EMBEDDERS, RERANKERS):
            table.forget(*SECTIONS.values(), "server")

    with config.override_settings(chosen):
        forget_models()
        yield
    forget_models()


def _named_servers() -> dict[str, EmbeddingServer]:
    """Return the servers configured as `[embeddings.NAME]`, keyed by section."""
    return {f"embeddings.{name}": server for name, server in settings().embeddings.servers.items()}


def _settings_of(section: str) -> Any:
    named = _named_servers()
    return named[section] if section in named else getattr(settings(), _check_section(section))


def _check_section(section: str) -> str:
    if section not in SECTIONS:
        raise UnknownChoice(message("model server"), section, [*SECTIONS, *_named_servers()])
    return section
