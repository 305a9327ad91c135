"""Rows of untrusted JSON, from question files and exported bases. Values are limited in number and type-checked."""

import json
import re
from itertools import islice
from math import isfinite
from typing import Any

from core.base.codec import DecodeError, decoder
from core.base.errors import RowError
from core.base.faults import translate_parse_error
from core.base.text import escape_halves

# Maximum number of strings, commas and brackets in a row.
MOST_VALUES = 1_000_000
# Maximum length of an integer in SQLite, including its sign.
_DIGITS = 20


def parse_json(text: bytes, most: int = MOST_VALUES) -> Any:
    """Parse JSON. Raises RowError for invalid JSON, overlong numbers, or too many values.

    The number of values is limited, because small values take up to twenty times as much memory as their JSON.
    """
    # Count strings as a whole, and the brackets and commas outside them.
    if (
        len(text) > most
        and sum(1 for _ in islice(re.finditer(rb'(?s)"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[\[\]{},]', text), most)) == most
    ):
        raise RowError("it contains too many values.")
    try:
        return _JSON.decode(text.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise RowError("this isn't UTF-8. Save the file as UTF-8.") from error
    except json.JSONDecodeError as error:
        raise RowError(
            "this isn't a JSON object ({reason}, column {n}).", reason=translate_parse_error(error.msg), n=error.colno
        ) from error
    except RecursionError as error:
        raise RowError("this is nested too deeply.") from error


def _parse_integer(digits: str) -> int:
    if len(digits) > _DIGITS:
        raise RowError("the number {digits}… is too long.", digits=digits[:_DIGITS])
    return int(digits)


def _finite(digits: str) -> float:
    number = float(digits)
    if not isfinite(number):
        raise RowError("the number {digits} is too large, or isn't valid.", digits=digits[:_DIGITS])
    return number


# JSON decoder that only accepts numbers that SQLite can store. Raises RowError for any other number.
_JSON = json.JSONDecoder(parse_int=_parse_integer, parse_float=_finite, parse_constant=_finite)


def noun(kind: object, value: object, *, exact: bool = True) -> Any:
    """Decode a JSON value as an object of the given type. Raises RowError, which names the invalid field.

    `exact` is as in `decoder`.
    """
    try:
        return decoder(kind, exact=exact)(value)
    except DecodeError as error:
        name = escape_halves(error.name)
        if error.kind:
            raise RowError("'{name}' must be {kind}.", name=name, kind=error.kind) from error
        if error.missing:
            raise RowError("the field '{name}' is missing.", name=name) from error
        raise RowError("there is no field '{name}'.", name=name) from error
