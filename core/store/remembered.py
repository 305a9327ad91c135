"""Caches for results of database reads, and for results per note."""

from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from threading import Lock
from typing import Generic, TypeVar, cast

from core.base.cache import Cache
from core.base.frozen import ValueMap
from core.store.database import Database

# Maximum number of cached results. All results are dropped when the database's version changes.
_MOST = 16
Read = TypeVar("Read")


class Remembered:
    """A cache for results of database reads, by key. Results are shared, so callers must not modify them."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = Lock()
        self._version = -1
        self._results: Cache[Hashable, object] = Cache(_MOST)

    def get(self, key: Hashable, read: Callable[[], Read]) -> Read:
        """Return the result cached for a key. If nothing has been cached since the last write, call `read`."""
        if self._database.connection.in_transaction:  # its writes aren't visible to other threads yet
            return read()
        version = self._database.version()
        with self._lock:
            if version != self._version:
                self._version = version
                self._results = Cache(_MOST)
            results = self._results
        return cast(Read, results.get_or_compute(key, read))


class PerNote(Generic[Read]):
    """A thread-safe cache of one result per note, valid until the note's state changes.

    `read` takes note ids and yields (id, result), skipping notes that have since been deleted.
    """

    def __init__(self, read: Callable[[Sequence[str]], Iterable[tuple[str, Read]]]) -> None:
        self._read = read
        self._lock = Lock()
        self._known: dict[str, tuple[object, Read]] = {}

    def get(self, states: ValueMap, among: Collection[str] | None = None) -> dict[str, Read]:
        """Return the results for the notes in `states`, in the same order. With `among`, include only those notes."""
        with self._lock:
            self._known = {note_id: known for note_id, known in self._known.items() if states.get(note_id) == known[0]}
            wanted = [note_id for note_id in states if among is None or note_id in among]
            for note_id, result in self._read([note_id for note_id in wanted if note_id not in self._known]):
                self._known[note_id] = states[note_id], result
            return {note_id: self._known[note_id][1] for note_id in wanted if note_id in self._known}

    def has_all(self, states: ValueMap) -> bool:
        """Return whether the results for all notes in `states` are cached."""
        known = self._known
        return all(note_id in known and known[note_id][0] == state for note_id, state in states.items())
