"""The workspace folder, with its permissions, checks on its contents, and a lock that allows only one writing process.

A folder that used to contain notes is never treated as new.
"""

import json
import os
import stat
import sys
from contextlib import suppress
from datetime import datetime
from itertools import chain
from pathlib import Path

from filelock import FileLock, Timeout

from core.base import files
from core.base.datetimes import utc_now
from core.base.errors import NotesDamaged, StoreError, WorkspaceLocked
from core.base.faults import BACKUPS, DATABASE, FILES, newest_backup, restore_command, translate_error
from core.base.files import TEMPORARY_FOLDER as FOLDER
from core.base.frozen import TextValues, ValueMap
from core.base.messages import Message, message
from core.store.backups import restoring
from core.store.backups.manifest import OBSOLETE

# An error about a locked workspace describes the process that holds the lock. This is the maximum number of characters
# per field.
_LONGEST = 100
# Files and folders that exist only if there was a database.
_FROM_NOTES = ("chroma", *OBSOLETE, BACKUPS, f"{DATABASE}-wal")
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
    """Check that there is a workspace in the folder, after moving any pending restored backup into place.

    Raises StoreError if there is none.
    """
    if restoring.is_pending(folder):
        with suppress(WorkspaceLocked):
            take(folder).release()
    if not (folder / DATABASE).exists():
        check_unused(folder)
        raise StoreError(
            "There is no workspace in {folder} yet. Import notes first: tessera import FOLDER", folder=folder
        )


def check_unused(folder: Path) -> None:
    """Raise NotesDamaged if a folder whose database is missing or empty contains an index or backups.

    Such a folder used to contain notes.
    """
    left = [name for name in _FROM_NOTES if has_content(folder / name)]
    fields = {"file": folder / DATABASE, "folder": folder, "left": left}
    if left and (backup := newest_backup(folder)):
        raise NotesDamaged(
            (
                "{file} is missing or empty, but {folder} still contains other parts of a workspace. Restore the "
                "newest backup: {command} To start over instead, move these items elsewhere: {left}."
            ),
            **fields,
            command=restore_command(backup, folder),
        )
    if left:
        raise NotesDamaged(
            (
                "{file} is missing or empty, but {folder} still contains other parts of a workspace. Put your own "
                "copy in its place. To start over instead, move these items elsewhere: {left}."
            ),
            **fields,
        )


def has_content(path: Path) -> bool:
    """Return whether a path is a non-empty folder or file."""
    return any(path.iterdir()) if path.is_dir() else path.is_file() and path.stat().st_size > 0


def make_private(folder: Path) -> None:
    """Make the workspace folder and its files accessible only to their owner, on POSIX systems.

    If the workspace folder is the user's home folder or a shared folder such as `/tmp`, it keeps its permissions.
    """
    if os.name != "posix":
        return
    others = folder == Path(os.environ.get("HOME", "")) or folder.stat().st_mode & stat.S_ISVTX
    for path in chain([] if others else [folder], *map(folder.glob, _PRIVATE)):
        with suppress(OSError):  # deleted in the meantime, or a file system without permissions
            status = path.lstat()
            if status.st_uid == os.geteuid() and status.st_mode & 0o077 and not path.is_symlink():
                path.chmod(stat.S_IMODE(status.st_mode) & ~0o077)


def take(folder: Path, patience: float = 0.0) -> FileLock:
    """Lock the workspace for this process, and move any restored backup into place.

    Raises WorkspaceLocked if another process still holds the lock after `patience` seconds. The error names the
    process.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(
            "{folder} can't be created: {why}. Choose another folder for the workspace.",
            folder=folder,
            why=error.strerror,
        ) from error
    holder = folder / "lock.json"
    file = folder / "lock"
    lock = FileLock(file, mode=0o600, thread_local=False)  # another thread releases it when the app closes
    since = utc_now().isoformat(timespec="seconds")
    try:
        if os.path.lexists(file) and (file.is_symlink() or not file.is_file()):  # can't be a lock
            files.set_aside(file)
        lock.acquire(timeout=patience)
        files.load(holder, _checked, aside=True)
        files.sweep(folder)
        files.sweep_temporary(folder)
        files.replace(holder, json.dumps({"pid": os.getpid(), "command": Path(sys.argv[0]).name, "since": since}))
        restoring.complete(folder)
    except Timeout as error:
        raise WorkspaceLocked(
            "{folder} is in use by {holder}. Close the other Tessera, or use another workspace.",
            folder=folder,
            holder=_describe(holder),
        ) from error
    except OSError as error:
        lock.release()
        raise translate_error(error, folder) from error
    except StoreError:
        lock.release()
        raise
    return lock


def _describe(holder: Path) -> Message:
    fields = None
    with suppress(OSError):
        fields = files.load(holder, _checked, aside=False)
    if not fields:
        return message("another Tessera")
    with suppress(ValueError, OverflowError):
        fields["since"] = f"{datetime.fromisoformat(fields['since']).astimezone():%Y-%m-%d %H:%M}"
    return message("another Tessera (process {pid}, '{command}', since {since})", **fields)


def _checked(stored: ValueMap) -> TextValues:
    """Validate and return the fields about the process that holds the lock. Raises LookupError or ValueError."""
    fields = {name: str(stored[name])[:_LONGEST] for name in ("pid", "command", "since")}
    if not all(map(str.isprintable, fields.values())):
        raise ValueError("no holder")
    return fields
