"""What the operations on backups return in addition to the nouns."""

from dataclasses import dataclass

from core.model import Backup


@dataclass(frozen=True, slots=True)
class BackupList:
    """The backups of a workspace, the newest first."""

    backups: tuple[Backup, ...]


@dataclass(frozen=True, slots=True)
class NotRestored:
    """Nothing was restored, because the user didn't confirm it."""

    backup: None = None


@dataclass(frozen=True, slots=True)
class EncryptedBackups:
    """Whether later backups are encrypted."""

    encrypted: bool
