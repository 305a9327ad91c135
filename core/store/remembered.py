"""What was read of a database, for as long as nothing is written that searches find."""

from collections.abc import Callable, Hashable
from threading import Lock
from typing import Any, TypeVar

from core.store.database import Database

_MOST = 16
"""Results that are remembered; those of one version of the database are read again for the next one anyway."""
Read = TypeVar("Read")


class Remembered:
    """Results of reads by their keys. Who gets one doesn't change it: others get the same."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = Lock()
        self._version = -1
        self._results: dict[Hashable, Any] = {}

    def get(self, key: Hashable, read: Callable[[], Read]) -> Read:
        """Return what `read` returned for this key since the last write, else what it returns."""
        if self._database.connection.in_transaction:  # what it has written isn't what others see
            return read()
        version = self._database.version()
        with self._lock:
            if version != self._version:
                self._version, self._results = version, {}
            elif key in self._results:
                result: Read = self._results[key]
                return result
        result = read()
        with self._lock:
            if version == self._version and len(self._results) < _MOST:
                self._results[key] = result
        return result
