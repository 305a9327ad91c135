"""The vector index: a local Chroma directory, always rebuildable from SQLite's vectors.

Chroma 1.5.9 shapes this module. Files of a killed process may be broken or crash their reader: a flag marks an index
that was not closed, and a separate process probes such an index. Adding holds the GIL: batches are small. A query may
return deleted ids: the caller looks each up.
"""

import json
import logging
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from core.errors import IndexDamaged
from core.model import KnowledgeBase, Matrix

if TYPE_CHECKING:
    from chromadb.api import ClientAPI
    from chromadb.api.models.Collection import Collection

_BATCH = 100
_NEIGHBOURS, _BUILD_WIDTH, _SEARCH_WIDTH = 32, 200, 400
"""Parameters of HNSW. Of the ten nearest of 150,000 windows, a search misses a tenth with Chroma's defaults and a
hundredth with these. Adding a window takes half a millisecond longer, a search two."""
_PROBE_SECONDS = 120
_LOG = logging.getLogger(__name__)


class VectorIndex:
    """The Chroma collections of a workspace; opened at first use, by one process only.

    Every failure of Chroma is raised as IndexDamaged.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._flag = folder.with_name(folder.name + ".open")
        self._lock = threading.RLock()
        self._client: ClientAPI | None = None
        self._collections: dict[str, Collection] = {}

    @staticmethod
    def name(base: KnowledgeBase) -> str:
        """Return the ASCII name of the collection in use: base, model, dimension and index generation."""
        model = sha256(base.fingerprint.encode()).hexdigest()[:10]
        return f"vectors-{base.id}-m-{model}-d{base.dimension}-g{base.index_generation}"

    def open(self) -> set[str]:
        """Open the directory and return the names of the collections that can be trusted.

        An index that was not closed is probed first; where the probe crashes, the directory is
        cleared, because it can be rebuilt.
        """
        with self._lock:
            trusted: set[str] | None = None
            if self._flag.exists():
                trusted = _probe(self.folder)
                if trusted is None:
                    shutil.rmtree(self.folder, ignore_errors=True)
                    trusted = set()
            self.folder.parent.mkdir(parents=True, exist_ok=True)
            self._flag.touch()
            try:
                names = self._connect()
            except IndexDamaged as error:
                _LOG.warning("The vector index is cleared and will be rebuilt: %s", error)
                shutil.rmtree(self.folder, ignore_errors=True)
                names = self._connect()
            return names if trusted is None else names & trusted

    def search(self, base: KnowledgeBase, query: Matrix, count: int) -> dict[str, float]:
        """Return the best windows with their cosine; fewer than `count` is normal."""
        with _translated():
            result = self._collection(base).query(
                query_embeddings=query[None, :], n_results=count, include=["distances"]
            )
        ids, distances = result["ids"][0], (result["distances"] or [[]])[0]
        return {key: 1.0 - max(0.0, distance) for key, distance in zip(ids, distances, strict=True)}

    def add(self, base: KnowledgeBase, ids: Sequence[str], vectors: Matrix) -> None:
        """Add windows; those with a stored id stay as they are."""
        with self._lock, _translated():
            collection = self._collection(base)
            for at in range(0, len(ids), _BATCH):
                collection.add(ids=list(ids[at : at + _BATCH]), embeddings=vectors[at : at + _BATCH])

    def remove(self, base: KnowledgeBase, ids: Sequence[str]) -> None:
        with self._lock, _translated():
            collection = self._collection(base)
            for at in range(0, len(ids), _BATCH):
                collection.delete(ids=list(ids[at : at + _BATCH]))

    def ids(self, base: KnowledgeBase) -> set[str]:
        with _translated():
            return set(self._collection(base).get(include=[])["ids"])

    def build(self, base: KnowledgeBase, windows: Iterable[tuple[list[str], Matrix]]) -> None:
        """Fill the collection of the base's index generation, from nothing."""
        self.drop(base)
        with self._lock, _translated():
            self._collections[self.name(base)] = self._opened().create_collection(
                self.name(base),
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
        for ids, vectors in windows:
            self.add(base, ids, vectors)

    def drop(self, base: KnowledgeBase) -> None:
        """Delete the base's collection if there is one."""
        self._drop(lambda name: name == self.name(base))

    def drop_all_but(self, bases: Iterable[KnowledgeBase]) -> None:
        """Delete the collections that no base names: those that a killed process left incomplete."""
        named = {self.name(base) for base in bases}
        self._drop(lambda name: name not in named)

    def _drop(self, condition: Callable[[str], bool]) -> None:
        with self._lock, _translated():
            opened = self._opened()
            for name in filter(condition, [collection.name for collection in opened.list_collections()]):
                opened.delete_collection(name)
                self._collections.pop(name, None)

    def _connect(self) -> set[str]:
        with _translated():
            self._client = client(self.folder)
            return {collection.name for collection in self._client.list_collections()}

    def close(self) -> None:
        """Close Chroma and remove the flag: the next start trusts the index."""
        with self._lock:
            if self._client is None:
                return
            self._client.close()  # type: ignore[attr-defined]
            self._client = None
            self._collections.clear()
            self._flag.unlink(missing_ok=True)

    def _opened(self) -> "ClientAPI":
        if self._client is None:
            raise IndexDamaged("The search index is not open yet.")
        return self._client

    def _collection(self, base: KnowledgeBase) -> "Collection":
        name = self.name(base)
        if name not in self._collections:
            self._collections[name] = self._opened().get_collection(name, embedding_function=None)
        return self._collections[name]


def client(folder: Path) -> "ClientAPI":
    """Open a Chroma directory that neither uses the network nor computes vectors."""
    import chromadb
    from chromadb.api.types import DefaultEmbeddingFunction
    from chromadb.config import Settings

    # A collection without an embedding function still names the default one, which downloads its model.
    DefaultEmbeddingFunction.__call__ = _refuse  # type: ignore[method-assign]
    folder.mkdir(parents=True, exist_ok=True)
    return chromadb.PersistentClient(str(folder.resolve()), Settings(anonymized_telemetry=False))


def _refuse(self: object, input: object) -> NoReturn:
    raise RuntimeError("vectors are computed before they reach the index")


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except IndexDamaged:
        raise
    except BaseException as error:
        # A panic of Chroma is a BaseException.
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        raise IndexDamaged(
            "The search index can't be read or written ({why}). Your notes are safe. Rebuild the "
            "index: on the Settings page, or with 'tessera rebuild'.",
            why=str(error),
        ) from error


def _probe(folder: Path) -> set[str] | None:
    """Return the collections that a separate process could read, None if it crashed or hung."""
    try:
        done = subprocess.run(
            [sys.executable, "-m", "core.store.probe", str(folder)],
            capture_output=True,
            timeout=_PROBE_SECONDS,
            check=True,
            cwd=Path(__file__).parents[2],
        )
        return set(json.loads(done.stdout))
    except (subprocess.SubprocessError, ValueError) as error:
        _LOG.warning("The vector index was not closed and can't be read: %s", error)
        return None
