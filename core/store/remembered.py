"""Caches for results of database reads, for results per note, and for background similarities."""

import json
from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import Generic, TypeVar, cast

from core.base import files
from core.base.cache import Cache
from core.base.codec import decoder, to_plain
from core.base.faults import translate_errors
from core.base.frozen import ValueMap, frozen
from core.model import Floor, KnowledgeBase
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


@frozen
class _Measured:
    """A base's background similarity, and the fingerprint of the model it was measured with."""

    fingerprint: str
    floor: Floor


class Floors:
    """Background similarities, stored in the workspace's `floors.json`. Only the writing process calls `set`.

    A base's background similarity says how similar unrelated text usually is. If the file is deleted, the similarities
    are measured again.
    """

    def __init__(self, folder: Path, *, readonly: bool) -> None:
        self._file = folder / "floors.json"
        self._readonly = readonly
        self._lock = Lock()

    def get(self, base: KnowledgeBase) -> Floor | None:
        """Return a base's background similarity, or None if it hasn't been measured for the base's current model."""
        with suppress(OSError):
            measured = self._read().get(base.id)
            return measured.floor if measured and measured.fingerprint == base.fingerprint else None
        return None

    def set(self, base: KnowledgeBase, floor: Floor | None) -> None:
        """Store a base's background similarity. Pass None to delete it when the base's vectors change."""
        with self._lock, translate_errors(self._file.parent):
            measured = self._read() | {base.id: floor and _Measured(base.fingerprint, floor)}
            files.replace(self._file, json.dumps(to_plain(measured)))

    def _read(self) -> dict[str, _Measured | None]:
        decode = decoder(dict[str, _Measured | None])
        return (
            files.load(
                self._file,
                # Earlier versions stored an empty object for a deleted similarity.
                lambda stored: decode({base_id: entry or None for base_id, entry in stored.items()}),
                aside=not self._readonly,
            )
            or {}
        )
