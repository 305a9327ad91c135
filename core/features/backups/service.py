"""Make, check and restore a workspace's backups, including daily ones."""

import logging
import sqlite3
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from threading import Event, Thread

from core.base import app_paths
from core.base.datetimes import utc_now
from core.base.errors import ConfigError, SourceError, TesseraError, UnknownChoice
from core.base.faults import BACKUPS, translate_errors
from core.base.jobs import Jobs
from core.base.messages import Message, message, plural, verbatim
from core.model import Backup, BackupReason, Check, Progress, RestoredBackup, count_names, no_progress
from core.settings.config import Settings
from core.settings.preferences import Preferences, Switchable
from core.store.backups import making, manifest, restoring

JOB = "backup"
# The name for the newest readable backup.
NEWEST = "latest"

_LOG = logging.getLogger(__name__)
# Preference key for the backup folder.
_FOLDER = "backup_folder"
# Seconds to wait before the first check whether a backup is due, and between later checks.
_FIRST = 60.0
_AGAIN = 600.0

# Age, in days, at which the newest backup counts as old.
_OLD = 7
# Maximum total size, in bytes, of the backups to read in full, newest first. For the remaining backups, only the
# manifest is read.
_READ = 100_000_000


@dataclass(eq=False)
class Backups(Switchable):
    """Makes, lists, checks and restores the backups of the workspace in a folder. If enabled, makes one every day.

    `snapshot` opens a connection to the workspace's database. `objects` returns the SQL objects in a version of the
    schema. `problem` says why the last daily backup failed, or is None.
    """

    _folder: Path
    _settings: Settings
    _preferences: Preferences
    _jobs: Jobs
    _snapshot: Callable[[], AbstractContextManager[sqlite3.Connection]]
    _objects: restoring.Objects
    _thread: Thread | None = None
    problem: Message | None = None

    _switch = "backup_daily"
    _usual = True

    def __post_init__(self) -> None:
        self._stop = Event()

    def has_notes(self) -> bool:
        """Return whether the workspace has any notes."""
        with self._snapshot() as connection:
            return bool(connection.execute("SELECT EXISTS (SELECT 1 FROM notes)").fetchone()[0])

    # the backup folder, daily backups and encryption

    @property
    def place(self) -> Path:
        """The backup folder. Unless the settings or the user choose another folder, it is in the workspace."""
        chosen = self._settings.backups.folder or self._preferences.get(_FOLDER)
        return app_paths.expand_home(chosen) if chosen else self._folder / BACKUPS

    def choose_place(self, folder: str) -> None:
        """Set the folder for future backups. "" means the folder in the workspace.

        Raises ConfigError if the path isn't absolute, and StoreError if the folder can't be created.
        """
        folder = folder.strip()
        place = app_paths.expand_home(folder)
        if folder:
            if not place.is_absolute() or "\0" in folder:
                raise ConfigError(
                    "'{folder}' isn't a complete path. Enter one such as {example}.", folder=folder, example="/mnt/disk"
                )
            with translate_errors(place):
                place.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._preferences.set(_FOLDER, str(place) if folder else "")

    @property
    def _decided(self) -> bool | None:
        return self._settings.backups.daily

    @property
    def encrypted(self) -> bool:
        """Whether future backups will be encrypted. Raises SourceError if the key is damaged."""
        return manifest.key(self._folder) is not None

    def protect(self, passphrase: str) -> None:
        """Encrypt future backups.

        Raises ConfigError if the passphrase is too short, or MissingDependency if the package for encryption isn't
        installed.
        """
        manifest.protect(self._folder, passphrase)

    def unprotect(self) -> None:
        "Stop encrypting future backups."
        manifest.unprotect(self._folder)

    # make, list, check and restore

    def all(self) -> list[Backup]:
        """Return all backups, newest first. If a backup can't be read, `problem` says why."""
        return manifest.list_backups(self._folder / BACKUPS, self.place)

    def get(self, name: str) -> Backup:
        """Return a backup by name.

        `latest` means the newest readable one. Raises UnknownChoice if there is none.
        """
        known = {backup.name: backup for backup in reversed(self.all())}
        whole = [backup for backup in known.values() if not backup.problem]
        if name == NEWEST and whole:
            return whole[-1]
        if name not in known:
            raise UnknownChoice("backup", name, known)
        return known[name]

    def named(self, name: str) -> Backup:
        """Return a backup by absolute path, or by name as `get` does. Raises the same errors as `get`."""
        return manifest.read_backup(Path(name)) if Path(name).is_absolute() else self.get(name)

    def make(
        self, reason: BackupReason = "person", *, to: Path | None = None, progress: Progress = no_progress
    ) -> Backup:
        """Make a backup, and return it. Notes can be written in the meantime.

        `to` is a different folder or file for the backup. If `to` is given, the backup is verified afterwards. Raises
        DiskFull, NotesDamaged or another StoreError, or ConfigError if the file exists.
        """
        with self._snapshot() as connection:
            backup = making.make(
                connection, self._folder, reason, self.place, progress, to=to and app_paths.expand_home(to).absolute()
            )
        if to:
            progress(0, 1, message("Checking the backup"))
            self.check(backup)
        else:
            self.problem = None
        _LOG.info("A backup was made: %s, %d bytes", backup.name, backup.bytes)
        return backup

    def verify(self, name: str) -> Backup:
        """Check a backup, given its name, by reading all of it. Return the backup.

        Raises SourceError if the backup is damaged.
        """
        return self.check(self.get(name))

    def check(self, backup: Backup) -> Backup:
        """Check a backup by reading all of it, and return the backup. Raises SourceError if it is damaged."""
        if backup.file.suffix == ".db":
            if wrong := making.check(backup.file):
                raise SourceError(str(backup.file), "This backup is damaged ({why}). Choose another backup.", why=wrong)
        else:
            manifest.unpack(backup.file, None, manifest.read(backup.file)[1])
        return backup

    def restore(self, name: str, *, passphrase: str = "", to: Path | None = None) -> RestoredBackup:
        """Restore a backup, given its name or path.

        The backup is restored to the new folder `to`. If `to` is None, the backup replaces this workspace when the
        workspace is next opened. Raises UnknownChoice, SourceError if the backup is damaged or the folder isn't empty,
        ConfigError if the passphrase is wrong, NewerSchema, and DiskFull.
        """
        file = self.named(name).file
        if to is not None:
            return restore_into(file, to, passphrase, self._objects)
        backup, aside = restoring.prepare(file, self._folder, passphrase, self._objects)
        _LOG.info("A backup is restored at the next opening: %s", file.name)
        return RestoredBackup(backup, self._folder, aside, waits=True)

    # daily backups

    def start(self) -> None:
        """Start the thread that makes daily backups, unless it is already running.

        The thread runs until `close` is called.
        """
        if self._thread is None:
            self._thread = Thread(target=self._run, name="backups", daemon=True)
            self._thread.start()

    def close(self) -> None:
        self._stop.set()
        if self._thread is not None:
            self._thread.join()

    def due(self, now: datetime) -> bool:
        """Return whether daily backups are on, and none has been made in the day before `now`.

        No backup is due if the workspace has no notes, or during an import. Backups dated in the future, made while the
        clock was wrong, are ignored.
        """
        if not self.enabled or self._jobs.running("import") or not self.has_notes():
            return False
        own = [
            backup.made_at
            for backup in self.all()
            if backup.reason == "daily" and backup.workspace == str(self._folder)
        ]
        return not any(now - timedelta(days=1) < at <= now for at in own)

    def make_daily(self) -> bool:
        """Start the backup job if a daily backup is due. Return whether the job was started."""

        def work(progress: Progress) -> None:
            try:
                self.make("daily", progress=progress)
            except TesseraError as error:
                self.problem = error.message
                raise

        with suppress(OSError):
            return self.due(utc_now()) and self._jobs.start(JOB, work)
        return False

    def _run(self) -> None:
        wait = _FIRST
        while not self._stop.wait(wait):
            wait = _AGAIN
            try:
                self.make_daily()
                wait = _AGAIN if self.has_notes() else _FIRST
            except Exception:  # noqa: BLE001 a thread has no caller, and the next attempt may succeed
                _LOG.exception("No backup could be made")


