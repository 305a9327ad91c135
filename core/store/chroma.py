"""Chroma, in a process of its own that may die: `python -m core.store.chroma`.

Chroma 1.5.9 shapes this module. A damaged file of HNSW ends the process that reads it. Adding holds the GIL. An engine
that failed to open stays in Chroma's memory under its path: a process in which an opening failed ends.
"""

import errno
import os
import pickle
import signal
import socket
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NoReturn
from urllib.parse import urlsplit

import numpy as np
from filelock import FileLock, Timeout

from core.errors import IndexAway, IndexDamaged, StoreError
from core.faults import fault, hindrance
from core.messages import message
from core.model import Matrix
from core.store import seal
from core.store.backend import Address, Place, beside

if TYPE_CHECKING:
    from chromadb.api import ClientAPI
    from chromadb.api.models.Collection import Collection
    from chromadb.config import Settings

FRESH, REPLACED = "chroma.new", "chroma.old"
"""Folders beside an index while it is built again; a kill may leave them."""
_PAGE = 1000
_NEIGHBOURS, _BUILD_WIDTH, _SEARCH_WIDTH = 32, 200, 400
"""Parameters of HNSW. Of the ten nearest of 150,000 windows, a search misses a tenth with Chroma's defaults and a
hundredth with these. Adding a window takes half a millisecond longer, a search two."""
_LOCK_SECONDS = 60
_REACHED_SECONDS = 5
_SEALED = "sealed"
_FULL = ("disk is full", os.strerror(errno.ENOSPC))
"""What Chroma says of a full disk, in the words of SQLite and of the system."""
_BUSY = message("another Tessera still has it open")


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


class Directory(Collections):
    """A directory of Chroma that this process has open.

    Another process that has it open is waited for: one whose parent was killed closes what it has open, and ends.
    """

    def __init__(self, folder: Path, *, empty: bool) -> None:
        super().__init__()
        self._folder = folder
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

    def close(self, *, sealed: bool) -> None:
        """Close the directory; `sealed` says that it is sound."""
        try:
            self._client.close()  # type: ignore[attr-defined]
            if sealed:
                files = seal.files(self._folder)
                seal.put_on(self._folder, files, changed=self._changed or files != self._files)
        finally:
            self._lock.release()


class Server(Collections):
    """The collections of a workspace on a server of Chroma.

    A collection tells in its metadata how many entries it had when it was left sound; an index in use doesn't.
    """

    def __init__(self, address: Address, *, empty: bool) -> None:
        super().__init__(_prefix(address.owner))
        self._client = _of_server(address)
        unfinished = _prefix(beside(address).owner)
        for collection in self._client.list_collections():
            if collection.name.startswith(unfinished):
                self._client.delete_collection(collection.name)
        if empty:
            for name in self.names():
                self.drop(name)
        states = [self._take_off(self._collection(name)) for name in self.names()]
        self.sound = bool(states) and all(states)

    def hand_over(self, owner: str) -> None:
        """Give all collections to another owner, in the place of those that it has of the same names."""
        theirs = _prefix(owner)
        present = {collection.name for collection in self._client.list_collections()}
        for name in self.names():
            if theirs + name in present:
                self._client.delete_collection(theirs + name)
            self._collection(name).modify(name=theirs + name)
        self._collections.clear()

    def close(self, *, sealed: bool) -> None:
        """Leave the server; `sealed` says that the collections are sound."""
        for name in self.names() if sealed else ():
            collection = self._collection(name)
            collection.modify(metadata={_SEALED: collection.count()})

    @staticmethod
    def _take_off(collection: "Collection") -> bool:
        sealed = (collection.metadata or {}).get(_SEALED, -1)
        if sealed != -1:
            collection.modify(metadata={_SEALED: -1})
        return bool(sealed == collection.count())


