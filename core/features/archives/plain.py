"""Nouns <-> plain values, which JSON and YAML hold; a value of another kind than its field's is a mistake."""

import json
import re
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from datetime import datetime
from functools import cache
from itertools import islice
from math import isfinite
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from core.base.errors import RowError
from core.base.faults import translate_parse_error
from core.base.messages import Message, from_json, message, to_json, verbatim
from core.base.text import escape_halves, find_half_character
from core.model import GoldSpan, Note, Question, exact

_KINDS: dict[type, Message] = {
    str: message("text without control characters"),
    int: message("a whole number"),
    float: message("a number"),
    bool: message("true or false"),
    dict: message("fields with their values"),
    list: message("a list"),
    datetime: message("a time such as 2026-01-31T12:00:00+00:00"),
}
SIGNS = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[\[\]{},]', re.DOTALL)
"""A text of JSON, whose signs don't count, or a sign of a list or an object."""
MOST_VALUES = 1_000_000
"""Texts, commas and brackets of a record."""
_DIGITS = 20
"""Digits and sign of the longest number that SQLite holds."""
_SHOWN = 100
"""Characters of a name that an error shows."""
_MOST_DEPTH = 20
"""Levels of a value whose field may hold any; front matter has no more."""


class Typed(str):
    """An unquoted scalar of YAML as typed; `value` is what YAML reads: a number, a time, a boolean or a text."""

    __slots__ = ("value",)
    value: object


def plain(value: Any) -> Any:
    """Return a noun as plain values."""
    if isinstance(value, Message):
        return to_json(value)
    if isinstance(value, datetime):
        return value.isoformat()
    if is_dataclass(value):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(name): plain(item) for name, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, list | tuple) else value


def parsed(text: bytes) -> Any:
    """Return the value of a JSON text; raises RowError, also for what no record holds: a long number, a million values.

    Small values take up to twenty times as much memory as their text.
    """
    if len(text) > MOST_VALUES and sum(1 for _ in islice(SIGNS.finditer(text), MOST_VALUES)) == MOST_VALUES:
        raise RowError("it holds too many values.")
    try:
        return json.loads(text.decode("utf-8"), parse_int=_whole, parse_float=_finite, parse_constant=_finite)
    except json.JSONDecodeError as error:
        reason = translate_parse_error(error.msg)
        raise RowError("this isn't a JSON object ({reason}, column {n}).", reason=reason, n=error.colno) from error
    except UnicodeDecodeError as error:
        raise RowError("this isn't UTF-8. Save the file as UTF-8.") from error
    except RecursionError as error:
        raise RowError("this is nested too deeply.") from error


def _whole(digits: str) -> int:
    if len(digits) > _DIGITS:
        raise RowError("the number {digits}… is too long.", digits=digits[:_DIGITS])
    return int(digits)


def _finite(digits: str) -> float:
    number = float(digits)
    if not isfinite(number):
        raise RowError("the number {digits} is too large, or none.", digits=digits[:_DIGITS])
    return number


def noun(kind: Any, value: Any, name: str = "") -> Any:
    """Return the noun of a type; raises RowError that names the field that is wrong."""
    origin, arguments = get_origin(kind), get_args(kind)
    if kind in (object, Any):
        return _free(value, name)
    if origin in (Union, UnionType):
        return _parse_union(arguments, value, name)
    if origin is Literal:
        _expect(value in arguments, name, verbatim(" / ".join(map(str, arguments))))
        return str(value)
    if origin is tuple:
        _expect(isinstance(value, list), name, _KINDS[list])
        return tuple(noun(arguments[0], item, name) for item in value)
    if origin is dict:
        _expect(isinstance(value, dict), name, _KINDS[dict])
        return {_key(key, name): noun(arguments[1], item, f"{name}.{key}"[:_SHOWN]) for key, item in value.items()}
    if kind is Message:
        return _read(lambda: from_json(value), name, _KINDS[dict])
    if kind is datetime:
        return _read(lambda: exact(datetime.fromisoformat(value)), name, _KINDS[datetime])
    if is_dataclass(kind):
        return _parse_fields(kind, value, name)
    return _scalar(kind, value, name)


def _scalar(kind: type, value: Any, name: str) -> Any:
    if isinstance(value, Typed):
        value = str(value) if kind is str else value.value
    _expect(type(value) is not int or abs(value) < 2**63, name, _KINDS[int])
    if kind is float and type(value) is int:
        value = float(value)
    _expect(type(value) is kind, name, _KINDS[kind])
    _expect(kind is not float or isfinite(value), name, _KINDS[float])
    _expect(kind is not str or _is_text(value), name, _KINDS[str])
    return value


def _free(value: Any, name: str, depth: int = 0) -> Any:
    """Return any value that JSON and the database can hold, for a field without a type."""
    _expect(depth <= _MOST_DEPTH, name, message("nested less deeply"))
    if isinstance(value, Typed):
        value = value.value
    if isinstance(value, dict):
        return {_key(key, name): _free(item, name, depth + 1) for key, item in value.items()}
    if isinstance(value, list):
        return [_free(item, name, depth + 1) for item in value]
    return value if value is None or isinstance(value, bool) else _scalar(type(value), value, name)


def _key(key: str, name: str) -> str:
    _expect(_is_text(key), name, _KINDS[dict])
    return key


def _is_text(value: str) -> bool:
    return find_half_character(value) is None and "\0" not in value


def _parse_union(kinds: tuple[Any, ...], value: Any, name: str) -> Any:
    if type(None) in kinds and (value is None or (isinstance(value, Typed) and value.value is None)):
        return None
    return noun(next(kind for kind in kinds if kind is not type(None)), value, name)


def _parse_fields(kind: Any, value: Any, name: str) -> Any:
    _expect(isinstance(value, dict), name, _KINDS[dict])
    hints, known = _hints(kind), {field.name: field for field in fields(kind) if field.init}
    for key in value:
        if key not in known:
            raise RowError("there is no field '{name}'.", name=escape_halves(key[:_SHOWN]))
    for key, field in known.items():
        if key not in value and field.default is MISSING and field.default_factory is MISSING:
            raise RowError("the field '{name}' is missing.", name=key)
    values = {key: noun(hints[key], item, key) for key, item in value.items()}
    if kind is Note and "overridden" in values:
        values["overridden"] = {key: noun(_field(hints, key), item, key) for key, item in value["overridden"].items()}
    return kind(**values)


def _field(hints: Mapping[str, Any], name: str) -> Any:
    _expect(name in hints, name, _KINDS[dict])
    return hints[name]


@cache
def _hints(kind: Any) -> dict[str, Any]:
    hints = get_type_hints(kind)
    return hints | {"gold": tuple[GoldSpan, ...]} if kind is Question else hints


def _read(read: Any, name: str, kind: Message) -> Any:
    try:
        return read()
    except (ValueError, TypeError, LookupError, OverflowError, AttributeError, RecursionError):
        _expect(False, name, kind)


def _expect(holds: bool, name: str, kind: Message) -> None:
    if not holds:
        raise RowError("'{name}' must be {kind}.", name=escape_halves(name), kind=kind)
