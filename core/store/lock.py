"""The locks of a workspace: one process may write, and in it one thread at a time."""

import json
import logging
import os
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from filelock import FileLock, Timeout

from core.base import files
from core.base.datetimes import utc_now
from core.base.errors import StoreError, WorkspaceLocked
from core.base.faults import translate_error
from core.base.messages import Message, message
from core.base.threads import Call
from core.store.backups import restoring

_LOG = logging.getLogger(__name__)
_LONGEST = 100
"""Maximum length in characters of each field about the lock's holder in an error."""


class WriteLock:
    """A reentrant lock that runs queued work when its outermost holder releases it."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._depth = 0
        self._following: list[Call] = []

    def __enter__(self) -> None:
        self._lock.acquire()
        self._depth += 1

    def __exit__(self, *_: object) -> None:
        self._depth -= 1
        following: list[Call] = []
        if not self._depth:
            following, self._following = self._following, []
        self._lock.release()
        for work, values in following:
            try:
                work(*values)
            except Exception:  # noqa: BLE001 the write is committed, and the other work must still run
                _LOG.exception("What follows a write failed")

    def follow(self, work: Callable[..., object], *values: object) -> None:
        """Call a function once this thread no longer holds the lock. Equal calls are made once, errors are logged."""
        with self:
            if (work, values) not in self._following:
                self._following.append((work, values))


def take(folder: Path, patience: float = 0.0) -> FileLock:
    """Lock the workspace for this process, within `patience` seconds, and put a waiting restored backup in place.

    Raises WorkspaceLocked, which names the holder.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(
            "{folder} can't be created: {why}. Choose another folder for the workspace.",
            folder=str(folder),
            why=error.strerror,
        ) from error
    holder, file = folder / "lock.json", folder / "lock"
    lock = FileLock(file, mode=0o600, thread_local=False)  # another thread releases it when the app closes
    now = utc_now().isoformat(timespec="seconds")
    about = {"pid": os.getpid(), "command": Path(sys.argv[0]).name, "since": now}
    try:
        if os.path.lexists(file) and (file.is_symlink() or not file.is_file()):  # no process can have locked it
            files.set_aside(file)
        lock.acquire(timeout=patience)
        files.load(holder, _checked, aside=True)
        files.sweep(folder)
        files.sweep_temporary(folder)
        files.replace(holder, json.dumps(about))
    except Timeout as error:
        raise WorkspaceLocked(
            "{folder} is in use by {holder}. Close the other Tessera, or use another workspace.",
            folder=str(folder),
            holder=_describe(holder),
        ) from error
    except OSError as error:
        lock.release()
        raise translate_error(error, folder) from error
    try:
        restoring.complete(folder)
    except StoreError:
        lock.release()
        raise
    return lock


def _describe(holder: Path) -> Message:
    try:
        fields = files.load(holder, _checked, aside=False)
    except OSError:
        fields = None
    if not fields:
        return message("another Tessera")
    with suppress(ValueError, OverflowError):
        fields["since"] = f"{datetime.fromisoformat(fields['since']).astimezone():%Y-%m-%d %H:%M}"
    return message("another Tessera (process {pid}, '{command}', since {since})", **fields)


def _checked(stored: Mapping[str, object]) -> dict[str, str]:
    """Validate and return the fields about the lock's holder; raises LookupError or ValueError for other content."""
    fields = {name: str(stored[name])[:_LONGEST] for name in ("pid", "command", "since")}
    if not all(map(str.isprintable, fields.values())):
        raise ValueError("no holder")
    return fields
