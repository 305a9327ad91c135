"""Discovery of model servers on this machine: which of the usual ones are running, and their language models."""

import json
import re
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import httpx

from core.model import LocalServer
from core.providers.connection import ServerConnection

HOST = "127.0.0.1"
CONNECT_SECONDS, SECONDS = 0.3, 1.5
"""Longest wait for a connection, and for the whole answer."""
MOST_BYTES = 1 << 20
"""Size of a listing at most; one with more isn't read."""
MOST_MODELS, LONGEST_NAME = 50, 200
"""Models of a server that are offered, and characters of a model's name, at most."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """A kind of model server: its path for a list of models, and the owner that this list names for each model.

    Without an `owner`, a list with an unknown owner is accepted as one of this kind.
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
PORTS: dict[str, int] = {"Ollama": 11434, "LM Studio": 1234, "llama.cpp": 8080, "vLLM": 8000}
"""The usual port of each kind."""

_OWNERS = {"library": "Ollama", "organization_owner": "LM Studio", "llamacpp": "llama.cpp", "vllm": "vLLM"}

_NO_CHAT = re.compile(r"embed|rerank|\bbge\b|\be5\b|\bgte\b|minilm|colbert|whisper", re.IGNORECASE)
"""Names of models that write no text."""
_CLOUD = re.compile(r"[:-]cloud$", re.IGNORECASE)
"""Names of models that Ollama runs on servers of its maker."""


def discover(ports: Mapping[str, int] | None = None) -> tuple[LocalServer, ...]:
    """Look at the port of each kind of server, at the same time, and return what is there.

    One request to each, which ends after SECONDS. What doesn't answer as such a server counts as not running: a
    program that passes texts on to another machine might answer in the same form.
    """
    chosen = PORTS if ports is None else ports
    places = [(dialect, chosen[dialect.name]) for dialect in DIALECTS if dialect.name in chosen]
    if not places:
        return ()
    with ThreadPoolExecutor(len(places), thread_name_prefix="look-for-servers") as pool:
        return tuple(pool.map(lambda place: _look_at(*place), places))


def _look_at(dialect: Dialect, port: int) -> LocalServer:
    address = f"{HOST}:{port}"
    url = f"http://{address}/{dialect.path}"
    absent = LocalServer(dialect.name, address)
    try:
        with closing(ServerConnection(httpx.URL(url))) as connection:
            reply = connection.get(url, SECONDS, MOST_BYTES, CONNECT_SECONDS)
    except httpx.HTTPError:
        return absent
    if reply.status != 200 or not reply.body or reply.encoded:
        return absent
    try:
        listing = json.loads(reply.body)
    except (ValueError, RecursionError):
        return absent
    name = _name(dialect, listing)
    if not name:
        return absent
    names = dict.fromkeys(filter(_is_language_model, _models(listing)))
    return LocalServer(name, address, running=True, models=tuple(names)[:MOST_MODELS])


def _rows(listing: Any, part: str) -> list[dict[str, Any]] | None:
    """Return the objects in a part of a listing, None where it isn't a list."""
    rows = listing.get(part) if isinstance(listing, dict) else None
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else None


def _name(dialect: Dialect, listing: Any) -> str:
    """Return the kind of the server that gave a listing, "" for another program."""
    owners = {owner for row in _rows(listing, "data") or () if isinstance(owner := row.get("owned_by"), str)}
    if known := next((_OWNERS[owner] for owner in sorted(owners) if owner in _OWNERS), ""):
        return known
    part = "models" if dialect.path == "api/tags" else "data"
    return "" if dialect.owner or _rows(listing, part) is None else dialect.name


def _models(listing: Mapping[str, Any]) -> Iterator[Any]:
    """Yield the names of the models of a listing, except those that run on another machine or only embed."""
    if (rows := _rows(listing, "data")) is not None:
        yield from (row.get("id") for row in rows)
        return
    for row in _rows(listing, "models") or ():
        details = row.get("details")
        families = [details.get("family"), details.get("families")] if isinstance(details, dict) else []
        remote = row.get("remote_host") or row.get("remote_model")
        if not remote and "bert" not in repr(families).lower():
            yield row.get("name")


def _is_language_model(name: object) -> bool:
    if not isinstance(name, str) or not 0 < len(name) <= LONGEST_NAME:
        return False
    return name == name.strip() and name.isprintable() and not _NO_CHAT.search(name) and not _CLOUD.search(name)
