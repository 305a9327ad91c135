"""The lock of a workspace: one process writes, and the error for another one names it."""

import json
import os
import sys
from datetime import UTC, datetime
from pathlib import Path

from filelock import FileLock, Timeout

from core import files
from core.errors import StoreError, WorkspaceLocked
from core.faults import fault
from core.messages import Message, message


def take(folder: Path, patience: float = 0.0) -> FileLock:
    """Lock the workspace for this process, within some seconds; raises WorkspaceLocked, which names the holder."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(
            "{folder} can't be made: {why}. Choose another folder for the workspace.",
            folder=str(folder),
            why=error.strerror,
        ) from error
    holder = folder / "lock.json"
    lock = FileLock(folder / "lock", mode=0o600)
    now = datetime.now(UTC).isoformat(timespec="seconds")
    about = {"pid": os.getpid(), "command": Path(sys.argv[0]).name, "since": now}
    try:
        lock.acquire(timeout=patience)
        files.replace(holder, json.dumps(about))
    except Timeout as error:
        raise WorkspaceLocked(
            "{folder} is in use by {holder}. Close it, or use another workspace.",
            folder=str(folder),
            holder=_describe(holder),
        ) from error
    except OSError as error:
        lock.release()
        raise fault(error, folder) from error
    return lock


def _describe(holder: Path) -> Message:
    try:
        about = json.loads(holder.read_text(encoding="utf-8"))
        return message(
            "another Tessera (process {pid}, '{command}', since {since})",
            pid=str(about["pid"]),
            command=about["command"],
            since=about["since"],
        )
    except (OSError, ValueError, LookupError, TypeError):
        return message("another Tessera")
