"""Chroma collections, in a folder or on a server."""

from collections.abc import Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn
from urllib.parse import urlsplit

import numpy as np

from core.base.errors import IndexAway, IndexDamaged, StoreError
from core.base.frozen import frozen
from core.model import Matrix


@frozen
class Address:
    """Address of a workspace's collections on a Chroma server. `owner` is the workspace's name on the server."""

    url: str
    owner: str
    database: str = "default_database"
    tenant: str = "default_tenant"
    token: str = field(default="", repr=False)


Place = Path | Address


def rebuild_address(address: Address) -> Address:
    """Return the address at which to build new collections. It starts with `new-`, which no workspace's name does."""
    return replace(address, owner=f"new-{address.owner}")


if TYPE_CHECKING:
    from chromadb.api import ClientAPI
    from chromadb.api.models.Collection import Collection
    from chromadb.config import Settings


_PAGE = 1000
# HNSW parameters. With 150,000 windows, a search misses 1% of the ten nearest windows, compared with 10% with Chroma's
# defaults. Adding a window takes 0.5 ms longer, and a search takes 2 ms longer.
_GRAPH: Any = {"space": "cosine", "max_neighbors": 32, "ef_construction": 200, "ef_search": 400}


class Collections:
    """A Chroma client's collections, by name. The methods are the same as in `Backend`."""

    _client: "ClientAPI"

    _changed = False

    def __init__(self, prefix: str = "") -> None:
        self._prefix = prefix
        self._collections: dict[str, Collection] = {}

    def names(self) -> set[str]:
        names = (collection.name for collection in self._client.list_collections())
        return {name.removeprefix(self._prefix) for name in names if name.startswith(self._prefix)}

    def search(self, name: str, query: Matrix, count: int) -> dict[str, float]:
        result = self._collection(name).query(query_embeddings=query[None, :], n_results=count, include=["distances"])
        ids = result["ids"][0]
        distances = (result["distances"] or [[]])[0]
        return {key: 1.0 - max(0.0, distance) for key, distance in zip(ids, distances, strict=True)}

    def ids(self, name: str) -> set[str]:
        return set(self._collection(name).get(include=[])["ids"])

    def vectors(self, name: str, ids: Sequence[str]) -> dict[str, Matrix]:
        vectors: dict[str, Matrix] = {}
        for at in range(0, len(ids), _PAGE):
            page = self._collection(name).get(ids=list(ids[at : at + _PAGE]), include=["embeddings"])
            vectors.update(zip(page["ids"], np.asarray(page["embeddings"], np.float32), strict=True))
        return vectors

    def reach(self, name: str) -> float:
        if not (ids := self._collection(name).get(include=[])["ids"]):
            return 1.0
        return len(self.search(name, self.vectors(name, ids[:1])[ids[0]], len(ids))) / len(ids)

    def add(self, name: str, ids: Sequence[str], vectors: Matrix) -> None:
        self._changed = True
        self._collection(name).add(ids=list(ids), embeddings=vectors)

    def remove(self, name: str, ids: Sequence[str]) -> None:
        self._changed = True
        self._collection(name).delete(ids=list(ids))

    def create(self, name: str) -> None:
        self._changed = True
        self._collections[name] = self._client.create_collection(
            self._prefix + name, embedding_function=None, configuration={"hnsw": _GRAPH}
        )

    def drop(self, name: str) -> None:
        if name in self.names():
            self._changed = True
            self._client.delete_collection(self._prefix + name)
        self._collections.pop(name, None)

    def _collection(self, name: str) -> "Collection":
        if name not in self._collections:
            self._collections[name] = self._client.get_collection(self._prefix + name, embedding_function=None)
        return self._collections[name]


def client_settings() -> "Settings":
    """Return settings for a client without telemetry, and make sure that Chroma never computes vectors itself."""
    from chromadb.api.types import DefaultEmbeddingFunction
    from chromadb.config import Settings

    # Even without an embedding function, a collection refers to the default one, which would download its model.
    DefaultEmbeddingFunction.__call__ = _refuse  # type: ignore[method-assign]
    return Settings(anonymized_telemetry=False)


def _refuse(self: object, input: object) -> NoReturn:
    raise RuntimeError("vectors are computed before they reach the index")


# A Chroma server, called from the worker process.

