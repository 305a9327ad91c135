"""Chroma as the rest of the program meets it: it runs in another process, which may die.

One such process serves all folders and servers that this one opens.
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
from core.store.index import index_check
from core.store.index.backend import Address, Place, rebuild_address
from core.store.index.chroma_worker import FRESH, REPLACED

_BATCH = 100
"""Entries that are added at a time: a search waits for one addition at most."""
_SECONDS = 60
"""Longest wait for a reply: a damaged graph may be walked for ever."""
_LONG = 600
"""Time limit, in seconds, of calls that read a whole collection."""
_PROCESS = WorkerProcess("core.store.index.chroma_worker", patience=_SECONDS)


class Backend(ABC):
    """Collections of entries by name, in a folder or on a server; an entry is an id and a vector of unit length.

    Failures raise StoreError. IndexDamaged says that a collection has to be built again, any other error that the
    backend can't be used now.
    """

    def __init__(self, place: Place) -> None:
        self._place = place

    def open(self, *, empty: bool = False) -> bool:
        """Open the place, made `empty` or as it is; return whether it is as a sound index was left."""
        return bool(self._ask("open", _LONG, empty=empty))

    def close(self, *, sealed: bool) -> None:
        """Close the place if it is open; `sealed` says that it is sound."""
        self._ask("close", _LONG, sealed=sealed)

    def names(self) -> set[str]:
        """Return the names of the collections."""
        return set(self._ask("names"))

    def search(self, name: str, query: Matrix, count: int) -> dict[str, float]:
        """Return the best entries with their cosine; fewer than `count` is normal."""
        return dict(self._ask("search", name=name, query=query, count=count))

    def ids(self, name: str) -> set[str]:
        """Return the ids of all entries."""
        return set(self._ask("ids", _LONG, name=name))

    def vectors(self, name: str, ids: Sequence[str]) -> dict[str, Matrix]:
        """Return the vectors of some entries as the graph holds them."""
        return dict(self._ask("vectors", _LONG, name=name, ids=list(ids)))

    def reach(self, name: str) -> float:
        """Return the share of the entries that a search for all of them returns."""
        return float(self._ask("reach", _LONG, name=name))

    def add(self, name: str, ids: Sequence[str], vectors: Matrix) -> None:
        """Add entries; those with a stored id stay as they are."""
        for at in range(0, len(ids), _BATCH):
            self._ask("add", name=name, ids=list(ids[at : at + _BATCH]), vectors=vectors[at : at + _BATCH])

    def remove(self, name: str, ids: Sequence[str]) -> None:
        """Remove entries; unknown ids are ignored."""
        for at in range(0, len(ids), _BATCH):
            self._ask("remove", name=name, ids=list(ids[at : at + _BATCH]))

    def create(self, name: str) -> None:
        """Make an empty collection."""
        self._ask("create", name=name)

    def drop(self, name: str) -> None:
        """Delete a collection if it is there."""
        self._ask("drop", name=name)

    @abstractmethod
    def rebuild_backend(self) -> Self:
        """Return the backend in which this one is built again."""

    @abstractmethod
    def take_over(self, fresh: Self) -> None:
        """Put what another backend holds in the place of this one's; both are closed afterwards."""

    def _ask(self, verb: str, seconds: float = _SECONDS, /, **arguments: object) -> Any:
        try:
            return _PROCESS.ask((self._place, verb, arguments), seconds)
        except ProcessEnded as error:
            raise IndexDamaged(
                "The search index crashed the process that read it. Your notes are safe. Rebuild the index: on the "
                "Settings page, or with 'tessera rebuild'."
            ) from error


class ChromaFolder(Backend):
    """A directory of Chroma."""

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
            delete(index_check.seal_file(self._path))
            if os.path.lexists(self._path):
                self._path.rename(old)
            fresh._path.rename(self._path)
            delete(old)


class ChromaServer(Backend):
    """The collections of a workspace on a server of Chroma."""

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
