"""The records of an archive: each is read when it is needed, so that no archive is held whole."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain
from typing import Generic, TypeVar

from core.base.errors import ArchiveError, RowError, SourceError
from core.base.messages import Message

T = TypeVar("T")
R = TypeVar("R")

Place = str | Message
Made = tuple[Place, Callable[[], T]]
"""The place of a record in its archive, and what reads it; raises RowError and SourceError."""

MOST_MISTAKES = 100
"""Mistakes that are collected before an archive is refused."""


class RecordParts(Iterable[T], Generic[T]):
    """Records that are read anew at each iteration; `read` yields the place of each and a function that makes it."""

    def __init__(self, read: Callable[[], Iterable[Made[T]]] = tuple) -> None:
        self._read = read

    @classmethod
    def from_records(cls, records: Iterable[T]) -> "RecordParts[T]":
        """Return parts of records in memory."""
        made: list[Made[T]] = [("", partial(_identity, record)) for record in records]
        return cls(lambda: made)

    def __iter__(self) -> Iterator[T]:
        for _, make in self._read():
            yield make()

    def sound(self, mistakes: "Mistakes") -> Iterator[tuple[Place, T]]:
        """Yield each record with its place; one that can't be read is a mistake."""
        for place, make in self._read():
            try:
                record = make()
            except (RowError, SourceError) as error:
                mistakes.add(place, error.reason if isinstance(error, SourceError) else error.message)
                continue
            yield place, record

    def followed_by(self, others: "RecordParts[T]") -> "RecordParts[T]":
        """Return these records, then others."""
        return RecordParts(lambda: chain(self._read(), others._read()))

    def map(self, change: Callable[[T], R]) -> "RecordParts[R]":
        """Return the records as a function changes them."""
        return RecordParts(lambda: ((place, partial(_apply, change, make)) for place, make in self._read()))


def _identity(record: T) -> T:
    return record


def _apply(change: Callable[[T], R], make: Callable[[], T]) -> R:
    return change(make())


class Mistakes:
    """The mistakes in the archive `name`, by place."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._listed: list[tuple[Place, Message]] = []

    def add(self, place: Place, reason: Message) -> None:
        """Note a mistake; raises ArchiveError where there are too many."""
        self._listed.append((place, reason))
        if len(self._listed) >= MOST_MISTAKES:
            self.raise_any()

    def raise_any(self) -> None:
        """Raise ArchiveError if there are mistakes."""
        if self._listed:
            raise ArchiveError(self._name, self._listed)
