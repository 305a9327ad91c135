"""The vector index follows SQLite in a thread: writing a note doesn't wait for Chroma's graph."""

import threading
from collections import defaultdict
from collections.abc import Callable, Iterable
from itertools import islice

_BATCH = 100
"""Entries that are brought in line together, in less than a second."""
_BEHIND = 5000
"""Entries that the index of a base may be behind: a search compares with each of them."""


class IndexQueue:
    """The entries of bases, by the bases' ids, that were written since the index was in line.

    `align` brings some in line with SQLite as it is then; whatever changes meanwhile is noted again. Who writes faster
    than the index can follow waits for it.
    """

    def __init__(self, align: Callable[[str, list[str]], None]) -> None:
        self._align = align
        self._noted: defaultdict[str, dict[str, None]] = defaultdict(dict)
        self._changed = threading.Condition()
        self._at: tuple[str, list[str]] = ("", [])
        """Id of the base whose entries are being brought in line, and these."""
        self._running = False

    def note(self, base_id: str, entries: Iterable[str]) -> None:
        """Queue entries that SQLite's last transaction wrote."""
        with self._changed:
            self._noted[base_id].update(dict.fromkeys(entries))
            if self._noted[base_id] and not self._running:
                self._running = True
                threading.Thread(target=self._run, name="index-follows", daemon=True).start()
            self._changed.wait_for(lambda: not self._running or len(self._noted[base_id]) <= _BEHIND)

    def pending_entries(self, base_id: str) -> list[str]:
        """Return the entries of a base that the index may lack."""
        with self._changed:
            return [*self._noted[base_id], *(self._at[1] if self._at[0] == base_id else ())]

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until the index is in line, at most so long; return whether it is."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._running, seconds)

    def wait_for(self, base_id: str) -> None:
        """Wait until the entries of a base are in line."""
        with self._changed:
            self._changed.wait_for(lambda: self._at[0] != base_id and not self._noted[base_id])

    def _run(self) -> None:
        try:
            while batch := self._next():
                self._align(*batch)
        finally:
            with self._changed:
                self._at, self._running = ("", []), False
                self._changed.notify_all()

    def _next(self) -> tuple[str, list[str]] | None:
        with self._changed:
            base_id = next((base_id for base_id, entries in self._noted.items() if entries), "")
            entries = self._noted[base_id]
            batch = list(islice(entries, _BATCH))
            for entry in batch:
                del entries[entry]
            self._at, self._running = (base_id, batch), bool(batch)
            self._changed.notify_all()
            return self._at if batch else None
