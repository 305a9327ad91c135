"""One codec between values of the program and values for JSON, directed by the types of the nouns.

Dataclasses are objects with a key for each field and for each property that their `SHOWN` names, tuples are lists,
times are in ISO format, paths are texts. Messages stay messages, which `core.base.messages.readable` turns into texts
where they are shown.
"""

from collections.abc import Hashable, Mapping
from dataclasses import fields, is_dataclass
from datetime import datetime
from functools import cache, reduce
from operator import or_
from pathlib import Path
from types import UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from typing_extensions import TypedDict

from core.base.messages import Message, readable_name

_View = TypeVar("_View")
typed_dict: Any = TypedDict
"""A decorator that shows type checkers all fields of a type made here."""
_SAME = frozenset((str, int, float, bool, type(None), Message))
"""Types of values that stay as they are."""


def encode(value: Any) -> Any:
    """Return a value for JSON, in which messages stay messages."""
    if type(value) in _SAME:
        return value
    if isinstance(value, (list, tuple)):
        return [*map(encode, value)]
    if isinstance(value, Mapping):
        return {name: encode(item) for name, item in value.items()}
    if isinstance(value, datetime):
        return value.isoformat()
    if is_dataclass(value):
        names = (*(field.name for field in fields(value)), *getattr(value, "SHOWN", ()))
        return {name: encode(getattr(value, name)) for name in names}
    return str(value) if isinstance(value, Path) else value


def decode(kind: Hashable, value: Any) -> Any:
    """Return the value of a type, from that of `encode`; raises ValueError."""
    return _adapter(kind).validate_python(value)


@cache
def _adapter(kind: Any) -> Any:
    from pydantic import TypeAdapter  # takes a fifth of a second, which a start avoids

    return TypeAdapter(kind)


def json_type(kind: Any) -> Any:
    """Return the type of what a door shows of a value of a type; of a dataclass a typed dictionary of its name."""
    if kind in (Message, datetime, Path):
        return str
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        return reduce(or_, map(json_type, inner))
    if origin in (list, tuple):
        return list[json_type(inner[0])]  # type: ignore[misc]
    if origin in (dict, Mapping):
        return dict[str, json_type(inner[1])]  # type: ignore[misc]
    if is_dataclass(kind):
        return _object_type(kind)  # type: ignore[arg-type]
    return kind


@cache
def _object_type(kind: Any) -> Any:
    hints = get_type_hints(kind)
    named = {readable_name(field.name): json_type(hints[field.name]) for field in fields(kind)}
    for name in getattr(kind, "SHOWN", ()):
        named[readable_name(name)] = json_type(get_type_hints(getattr(kind, name).fget)["return"])
    return typed_dict(kind.__name__, named)


def assemble(kind: type[_View], *nouns: object, **more: Any) -> _View:
    """Return a value of a dataclass whose fields are those of nouns, the first of which counts, or `more`."""
    names = [field.name for field in fields(kind)]  # type: ignore[arg-type]
    values = {name: getattr(noun, name) for noun in reversed(nouns) for name in names if hasattr(noun, name)}
    return kind(**values | more)
