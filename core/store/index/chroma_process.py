"""Backends that call Chroma in a worker process, so that a crash in Chroma doesn't affect this process.

A single worker process serves all folders and servers.
"""

import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.base.errors import IndexDamaged, StoreError
from core.base.faults import translate_errors
from core.base.files import delete
from core.base.worker_process import ProcessEnded, WorkerProcess
from core.model import Matrix
from core.store.index.chroma_collections import Address, Place, rebuild_address
from core.store.index.chroma_worker import FRESH, REPLACED, seal_file

# Number of entries to add or remove per request. Between requests, a waiting search gets its turn.
_BATCH = 100
# Time limit in seconds for a reply. A search in a damaged graph may never end.
_SECONDS = 60
# Time limit in seconds for calls that read a whole collection.
_LONG = 600
_PROCESS = WorkerProcess("core.store.index.chroma_worker", patience=_SECONDS)


@dataclass
class Backend:
    """Named collections of entries, in a folder or on a server. An entry is an id with a unit-length vector.

    The methods raise IndexDamaged if a collection must be rebuilt, or another StoreError if the backend can't be used
    at the moment.
    """

    _place: Place

    def open(self, *, empty: bool = False) -> bool:
        """Open the folder or connect to the server. Return whether a seal proves that the index is undamaged.

        With `empty`, delete all collections.
        """
        return bool(self._ask("open", _LONG, empty=empty))

    def close(self, *, sealed: bool) -> None:
        """Close the folder or the connection if it is open. With `sealed`, mark the index as undamaged."""
        self._ask("close", _LONG, sealed=sealed)

    def names(self) -> set[str]:
        return set(self._ask("names"))

    def search(self, name: str, query: Matrix, count: int) -> dict[str, float]:
        """Return up to `count` of the entries nearest to the query, with their cosines."""
        return dict(self._ask("search", name=name, query=query, count=count))

    def ids(self, name: str) -> set[str]:
        return set(self._ask("ids", _LONG, name=name))

    def vectors(self, name: str, ids: Sequence[str]) -> dict[str, Matrix]:
        """Return the given entries' vectors, as stored in the graph."""
        return dict(self._ask("vectors", _LONG, name=name, ids=list(ids)))

    def reach(self, name: str) -> float:
        """Search for all of a collection's entries, and return the share that is found."""
        return float(self._ask("reach", _LONG, name=name))

    def add(self, name: str, ids: Sequence[str], vectors: Matrix) -> None:
        """Add entries. Existing entries with the same ids stay unchanged."""
        for at in range(0, len(ids), _BATCH):
            self._ask("add", name=name, ids=ids[at : at + _BATCH], vectors=vectors[at : at + _BATCH])

    def remove(self, name: str, ids: Sequence[str]) -> None:
        """Remove entries. Unknown ids are ignored."""
        for at in range(0, len(ids), _BATCH):
            self._ask("remove", name=name, ids=ids[at : at + _BATCH])

    def create(self, name: str) -> None:
        self._ask("create", name=name)

    def drop(self, name: str) -> None:
        self._ask("drop", name=name)

    def rebuild_backend(self) -> "Backend":
        place = self._place
        return Backend(rebuild_address(place) if isinstance(place, Address) else place.with_name(FRESH))

    def take_over(self, fresh: "Backend") -> None:
        """Replace this backend's contents with those of another backend, and close both."""
        place = self._place
        if isinstance(place, Address):
            fresh._ask("hand_over", _LONG, owner=place.owner)
        fresh.close(sealed=False)
        with suppress(StoreError):
            self.close(sealed=False)
        if isinstance(place, Path):
            with translate_errors(place.parent):
                old = place.with_name(REPLACED)
                delete(old)
                delete(seal_file(place))
                if os.path.lexists(place):
                    place.rename(old)
                place.with_name(FRESH).rename(place)
                delete(old)

    def _ask(self, verb: str, seconds: float = _SECONDS, /, **arguments: object) -> Any:
        try:
            return _PROCESS.ask((self._place, verb, arguments), seconds)
        except ProcessEnded as error:
            raise IndexDamaged(
                "The process that reads the search index crashed. Your notes are safe. Rebuild the index on the "
                "Settings page or with 'tessera rebuild'."
            ) from error
