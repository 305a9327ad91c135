"""Which files below some folders change, as the system tells it."""

import logging
import os
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from core.intake.ignoring import is_rules
from core.intake.notefile import is_skipped

if TYPE_CHECKING:
    from watchfiles._rust_notify import RustNotify

_LOG = logging.getLogger(__name__)
_LONGEST = 3.0
"""Seconds after which a folder that never comes to rest is synced nevertheless."""
_MOMENT = 1
"""Milliseconds that one look at the events of a folder takes."""


class FileEvents:
    """The changes below the folders that it follows, collected until a folder comes to rest.

    A folder whose changes can't be followed, for the system has no events of it, has none.
    """

    def __init__(self) -> None:
        self._followed: dict[str, tuple[tuple[int, int], RustNotify]] = {}
        self._refused: set[str] = set()
        self._changed: dict[str, set[str]] = {}
        self._since: dict[str, float] = {}

    def follow(self, folders: Iterable[str]) -> None:
        """Follow these folders and no others; one that was replaced is followed anew."""
        wanted = {folder: where for folder in folders if (where := _identity(folder))}
        for folder, (where, watcher) in [*self._followed.items()]:
            if wanted.get(folder) != where:
                watcher.close()
                del self._followed[folder]
        for folder in wanted.keys() - self._followed.keys() - self._refused:
            if made := _watcher(folder):
                self._followed[folder] = wanted[folder], made
            else:
                self._refused.add(folder)
        self._refused &= wanted.keys()

    def take(self) -> dict[str, set[str]]:
        """Return the changed paths of each folder that is at rest since the last call, relative to it, and forget them.

        The path of a folder stands for all that lies in it, "" for the folder that is followed.
        """
        now, restless = time.monotonic(), set()
        for folder, (_, watcher) in self._followed.items():
            if paths := _changes(folder, watcher):
                restless.add(folder)
                self.put_back(folder, paths)
        ready = {f for f in self._changed if f not in restless or now - self._since[f] > _LONGEST}
        for folder in ready:
            del self._since[folder]
        return {folder: self._changed.pop(folder) for folder in ready}

    def put_back(self, folder: str, paths: set[str]) -> None:
        """Return paths at a later call."""
        self._changed.setdefault(folder, set()).update(paths)
        self._since.setdefault(folder, time.monotonic())

    def close(self) -> None:
        """Follow nothing any more."""
        self.follow(())


def _identity(folder: str) -> tuple[int, int] | None:
    with suppress(OSError):
        state = Path(folder).stat()
        return state.st_dev, state.st_ino
    return None


def _watcher(folder: str) -> "RustNotify | None":
    try:
        from watchfiles._rust_notify import RustNotify

        return RustNotify([folder], False, False, 0, True, True)
    except (ImportError, OSError, RuntimeError) as error:
        _LOG.warning("The changes of a folder aren't told at once, it is looked at from time to time: %s", error)
        return None


def _changes(folder: str, watcher: "RustNotify") -> set[str]:
    events = watcher.watch(_MOMENT, _MOMENT, _MOMENT, None)
    if isinstance(events, str):
        return set()
    paths = {Path(os.path.relpath(path, folder)).as_posix() for _, path in events}
    return {"" if path == "." else path for path in paths if path == "." or _matters(path)}


def _matters(path: str) -> bool:
    return is_rules(path) or not any(map(is_skipped, path.split("/")))
