"""Model servers: the address, the model and the key of each, as the user enters them, and their test."""

import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import httpx
import numpy as np

from core.base.errors import ConfigError, UnknownChoice
from core.base.messages import message
from core.embedding import EMBEDDERS
from core.embedding.openai_compatible import OpenAICompatible
from core.indexing.models.trials import QUESTIONS
from core.model import LocalServer, Progress, ServerCard, ServerTrial, no_progress
from core.providers import discovery, keys
from core.providers.hosts import is_this_machine
from core.reranking import RERANKERS, Candidate, Reranker
from core.reranking.llm import Llm
from core.reranking.rerank_api import RerankApi
from core.settings import config
from core.settings.config import Settings, settings
from core.settings.sections import EmbeddingServer, LlmSettings, key_variable

SECTIONS: Mapping[str, str] = {"embeddings": "openai_compatible", "rerank": "rerank-api", "llm": "llm"}
"""The sections of the settings, each with the kind of model that its server runs."""


class Servers:
    """The servers of the settings.

    A change holds at once: `settings` are brought up to date, and `changed` is called with the kinds of models.
    """

    def __init__(
        self, settings: Settings | None = None, changed: Callable[[Collection[str]], object] = lambda kinds: None
    ) -> None:
        self._settings = settings
        self._changed = changed

    def all(self) -> list[ServerCard]:
        """Return all servers, whether they are set up or not; sends no request."""
        return [self.get(section) for section in (*SECTIONS, *_named())]

    def get(self, section: str) -> ServerCard:
        """Describe a server; raises UnknownChoice."""
        server = _settings_of(section)
        sources = {name: config.source_of(section, name) for name in ("base_url", "model")}
        variable = key_variable(section)
        card = ServerCard(section, server.base_url, server.model, sources, variable, keys.server_of(section))
        try:
            url = httpx.URL(server.base_url)
        except httpx.InvalidURL:  # in a file; a search says so
            return card
        if not url.host:
            return card
        key = keys.in_force(section, url)
        here, encrypted = is_this_machine(url.host), url.scheme == "https"
        return replace(card, variable=key.variable, key=key.place, host=url.host, here=here, encrypted=encrypted)

    def look(self, progress: Progress = no_progress) -> tuple[LocalServer, ...]:
        """Look for model servers at their usual ports of this machine, which takes up to two seconds.

        Sends nothing, and returns nothing, where the setting `discover` is off.
        """
        progress(0, 1, "")
        return discovery.discover() if settings().llm.discover else ()

    def update(self, section: str, **values: str) -> None:
        """Store the `base_url` or the `model` of a server, or both; raises ConfigError for an invalid address."""
        try:
            httpx.URL(values.get("base_url", "").strip())
        except httpx.InvalidURL:
            raise ConfigError("'{url}' is no address.", url=values["base_url"].strip()) from None
        config.store_entered_server(_known(section), values)
        self.refresh()

    def enter_key(self, section: str, key: str) -> None:
        """Store the key for a server's address; raises ConfigError without an address, and for an impossible key."""
        server = _settings_of(section)
        if not server.base_url:
            raise ConfigError("Enter the address of the server first: a key belongs to one address.")
        keys.store(section, httpx.URL(server.base_url), key)

    def remove_key(self, section: str) -> None:
        """Delete the key that the user entered."""
        _settings_of(section)
        keys.remove(section)

    def delete_for_good(self, section: str) -> None:
        """Delete the entered address, model and key of a server."""
        keys.remove(_known(section))
        self.update(section, base_url="", model="")

    def test(self, section: str, progress: Progress = no_progress) -> ServerTrial:
        """Ask a server to compare a question with three sentences; tries once.

        Raises ConfigError for a server that isn't set up, ProviderError as its answer says.
        """
        progress(0, 1, section)
        server = _settings_of(section).model_copy(update={"retries": 0})
        question, answer = next(iter(QUESTIONS["en"].items()))
        texts = list(QUESTIONS["en"].values())
        if isinstance(server, EmbeddingServer):
            embedder = OpenAICompatible(settings=server, section=section)
            notes = embedder.embed(texts, role="note")  # a server may load its model for the first request
            started = time.perf_counter()
            scores = notes @ embedder.embed([question], role="query")[0]
            seconds, dimension = time.perf_counter() - started, embedder.dimension
        else:
            reranker: Reranker = Llm(settings=server) if isinstance(server, LlmSettings) else RerankApi(settings=server)
            started = time.perf_counter()
            scores = np.array(reranker.score(question, [Candidate(text) for text in texts]))
            seconds, dimension = time.perf_counter() - started, None
        return ServerTrial(section, seconds, dimension, bool(texts[int(np.argmax(scores))] == answer))

    def refresh(self) -> None:
        """Read the settings of the servers again."""
        if self._settings is not None:
            new = settings()
            for section in SECTIONS:
                setattr(self._settings, section, getattr(new, section))
        self._changed(SECTIONS.values())


@contextmanager
def override_settings(chosen: Settings) -> Iterator[None]:
    """Let the models of this process take their folder and their servers from settings that a program gives."""
    with config.override_settings(chosen):
        _forget_models()
        yield
    _forget_models()


def _forget_models() -> None:
    for table in (EMBEDDERS, RERANKERS):
        table.forget(*SECTIONS.values(), "server")


def _named() -> dict[str, EmbeddingServer]:
    """Return the servers `[embeddings.NAME]`, by their section."""
    return {f"embeddings.{name}": server for name, server in settings().embeddings.servers.items()}


def _settings_of(section: str) -> Any:
    named = _named()
    return named[section] if section in named else getattr(settings(), _known(section))


def _known(section: str) -> str:
    if section not in SECTIONS:
        raise UnknownChoice(message("model server"), section, [*SECTIONS, *_named()])
    return section
