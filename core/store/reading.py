"""Rows -> nouns: each value is checked by the type of its field.

A value that isn't of its type, as damage or another program may leave it, is one row's problem: it counts as empty,
and `Unread` names the row and the field to the user.
"""

import json
import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from datetime import datetime
from functools import cache
from types import UnionType
from typing import Any, Generic, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from core.base.messages import Message, from_json, message
from core.base.text import find_half_character
from core.model import CALENDAR_ENDS, NOTE_FIELDS, in_utc

_LOG = logging.getLogger(__name__)
UNFIT = (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError)
"""Errors raised for a value of another type."""
_MOST = 20
"""Rows that are named at once."""
_SHOWN = 60
"""Characters of a name."""

Noun = TypeVar("Noun")
Read = Callable[[Any], Any]


class Unread:
    """The rows with values that can't be read, as they were met since a row went or what searches find changed."""

    def __init__(self) -> None:
        self._rows: dict[tuple[Message, str], tuple[str, dict[str, None]]] = {}
        self._logged: set[tuple[Message, str]] = set()

    def add(self, what: Message, key: str, name: str, unfit: Iterable[str]) -> None:
        """Name a row: what it is, and which of its fields can't be read."""
        row = what, key
        if row not in self._logged:
            self._logged.add(row)
            _LOG.warning("Values can't be read: of a %s, the fields %s", what.text, ", ".join(unfit))
        if row in self._rows or len(self._rows) < _MOST:
            self._rows.setdefault(row, (name, {}))[1].update(dict.fromkeys(unfit))

    def clear(self) -> None:
        self._rows.clear()

    @property
    def messages(self) -> tuple[Message, ...]:
        """A sentence for each row."""
        return tuple(
            message(
                "The {what} '{name}' can't be read as a whole. Missing: {fields}. Set them again, or delete it.",
                what=what,
                name=name[:_SHOWN],
                fields=[NOTE_FIELDS[field].title if field in NOTE_FIELDS else field for field in unfit],
            )
            for (what, _), (name, unfit) in self._rows.copy().items()
        )


class RowReader(Generic[Noun]):
    """Reads rows as nouns of a kind; `what` names the kind to the user, and the field `named` each noun.

    `own` are functions that read a stored value, in place of that of the field's type.
    """

    def __init__(self, kind: type[Noun], what: Message, named: str, key: str = "id", **own: Read) -> None:
        self._kind, self._what, self._named, self._key = kind, what, named, key
        hints = get_type_hints(kind)
        self._fields = [
            (field.name, own.get(field.name) or reader(hints[field.name]), _empty(field, hints[field.name]))
            for field in fields(kind)  # type: ignore[arg-type]
            if field.init
        ]

    def __call__(self, row: Mapping[str, Any], unread: Unread) -> Noun:
        """Return the noun of a row; a field that the row lacks has its default."""
        try:
            return self.whole(row)
        except UNFIT:
            return self._with_empty(row, unread)

    def whole(self, row: Mapping[str, Any]) -> Noun:
        """Return the noun of a row; raises UNFIT for a value that can't be read."""
        return self._kind(**{name: read(row[name]) for name, read, _ in self._fields if name in row})

    def _with_empty(self, row: Mapping[str, Any], unread: Unread) -> Noun:
        values: dict[str, Any] = {}
        unfit = []
        for name, read, empty in self._fields:
            if name not in row:
                continue
            try:
                values[name] = read(row[name])
            except UNFIT:
                values[name] = empty()
                unfit.append(name)
        key = str(values[self._key])
        unread.add(self._what, key, str(values[self._named]) or key, unfit)
        return self._kind(**values)


def loaded(stored: object) -> Any:
    """Return the value of stored JSON, None where it is none."""
    if stored == "[]":
        return ()
    try:
        return json.loads(stored, parse_constant=_refused)  # type: ignore[arg-type]
    except UNFIT:
        return None


def fields_in(stored: object, kind: type) -> dict[str, Any]:
    """Return the fields of a noun that is stored as JSON, None for each one that it must have and lacks."""
    value = loaded(stored)
    needed = [field.name for field in fields(kind) if field.default is MISSING and field.default_factory is MISSING]
    return dict.fromkeys(needed) | (value if isinstance(value, dict) else {})


def stored(hint: Any) -> Read:
    """Return what reads stored JSON as a value of a type."""
    read = reader(hint)
    return lambda value: read(loaded(value))


@cache
def reader(hint: Any) -> Read:
    """Return what reads a plain value as one of a type; it raises what `UNFIT` holds."""
    origin, inner = get_origin(hint), get_args(hint)
    if hint in (object, Any):
        return _plain
    if origin in (Union, UnionType):
        return _optional(reader(next(entry for entry in inner if entry is not type(None))))
    if origin is Literal:
        return _one_of(inner)
    if origin is tuple:
        return _many(reader(inner[0]))
    if origin is dict:
        return _named(reader(inner[1]))
    if is_dataclass(hint) and hint is not Message:
        return _noun(hint)
    return _SCALARS[hint]


def _optional(read: Read) -> Read:
    return lambda value: None if value is None else read(value)


def _one_of(choices: tuple[Any, ...]) -> Read:
    return lambda value: choices[choices.index(value)]


def _many(read: Read) -> Read:
    def items(value: Any) -> tuple[Any, ...]:
        if type(value) is not list and type(value) is not tuple:
            raise TypeError
        return tuple(map(read, value))

    return items


def _named(read: Read) -> Read:
    return lambda value: {_text(name): read(item) for name, item in value.items()}


def _noun(kind: Any) -> Read:
    hints = get_type_hints(kind)
    readers = {field.name: reader(hints[field.name]) for field in fields(kind) if field.init}

    def noun(value: Any) -> Any:
        return kind(**{name: readers[name](item) for name, item in value.items() if name in readers})

    return noun


def _text(value: Any) -> str:
    if type(value) is not str or (not value.isascii() and find_half_character(value) is not None):
        raise TypeError
    return value


def _plain(value: Any) -> Any:
    """Return a JSON value whose texts and numbers can be written again."""
    json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    return value


def _whole(value: Any) -> int:
    if type(value) is not int or abs(value) >= 2**63:
        raise TypeError
    return value


def _number(value: Any) -> float:
    if type(value) not in (int, float) or not abs(value) < float("inf"):
        raise TypeError
    return value  # type: ignore[no-any-return]


def _truth(value: Any) -> bool:
    return bool(_one_of((0, 1))(value))


def _moment(value: Any) -> datetime:
    return in_utc(datetime.fromisoformat(value))


def _message(value: Any) -> Message:
    read = from_json(value)
    str(read).encode()
    return read


def _refused(name: str) -> Any:
    raise ValueError(name)


_SCALARS: dict[Any, Read] = {
    str: _text,
    int: _whole,
    float: _number,
    bool: _truth,
    datetime: _moment,
    Message: _message,
}


def _empty(field: "Field[Any]", hint: Any) -> Callable[[], Any]:
    """Return what makes the empty value of a field; a time that is unknown is never long ago."""
    if field.default is not MISSING:
        return lambda: field.default
    if field.default_factory is not MISSING:
        return field.default_factory
    origin, inner = get_origin(hint), get_args(hint)
    if type(None) in inner:
        return lambda: None
    if origin is Literal:
        return lambda: inner[0]
    if hint is datetime:
        return lambda: CALENDAR_ENDS
    made: Callable[[], Any] = origin or hint
    return made
