"""The parts of a workspace that the doctor checks."""

from pathlib import Path
from typing import Protocol

from core.base.frozen import frozen
from core.indexing.bases import Bases
from core.indexing.models import Models
from core.indexing.models.servers import Servers
from core.settings.config import Settings
from core.settings.file import SettingsFile
from core.store import Store


class HasPlace(Protocol):
    """An object with the folder for backups."""

    @property
    def place(self) -> Path: ...


@frozen
class WorkspaceParts:
    """The parts of an open workspace that checks use."""

    store: Store
    settings: Settings
    settings_file: SettingsFile
    bases: Bases
    models: Models
    servers: Servers
    backups: HasPlace | None
