"""What the operations on items that wait for the user return."""

from dataclasses import dataclass
from datetime import datetime
from typing import Self

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
        return cls(
            item.key,
            item.kind,
            item.base,
            item.title,
            item.at,
            item.note_id,
            item.other_id,
            item.quotes,
            path=item.note.path if item.note else None,
            other_path=item.other.path if item.other else None,
        )


@dataclass(frozen=True, slots=True)
class ReviewList:
    """The items that wait for the user."""

    waiting: tuple[ReviewItemView, ...]


@dataclass(frozen=True, slots=True)
class ReviewKeys:
    """The items that were decided, by their keys."""

    keys: tuple[str, ...]
