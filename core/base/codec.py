"""Codec between dataclasses and plain values, for JSON, database rows, archives and messages to the app.

The codec follows the fields' type hints. A dataclass becomes an object with a key for each field and for each property
in its `SHOWN`. Tuples become lists, times become ISO strings, and paths become strings. `decode` doesn't convert text
to numbers or the like, and rejects values that files, databases or JSON can't hold. Pydantic isn't used, because errors
must name a damaged field in the user's language, and the remaining fields must still be readable
(docs/decisions/0064-codec.md).
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import MISSING, fields, is_dataclass
from datetime import datetime
from functools import cache, partial, reduce
from itertools import islice
from math import isfinite
from operator import or_
from pathlib import Path
from types import UnionType
from typing import TYPE_CHECKING, Any, Literal, TypeGuard, TypeVar, Union, get_args, get_origin, get_type_hints

from typing_extensions import TypedDict

from core.base import datetimes
from core.base.frozen import Texts, Values
from core.base.messages import Message, from_json, message, message_table, readable_name, to_json, verbatim
from core.base.text import find_half_character

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

_View = TypeVar("_View")
# `TypedDict`, typed as Any because type checkers reject types created at run time.
typed_dict: Any = TypedDict
# Function that converts a plain value to a typed one. It raises DecodeError or any other error in DAMAGE.
Decoder = Callable[[Any], Any]
# Errors raised when decoding an invalid value.
DAMAGE = (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError)
_SAME = frozenset((str, int, float, bool, type(None)))
_KINDS: dict[object, Message] = message_table(
    {
        str: "text without control characters",
        int: "a whole number",
        float: "a number",
        bool: "true or false",
        dict: "an object with fields and values",
        Message: "an object with fields and values",
        list: "a list",
        datetime: "a time such as 2026-01-31T12:00:00+00:00",
    }
)
# Maximum nesting depth in a field without a declared type, such as front matter.
_MOST_DEPTH = 20
# Maximum length of a name in an error, in characters.
_SHOWN = 100


class Scalar(str):
    """The source text of an unquoted YAML scalar. `value` is its YAML value as a number, time, boolean or string."""

    __slots__ = ("value",)
    value: object


class DecodeError(ValueError):
    """A field has a value of the wrong type, is missing, or is unknown.

    `name` is the field. `kind` describes the values that it accepts, or is None if the field is missing or unknown.
    """

    def __init__(self, kind: Message | None, name: str = "", *, missing: bool = False) -> None:
        super().__init__(name)
        self.kind = kind
        self.name = name
        self.missing = missing


# Marker used as the type of a field that maps names of the dataclass's other fields to values.
OWN_FIELDS = object()


def encode(
    value: object, message_form: Callable[[Message], object] = lambda text: text, *, properties: bool = True
) -> Any:
    """Convert a value to plain values. `message_form` converts messages, which stay unchanged by default.

    If `properties` is False, only fields are included, not `SHOWN` properties.
    """
    if type(value) in _SAME:
        return value
    inner = partial(encode, message_form=message_form, properties=properties)
    if isinstance(value, Message):
        return message_form(value)
    if isinstance(value, (list, tuple)):
        return list(map(inner, value))
    if isinstance(value, Mapping):
        return {str(name): inner(item) for name, item in value.items()}
    if isinstance(value, datetime):
        return value.isoformat()
    if is_dataclass(value):
        return {name: inner(getattr(value, name)) for name in _names(type(value), properties)}  # type: ignore[arg-type]
    return str(value) if isinstance(value, Path) else value


@cache
def _names(kind: "type[DataclassInstance]", properties: bool) -> Texts:
    """Return the names of a dataclass's fields and, with `properties`, those of its `SHOWN` properties."""
    return (*(field.name for field in fields(kind)), *(getattr(kind, "SHOWN", ()) if properties else ()))


def to_plain(value: object) -> Any:
    """Convert a value, including its messages, to JSON data that `decode` can read back."""
    return encode(value, to_json, properties=False)


def decode(kind: object, value: object) -> Any:
    """Convert the result of `encode` or `to_plain` back to a value of the given type.

    Unknown fields are ignored. Raises one of DAMAGE.
    """
    return decoder(kind)(value)


def decode_or(kind: object, value: object, default: _View) -> _View:
    """Convert a value as `decode` does, or return `default` if the value is damaged."""
    try:
        read: _View = decode(kind, value)
    except DAMAGE:
        return default
    return read


