"""The space of a workspace on disk."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from core.base.messages import message

SPACE_PARTS = {
    "database": message("notes, their history and what was computed"),
    "index": message("search index"),
    "backups": message("backups"),
    "trash": message("deleted bases"),
    "scratch": message("copies for measurements"),
    "replaced": message("what backups replaced"),
    "logs": message("logs"),
    "models": message("models"),
}
"""The parts of a workspace that take space, by their fields."""


@dataclass(frozen=True, slots=True)
class Space:
    """Bytes on disk: of the parts of a workspace in `folder`, of the `models`, and of the data for re-checking by base.

    `unused` bytes of the database are given back by compacting it. `free` of `total` bytes of the disk are left;
    `nearly_full` where that is little.
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


@dataclass(frozen=True, slots=True)
class Compacted:
    """Bytes of the database before and after it was compacted."""

    before: int
    after: int
