"""Where secrets are in a text, and the normal form of a text in which they are looked for."""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from core.base.text import INVISIBLE

MASK = re.compile(r"\[(?P<kind>key|token|cookie|password|email|id|phone|card|account|secret)-\d+\]")


class SecretSpan(NamedTuple):
    """A secret from `start` to before `end`; `kind` is its name in a mask."""

    start: int
    end: int
    kind: str


class Hints:
    """Which of several groups of words a text has one of, in one look at each word."""

    def __init__(self, groups: Iterable[Iterable[str]]) -> None:
        self._places: dict[str, list[int]] = {}
        for place, hints in enumerate(groups):
            for hint in hints:
                self._places.setdefault(hint, []).append(place)

    def places(self, lower: str) -> list[int]:
        """Return the places of the groups, in order, of which a text in lower case has a word."""
        found: set[int] = set()
        for hint, places in self._places.items():
            if hint in lower:
                found.update(places)
        return sorted(found)


class NormalForm(NamedTuple):
    """A text in normal width and without invisible characters; `places` are those of its characters in the original.

    `places` is empty where the two are the same, else one longer than the text.
    """

    text: str
    places: Sequence[int]

    def original(self, place: int) -> int:
        return self.places[place] if self.places else place


_INVISIBLE = re.compile(f"[{INVISIBLE}]")


def normal_form(text: str) -> NormalForm:
    """Return the normal form of a text, character by character, so that each has its place."""
    if text.isascii():
        return NormalForm(text, ())
    forms = [_form(letter) for letter in text]
    normal = "".join(forms)
    if normal == text:
        return NormalForm(text, ())
    places = [place for place, form in enumerate(forms) for _ in form]
    return NormalForm(normal, [*places, len(text)])


@lru_cache(maxsize=65_536)
def _form(letter: str) -> str:
    return "" if _INVISIBLE.match(letter) else unicodedata.normalize("NFKC", letter)


def merge(spans: Iterable[SecretSpan], text: str) -> list[SecretSpan]:
    """Return spans in the order of a text; those that overlap or touch are one, of the kind that was found first.

    No part of a secret stays next to a mask that way. What is within a mask already is left out.
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