@cache
def decoder(kind: object, *, exact: bool = False) -> Decoder:
    """Return the decoder for a type.

    An `exact` decoder is for outside input. It also rejects unknown fields, NULs in strings, numbers used as booleans,
    and times outside the calendar.
    """
    origin = get_origin(kind)
    inner = get_args(kind)
    if kind in (object, Any):
        return _any(exact=exact)
    if origin in (Union, UnionType):
        return _union([decoder(item, exact=exact) for item in inner if item is not type(None)], type(None) in inner)
    if origin is Literal:
        return _choice(inner)
    if origin in (tuple, list):
        return _items(decoder(inner[0], exact=exact), origin)
    if origin in (dict, Mapping):
        return _entries(decoder(inner[1], exact=exact))
    if is_dataclass(kind) and kind is not Message:
        return noun_decoder(kind, exact=exact)
    return (_EXACT.get(kind) if exact else None) or _SCALARS[kind]


def noun_decoder(kind: Any, *, exact: bool, **own: Decoder) -> Decoder:
    """Return the decoder for a dataclass. `own` overrides the decoders of individual fields.

    The dataclass's `FIELD_TYPES` override its fields' declared types.
    """
    hints = get_type_hints(kind) | getattr(kind, "FIELD_TYPES", {})
    given = [field for field in fields(kind) if field.init]
    decoders = {
        field.name: own.get(field.name) or decoder(hints[field.name], exact=exact)
        for field in given
        if hints[field.name] is not OWN_FIELDS
    }

    def own_fields(value: Values) -> Values:
        _expect(isinstance(value, dict), dict)
        if unknown := value.keys() - decoders.keys():
            raise DecodeError(_KINDS[dict], str(*islice(unknown, 1))[:_SHOWN])
        return {name: _named(decoders[name], name, item) for name, item in value.items()}

    more = {field.name: own.get(field.name, own_fields) for field in given if field.name not in decoders}
    needed = [field.name for field in given if field.default is MISSING and field.default_factory is MISSING]
    shown = {*decoders, *more, *getattr(kind, "SHOWN", ())}

    def noun(value: Values) -> object:
        _expect(isinstance(value, dict), dict)
        if exact and (unknown := next((name for name in value if name not in shown), None)) is not None:
            raise DecodeError(None, str(unknown)[:_SHOWN])
        if absent := next((name for name in needed if name not in value), None):
            raise DecodeError(None, absent, missing=True)
        readers = decoders | more
        return kind(**{name: _named(readers[name], name, item) for name, item in value.items() if name in readers})

    return noun


@cache
def json_type(kind: Any) -> Any:
    """Return the JSON type corresponding to a type. For a dataclass, it is a `TypedDict` of the same name."""
    origin = get_origin(kind)
    inner = get_args(kind)
    if kind in (Message, datetime, Path):
        return str
    if origin in (Union, UnionType):
        return reduce(or_, map(json_type, inner))
    if origin in (list, tuple):
        return list[json_type(inner[0])]  # type: ignore[misc]
    if origin in (dict, Mapping):
        return dict[str, json_type(inner[1])]  # type: ignore[misc]
    if not is_dataclass(kind):
        return kind
    hints = get_type_hints(kind)
    hints |= {name: get_type_hints(getattr(kind, name).fget)["return"] for name in getattr(kind, "SHOWN", ())}
    named = {readable_name(name): json_type(hints[name]) for name in _names(kind, True)}  # type: ignore[arg-type]
    return typed_dict(kind.__name__, named)  # type: ignore[union-attr]


def assemble(kind: type[_View], *nouns: object, **more: object) -> _View:
    """Build a dataclass. Each field comes from `more` or, failing that, from the first of `nouns` that has it."""
    for name in _names(kind, False):  # type: ignore[arg-type]
        for noun in nouns if name not in more else ():
            if (value := getattr(noun, name, MISSING)) is not MISSING:
                more[name] = value
                break
    return kind(**more)


def _expect(fits: bool, kind: object) -> None:
    if not fits:
        raise DecodeError(_KINDS[kind])


def _named(decode: Decoder, name: str, value: object) -> object:
    """Decode a field's value. If that fails and the error names no field, add this field's name to the error."""
    try:
        return decode(value)
    except DecodeError as error:
        if not error.name or error.name.startswith("."):
            error.name = f"{name}{error.name}"[:_SHOWN]
        raise


