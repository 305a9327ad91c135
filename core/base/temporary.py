"""Temporary folders of a workspace, deleted with their process; those of a killed process at the next opening."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock

from filelock import FileLock, Timeout

from core.base import files
from core.base.faults import translate_errors

FOLDER = "temporary"
"""The folder in a workspace with a folder for each process; the process holds its lock file."""
_LOCK = "lock"


class TemporaryFolders:
    """The temporary folders of a process. The first one makes the folder that holds them."""

    def __init__(self, workspace: Path) -> None:
        self._workspace = workspace
        self._all = workspace / FOLDER
        self._own: Path | None = None
        self._held: FileLock | None = None
        self._making = Lock()

    def make(self) -> Path:
        """Make an empty folder, which the caller deletes; raises StoreError."""
        with translate_errors(self._workspace), self._making:
            if self._own is None:
                with FileLock(files.folder(self._all) / _LOCK, mode=0o600):
                    own = Path(tempfile.mkdtemp(dir=self._all))
                    self._held = FileLock(own / _LOCK, mode=0o600, thread_local=False)
                    self._held.acquire()
                    self._own = own
            return Path(tempfile.mkdtemp(dir=self._own))

    @contextmanager
    def make_scoped(self) -> Iterator[Path]:
        """Make an empty folder, and delete it with its content at the end; raises StoreError."""
        folder = self.make()
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def close(self) -> None:
        """Delete all folders of this process."""
        with self._making:
            if self._held is not None and self._own is not None:
                self._held.release()
                shutil.rmtree(self._own, ignore_errors=True)
                self._own = self._held = None


def sweep(workspace: Path) -> None:
    """Delete the folders of ended processes; those of running ones stay, and all where `temporary` is a link."""
    place = workspace / FOLDER
    if place.is_symlink() or not place.is_dir():
        return
    with suppress(OSError), FileLock(place / _LOCK, mode=0o600):
        for path in place.iterdir():
            if path.is_dir() and not path.is_symlink():
                with suppress(OSError, Timeout), FileLock(path / _LOCK, timeout=0, mode=0o600):
                    shutil.rmtree(path, ignore_errors=True)
