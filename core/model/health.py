"""The health of a workspace, with checks and their results, disk space, and backups."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import ClassVar, Literal, get_args

from core.base.frozen import frozen
from core.base.messages import Message, Text, message_table

HealthLevel = Literal["sound", "look", "broken"]
_LEVELS: tuple[HealthLevel, ...] = get_args(HealthLevel)

# Maximum number of names listed in a sentence.
_SHOWN = 5

# Parts of a workspace that take up disk space, by `Space` field.
SPACE_PARTS = message_table(
    {
        "database": "notes, their history and computed data",
        "index": "search index",
        "backups": "backups",
        "trash": "deleted bases",
        "scratch": "copies of bases for evaluation",
        "replaced": "data from before a backup was restored",
        "logs": "logs",
        "models": "models",
    }
)


@frozen
class Check:
    """A workspace check, with its title, explanation and remedy.

    `find` returns the problem, or None. `mend` fixes the problem as far as possible, or is None if it can't be fixed.
    In a table of checks, `find` and `mend` take the object to check.
    """

    level: HealthLevel
    title: str
    about: str
    remedy: Text
    find: Callable[..., Message | None]
    mend: Callable[..., object] | None = None


def bind_checks(checks: Mapping[str, Check], subject: object) -> dict[str, Check]:
    return {
        name: replace(
            check, find=partial(check.find, subject), mend=partial(check.mend, subject) if check.mend else None
        )
        for name, check in checks.items()
    }


def count_names(names: Sequence[Text], singular: str, many: str) -> Message | None:
    """Return a sentence that states the number of names and lists the first few, or None if there are no names."""
    return Message(singular, {"n": len(names), "names": list(names[:_SHOWN])}, many) if names else None


@frozen
class Checked:
    """The result of a check. `problem` is None if all is well.

    `about` explains the check, and `remedy` says how to fix the problem. `mendable` is True if `doctor` can fix the
    problem, and `mended` if it has done so.
    """

    name: str
    level: HealthLevel
    title: Message
    about: Message
    problem: Message | None = None
    remedy: Message | None = None
    mendable: bool = False
    mended: bool = False


@frozen
class Health:
    folder: Path
    checks: tuple[Checked, ...]
    SHOWN: ClassVar = ("level",)

    @property
    def level(self) -> HealthLevel:
        return max((check.level for check in self.checks), key=_LEVELS.index, default="sound")

    @property
    def status(self) -> int:
        """The exit status of `doctor`.

        It is 0 if the workspace is sound, 1 if it needs attention, and 2 if it is broken.
        """
        return _LEVELS.index(self.level)


@frozen
class Space:
    """Bytes used on disk by the parts of a workspace, by the `models`, and by each base's reranking data (`tokens`).

    `folder` is the workspace's folder. Compacting the database would free `unused` bytes. `free` of the disk's `total`
    bytes are available.
    """

    folder: Path
    database: int
    index: int
    backups: int
    trash: int
    scratch: int
    replaced: int
    logs: int
    models: int
    unused: int
    tokens: Mapping[str, int]
    free: int
    total: int
    nearly_full: bool


@frozen
class Compacted:
    """The database's size in bytes before and after compacting."""

    before: int
    after: int


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
    """A workspace backup in a file of `bytes` bytes.

    `workspace` is the workspace's folder, `program` is Tessera's version, and `schema` is the database's version. An
    encrypted backup has no counts. `problem` says why the backup can't be read, in which case nothing else is known
    about the workspace.
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
    """A workspace restored from a backup.

    `aside` is the folder for the workspace's previous contents, or None if there were none. `waits` is True if the
    workspace is open, in which case it is restored the next time it is opened.
    """

    backup: Backup
    folder: Path
    aside: Path | None
    waits: bool