def _union(decoders: list[Decoder], optional: bool) -> Decoder:
    def decode(value: object) -> object:
        if optional and (value is None or (isinstance(value, Scalar) and value.value is None)):
            return None
        for item in decoders[:-1]:
            with suppress(*DAMAGE):
                return item(value)
        return decoders[-1](value)

    return decode


def _choice(choices: tuple[object, ...]) -> Decoder:
    def decode(value: object) -> object:
        if value not in choices:
            raise DecodeError(verbatim(" / ".join(map(str, choices))))
        return choices[choices.index(value)]

    return decode


def _items(decode: Decoder, collection: Callable[[Iterator[object]], object]) -> Decoder:
    def items(value: list[object]) -> object:
        _expect(isinstance(value, (list, tuple)), list)
        return collection(map(decode, value))

    return items


def _entries(decode: Decoder) -> Decoder:
    def entries(value: Values) -> object:
        _expect(isinstance(value, dict), dict)
        return {_key(name): _named(decode, f".{name}", item) for name, item in value.items()}

    return entries


def _key(name: object) -> str:
    _expect(_is_exact_text(name), dict)
    return str(name)


def _is_text(value: object) -> TypeGuard[str]:
    return type(value) is str and (value.isascii() or find_half_character(value) is None)


def _is_exact_text(value: object) -> bool:
    return _is_text(value) and "\0" not in value


def _is_whole(value: object) -> bool:
    return type(value) is int and abs(value) < 2**63


def _scalar(kind: type, fits: Callable[[object], bool]) -> Decoder:
    """Return the decoder for a scalar, including scalars from YAML."""

    def decode(value: Any) -> object:
        if isinstance(value, Scalar):
            value = str(value) if kind is str else value.value
        _expect(fits(value), kind)
        return kind(value) if kind in (float, bool) else value

    return decode


def _time(convert: Callable[[datetime], datetime]) -> Decoder:
    def decode(value: str) -> datetime:
        try:
            return convert(datetime.fromisoformat(value))
        except DAMAGE as error:
            raise DecodeError(_KINDS[datetime]) from error

    return decode


def _message(value: object) -> Message:
    if isinstance(value, Message):
        return value
    try:
        read = from_json(value)
        str(read).encode()
    except DAMAGE as error:
        raise DecodeError(_KINDS[Message]) from error
    return read


def _any(*, exact: bool) -> Decoder:
    """Return the decoder for an untyped field. It accepts any value that JSON and the database can hold."""

    def decode(value: object, depth: int = 0) -> object:
        if depth > _MOST_DEPTH:
            raise DecodeError(message("less deeply nested"))
        if isinstance(value, Scalar):
            value = value.value
        if isinstance(value, dict):
            return {_key(name): decode(item, depth + 1) for name, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [decode(item, depth + 1) for item in value]
        if value is None or isinstance(value, (bool, datetime, Message)):
            return value
        _expect(type(value) in (str, int, float), dict)
        return scalars[type(value)](value)

    scalars = _SCALARS | _EXACT if exact else _SCALARS
    return decode


_SCALARS: dict[object, Decoder] = {
    str: _scalar(str, _is_text),
    int: _scalar(int, _is_whole),
    float: _scalar(float, lambda value: _is_whole(value) or (type(value) is float and isfinite(value))),
    bool: _scalar(bool, lambda value: type(value) in (bool, int) and value in (0, 1)),  # SQLite stores 1 and 0
    datetime: _time(datetimes.in_utc),
    Message: _message,
    Path: Path,
}
# Decoders for outside input, where they differ from _SCALARS.
_EXACT: dict[object, Decoder] = {
    str: _scalar(str, _is_exact_text),
    bool: _scalar(bool, lambda value: type(value) is bool),
    datetime: _time(datetimes.exact),
}


# Lookups in untrusted JSON.


def value_at(node: object, names: Texts) -> object:
    """Return the value at a sequence of keys in nested objects, or None if it is missing."""
    for name in names:
        node = node.get(name) if isinstance(node, dict) else None
    return node


def objects(node: object, *names: str) -> list[Values]:
    """Return the objects in the list at a sequence of keys, or [] if there is no list."""
    listed = value_at(node, names)
    return [item for item in listed if isinstance(item, dict)] if isinstance(listed, list) else []
