"""JSON texts and nouns of archives; a value of another kind than its field's is a mistake of its row."""

import json
import re
from itertools import islice
from math import isfinite
from typing import Any

from core.base.codec import DecodeError, decoder
from core.base.errors import RowError
from core.base.faults import translate_parse_error
from core.base.text import escape_halves

SIGNS = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[\[\]{},]', re.DOTALL)
"""A text of JSON, whose signs don't count, or a sign of a list or an object."""
MOST_VALUES = 1_000_000
"""Texts, commas and brackets of a record."""
_DIGITS = 20
"""Digits and sign of the longest number that SQLite holds."""


def parse_json(text: bytes) -> Any:
    """Return the value of a JSON text; raises RowError, also for what no record holds: a long number, a million values.

    Small values take up to twenty times as much memory as their text.
    """
    if len(text) > MOST_VALUES and sum(1 for _ in islice(SIGNS.finditer(text), MOST_VALUES)) == MOST_VALUES:
        raise RowError("it holds too many values.")
    try:
        return json.loads(text.decode("utf-8"), parse_int=_parse_integer, parse_float=_finite, parse_constant=_finite)
    except json.JSONDecodeError as error:
        reason = translate_parse_error(error.msg)
        raise RowError("this isn't a JSON object ({reason}, column {n}).", reason=reason, n=error.colno) from error
    except UnicodeDecodeError as error:
        raise RowError("this isn't UTF-8. Save the file as UTF-8.") from error
    except RecursionError as error:
        raise RowError("this is nested too deeply.") from error


def _parse_integer(digits: str) -> int:
    if len(digits) > _DIGITS:
        raise RowError("the number {digits}… is too long.", digits=digits[:_DIGITS])
    return int(digits)


def _finite(digits: str) -> float:
    number = float(digits)
    if not isfinite(number):
        raise RowError("the number {digits} is too large, or none.", digits=digits[:_DIGITS])
    return number


def noun(kind: Any, value: Any) -> Any:
    """Return the noun of a type; raises RowError that names the field that is wrong."""
    try:
        return decoder(kind, exact=True)(value)
    except DecodeError as error:
        name = escape_halves(error.name)
        if error.kind:
            raise RowError("'{name}' must be {kind}.", name=name, kind=error.kind) from error
        if error.missing:
            raise RowError("the field '{name}' is missing.", name=name) from error
        raise RowError("there is no field '{name}'.", name=name) from error
