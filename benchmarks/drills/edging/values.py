"""Dates, numbers and texts at their edges."""

import sys
from datetime import UTC, datetime, timedelta, timezone
from random import Random
from typing import Any

from benchmarks.drills.fuzzing import texts

_YEARS = "0000 0001 0002 0999 1582 1899 1900 1969 1970 2024 2026 2999 3000 9998 9999 10000 ２０２６ -1 26".split()
_DAYS = "01-01 12-31 02-28 02-29 02-30 06-15 1-2 13-01 00-00".split()
_CLOCKS = (
    "",
    "00:00",
    "0:00",
    "00:00:00",
    "23:59",
    "23:59:59",
    "23:59:59.999999",
    "23:59:60",
    "24:00",
    "24:00:00",
    "25:00",
)
_OFFSETS = (
    *("", "", "Z", " Z", "+00:00", "-00:00", "+14:00", "-14:00", "+12:45", "-12:00", "+23:59", "-23:59", "+24:00"),
    *("-24:00", "+0530", "+05", "+99:99", "+00:00:01"),
)
_NUMBERS = (
    *(0, -1, 1, 7, 2**31 - 1, 2**31, -(2**31) - 1, 2**53 + 1, 2**63 - 1, 2**63, -(2**63), -(2**63) - 1, 2**64),
    *(10**400, 10**5000, -(10**5000), 999_999, 1_000_000, 0.5, -0.0, 1e308, 1e-320, float("nan"), float("inf")),
    *(float("-inf"), True, False),
)
_FIGURES = ("１２", "0x10", "1e3", "1_000", " 7 ", "--5", "+5", "", "1.0", "٣", "½", "9" * 5_000, "-" + "9" * 5_000)
_TEXTS = (
    *("", " ", "\n", "\t \r\n", "\u3000", "\ufeff", "\0", "a\0b", "\ud800", "a\udcffb", "\x1b]52;c;QQ==\x07", "\x7f"),
    *("\x85\x9b31m", "\u2028", "\u202eabc", "\u200f", "\u2066a\u2069", "e\u0301" * 50, "\u0301", "👩‍👩‍👧", "🏴󠁧󠁢󠁥󠁮󠁧󠁿"),
    *("/", ".", "..", "../../etc/passwd", "/etc/passwd", "a//b", "C:\\x", "con.md", "a" * 300, "很" * 300, "x/" * 400),
    *(
        "{0} {n} %s",
        "=1+1",
        "[[x]]",
        "[[x|y]]",
        "#tag",
        "##",
        "tag:x",
        "base:",
        "in:",
        "'; DROP TABLE notes; --",
        "<script>",
    ),
    *(
        "null",
        "true",
        "~",
        "- a",
        "a: b",
        '"',
        "'",
        "---",
        "\\",
        "\\ud800",
        "*",
        "?",
        "[",
        "x" * 100_000,
        "\u0301" * 100_000,
    ),
    *("a " * 50_000, "[" * 5_000, '"' * 1_001, "a" * 10_001),
)


def date(chance: Random) -> str:
    """Return a date as people and programs write it, many of them none."""
    sign = chance.choice("----/.年:")
    day = f"{chance.choice(_YEARS)}-{chance.choice(_DAYS)}".replace("-", sign)
    clock = chance.choice(_CLOCKS)
    return f"{day}{chance.choice('TT t_')}{clock}{chance.choice(_OFFSETS)}" if clock else day


def moment(chance: Random) -> datetime:
    """Return a time near an end of the calendar or of a clock, with an offset or without."""
    at = chance.choice((datetime.min, datetime.max, datetime.fromtimestamp(chance.randrange(-(2**33), 2**33), UTC)))  # noqa: DTZ901
    zone = timezone(timedelta(minutes=chance.randrange(-24 * 60 + 1, 24 * 60)))
    return at.replace(tzinfo=chance.choice((None, UTC, zone)))


def number(chance: Random) -> Any:
    """Return a number, at times as a text."""
    return chance.choice(_FIGURES) if chance.random() < 0.3 else chance.choice(_NUMBERS)


def figure(chance: Random) -> Any:
    """Return a number."""
    return chance.choice(_NUMBERS)


def whole(chance: Random) -> int:
    """Return a whole number."""
    return int(chance.choice([one for one in _NUMBERS if isinstance(one, int)]))


def text(chance: Random) -> str:
    """Return a text of an edge, or pieces of the query language."""
    kind = chance.random()
    if kind < 0.15:
        return texts.question(chance)
    if kind < 0.3:
        return chance.choice(_TEXTS) + chance.choice(_TEXTS)
    return date(chance) if kind < 0.35 else chance.choice(_TEXTS)


def several(chance: Random) -> list[str]:
    """Return a list of texts, at times a long one."""
    return [text(chance) for _ in range(chance.choice((0, 1, 1, 2, 5)))]


def anything(chance: Random) -> Any:
    """Return a value of any kind."""
    make = chance.choice((date, number, number, text, text, several, lambda _: None, lambda _: {"a": [1]}))
    return make(chance)


def written(value: Any) -> str:
    """Return a value as a command line or an address holds it."""
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        return str(value)
    finally:
        sys.set_int_max_str_digits(before)
