"""Collections of a client of Chroma, whether it reads a folder or asks a server."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NoReturn

import numpy as np

from core.model import Matrix

if TYPE_CHECKING:
    from chromadb.api import ClientAPI
    from chromadb.api.models.Collection import Collection
    from chromadb.config import Settings

_PAGE = 1000
_NEIGHBOURS, _BUILD_WIDTH, _SEARCH_WIDTH = 32, 200, 400
"""Parameters of HNSW. Of the ten nearest of 150,000 windows, a search misses a tenth with Chroma's defaults and a
hundredth with these. Adding a window takes half a millisecond longer, a search two."""


class Collections:
    """Collections of a client of Chroma, by name."""

    _client: "ClientAPI"

    def __init__(self, prefix: str = "") -> None:
        self._prefix = prefix
        self._changed = False
        self._collections: dict[str, Collection] = {}

    def names(self) -> set[str]:
        """Return the names of the collections."""
        names = (collection.name for collection in self._client.list_collections())
        return {name.removeprefix(self._prefix) for name in names if name.startswith(self._prefix)}

    def search(self, name: str, query: Matrix, count: int) -> dict[str, float]:
        """Return the best entries with their cosine; fewer than `count` is normal."""
        result = self._collection(name).query(query_embeddings=query[None, :], n_results=count, include=["distances"])
        ids, distances = result["ids"][0], (result["distances"] or [[]])[0]
        return {key: 1.0 - max(0.0, distance) for key, distance in zip(ids, distances, strict=True)}

    def ids(self, name: str) -> set[str]:
        """Return the ids of all entries."""
        return set(self._collection(name).get(include=[])["ids"])

    def vectors(self, name: str, ids: Sequence[str]) -> dict[str, Matrix]:
        """Return the vectors of some entries as the graph holds them."""
        vectors: dict[str, Matrix] = {}
        for at in range(0, len(ids), _PAGE):
            page = self._collection(name).get(ids=list(ids[at : at + _PAGE]), include=["embeddings"])
            vectors.update(zip(page["ids"], np.asarray(page["embeddings"], np.float32), strict=True))
        return vectors

    def reach(self, name: str) -> float:
        """Return the share of the entries that a search for all of them returns."""
        collection = self._collection(name)
        ids = collection.get(include=[])["ids"]
        if not ids:
            return 1.0
        first = self.vectors(name, ids[:1])[ids[0]]
        return len(self.search(name, first, len(ids))) / len(ids)

    def add(self, name: str, ids: Sequence[str], vectors: Matrix) -> None:
        """Add entries; those with a stored id stay as they are."""
        self._changed = True
        self._collection(name).add(ids=list(ids), embeddings=vectors)

    def remove(self, name: str, ids: Sequence[str]) -> None:
        """Remove entries; unknown ids are ignored."""
        self._changed = True
        self._collection(name).delete(ids=list(ids))

    def create(self, name: str) -> None:
        """Make an empty collection."""
        self._changed = True
        self._collections[name] = self._client.create_collection(
            self._prefix + name,
            embedding_function=None,
            configuration={
                "hnsw": {
                    "space": "cosine",
                    "max_neighbors": _NEIGHBOURS,
                    "ef_construction": _BUILD_WIDTH,
                    "ef_search": _SEARCH_WIDTH,
                }
            },
        )

    def drop(self, name: str) -> None:
        """Delete a collection if it is there."""
        if name in self.names():
            self._changed = True
            self._client.delete_collection(self._prefix + name)
        self._collections.pop(name, None)

    def _collection(self, name: str) -> "Collection":
        if name not in self._collections:
            self._collections[name] = self._client.get_collection(self._prefix + name, embedding_function=None)
        return self._collections[name]


def client_settings() -> "Settings":
    """Return the settings of a client that neither uses the network nor computes vectors."""
    from chromadb.api.types import DefaultEmbeddingFunction
    from chromadb.config import Settings

    # A collection without an embedding function still names the default one, which downloads its model.
    DefaultEmbeddingFunction.__call__ = _refuse  # type: ignore[method-assign]
    return Settings(anonymized_telemetry=False)


def _refuse(self: object, input: object) -> NoReturn:
    raise RuntimeError("vectors are computed before they reach the index")
