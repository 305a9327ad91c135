"""Chroma's side of the vector index, in a process of its own that may die: `python -m core.store.chroma`.

Chroma 1.5.9 shapes this module. A damaged file of HNSW ends the process that reads it. Adding holds the GIL. An engine
that failed to open stays in Chroma's memory under its path: a process in which an opening failed ends.
"""

import errno
import os
import pickle
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NoReturn

import numpy as np
from filelock import FileLock, Timeout

from core.errors import IndexDamaged, StoreError
from core.faults import fault, hindrance
from core.messages import message
from core.model import Matrix
from core.store import seal

if TYPE_CHECKING:
    from chromadb.api import ClientAPI
    from chromadb.api.models.Collection import Collection

FRESH, REPLACED = "chroma.new", "chroma.old"
"""Folders beside an index while it is built again; a kill may leave them."""
_PAGE = 1000
_NEIGHBOURS, _BUILD_WIDTH, _SEARCH_WIDTH = 32, 200, 400
"""Parameters of HNSW. Of the ten nearest of 150,000 windows, a search misses a tenth with Chroma's defaults and a
hundredth with these. Adding a window takes half a millisecond longer, a search two."""
_LOCK_SECONDS = 60
_FULL = ("disk is full", os.strerror(errno.ENOSPC))
"""What Chroma says of a full disk, in the words of SQLite and of the system."""
_BUSY = message("another Tessera still has it open")


class Directory:
    """A directory of Chroma that this process has open, and its collections by name.

    Another process that has it open is waited for: one whose parent was killed closes what it has open, and ends.
    """

    def __init__(self, folder: Path, *, empty: bool) -> None:
        self._folder = folder
        self._changed = False
        self._collections: dict[str, Collection] = {}
        lock = folder.with_name("chroma.lock")
        if lock.is_symlink() or lock.is_dir():  # nobody can have locked it
            seal.delete(lock)
        self._lock = FileLock(lock, is_singleton=True)
        self._lock.acquire(timeout=_LOCK_SECONDS)
        try:
            for left in (folder,) if empty else map(folder.with_name, (FRESH, REPLACED)):
                seal.delete(left)
            self._files = seal.files(folder)
            self.sound = seal.take_off(folder, self._files)
            self._client = _client(folder)
        except BaseException:
            self._lock.release()
            raise

    def names(self) -> set[str]:
        """Return the names of the collections."""
        return {collection.name for collection in self._client.list_collections()}

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
            name,
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
            self._client.delete_collection(name)
        self._collections.pop(name, None)

    def close(self, *, sealed: bool) -> None:
        """Close the directory; `sealed` says that it is sound."""
        try:
            self._client.close()  # type: ignore[attr-defined]
            if sealed:
                files = seal.files(self._folder)
                seal.put_on(self._folder, files, changed=self._changed or files != self._files)
        finally:
            self._lock.release()

    def _collection(self, name: str) -> "Collection":
        if name not in self._collections:
            self._collections[name] = self._client.get_collection(name, embedding_function=None)
        return self._collections[name]


def serve(requests: BinaryIO, replies: BinaryIO) -> None:
    """Answer requests until none comes, or None: each is a folder, the name of a method, and its arguments.

    A reply is a result, or a StoreError, and whether the process goes on.
    """
    directories: dict[Path, Directory] = {}
    goes_on = True
    while goes_on:
        try:
            request = pickle.load(requests)
        except EOFError:
            break
        if request is None:
            break
        folder, verb, arguments = request
        try:
            reply = _answer(directories, folder, verb, arguments)
        except BaseException as error:  # noqa: BLE001 a panic of Chroma is a BaseException
            reply = _translated(error, folder)
            goes_on = verb != "open" and isinstance(error, Exception)
        pickle.dump((reply, goes_on), replies)
        replies.flush()
    for directory in directories.values():
        with suppress(Exception):
            directory.close(sealed=False)


def _answer(directories: dict[Path, Directory], folder: Path, verb: str, arguments: dict[str, Any]) -> object:
    if verb == "open":
        _close(directories, folder, sealed=False)
        directories[folder] = Directory(folder, **arguments)
        return directories[folder].sound
    if verb == "close":
        _close(directories, folder, **arguments)
        return None
    if folder not in directories:
        raise IndexDamaged("The search index is not open yet.")
    return getattr(directories[folder], verb)(**arguments)


def _close(directories: dict[Path, Directory], folder: Path, *, sealed: bool) -> None:
    directory = directories.pop(folder, None)
    if directory is not None:
        directory.close(sealed=sealed)


def _client(folder: Path) -> "ClientAPI":
    """Open a directory that neither uses the network nor computes vectors."""
    import chromadb
    from chromadb.api.types import DefaultEmbeddingFunction
    from chromadb.config import Settings

    # A collection without an embedding function still names the default one, which downloads its model.
    DefaultEmbeddingFunction.__call__ = _refuse  # type: ignore[method-assign]
    folder.mkdir(parents=True, exist_ok=True)
    return chromadb.PersistentClient(str(folder), Settings(anonymized_telemetry=False))


def _refuse(self: object, input: object) -> NoReturn:
    raise RuntimeError("vectors are computed before they reach the index")


def _translated(error: BaseException, folder: Path) -> StoreError:
    if isinstance(error, StoreError):
        return error
    why = _BUSY if isinstance(error, Timeout) else str(error) or type(error).__name__
    if any(words in str(error) for words in _FULL):
        return fault(OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)), folder.parent)
    return hindrance(folder.parent) or IndexDamaged(
        "The search index can't be read or written ({why}). Your notes are safe. Rebuild the "
        "index: on the Settings page, or with 'tessera rebuild'.",
        why=why,
    )


def main() -> None:
    """Serve the parent on standard input and output, until it closes them or dies."""
    # Both reach the whole group of processes; the parent closes the index when it ends.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    replies = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    serve(sys.stdin.buffer, replies)


if __name__ == "__main__":
    main()
