"""A workspace whose database can't be opened."""

import os
import sqlite3
from contextlib import AbstractContextManager
from pathlib import Path

from core.base.jobs import Jobs
from core.features.backups.service import Backups
from core.settings import config
from core.settings.preferences import Preferences
from core.store import lock
from core.store.schema import objects_of


class OfflineWorkspace:
    """The parts of a workspace that work without its database, which may be damaged."""

    def __init__(self, path: Path) -> None:
        settings = config.settings()
        self.folder = Path(os.path.realpath(path))
        preferences = Preferences(self.folder, readonly=True)
        self.backups = Backups(self.folder, settings, preferences, Jobs(), self._closed, objects_of)

    def take(self) -> None:
        """Install a restored backup; raises WorkspaceLocked if another process has the workspace open."""
        lock.take(self.folder).release()

    def _closed(self) -> AbstractContextManager[sqlite3.Connection]:
        raise NotImplementedError("the database isn't open")
