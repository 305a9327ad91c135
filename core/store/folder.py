"""Checks and permissions of the workspace folder. A folder that had notes is never treated as a new one."""

import os
import stat
from contextlib import suppress
from itertools import chain
from pathlib import Path

from core.base.errors import NotesDamaged, StoreError, WorkspaceLocked
from core.base.faults import BACKUPS, DATABASE, FILES, newest_backup, restore_command
from core.base.files import TEMPORARY_FOLDER as FOLDER
from core.store.backups.restoring import is_pending
from core.store.lock import take

_FROM_NOTES = ("chroma", "floors.json", "bars.json", BACKUPS, f"{DATABASE}-wal")
"""Files and folders that exist only if there was a database."""
_PRIVATE = (
    f"{DATABASE}*",
    "lock*",
    "*.json*",
    "synonyms.txt*",
    "vocabulary.txt*",
    "token*",
    "chroma*",
    BACKUPS,
    "logs",
    "scratch",
    FOLDER,
    "trash",
    FILES,
    f"{FILES}/**/*",
    "[cbls]*/**/*",
    "trash/**/*",
)


def check_exists(folder: Path) -> None:
    """Put a waiting restored backup in place, and raise StoreError if the folder has no workspace."""
    if is_pending(folder):
        with suppress(WorkspaceLocked):
            take(folder).release()
    if not (folder / DATABASE).exists():
        check_unused(folder)
        raise StoreError(
            "There is no workspace in {folder} yet. Import notes first: tessera import FOLDER", folder=str(folder)
        )


def check_unused(folder: Path) -> None:
    """Raise NotesDamaged for a folder with an index or backups; called if its database is missing or empty."""
    left = [name for name in _FROM_NOTES if has_content(folder / name)]
    if not left:
        return
    file, backup = folder / DATABASE, newest_backup(folder)
    if backup:
        raise NotesDamaged(
            (
                "{file} is missing or empty, but {folder} contains an index of notes. Restore the "
                "newest backup: {command} To start over instead, move these elsewhere: {left}."
            ),
            file=str(file),
            folder=str(folder),
            command=restore_command(backup, folder),
            left=left,
        )
    raise NotesDamaged(
        (
            "{file} is missing or empty, but {folder} contains an index of notes. Put your own copy "
            "in its place. To start over instead, move these elsewhere: {left}."
        ),
        file=str(file),
        folder=str(folder),
        left=left,
    )


def has_content(path: Path) -> bool:
    """Whether a path is a folder or file that isn't empty."""
    return any(path.iterdir()) if path.is_dir() else path.is_file() and path.stat().st_size > 0


def make_private(folder: Path) -> None:
    """Make a workspace's folder and files accessible only to their owner, on POSIX systems.

    The user's home and shared folders such as `/tmp` keep their own permissions.
    """
    if os.name != "posix":
        return
    others = folder == Path(os.environ.get("HOME", "")) or folder.stat().st_mode & stat.S_ISVTX
    for path in chain([] if others else [folder], *map(folder.glob, _PRIVATE)):
        with suppress(OSError):  # a deleted file, or a disk without permissions
            status = path.lstat()
            if status.st_uid == os.geteuid() and status.st_mode & 0o077 and not stat.S_ISLNK(status.st_mode):
                path.chmod(stat.S_IMODE(status.st_mode) & ~0o077)
