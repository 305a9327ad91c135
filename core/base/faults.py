"""Translation of file system, SQLite, JSON and CSV errors, and of bugs, into errors the user can act on.

The module that calls the library translates its errors, using `with translate_errors(folder): …` or
`raise translate_error(error, folder) from error`.
"""

import errno
import os
import shlex
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from logging import getLogger
from pathlib import Path
from tempfile import TemporaryFile

from core.base.errors import (
    DiskFull,
    NotesDamaged,
    NotWritable,
    SourceError,
    StoreError,
    TesseraError,
    WorkspaceLocked,
)
from core.base.messages import Text, message_table

_LOG = getLogger(__name__)

DATABASE = "notes.db"
DATABASE_FILES = (DATABASE, f"{DATABASE}-wal", f"{DATABASE}-shm")
# Name of the workspace folder for database backups.
BACKUPS = "backups"
# Name of the workspace folder for pictures in notes that aren't stored in one of the user's folders.
FILES = "files"

FULL = {errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC)}
REFUSED = {errno.EROFS, errno.EACCES, errno.EPERM}
_MISPLACED = {errno.EISDIR, errno.ENOTDIR, errno.EEXIST, errno.ELOOP, errno.ENOTEMPTY}
# How SQLite's messages begin if the database is damaged but the error code is only a generic one.
_OF_DAMAGE = ("malformed", "no such table", "user-defined function raised", "vtable constructor failed")


def is_mistake(error: sqlite3.Error) -> bool:
    """Return whether an SQLite error is a bug in the program rather than a problem with the database."""
    if isinstance(
        error, sqlite3.ProgrammingError | sqlite3.InterfaceError | sqlite3.IntegrityError | sqlite3.DataError
    ):
        return True
    return getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_ERROR and not str(error).startswith(_OF_DAMAGE)


@contextmanager
def translate_errors(folder: Path) -> Iterator[None]:
    """Translate file system and SQLite errors into StoreErrors. `folder` is the workspace or its index."""
    try:
        yield
    except (OSError, sqlite3.Error) as error:
        raise translate_error(error, folder) from error


def translate_error(error: OSError | sqlite3.Error, folder: Path) -> StoreError:
    """Translate a file system or SQLite error into one that tells the user what to do."""
    if isinstance(error, OSError):
        return _translate_os_error(error, folder)
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF
    why = str(error)
    if code in (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN):
        # SQLite doesn't report the reason for these errors.
        cause = _folder_in_place_error(folder) or _try_write(folder)
        if hidden := _unreadable(folder) or _unreadable(folder / DATABASE):
            return hidden
        if cause:
            return _translate_os_error(cause, folder)
        return StoreError(
            "The disk that contains {folder} isn't working properly ({why}). Copy the folder to another disk "
            "and use it there.",
            folder=folder,
            why=why,
        )
    if code == sqlite3.SQLITE_FULL:
        return _translate_os_error(OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)), folder)
    if code == sqlite3.SQLITE_READONLY:
        cause = _folder_in_place_error(folder)
        return _translate_os_error(cause, folder) if cause else _not_writable(folder, why)
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL):
        return WorkspaceLocked(
            "Another program has {file} open. Close that program, then try again.",
            file=folder / DATABASE,
        )
    return damage_error(folder, why)


def _translate_os_error(error: OSError, folder: Path) -> StoreError:
    why = error.strerror or str(error)
    path = str(error.filename2 or error.filename or folder)
    if error.errno in FULL:
        return DiskFull(
            (
                "There is no space left for {folder} ({why}). Free some space on its disk, then try "
                "again. Everything already saved is still there."
            ),
            folder=folder,
            why=why,
        )
    if error.errno in REFUSED:
        return _unreadable(folder) or _unreadable(Path(path)) or _not_writable(folder, why)
    if error.errno in _MISPLACED:
        return StoreError("{path} is in the way ({why}). Move it elsewhere, then try again.", path=path, why=why)
    return StoreError(
        "{path} can't be read or written ({why}). Check its disk and its permissions, then try again.",
        path=path,
        why=why,
    )


def find_write_error(folder: Path) -> StoreError | None:
    """Return the error for a folder that isn't writable, or None if it is writable.

    It says why, which some libraries don't report.
    """
    cause = _try_write(folder)
    return _translate_os_error(cause, folder) if cause else None


