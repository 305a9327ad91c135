"""What the operations on bases as files and on the trash of bases return."""

from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import Self

from core.base.frozen import frozen
from core.base.messages import Message
from core.model import RequestedPermissions, TrashedBase


@frozen
class ExportedBase:
    """A base that was written to a place, and in which form."""

    base: str
    as_: str
    place: Path


@frozen
class RestoredBase:
    """A base from an archive or the trash, with its number of notes.

    `wish` is the model that its archive names, and `wish_asks` what it asks for. `powers` are the permissions that it
    had elsewhere. A `foreign` one is from another workspace.
    """

    base: str
    wish: str
    powers: RequestedPermissions
    notes: int
    wish_asks: str | Message
    foreign: bool


@frozen
class DeletedBase:
    """A base in the trash, or with titles an archive of its `notes`; `problem` is why it can't be restored."""

    key: str
    base: str
    deleted_at: datetime
    expired: bool
    notes: tuple[str, ...]
    problem: str | Message


@frozen
class DeletedBases:
    """The trash of bases."""

    trash: tuple[DeletedBase, ...]

    @classmethod
    def from_trash(cls, trash: Iterable[TrashedBase]) -> Self:
        return cls(
            tuple(
                DeletedBase(base.key, base.name, base.at, base.expired, tuple(base.titles), base.problem or "")
                for base in trash
            )
        )


@frozen
class EmptiedTrash:
    """The number of bases that were deleted for good."""

    deleted: int