def restore_into(file: Path, folder: Path, passphrase: str, objects: restoring.Objects) -> RestoredBackup:
    """Restore a backup to a new or empty folder. Raises the same errors as `Backups.restore`."""
    with translate_errors(folder):
        if folder.is_dir() and any(folder.iterdir()):
            raise SourceError(str(folder), "This folder isn't empty. Choose a folder that doesn't exist yet.")
    backup, _ = restoring.prepare(file, folder, passphrase, objects)
    restoring.complete(folder)
    return RestoredBackup(backup, folder, None, waits=False)


def _age(backups: Backups) -> Message | None:
    if backups.problem:
        return backups.problem
    if not backups.has_notes():
        return None
    whole = [backup for backup in backups.all() if not backup.problem]
    if not whole:
        return message("There is no backup yet.")
    days = (utc_now() - whole[0].made_at).days
    return (
        plural("The newest backup is {n} day old.", "The newest backup is {n} days old.", n=days)
        if days >= _OLD
        else None
    )


def _damage(backups: Backups) -> Message | None:
    bad = []
    left = _READ
    for backup in backups.all():
        left -= backup.bytes
        with suppress(SourceError):
            if not backup.problem and (left < 0 or backups.check(backup)):
                continue
        bad.append(backup.name)
    return count_names(bad, "{n} backup is damaged: {names}", "{n} backups are damaged: {names}")


# The doctor's checks of backups, by name.
CHECKS = {
    "backups": Check(
        "look",
        "There is a recent backup",
        "A disk can fail at any time.",
        verbatim("tessera backup make"),
        _age,
        Backups.make,
    ),
    "damaged_backups": Check(
        "look",
        "All backups are intact",
        "A damaged backup can't be restored.",
        message("Delete the backup, then make another one: {command}", command="tessera backup make"),
        _damage,
    ),
}
