"""The sections of a note: which of them a slice is in, and which it holds."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import islice, takewhile
from typing import NamedTuple

from core.base.text import UNSPACED, WORD
from core.markdown.outline import Heading
from core.model import ChunkKind

SECTION_LEVEL = 3
"""Headings down to this level always begin a section. Deeper headings do where a section is too large."""
_SHORT = 48
"""Words, or characters of Chinese: a section that is joined with the next one has fewer than 32 tokens by default."""
_UNIT = re.compile(rf"[{UNSPACED}]|{WORD}")


class SectionFields(NamedTuple):
    """What a chunk says of its sections, by the names of its fields."""

    section_title: str
    parent_sections: tuple[str, ...]
    hierarchy_level: int
    sections: tuple[str, ...]
    breadcrumb: tuple[str, ...]


class Sections:
    """The sections of a body. A heading nested in a quote or a list begins none."""

    def __init__(self, body: str, headings: Sequence[Heading]) -> None:
        self._body = body
        self._headings = [heading for heading in headings if not heading.nested]
        self._starts = [heading.start for heading in self._headings]
        self._chains: list[tuple[Heading, ...]] = [()]
        for heading in self._headings:
            above = takewhile(lambda outer, level=heading.level: outer.level < level, self._chains[-1])  # type: ignore[misc]
            self._chains.append((*above, heading))

    def for_slice(self, start: int, end: int, *, short: int) -> SectionFields:
        """Return the sections of a slice.

        Its own is the first that it has text of, or the section around that and all that follows, where that one
        begins in the slice too. Fewer than `short` words that were joined with the next section don't count. Its
        breadcrumb is the section in which it starts.
        """
        first = bisect_right(self._starts, start)
        numbers = range(first, max(first, bisect_left(self._starts, end)) + 1)
        words = {number: self._words(number, start, end) for number in numbers}
        held = [number for number in numbers if words[number]] or [*numbers]
        main = before = 0
        deepest = max([SECTION_LEVEL, *(heading.level for heading in self._chains[first])])
        while main + 1 < len(held) and self._chains[held[main + 1]][-1].level <= deepest:
            if (before := before + words[held[main]]) >= short:
                break
            main += 1
        # Sections are in reading order: a section of the first and the last is one of all between.
        own = self._chains[held[main]]
        around = _shared(own, self._chains[held[-1]])
        chain = around if around and around[-1].start >= start else own
        return SectionFields(
            chain[-1].title if chain else "",
            _titles(chain[:-1]),
            chain[-1].level if chain else 0,
            tuple(dict.fromkeys(title for number in numbers for title in _titles(self._chains[number][-1:]))),
            _titles(self._chains[first]),
        )

    def _words(self, number: int, start: int, end: int) -> int:
        """Return the number of words that a slice has in a section; more than _SHORT aren't counted."""
        begin = max(start, self._headings[number - 1].end) if number else start
        stop = min(end, self._starts[number]) if number < len(self._starts) else end
        return sum(1 for _ in islice(_UNIT.finditer(self._body, begin, max(begin, stop)), _SHORT))


def short_for(kind: ChunkKind) -> int:
    """Return the words below which this kind, and no other, may join text with the next section."""
    return _SHORT if kind == "markdown_section" else 0


def _shared(first: tuple[Heading, ...], last: tuple[Heading, ...]) -> tuple[Heading, ...]:
    return tuple(heading for heading, other in zip(first, last, strict=False) if heading == other)


def _titles(chain: Sequence[Heading]) -> tuple[str, ...]:
    return tuple(heading.title for heading in chain if heading.title)
