"""Conversion of rows to dataclasses and back. Each value read is checked against its field's type.

A value may have the wrong type because of damage or because another program wrote it. Such a value is read as empty,
and `Unread` reports the row and field to the user. All other values are read as usual.
"""

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import MISSING, Field, fields
from datetime import datetime
from functools import lru_cache
from logging import getLogger
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar, get_args, get_origin, get_type_hints

from core.base.codec import DAMAGE, Decoder, decode_or, decoder, to_plain
from core.base.frozen import Texts, ValueMap, Values
from core.base.messages import Message, Messages, Text, as_message, message, message_table
from core.model import CALENDAR_ENDS, NO_REASON, NOTE_FIELDS, Failed

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

_LOG = getLogger(__name__)
# Maximum number of rows to report.
_MOST = 20
# Maximum length of a reported name, in characters.
_SHOWN = 60

Noun = TypeVar("Noun")

_RESTORE = message("To get these values back, restore a backup.")
# What the user can do about unreadable values, by the kind of row, where restoring a backup isn't the only remedy.
_REMEDIES = message_table(
    {
        "note": "Enter these values again, or restore a backup.",
        "draft": "Enter these values again, or restore a backup.",
        "base": "Enter these values again, or restore a backup.",
        "question set": "Enter these values again, or restore a backup.",
        "question": "Enter these values again, or restore a backup.",
        "correct passage": "Enter these values again, or restore a backup.",
        "last update of the folder": "Update the base from the folder again.",
        "test run": "Start the test again, or restore a backup.",
        "test result": "Start the test again, or restore a backup.",
        "answer": "Ask the question again, or restore a backup.",
        "model switch": "Start the change of the model again.",
        "pack": "Install the pack again.",
        "rejected passage": "Index the passage again.",
    }
)


class Unread:
    """A list of rows with unreadable values. It is cleared after every write that may affect search results."""

    def __init__(self) -> None:
        self._rows: dict[tuple[Message, str], tuple[str, dict[str, None]]] = {}
        self._logged: set[tuple[Message, str]] = set()

    def add(self, what: Message, key: str, name: str, unfit: Iterable[str]) -> None:
        """Record a row whose `unfit` fields are unreadable. `what` is the kind of row."""
        row = what, key
        if row not in self._logged:
            self._logged.add(row)
            _LOG.warning("Unreadable values in a %s: the fields %s", what.text, ", ".join(unfit))
        if row in self._rows or len(self._rows) < _MOST:
            self._rows.setdefault(row, (name, {}))[1].update(dict.fromkeys(unfit))

    def clear(self) -> None:
        self._rows.clear()

    @property
    def messages(self) -> Messages:
        """Messages to the user, one for each row with unreadable values."""
        return tuple(
            message(
                "The {what} '{name}' can't be read completely. Missing: {fields}. {remedy}",
                what=what,
                name=name[:_SHOWN],
                remedy=_REMEDIES.get(what.text, _RESTORE),
                fields=[NOTE_FIELDS[field].title if field in NOTE_FIELDS else field for field in unfit],
            )
            for (what, _), (name, unfit) in self._rows.copy().items()
        )


class RowReader(Generic[Noun]):
    """Reads rows as instances of a dataclass.

    In reports about unreadable values, a row is called `what`, and its name is the value of the field `named`. `own`
    holds custom decoders for individual fields.
    """

    def __init__(self, kind: type[Noun], what: Text, named: str, key: str = "id", **own: Decoder) -> None:
        self._kind = kind
        self._what = as_message(what)
        self._named = named
        self._key = key
        hints = get_type_hints(kind)
        self._fields = {
            field.name: (own.get(field.name) or decoder(hints[field.name]), field, hints[field.name])
            for field in fields(kind)  # type: ignore[arg-type]
            if field.init
        }

    def __call__(self, row: ValueMap | sqlite3.Row, unread: Unread) -> Noun:
        """Return the object in a row. Unreadable values are reported to `unread`. Missing fields get their defaults."""
        row = dict(row)
        try:
            return self.whole(row)
        except DAMAGE:
            values = {}
            unfit = []
        for name, (read, field, hint) in self._fields.items():
            if name not in row:
                continue
            try:
                values[name] = read(row[name])
            except DAMAGE:
                values[name] = _empty(field, hint)
                unfit.append(name)
        key = str(values[self._key])
        unread.add(self._what, key, str(values[self._named]) or key, unfit)
        return self._kind(**values)

    def whole(self, row: ValueMap) -> Noun:
        """Return the object in a row. Raises DAMAGE if a value is unreadable."""
        return self._kind(**{name: read(row[name]) for name, (read, *_) in self._fields.items() if name in row})


def columns_of(noun: "DataclassInstance") -> Values:
    """Return an object's columns, as read by `RowReader`. Times are in ISO format, nested objects and lists in JSON."""
    columns = {}
    for field in fields(noun):
        value = to_plain(getattr(noun, field.name))
        columns[field.name] = json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else value
    return columns


def loaded(stored: object) -> Any:
    """Parse a value stored as JSON. Return None if it can't be parsed."""
    if stored == "[]":
        return ()
    try:
        return json.loads(stored, parse_constant=_refused)  # type: ignore[arg-type]
    except DAMAGE:
        return None


def fields_in(stored: object, kind: type) -> Values:
    """Return the fields of an object stored as JSON, with None for missing fields that have no default."""
    value = loaded(stored)
    needed = [field.name for field in fields(kind) if field.default is MISSING and field.default_factory is MISSING]
    return dict.fromkeys(needed) | (value if isinstance(value, dict) else {})


def failure_of(path: object, reason: object) -> Failed:
    """Return a file that couldn't be read, and why. Earlier versions stored the reason as plain text."""
    return Failed(str(path), decode_or(Message, loaded(reason) or str(reason), NO_REASON))


def stored(hint: object) -> Decoder:
    """Return a decoder for values of a type that are stored as JSON."""
    decode = decoder(hint)
    return lambda value: decode(loaded(value))


@lru_cache(maxsize=4096)
def texts(value: object) -> Texts:
    """Return a list of strings stored as JSON, or an empty tuple if it can't be read.

    Results are cached, because many chunks have the same titles.
    """
    return decode_or(Texts, loaded(value), ())


def _refused(name: str) -> object:
    raise ValueError(name)


def _empty(field: "Field[Any]", hint: Any) -> Any:
    """Return the empty value for a field. For a time, it is the latest possible date, which is never in the past."""
    if field.default is not MISSING:
        return field.default
    if field.default_factory is not MISSING:
        return field.default_factory()
    if type(None) in get_args(hint):
        return None
    if get_origin(hint) is Literal:
        return get_args(hint)[0]
    return CALENDAR_ENDS if hint is datetime else (get_origin(hint) or hint)()