# Time limits in seconds for connecting to a server, and for its responses. Chroma's client sets no limits.
_REACHED_SECONDS = 5
_ANSWERED_SECONDS = 30
_SEALED = "sealed"
# Prefix of the names of a workspace's collections. The placeholder is for the owner.
_PREFIX = "tessera-{}-"
# HTTP status codes for a temporarily unavailable server or proxy.
_BUSY = (408, 429, 502, 503, 504)


class RemoteChroma(Collections):
    """A workspace's collections on a Chroma server.

    When an undamaged collection is closed, its number of entries is stored in its metadata as a seal. The seal is
    removed when the collection is opened.
    """

    def __init__(self, address: Address, *, empty: bool) -> None:
        super().__init__(_PREFIX.format(address.owner))
        self._client = _client(address)
        unfinished = _PREFIX.format(rebuild_address(address).owner)
        for collection in self._client.list_collections():
            if collection.name.startswith(unfinished):
                self._client.delete_collection(collection.name)
        if empty:
            for name in self.names():
                self.drop(name)
        states = []
        for collection in map(self._collection, self.names()):
            if (sealed := (collection.metadata or {}).get(_SEALED, -1)) != -1:
                collection.modify(metadata={_SEALED: -1})
            states.append(sealed == collection.count())
        self.sound = bool(states) and all(states)

    def hand_over(self, owner: str) -> None:
        """Transfer all collections to another owner.

        If that owner already has collections with the same names, delete them.
        """
        theirs = _PREFIX.format(owner)
        present = {collection.name for collection in self._client.list_collections()}
        for name in self.names():
            if theirs + name in present:
                self._client.delete_collection(theirs + name)
            self._collection(name).modify(name=theirs + name)
        self._collections.clear()

    def close(self, *, sealed: bool) -> None:
        """Close the client. With `sealed`, first mark the collections as undamaged."""
        try:
            for name in self.names() if sealed else ():
                collection = self._collection(name)
                collection.modify(metadata={_SEALED: collection.count()})
        finally:
            self._client.close()  # type: ignore[attr-defined]


def _client(address: Address) -> "ClientAPI":
    """Connect to a server. Raises IndexAway if the database doesn't exist there."""
    import chromadb
    import httpx
    from chromadb.errors import NotFoundError

    httpx.get(f"{address.url}/api/v2/heartbeat", timeout=_REACHED_SECONDS)
    parts = urlsplit(address.url)
    token = {"Authorization": f"Bearer {address.token}", "X-Chroma-Token": address.token} if address.token else None
    try:
        client = chromadb.HttpClient(
            parts.hostname or "",
            parts.port or (443 if parts.scheme == "https" else 80),
            ssl=parts.scheme == "https",
            headers=token,
            settings=client_settings(),
            tenant=address.tenant,
            database=address.database,
        )
    except NotFoundError as error:
        raise IndexAway(
            (
                "The Chroma server at {url} has no database '{database}' for the tenant '{tenant}'. Create the "
                "database there, or set another one in the [index] section of tessera.toml."
            ),
            url=address.url,
            database=address.database,
            tenant=address.tenant,
        ) from error
    session: Any = client._server._session  # type: ignore[attr-defined]
    session.timeout = _ANSWERED_SECONDS
    return client


def fault_of(error: BaseException, address: Address) -> StoreError:
    """Return the error for a failed call.

    It is IndexAway if the server is unreachable or denies access, and IndexDamaged otherwise.
    """
    why = str(error) or type(error).__name__
    status = 0
    cause: BaseException | None = error
    while cause and not status:
        response = getattr(cause, "response", None)
        code = getattr(cause, "code", None)
        status = int(response.status_code if response else code() if code else 0)
        cause = cause.__cause__ or cause.__context__
    if status in (401, 403):
        return IndexAway(
            "The Chroma server at {url} rejects the key. Set {variable} to the correct key.",
            url=address.url,
            variable="TESSERA_INDEX_TOKEN",
        )
    # A failed connection raises an httpx error, an OSError or a bare ValueError.
    if status in _BUSY or type(error).__module__.startswith("httpx") or isinstance(error, OSError | ValueError):
        return IndexAway(
            (
                "The Chroma server at {url} isn't responding ({why}). Search still works, but more "
                "slowly. Changes will be sent once the server is back."
            ),
            url=address.url,
            why=why,
        )
    return IndexDamaged(
        "The search index on {url} can't be used ({why}). Your notes are safe. Rebuild the index on the Settings "
        "page or with 'tessera rebuild'.",
        url=address.url,
        why=why,
    )
