"""Copies of the database, made before a migration changes it."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

from core import files
from core.faults import BACKUPS, translated

_LATEST = 2
"""Backups that stay; older ones are deleted."""


def make(connection: sqlite3.Connection, folder: Path, version: int) -> None:
    """Copy a database of this schema version into the folder `backups` of its workspace, as a whole or not at all.

    Raises DiskFull and the other errors of `core.faults`.
    """
    backups = folder / BACKUPS
    file = backups / f"notes-schema-{version}.db"
    partial = file.with_suffix(".partial")
    with translated(folder):
        files.folder(backups)
        files.delete(partial)
        try:
            os.close(os.open(partial, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600))
            with closing(sqlite3.connect(partial)) as copy:
                copy.execute("PRAGMA journal_mode = OFF")
                connection.backup(copy)
            _sync(partial)
            if file.is_dir():
                files.set_aside(file)
            partial.replace(file)
        finally:
            partial.unlink(missing_ok=True)
        if os.name == "posix":
            _sync(backups)
        made = filter(Path.is_file, backups.glob("notes-schema-*.db"))
        for older in sorted(made, key=lambda one: one.stat().st_mtime_ns)[:-_LATEST]:
            older.unlink()


def _sync(path: Path) -> None:
    """Have the disk store a file, or the names in a folder."""
    descriptor = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
