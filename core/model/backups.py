"""Backups of a workspace, and results of restoring them."""

from datetime import datetime
from pathlib import Path
from typing import ClassVar, Literal

from core.base.frozen import frozen
from core.base.messages import Message, message_table

BackupReason = Literal["person", "program", "daily", "migration"]

BACKUP_REASONS: dict[BackupReason, Message] = message_table(
    {
        "person": "manual",
        "program": "by another program",
        "daily": "automatic",
        "migration": "before an update",
    }
)


@frozen
class Backup:
    """A backup of a workspace: a file of `bytes` bytes.

    `workspace` is the folder of the workspace, `program` the version of Tessera, `schema` the version of the database.
    An encrypted backup has no counts. `problem` says why the backup can't be read; the other fields are empty then.
    """

    file: Path
    made_at: datetime
    bytes: int
    reason: BackupReason = "person"
    workspace: str = ""
    program: str = ""
    schema: int = 0
    bases: int = 0
    notes: int = 0
    encrypted: bool = False
    problem: Message | None = None
    SHOWN: ClassVar = ("name",)

    @property
    def name(self) -> str:
        return self.file.name


@frozen
class RestoredBackup:
    """A workspace that was restored from a backup.

    `aside` is the folder with the previous content. `waits`: the workspace is open, and will be restored when it is
    next opened.
    """

    backup: Backup
    folder: Path
    aside: Path | None
    waits: bool
