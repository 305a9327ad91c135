"""Creation of a backup: a zip file with a consistent copy of the database and the workspace's files."""

import os
import shutil
import sqlite3
import zipfile
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from importlib.metadata import version
from pathlib import Path

from filelock import FileLock, Timeout

from core.base import app_paths, files
from core.base.datetimes import utc_now
from core.base.errors import DiskFull, StoreError
from core.base.faults import BACKUPS, DATABASE, damage_error, translate_errors
from core.base.messages import message
from core.base.safe_replace import sync_folder
from core.model import Backup, BackupReason, Progress, no_progress
from core.store.backups import manifest

# Number of backups to keep per workspace and folder, keyed by the reason for the backup. Older backups are deleted.
KEPT: dict[BackupReason, int] = {"daily": 7, "migration": 2, "program": 2}

# Number of database pages to copy between progress reports.
_PAGES = 4096
# Bytes to leave free on the backup's disk.
_SPARE = 8 << 20
# Prefix of temporary names in a user-chosen folder, to avoid clashes with other programs' files.
_PREFIX = ".tessera-backup."
# Compression level. Higher levels take much longer and save little space.
_LEVEL = 1


def make(
    connection: sqlite3.Connection,
    folder: Path,
    reason: BackupReason,
    place: Path | None = None,
    progress: Progress = no_progress,
    *,
    to: Path | None = None,
) -> Backup:
    """Back up the workspace in `folder`. The database may be written to at the same time.

    `place` is the backup folder, by default `backups` in the workspace. `to` overrides `place` with another folder or
    with the path of a new .zip file. Raises ConfigError if that file exists, NotesDamaged if the database is damaged,
    DiskFull, and other errors from `core.base.faults`. On error, older backups are kept.
    """
    own = folder / BACKUPS
    is_file = to and to.suffix == ".zip" and not os.path.isdir(to)  # noqa: PTH112 Path.is_dir raises for a long name
    target = app_paths.check_vacant(to) if to and is_file else None
    place = target.parent if target else to or place or own
    if place == own:
        with translate_errors(folder):
            files.folder(own)
    with translate_errors(place), _hold_folder(place, _PREFIX if to else ".") as partial:
        _check_space(folder, place)
        database = partial / DATABASE
        _copy(connection, database, folder, progress)
        with open_closed(database) as copy:
            counts = copy.execute(
                "SELECT user_version, (SELECT count(*) FROM bases), (SELECT count(*) FROM notes)"
                " FROM pragma_user_version"
            ).fetchone()
        backup = Backup(database, utc_now(), 0, reason, str(folder), version("tessera-notes"), *counts)
        made = _write_zip(folder, partial, backup, progress)
        if reason != "migration":  # the database next to it isn't encrypted either, and encrypting might fail
            backup = manifest.encrypt_backup(folder, made, backup)
        with suppress(OSError):  # the file system may not support permissions
            made.chmod(0o600)
        with made.open("rb+") as stream:
            os.fsync(stream.fileno())
        file = app_paths.check_vacant(target) if target else _free_name(place, backup)
        made.rename(file)
        sync_folder(place)
        if not to:
            _drop_older(folder, file, reason)
    return manifest.read(file)[0]


@contextmanager
def _hold_folder(place: Path, prefix: str = ".") -> Iterator[Path]:
    """Lock a backup folder, and yield an empty temporary folder in it. Leftovers from a killed process are deleted.

    The names of the lock file and of the temporary folder begin with `prefix`. If this is the default prefix, the lock
    file isn't deleted afterwards.
    """
    if not place.is_dir():
        raise StoreError(
            "The backup folder {folder} is missing. Connect its disk, or choose another folder.",
            folder=place,
        )
    partial = place / f"{prefix}partial"
    lock = place / f"{prefix}lock"
    try:
        with FileLock(lock, timeout=0, mode=0o600):
            files.delete(partial)
            partial.mkdir(mode=0o700)
            try:
                yield partial
            finally:
                shutil.rmtree(partial, ignore_errors=True)
                if prefix == _PREFIX:
                    with suppress(OSError):  # fails on Windows, where releasing the lock deletes the file
                        lock.unlink()
    except Timeout as error:
        raise StoreError(
            "Another backup is being made in {folder}. Wait until it is finished.", folder=place
        ) from error


