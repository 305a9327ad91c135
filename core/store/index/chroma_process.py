"""Backends that call Chroma in another process, which may die without harm to this one.

One worker process serves all folders and servers.
"""

import os
from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

from core.base.errors import IndexDamaged, StoreError
from core.base.faults import translate_errors
from core.base.files import delete
from core.base.worker_process import ProcessEnded, WorkerProcess
from core.model import Matrix
from core.store.index.chroma_collections import Address, Place, rebuild_address
from core.store.index.chroma_worker import FRESH, REPLACED, seal_file

_BATCH = 100
"""Number of entries per addition: a search waits for at most one batch."""
_SECONDS = 60
"""Time limit in seconds for a reply, because a search in a damaged graph may never end."""
_LONG = 600
"""Time limit in seconds for calls that read a whole collection."""
_PROCESS = WorkerProcess("core.store.index.chroma_worker", patience=_SECONDS)


class Backend(ABC):
    """Collections of entries by name, in a folder or on a server; an entry is an id and a vector of unit length.

    Raises IndexDamaged if a collection must be rebuilt, and another StoreError if the backend can't be used now.
    """

    def __init__(self, place: Place) -> None:
        self._place = place

    def open(self, *, empty: bool = False) -> bool:
        """Open the place, and empty it with `empty`; return whether its seal proves the index sound."""
        return bool(self._ask("open", _LONG, empty=empty))

    def close(self, *, sealed: bool) -> None:
        """Close the place if it is open. `sealed`: the index is sound."""
        self._ask("close", _LONG, sealed=sealed)

    def names(self) -> set[str]:
        """Return the names of the collections."""
        return set(self._ask("names"))

    def search(self, name: str, query: Matrix, count: int) -> dict[str, float]:
        """Return the best entries with their cosines; there may be fewer than `count`."""
        return dict(self._ask("search", name=name, query=query, count=count))

    def ids(self, name: str) -> set[str]:
        """Return the ids of all entries."""
        return set(self._ask("ids", _LONG, name=name))

    def vectors(self, name: str, ids: Sequence[str]) -> dict[str, Matrix]:
        """Return the vectors of the given entries, as stored in the graph."""
        return dict(self._ask("vectors", _LONG, name=name, ids=list(ids)))

    def add(self, name: str, ids: Sequence[str], vectors: Matrix) -> None:
        """Add entries; entries with known ids stay unchanged."""
        for at in range(0, len(ids), _BATCH):
            self._ask("add", name=name, ids=list(ids[at : at + _BATCH]), vectors=vectors[at : at + _BATCH])

    def remove(self, name: str, ids: Sequence[str]) -> None:
        """Remove entries; unknown ids are ignored."""
        for at in range(0, len(ids), _BATCH):
            self._ask("remove", name=name, ids=list(ids[at : at + _BATCH]))

    def create(self, name: str) -> None:
        """Create an empty collection."""
        self._ask("create", name=name)

    def drop(self, name: str) -> None:
        """Delete a collection if it exists."""
        self._ask("drop", name=name)

    @abstractmethod
    def rebuild_backend(self) -> Self:
        """Return a temporary backend for rebuilding this one."""

    @abstractmethod
    def take_over(self, fresh: Self) -> None:
        """Replace the content of this backend with the content of another one; both are closed afterwards."""

    def _ask(self, verb: str, seconds: float = _SECONDS, /, **arguments: object) -> Any:
        try:
            return _PROCESS.ask((self._place, verb, arguments), seconds)
        except ProcessEnded as error:
            raise IndexDamaged(
                "The search index crashed the process that read it. Your notes are safe. Rebuild the index: on the "
                "Settings page, or with 'tessera rebuild'."
            ) from error


class ChromaFolder(Backend):
    """The collections of a workspace in a folder."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._path = path

    def rebuild_backend(self) -> Self:
        return type(self)(self._path.with_name(FRESH))

    def take_over(self, fresh: Self) -> None:
        fresh.close(sealed=False)
        with suppress(StoreError):
            self.close(sealed=False)
        with translate_errors(self._path.parent):
            old = self._path.with_name(REPLACED)
            delete(old)
            delete(seal_file(self._path))
            if os.path.lexists(self._path):
                self._path.rename(old)
            fresh._path.rename(self._path)
            delete(old)


class ChromaServer(Backend):
    """The collections of a workspace on a Chroma server."""

    def __init__(self, address: Address) -> None:
        super().__init__(address)
        self._address = address

    def rebuild_backend(self) -> Self:
        return type(self)(rebuild_address(self._address))

    def take_over(self, fresh: Self) -> None:
        fresh._ask("hand_over", _LONG, owner=self._address.owner)
        fresh.close(sealed=False)
        with suppress(StoreError):
            self.close(sealed=False)