def newest_backup(folder: Path) -> Path | None:
    backups = [file for kind in ("*.zip", "*.db") for file in (folder / BACKUPS).glob(kind) if file.is_file()]
    return max(backups, key=lambda file: file.stat().st_mtime, default=None)


def damage_error(folder: Path, why: str) -> NotesDamaged:
    """Return the error for an unreadable database, naming the newest backup, if any."""
    file = folder / DATABASE
    if backup := newest_backup(folder):
        return NotesDamaged(
            (
                "{file} is damaged ({why}). Close Tessera, then restore the newest backup. Your current data will "
                "be kept in another folder. To restore, run: {command}"
            ),
            file=file,
            why=why,
            command=restore_command(backup, folder),
        )
    return NotesDamaged(
        (
            "{file} is damaged ({why}). Close Tessera and replace the file with your own copy. If "
            "you have no copy, move {folder} elsewhere and import your notes again."
        ),
        file=file,
        why=why,
        folder=folder,
    )


def restore_command(backup: Path, folder: Path) -> str:
    return shlex.join(["tessera", "backup", "restore", str(backup), "--workspace", str(folder)])


def _not_writable(folder: Path, why: str) -> NotWritable:
    return NotWritable(
        (
            "{folder} can't be written to ({why}). Its notes can be searched but not changed. Make the folder "
            "writable, or copy it to a disk that you can write to."
        ),
        folder=folder,
        why=why,
    )


def _unreadable(path: Path) -> StoreError | None:
    """Return an error if the file or folder exists but is unreadable, or None otherwise."""
    if not os.path.lexists(path) or os.access(path, os.R_OK | (os.X_OK if path.is_dir() else 0)):
        return None
    return StoreError(
        "{folder} can't be read ({why}). Ask its owner for access, or choose another workspace.",
        folder=path,
        why=os.strerror(errno.EACCES),
    )


def _folder_in_place_error(folder: Path) -> OSError | None:
    """Return an error if a folder is in the way of a database file, or None otherwise."""
    for path in (folder / name for name in DATABASE_FILES):
        if path.is_dir():
            return IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    return None


def _try_write(folder: Path) -> OSError | None:
    """Try to write a file slightly larger than the database. Return the error, or None if there was none."""
    try:
        with TemporaryFile(dir=folder) as file:
            file.seek(max((path.stat().st_size for path in folder.glob(f"{DATABASE}*")), default=0))
            file.write(b"\0" * 65536)  # doesn't fit on a full disk
            file.flush()
    except OSError as error:
        return error
    return None


@contextmanager
def wrap_file_errors(path: str) -> Iterator[None]:
    """Log unexpected exceptions and re-raise them as SourceError, so that one invalid file doesn't stop the rest."""
    try:
        yield
    except TesseraError:
        raise
    except Exception as error:
        _LOG.exception("'%s' could not be read", path)
        raise SourceError(
            path,
            "This file could not be read because of an unexpected error ({kind}), so it was skipped. See the log for "
            "details.",
            kind=type(error).__name__,
        ) from error


# Plain explanations of the error messages of Python's JSON and CSV readers.
_PARSE_ERRORS = message_table(
    {
        "Expecting value": "a valid value is missing, such as text in double quotation marks",
        "Expecting property name enclosed in double quotes": "a name in double quotation marks is expected here",
        "Expecting ',' delimiter": "a comma is missing",
        "Expecting ':' delimiter": "a colon is missing",
        "Illegal trailing comma before end of object": "there is a comma after the last field",
        "Illegal trailing comma before end of array": "there is a comma after the last item of a list",
        "Unterminated string starting at": "a string has no closing quotation mark",
        "Invalid control character at": "a string contains a line break or another control character",
        "Invalid \\escape": "a backslash is followed by a character that can't be escaped",
        "Invalid \\uXXXX escape": "\\u isn't followed by four hexadecimal digits",
        "Extra data": "there is text after the end of the value",
        "unexpected end of data": "a quotation mark isn't closed",
    }
)


def translate_parse_error(text: str) -> Text:
    """Return a plain explanation of a JSON or CSV reader's error, or the error's text if there is no explanation."""
    text = text.removesuffix(": ")
    return _PARSE_ERRORS.get(text, text)


def bug_error(error: Exception) -> TesseraError:
    """Return the error to show for an exception that is a bug in Tessera. The caller logs the traceback."""
    return TesseraError(
        "This failed because of a bug in Tessera. Try again. If it fails again, please report it: {error}",
        error=f"{type(error).__name__}: {error}",
    )