def database_size(folder: Path) -> int:
    """Return the size of a workspace's database files in bytes."""
    return sum(file.stat().st_size for file in folder.glob(f"{DATABASE}*") if file.is_file())


def _check_space(folder: Path, place: Path) -> None:
    """Raise DiskFull if there isn't enough space for a copy of the database and for the zip file."""
    need = 2 * database_size(folder) + _SPARE
    if (free := shutil.disk_usage(place).free) < need:
        raise DiskFull(
            (
                "A backup temporarily needs {need:,.0f} MB, but {folder} has only {free:,.0f} MB "
                "left. Free some space there, or choose another folder for backups."
            ),
            need=need / 1e6,
            free=free / 1e6,
            folder=place,
        )


def _copy(connection: sqlite3.Connection, target: Path, folder: Path, progress: Progress) -> None:
    """Copy a snapshot of the database. Raises NotesDamaged if the copy fails the integrity check."""

    def step(_: int, left: int, total: int) -> None:
        progress(total - left, total, message("Copying the notes"))

    os.close(os.open(target, os.O_CREAT | os.O_WRONLY | os.O_EXCL, 0o600))
    within = connection.in_transaction
    with closing(sqlite3.connect(target)) as copy:
        # Durability doesn't matter, because the copy is deleted anyway if the process is killed.
        copy.executescript("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;")
        if not within:
            connection.execute("BEGIN")
        try:
            connection.execute("SELECT 1 FROM sqlite_schema").fetchone()  # starts the snapshot
            connection.backup(copy, pages=_PAGES, progress=step)
        finally:
            if not within:
                connection.rollback()
    if wrong := check(target):
        raise damage_error(folder, wrong)


def open_closed(database: Path) -> closing[sqlite3.Connection]:
    """Open a database file without locking it. Nothing may write to the file while it is open."""
    return closing(sqlite3.connect(f"{database.as_uri()}?immutable=1", uri=True))


def check(database: Path) -> str:
    """Return the first structural error in a closed database, or "" if it is sound."""
    try:
        with open_closed(database) as connection:
            (first,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.DatabaseError as error:
        return str(error)
    return "" if first == "ok" else str(first)


def _write_zip(folder: Path, partial: Path, backup: Backup, progress: Progress) -> Path:
    """Write the copied database and the workspace's files to a zip file, delete the copy, and return the zip file."""
    packed = partial / "backup.zip"
    database = partial / DATABASE
    others = {name: file for name, file in _workspace_files(folder) if manifest.belongs(name)}
    digests = {}
    with zipfile.ZipFile(packed, "x", zipfile.ZIP_DEFLATED, compresslevel=_LEVEL) as archive:
        for number, (name, file) in enumerate(({DATABASE: database} | others).items()):
            progress(number, len(others) + 1, message("Packing the backup"))
            try:
                with files.open_regular(file) as stream, archive.open(name, "w", force_zip64=True) as target:
                    digests[name] = manifest.copy_stream(stream, target)
            except (FileNotFoundError, files.Unfit):  # deleted in the meantime, or not a regular file
                continue
        manifest.write(archive, backup, digests)
    database.unlink()
    return packed


def _workspace_files(folder: Path) -> Iterator[tuple[str, Path]]:
    for top in manifest.BELONGING:
        place = folder / top
        for file in sorted(place.rglob("*")) if place.is_dir() else [place]:
            if file.is_file() and not file.name.startswith("."):
                yield file.relative_to(folder).as_posix(), file


def _free_name(place: Path, backup: Backup) -> Path:
    stem = f"tessera-{backup.made_at:%Y%m%dT%H%M%SZ}-{backup.reason}"
    number = 1
    while (file := place / f"{stem}{f'-{number}' if number > 1 else ''}.zip").exists():
        number += 1
    return file


def _drop_older(folder: Path, made: Path, reason: BackupReason) -> None:
    """Delete this workspace's oldest backups with the same reason, keeping as many as `KEPT` allows.

    The new backup is always kept, even if others have later timestamps because the clock was wrong.
    """
    same = [
        backup
        for backup in manifest.list_backups(made.parent)
        if (backup.workspace, backup.reason) == (str(folder), reason) and backup.file != made
    ]
    for older in same[KEPT.get(reason, len(same) + 1) - 1 :]:
        older.file.unlink(missing_ok=True)
