"""Restoring a backup in two steps.

First, the backup is unpacked and checked. Once the folder with the unpacked files is complete, it is named `restoring`.
Then, the next time the workspace is opened, its current files are moved aside, the folder is renamed to `restored`, and
the folder's contents are moved into the workspace. If the process is killed, the folder's name shows which step comes
next, and the next opening continues from there.
"""

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

from core.base import files
from core.base.datetimes import utc_now
from core.base.errors import ConfigError, DiskFull, NewerSchema, SourceError
from core.base.faults import BACKUPS, DATABASE, translate_errors
from core.base.safe_replace import sync_folder
from core.model import Backup
from core.store.backups import making, manifest

# A function that returns the SQL for each object in a schema version, by kind and name. It may raise NewerSchema.
Objects = Callable[[int], Mapping[tuple[str, str], str | None]]
# Name of the folder in a workspace for files replaced by restored backups.
ASIDE = "replaced"

_READY = "restoring"
_MOVED = "restored"
# A file in `restoring` and `restored`. It contains the name of the folder in `ASIDE` for the replaced files.
_NAMED = "aside.txt"
_BELONGING = [name for name in manifest.BELONGING if "/" not in name and name != manifest.KEY_FILE]
# Files replaced by a restored backup. Tokens, logs, other backups and the backup key stay where they are.
_MOVE = ("chroma*", f"{DATABASE}*", "scratch", *_BELONGING)
# Bytes to leave free on the workspace's disk.
_SPARE = 64 << 20


def prepare(file: Path, folder: Path, passphrase: str, objects: Objects) -> tuple[Backup, Path | None]:
    """Unpack a backup so that it replaces the workspace in `folder` the next time the workspace is opened.

    The folder is created if missing. Return the backup, and the folder to which the current files will be moved, or
    None if there is no workspace yet. Raises SourceError if the backup is damaged, ConfigError if the passphrase is
    missing or wrong, NewerSchema, DiskFull, and other errors from `core.base.faults`. On error, the workspace is
    unchanged.
    """
    partial = folder / f"{_READY}.partial"
    ready = folder / _READY
    before = folder / f"{_READY}.before"
    with translate_errors(folder):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        files.delete(partial)
        files.delete(before)
        partial.mkdir(mode=0o700)
        try:
            backup = _unpack_backup(file, partial, passphrase)
            _check_database(file, partial / DATABASE, objects)
            name = f"{utc_now():%Y%m%dT%H%M%S%fZ}"
            files.replace(partial / _NAMED, name)
            if ready.is_dir():
                ready.rename(before)  # so that opening the workspace never finds a partly deleted folder
            partial.rename(ready)
            sync_folder(folder)
        finally:
            shutil.rmtree(partial, ignore_errors=True)
            shutil.rmtree(before, ignore_errors=True)
    return backup, folder / ASIDE / name if (folder / DATABASE).exists() else None


def _unpack_backup(file: Path, partial: Path, passphrase: str) -> Backup:
    backup = manifest.read_backup(file)
    if file.suffix == ".db":
        _check_space(file.stat().st_size, partial)
        shutil.copyfile(file, partial / DATABASE)
        return backup
    backup, digests = manifest.read(file)
    _check_space(sum(size for size, _ in digests.values()), partial)
    if not backup.encrypted:
        manifest.unpack(file, partial, digests)
        return backup
    if not passphrase:
        raise ConfigError("{file} is encrypted. Enter its passphrase.", file=file)
    plain = manifest.decrypt_backup(file, partial, digests, passphrase)
    _unpack_backup(plain, partial, "")
    plain.unlink()
    return backup


def _check_space(need: int, folder: Path) -> None:
    if (free := shutil.disk_usage(folder).free) < need + _SPARE:
        raise DiskFull(
            (
                "The backup needs {need:,.0f} MB, but the disk that contains {folder} has only {free:,.0f} MB "
                "left. Free some space there."
            ),
            need=(need + _SPARE) / 1e6,
            free=free / 1e6,
            folder=folder.parent,
        )


def _check_database(file: Path, database: Path, objects: Objects) -> None:
    """Raise SourceError if a database is damaged, lacks tables from its schema, or has unknown triggers or views."""
    if making.check(database):
        raise manifest.damage_error(file)
    with making.open_closed(database) as connection:
        (schema,) = connection.execute("PRAGMA user_version").fetchone()
        there = {
            (kind, name): sql for kind, name, sql in connection.execute("SELECT type, name, sql FROM sqlite_master")
        }
    if schema < 1:
        raise SourceError(str(file), "This file isn't a Tessera database. Choose another file.")
    try:
        known = objects(schema)
    except NewerSchema as error:
        raise NewerSchema("{file} was made by a newer version of Tessera. Update Tessera.", file=file) from error
    if missing := sorted(name for kind, name in known.keys() - there.keys() if kind == "table"):
        raise SourceError(
            str(file), "This backup is missing parts of a workspace ({names}). Choose another backup.", names=missing
        )
    if foreign := sorted(name for (kind, name), _ in there.items() - known.items() if kind in ("trigger", "view")):
        raise SourceError(
            str(file),
            "This backup contains parts that Tessera didn't make ({names}). Choose another backup.",
            names=foreign,
        )


def is_pending(folder: Path) -> bool:
    """Return whether an unpacked backup will replace the workspace in `folder` the next time it is opened."""
    return (folder / _READY).is_dir() or (folder / _MOVED).is_dir()


def complete(folder: Path) -> None:
    """Move an unpacked backup into place, if there is one. The caller must hold the workspace's lock."""
    ready = folder / _READY
    moved = folder / _MOVED
    with translate_errors(folder):
        if ready.is_dir():
            aside = folder / ASIDE / (ready / _NAMED).read_text("utf-8")
            _move([file for pattern in _MOVE for file in folder.glob(pattern)], aside)
            _move(list(folder.glob(f"{BACKUPS}/trash")), aside / BACKUPS)
            ready.rename(moved)
            sync_folder(folder)
        if moved.is_dir():
            (moved / _NAMED).unlink(missing_ok=True)
            _move(list(moved.glob(f"{BACKUPS}/trash")), folder / BACKUPS)
            # The database comes last. Without it, the folder isn't a workspace yet.
            kept = {manifest.KEY_FILE} if (folder / manifest.KEY_FILE).exists() else set()
            others = [file for file in moved.iterdir() if file.name not in {DATABASE, BACKUPS, *kept}]
            _move([*others, *moved.glob(DATABASE)], folder)
            shutil.rmtree(moved)


def _move(present: list[Path], folder: Path) -> None:
    for file in present:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        file.rename(folder / file.name)
    if present:
        sync_folder(folder)
