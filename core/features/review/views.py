"""What the operations on items that wait for the user return."""

from dataclasses import dataclass
from datetime import datetime
from typing import Self

from core.base.codec import assemble
from core.model import MatterKind, ReviewItem


@dataclass(frozen=True, slots=True)
class ReviewItemView:
    """An item that waits for a decision, with the paths of its notes."""

    key: str
    kind: MatterKind
    base: str
    title: str
    at: datetime | None
    note_id: str | None
    other_id: str | None
    quotes: tuple[str, ...]
    path: str | None
    other_path: str | None

    @classmethod
    def from_item(cls, item: ReviewItem) -> Self:
        path, other_path = (note.path if note else None for note in (item.note, item.other))
        return assemble(cls, item, path=path, other_path=other_path)


@dataclass(frozen=True, slots=True)
class ReviewList:
    """The items that wait for the user."""

    waiting: tuple[ReviewItemView, ...]


@dataclass(frozen=True, slots=True)
class ReviewKeys:
    """The items that were decided, by their keys."""

    keys: tuple[str, ...]
