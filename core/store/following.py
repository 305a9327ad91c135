"""The vector index follows SQLite: in a thread, so that who writes a note doesn't wait for Chroma's graph."""

import threading
from collections import defaultdict
from collections.abc import Callable, Iterable

_BATCH = 100
"""Entries that are brought in line together, in less than a second."""


class Follower:
    """The entries of bases, by the bases' ids, that were written since the index was in line.

    `align` brings some in line with SQLite as it is then; whatever changes meanwhile is noted again.
    """

    def __init__(self, align: Callable[[str, list[str]], None]) -> None:
        self._align = align
        self._noted: defaultdict[str, dict[str, None]] = defaultdict(dict)
        self._changed = threading.Condition()
        self._at = ""
        """Id of the base whose entries are being brought in line."""
        self._running = False

    def note(self, base_id: str, entries: Iterable[str]) -> None:
        """Note entries that were written, in SQLite's transaction before this."""
        with self._changed:
            self._noted[base_id].update(dict.fromkeys(entries))
            if self._noted[base_id] and not self._running:
                self._running = True
                threading.Thread(target=self._run, name="index-follows", daemon=True).start()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until the index is in line, at most so long; return whether it is."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._running, seconds)

    def wait_for(self, base_id: str) -> None:
        """Wait until the entries of a base are in line."""
        with self._changed:
            self._changed.wait_for(lambda: self._at != base_id and not self._noted.get(base_id))

    def _run(self) -> None:
        try:
            while batch := self._next():
                self._align(*batch)
        finally:
            with self._changed:
                self._at, self._running = "", False
                self._changed.notify_all()

    def _next(self) -> tuple[str, list[str]] | None:
        with self._changed:
            self._changed.notify_all()
            self._at = next((base_id for base_id, entries in self._noted.items() if entries), "")
            if not self._at:
                self._running = False
                return None
            entries = self._noted[self._at]
            batch = list(entries)[:_BATCH]
            for entry in batch:
                del entries[entry]
            return self._at, batch
