"""Changes to files below folders, as reported by the operating system."""

import logging
import os
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from core.intake.ignoring import VAULT, is_rules
from core.intake.notefile import is_skipped
from core.intake.placeholders import placeholder_target

if TYPE_CHECKING:
    from watchfiles._rust_notify import RustNotify

_LOG = logging.getLogger(__name__)
_LONGEST = 3.0
"""Seconds after which a folder is synced even if it keeps changing."""
_MOMENT = 1
"""Duration of a check of a folder's events, in milliseconds."""
_LOOKS = 3
"""Maximum number of times a folder is listed if its subfolders change meanwhile."""
_ENTERS_LINKS = sys.platform == "linux"
"""Whether a recursive watcher also follows symbolic links, which may take long."""
_VAULT, _, _RULES = VAULT.partition("/")


@dataclass(frozen=True)
class _Followed:
    """A watched folder: its device and inode, the paths of its subfolders, and the watcher of their events."""

    where: tuple[int, int]
    inside: frozenset[str]
    watcher: "RustNotify"


class FileEvents:
    """The changes below watched folders, collected until a folder stops changing.

    A folder for which the system reports no events has no changes.
    """

    def __init__(self) -> None:
        self._followed: dict[str, _Followed] = {}
        self._refused: set[str] = set()
        self._changed: dict[str, set[str]] = {}
        self._since: dict[str, float] = {}
        self._outdated: set[str] = set()

    def follow(self, folders: Iterable[str]) -> None:
        """Watch exactly these folders; a replaced folder is watched anew, and all of it counts as changed."""
        wanted = {folder: where for folder in folders if (where := _identity(folder))}
        for folder, followed in [*self._followed.items()]:
            if wanted.get(folder) != followed.where:
                self._leave(folder)
                if folder in wanted:
                    self.put_back(folder, {""})
        for folder in wanted.keys() - self._followed.keys() - self._refused:
            self._begin(folder)
        self._refused &= wanted.keys()

    def take(self) -> dict[str, set[str]]:
        """Return and forget the changed paths, relative to their folder, of each folder that has stopped changing.

        The path of a folder stands for all its content, "" for the whole watched folder.
        """
        now = time.monotonic()
        restless = {folder for folder, followed in self._followed.items() if self._collect(folder, followed)}
        ready = {f for f in self._changed if f not in restless or now - self._since[f] > _LONGEST}
        for folder in ready & self._outdated & self._followed.keys():
            before = self._followed[folder]
            self._begin(folder)
            self._collect(folder, before)  # changes that arrived while the folder was listed
            before.watcher.close()
        self._outdated -= ready
        for folder in ready:
            del self._since[folder]
        return {folder: self._changed.pop(folder) for folder in ready}

    def put_back(self, folder: str, paths: set[str]) -> None:
        """Put back changed paths for a later call of `take`."""
        self._changed.setdefault(folder, set()).update(paths)
        self._since.setdefault(folder, time.monotonic())

    def close(self) -> None:
        """Stop watching all folders."""
        self.follow(())

    def _begin(self, folder: str) -> None:
        """Watch a folder with its current subfolders; a folder that can't be watched is logged once."""
        self._followed.pop(folder, None)
        try:
            if where := _identity(folder):
                self._followed[folder] = _Followed(where, *_watch_folder(folder))
        except (ImportError, OSError, RuntimeError) as error:
            _LOG.warning("The changes of a folder aren't told at once, it is looked at from time to time: %s", error)
            self._refused.add(folder)

    def _leave(self, folder: str) -> None:
        self._followed.pop(folder).watcher.close()

    def _collect(self, folder: str, followed: _Followed) -> bool:
        """Collect the changed paths of a folder; return whether there are any."""
        paths = _changes(folder, followed.watcher)
        if any(path in followed.inside or _is_folder(Path(folder, path)) for path in paths):
            self._outdated.add(folder)
        reported = {found for path in paths if (found := _reported_path(path)) is not None}
        if reported:
            self.put_back(folder, reported)
        return bool(reported)


def _identity(folder: str) -> tuple[int, int] | None:
    with suppress(OSError):
        state = Path(folder).stat()
        return state.st_dev, state.st_ino
    return None


def _watch_folder(folder: str) -> tuple[frozenset[str], "RustNotify"]:
    """Return the subfolders of a folder, and a watcher of the events in all of them."""
    from watchfiles._rust_notify import RustNotify

    if not _ENTERS_LINKS:
        return frozenset({""}), RustNotify([folder], False, False, 0, True, True)
    inside = _subfolders(folder)
    for _ in range(_LOOKS):
        watcher = RustNotify([str(Path(folder, path)) for path in inside], False, False, 0, False, True)
        before, inside = inside, _subfolders(folder)
        if inside == before:
            break
    return inside, watcher


def _subfolders(folder: str) -> frozenset[str]:
    """Return the paths of a folder and its subfolders that may contain notes or rules, without following links."""
    found = set()
    for place, names, _ in os.walk(folder):
        names[:] = [name for name in names if not is_skipped(name) or name == _VAULT]
        found.add(_path(place, folder))
    return frozenset(found)


def _is_folder(path: Path) -> bool:
    with suppress(OSError):
        return path.is_dir() and not path.is_symlink()
    return False


def _path(path: str, folder: str) -> str:
    path = Path(os.path.relpath(path, folder)).as_posix()
    return "" if path == "." else path


def _changes(folder: str, watcher: "RustNotify") -> set[str]:
    events = watcher.watch(_MOMENT, _MOMENT, _MOMENT, None)
    return set() if isinstance(events, str) else {_path(path, folder) for _, path in events}


def _reported_path(path: str) -> str | None:
    """Return the path to report for a changed path, None if it can't be a note or rules.

    For a placeholder, it is the path of the file that isn't downloaded; for a vault's settings folder, the path of its
    rules.
    """
    folder, slash, name = path.rpartition("/")
    if name == _VAULT:
        return f"{path}/{_RULES}"
    path = f"{folder}{slash}{placeholder_target(name) or name}"
    return path if not path or is_rules(path) or not any(map(is_skipped, path.split("/"))) else None
