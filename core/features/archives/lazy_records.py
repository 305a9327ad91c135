"""Lazily read records of an archive, and parsing and validation of their JSON."""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain, islice
from math import isfinite
from typing import Any, Generic, TypeVar

from core.base.codec import DecodeError, decoder
from core.base.errors import ArchiveError, RowError, SourceError
from core.base.faults import translate_parse_error
from core.base.messages import Message
from core.base.text import escape_halves

T = TypeVar("T")
R = TypeVar("R")

Place = str | Message
Made = tuple[Place, Callable[[], T]]
"""The place of a record in its archive, and a function that reads the record and raises RowError and SourceError."""

MOST_MISTAKES = 100
"""Number of mistakes after which the reading of an archive stops."""

SIGNS = re.compile(rb'(?s)"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[\[\]{},]')
"""A JSON string (so that characters in it don't count), a bracket or a comma."""
MOST_VALUES = 1_000_000
"""Maximum number of strings, commas and brackets in a record."""
_DIGITS = 20
"""Maximum length of an integer in SQLite, with its sign."""


class RecordParts(Iterable[T], Generic[T]):
    """Records that are read again at each iteration; `read` yields each record's place and a function that reads it."""

    def __init__(self, read: Callable[[], Iterable[Made[T]]] = tuple) -> None:
        self._read = read

    @classmethod
    def from_records(cls, records: Iterable[T]) -> "RecordParts[T]":
        """Wrap records that are in memory."""
        made: list[Made[T]] = [("", partial(identity, record)) for record in records]
        return cls(lambda: made)

    def __iter__(self) -> Iterator[T]:
        for _, make in self._read():
            yield make()

    def sound(self, mistakes: "Mistakes") -> Iterator[tuple[Place, T]]:
        """Yield each record with its place; add unreadable records to `mistakes`."""
        for place, make in self._read():
            try:
                record = make()
            except (RowError, SourceError) as error:
                mistakes.add(place, error.reason if isinstance(error, SourceError) else error.message)
                continue
            yield place, record

    def followed_by(self, others: "RecordParts[T]") -> "RecordParts[T]":
        """Return these records followed by others."""
        return RecordParts(lambda: chain(self._read(), others._read()))

    def map(self, change: Callable[[T], R]) -> "RecordParts[R]":
        """Return the records with a function applied to each."""
        return RecordParts(lambda: ((place, partial(_apply, change, make)) for place, make in self._read()))


def identity(record: T) -> T:
    return record


def _apply(change: Callable[[T], R], make: Callable[[], T]) -> R:
    return change(make())


class Mistakes:
    """The mistakes in the archive `name`, by place."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._listed: list[tuple[Place, Message]] = []

    def add(self, place: Place, reason: Message) -> None:
        """Record a mistake; raises ArchiveError if there are too many."""
        self._listed.append((place, reason))
        if len(self._listed) >= MOST_MISTAKES:
            self.raise_any()

    def raise_any(self) -> None:
        """Raise ArchiveError if there are mistakes."""
        if self._listed:
            raise ArchiveError(self._name, self._listed)


def parse_json(text: bytes) -> Any:
    """Return the value of a JSON text; raises RowError, also for numbers that are too long and for too many values.

    The number of values is limited because small values take up to twenty times as much memory as their text.
    """
    if len(text) > MOST_VALUES and sum(1 for _ in islice(SIGNS.finditer(text), MOST_VALUES)) == MOST_VALUES:
        raise RowError("it holds too many values.")
    try:
        return JSON.decode(text.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise json_error(error) from error


def json_error(error: Exception) -> RowError:
    """Return the error for an exception from parsing a JSON text."""
    if isinstance(error, json.JSONDecodeError):
        reason = translate_parse_error(error.msg)
        return RowError("this isn't a JSON object ({reason}, column {n}).", reason=reason, n=error.colno)
    if isinstance(error, UnicodeDecodeError):
        return RowError("this isn't UTF-8. Save the file as UTF-8.")
    return error if isinstance(error, RowError) else RowError("this is nested too deeply.")


def _parse_integer(digits: str) -> int:
    if len(digits) > _DIGITS:
        raise RowError("the number {digits}… is too long.", digits=digits[:_DIGITS])
    return int(digits)


def _finite(digits: str) -> float:
    number = float(digits)
    if not isfinite(number):
        raise RowError("the number {digits} is too large, or isn't valid.", digits=digits[:_DIGITS])
    return number


JSON = json.JSONDecoder(parse_int=_parse_integer, parse_float=_finite, parse_constant=_finite)
"""JSON decoder for numbers that SQLite can store; raises RowError for others."""


def noun(kind: object, value: object) -> Any:
    """Return the object of the given type in a JSON value; raises RowError with the name of the wrong field."""
    try:
        return decoder(kind, exact=True)(value)
    except DecodeError as error:
        name = escape_halves(error.name)
        if error.kind:
            raise RowError("'{name}' must be {kind}.", name=name, kind=error.kind) from error
        if error.missing:
            raise RowError("the field '{name}' is missing.", name=name) from error
        raise RowError("there is no field '{name}'.", name=name) from error
