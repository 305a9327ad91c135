"""The version of `notes.db`: each migration is applied once, in its own transaction, after a backup."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

from core import files
from core.errors import NewerSchema
from core.faults import BACKUPS, translated
from core.store.migrations import MIGRATIONS

_LATEST = 2
"""Backups that stay; older ones are deleted."""


def migrate(connection: sqlite3.Connection, folder: Path) -> None:
    """Bring the database of a workspace to the newest version, after a backup of it.

    Raises NewerSchema if its version is a later one.
    """
    version = schema_version(connection)
    if 0 < version < len(MIGRATIONS) and connection.execute("SELECT EXISTS (SELECT 1 FROM bases)").fetchone()[0]:
        backup(connection, folder, version)
    for number, step in enumerate(MIGRATIONS[version:], start=version + 1):
        if isinstance(step, str):
            connection.executescript(f"BEGIN IMMEDIATE; {step} PRAGMA user_version = {number}; COMMIT;")
            continue
        connection.execute("BEGIN IMMEDIATE")
        try:
            step(connection)
            connection.execute(f"PRAGMA user_version = {number}")
        except BaseException:
            connection.rollback()
            raise
        connection.commit()


def schema_version(connection: sqlite3.Connection) -> int:
    """Return how many migrations the database has; raises NewerSchema if this version has fewer."""
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    if version > len(MIGRATIONS):
        raise NewerSchema(
            "This workspace was written by a later version of Tessera (schema {theirs}; this one knows {ours}). "
            "Update Tessera to open it; nothing was changed.",
            theirs=version,
            ours=len(MIGRATIONS),
        )
    return version


def backup(connection: sqlite3.Connection, folder: Path, version: int) -> None:
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
