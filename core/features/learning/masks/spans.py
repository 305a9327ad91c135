"""Spans of secrets in a text, and the normal forms of a text in which secrets are searched for."""

import html
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import unquote

from core.base.text import INVISIBLE

MASK = re.compile(r"\[(?P<kind>key|token|cookie|password|email|id|phone|card|account|secret)-\d+\]")


class SecretSpan(NamedTuple):
    """The span of a secret, from `start` to `end` (exclusive); `kind` is the name in its mask."""

    start: int
    end: int
    kind: str


class Hints:
    """Finds the groups of words that have any word in a text; searches once for each distinct word."""

    def __init__(self, groups: Iterable[Iterable[str]]) -> None:
        self._places: dict[str, list[int]] = {}
        for place, hints in enumerate(groups):
            for hint in hints:
                self._places.setdefault(hint, []).append(place)

    def places(self, lower: str) -> list[int]:
        """Return the sorted numbers of the groups that have any word in a lower-case text."""
        found = set()
        for hint, places in self._places.items():
            if hint in lower:
                found.update(places)
        return sorted(found)


class Reading(NamedTuple):
    """A normalized or decoded text; `places` are the positions of its characters in the original text.

    `places` is empty if both texts are the same, else it has one more item than the text has characters.
    """

    text: str
    places: Sequence[int] = ()

    def original(self, place: int) -> int:
        return self.places[place] if self.places else place

    def replaced(self, regex: re.Pattern[str], replacement: Callable[[str], str]) -> "Reading":
        """Return a text with the matches of a pattern replaced."""
        parts = []
        places: list[int] = []
        at = 0
        for match in regex.finditer(self.text):
            new = replacement(match[0])
            parts += [self.text[at : match.start()], new]
            places += map(self.original, [*range(at, match.start()), *[match.start()] * len(new)])
            at = match.end()
        return Reading("".join([*parts, self.text[at:]]), [*places, *map(self.original, range(at, len(self.text) + 1))])


_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
_INVISIBLE = re.compile(f"[{INVISIBLE}]")
ESCAPE = re.compile(
    r"%(?:[0-7]X|[CD]X%[89AB]X|EX(?:%[89AB]X){2}|F[0-7](?:%[89AB]X){3})|\\uX{4}|\\xXX|\\[\\/\"'nrt]"
    r"|&(?:#\d{1,6}|#xX{1,5}|quot|apos|amp|lt|gt);".replace("X", "[0-9A-F]"),
    re.IGNORECASE,
)
_CONTROLS = {"n": "\n", "r": "\n", "t": "\t"}
_PLUS = re.compile(r"(?<=[\w+,;:'\"!?.)])\+(?=[\w+%'\"(-])")
_ENCODED = re.compile(r"%[0-9A-Fa-f]{2}|[?&]\w+=")
_MOST_LEVELS = 3
"""Maximum number of times that a text is decoded: JSON in JSON in a URL."""


def readings(text: str) -> list[Reading]:
    """Return the normal form of a text, then the text with its escapes (JSON, URL, HTML) decoded once or more."""
    result = [_normal_form(text)]
    while len(result) <= _MOST_LEVELS:
        last = result[-1]
        encoded = len(result) == 1 and "+" in last.text and _ENCODED.search(last.text)
        if not encoded and not ESCAPE.search(last.text):
            break
        if encoded:
            last = last.replaced(_PLUS, lambda _: " ")
        result.append(last.replaced(ESCAPE, _unescaped))
    return result


def _unescaped(escape: str) -> str:
    """Return the character of an escape, in normal width."""
    if escape[0] in "&%":
        return _form(html.unescape(escape) if escape[0] == "&" else unquote(escape))
    return _form(chr(int(escape[2:], 16))) if len(escape) > 2 else _CONTROLS.get(escape[1], escape[1])


def _normal_form(text: str) -> Reading:
    """Return a text in normal width and without invisible characters."""
    if unicodedata.is_normalized("NFKC", text) and not _INVISIBLE.search(text):
        return Reading(text)
    return Reading(text).replaced(_NOT_ASCII, _form)


@lru_cache(maxsize=65_536)
def _form(letter: str) -> str:
    return "" if _INVISIBLE.match(letter) else unicodedata.normalize("NFKC", letter)


def merge(spans: Iterable[SecretSpan], text: str) -> list[SecretSpan]:
    """Return the spans sorted; overlapping and adjacent spans are merged and get the kind that was found first.

    So no part of a secret remains next to a mask. Spans within an existing mask are left out.
    """
    masks = [match.span() for match in MASK.finditer(text)] if "[" in text else []
    starts = [start for start, _ in masks]
    ranked = sorted((span.start, rank, span) for rank, span in enumerate(spans) if span.start < span.end)
    result: list[tuple[int, SecretSpan]] = []
    for start, rank, span in ranked:
        place = bisect_right(starts, start)
        if place and span.end <= masks[place - 1][1]:
            continue
        if result and start <= result[-1][1].end:
            first, last = result[-1]
            kind = span.kind if rank < first else last.kind
            result[-1] = min(rank, first), SecretSpan(last.start, max(last.end, span.end), kind)
        else:
            result.append((rank, span))
    return [span for _, span in result]
