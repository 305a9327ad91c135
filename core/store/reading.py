"""Rows -> nouns, each value checked by the type of its field; nouns -> rows.

A value that isn't of its type, as damage or another program may leave it, is one row's problem: it counts as empty,
and `Unread` names the row and the field to the user.
"""

import json
import logging
import sqlite3
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar, get_args, get_origin, get_type_hints

from core.base.codec import DAMAGE, Decoder, decoder, to_plain
from core.base.messages import Message, as_message, from_json, message
from core.model import CALENDAR_ENDS, NOTE_FIELDS, Failed

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

_LOG = logging.getLogger(__name__)
_MOST = 20
"""Rows that are named at once."""
_SHOWN = 60
"""Characters of a name."""

Noun = TypeVar("Noun")


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

    def __init__(self, kind: type[Noun], what: str | Message, named: str, key: str = "id", **own: Decoder) -> None:
        self._kind, self._what, self._named, self._key = kind, as_message(what), named, key
        hints = get_type_hints(kind)
        self._fields = [
            (field.name, own.get(field.name) or decoder(hints[field.name]), _empty(field, hints[field.name]))
            for field in fields(kind)  # type: ignore[arg-type]
            if field.init
        ]

    def __call__(self, row: Mapping[str, object] | sqlite3.Row, unread: Unread) -> Noun:
        """Return the noun of a row; a field that the row lacks has its default."""
        values = dict(row)
        try:
            return self.whole(values)
        except DAMAGE:
            return self._with_empty(values, unread)

    def whole(self, row: Mapping[str, object]) -> Noun:
        """Return the noun of a row; raises DAMAGE for a value that can't be read."""
        return self._kind(**{name: read(row[name]) for name, read, _ in self._fields if name in row})

    def _with_empty(self, row: Mapping[str, object], unread: Unread) -> Noun:
        values: dict[str, object] = {}
        unfit = []
        for name, read, empty in self._fields:
            if name not in row:
                continue
            try:
                values[name] = read(row[name])
            except DAMAGE:
                values[name] = empty()
                unfit.append(name)
        key = str(values[self._key])
        unread.add(self._what, key, str(values[self._named]) or key, unfit)
        return self._kind(**values)


def columns_of(noun: "DataclassInstance") -> dict[str, object]:
    """Return the columns of a noun as `RowReader` reads them: times in ISO format, other nouns and lists as JSON."""
    return {field.name: _as_stored(getattr(noun, field.name)) for field in fields(noun)}


def _as_stored(value: object) -> object:
    if isinstance(value, Mapping | tuple | Message) or is_dataclass(value):
        return json.dumps(to_plain(value), ensure_ascii=False)
    return value.isoformat() if isinstance(value, datetime) else value


def loaded(stored: object) -> Any:
    """Return the value of stored JSON, None where it is none."""
    if stored == "[]":
        return ()
    try:
        return json.loads(stored, parse_constant=_refused)  # type: ignore[arg-type]
    except DAMAGE:
        return None


def fields_in(stored: object, kind: type) -> dict[str, object]:
    """Return the fields of a noun that is stored as JSON, None for each one that it must have and lacks."""
    value = loaded(stored)
    needed = [field.name for field in fields(kind) if field.default is MISSING and field.default_factory is MISSING]
    return dict.fromkeys(needed) | (value if isinstance(value, dict) else {})


def failure_of(path: object, reason: object) -> Failed:
    """Return what couldn't be read, from its path and its stored reason."""
    return Failed(str(path), from_json(loaded(reason) or str(reason)))


def stored(hint: object) -> Decoder:
    """Return what reads stored JSON as a value of a type."""
    decode = decoder(hint)
    return lambda value: decode(loaded(value))


def _refused(name: str) -> object:
    raise ValueError(name)


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