def serve(requests: BinaryIO, replies: BinaryIO) -> None:
    """Answer requests until none comes, or None: each is a folder, the name of a method, and its arguments.

    A reply is a result, or a StoreError, and whether the process goes on.
    """
    opened: dict[Place, Directory | Server] = {}
    goes_on = True
    while goes_on:
        try:
            request = pickle.load(requests)
        except EOFError:
            break
        if request is None:
            break
        place, verb, arguments = request
        try:
            reply = _answer(opened, place, verb, arguments)
        except BaseException as error:  # noqa: BLE001 a panic of Chroma is a BaseException
            reply = _translated(error, place)
            goes_on = verb != "open" and isinstance(error, Exception)
        pickle.dump((reply, goes_on), replies)
        replies.flush()
    for collections in opened.values():
        with suppress(Exception):
            collections.close(sealed=False)


def _answer(opened: dict[Place, Directory | Server], place: Place, verb: str, arguments: dict[str, Any]) -> object:
    if verb == "open":
        _close(opened, place, sealed=False)
        opened[place] = Server(place, **arguments) if isinstance(place, Address) else Directory(place, **arguments)
        return opened[place].sound
    if verb == "close":
        _close(opened, place, **arguments)
        return None
    if place not in opened:
        raise IndexDamaged("The search index is not open yet.")
    return getattr(opened[place], verb)(**arguments)


def _close(opened: dict[Place, Directory | Server], place: Place, *, sealed: bool) -> None:
    collections = opened.pop(place, None)
    if collections is not None:
        collections.close(sealed=sealed)


def _client(folder: Path) -> "ClientAPI":
    """Open a directory that neither uses the network nor computes vectors."""
    import chromadb

    folder.mkdir(parents=True, exist_ok=True)
    return chromadb.PersistentClient(str(folder), _settings())


def _of_server(address: Address) -> "ClientAPI":
    """Reach a server; the first connection has a time limit, which Chroma's own has not."""
    import chromadb

    parts = urlsplit(address.url)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    socket.create_connection((parts.hostname or "", port), _REACHED_SECONDS).close()
    return chromadb.HttpClient(
        parts.hostname or "",
        port,
        ssl=parts.scheme == "https",
        headers={"Authorization": f"Bearer {address.token}"} if address.token else None,
        settings=_settings(),
        tenant=address.tenant,
        database=address.database,
    )


def _settings() -> "Settings":
    from chromadb.api.types import DefaultEmbeddingFunction
    from chromadb.config import Settings

    # A collection without an embedding function still names the default one, which downloads its model.
    DefaultEmbeddingFunction.__call__ = _refuse  # type: ignore[method-assign]
    return Settings(anonymized_telemetry=False)


def _prefix(owner: str) -> str:
    return f"tessera-{owner}-"


def _refuse(self: object, input: object) -> NoReturn:
    raise RuntimeError("vectors are computed before they reach the index")


def _translated(error: BaseException, place: Place) -> StoreError:
    if isinstance(error, StoreError):
        return error
    return _of_address(error, place) if isinstance(place, Address) else _of_folder(error, place)


def _of_address(error: BaseException, address: Address) -> StoreError:
    """Return what went wrong with a server: it is away, or refuses, or something is wrong with what it holds."""
    why = str(error) or type(error).__name__
    status = getattr(getattr(error, "response", None), "status_code", 0) or getattr(error, "code", lambda: 0)()
    if status in (401, 403):
        return IndexAway(
            "The Chroma server at {url} refuses the key. Set {variable} to the right one.",
            url=address.url,
            variable="TESSERA_INDEX_TOKEN",
        )
    # A connection that fails is an error of httpx or of the system, or a ValueError without more.
    if type(error).__module__.startswith("httpx") or isinstance(error, OSError | ValueError):
        return IndexAway(
            "The Chroma server at {url} doesn't answer ({why}). Searches go on, more slowly; what is written waits, "
            "and is sent when it is back.",
            url=address.url,
            why=why,
        )
    return IndexDamaged(
        "The search index on {url} can't be used ({why}). Your notes are safe. Rebuild the index: on the "
        "Settings page, or with 'tessera rebuild'.",
        url=address.url,
        why=why,
    )


def _of_folder(error: BaseException, folder: Path) -> StoreError:
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
