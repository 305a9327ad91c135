"""Letter sizes in a document, and the heading levels derived from them."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from core.base.frozen import frozen
from core.documents.pdf.glyphs import COMPOUND
from core.documents.pdf.lines import GlyphRun
from core.documents.pdf.order import Part
from core.documents.pdf.reading import Titles, normalize_title

LARGER = 1.1
"""Factor of the body's letter size above which a line is a heading."""
LONGEST = 200
"""Maximum number of characters of a heading."""


@dataclass(slots=True)
class View:
    """The lines and tables of a page in one writing direction, by column, in reading order."""

    number: int
    height: float
    columns: list[list[Part]]


@frozen
class Styles:
    """The letter size of the body, and the heading levels of larger sizes.

    `fixed`: most of the document is in a monospaced font. `pitch`: the usual line spacing. `compounds`: hyphenated
    words found within lines. `bold`: most letters are bold, so that bold lines aren't headings.
    """

    body: float
    levels: Mapping[float, int]
    fixed: bool
    pitch: float
    compounds: frozenset[str]
    bold: bool

    def level(self, line: GlyphRun) -> int:
        """Return the heading level of a line by its font, 0 if it isn't a heading."""
        if not any(map(str.isalnum, line.text)) or len(line.text) > LONGEST or (line.fixed and not self.fixed):
            return 0
        if line.size in self.levels:
            return self.levels[line.size]
        ends = line.text.endswith((".", "。", ",", "，", ";", "；", ":", "："))
        is_bold = line.bold and not self.bold and line.size >= 0.9 * self.body and len(line.text) <= 100 and not ends
        return min(6, max(self.levels.values(), default=0) + 1) if is_bold else 0


def body_size(views: Sequence[View]) -> float:
    """Return the most frequent letter size."""
    weights: Counter[float] = Counter()
    for line in _lines(views):
        weights[line.size] += len(line.text)
    return weights.most_common(1)[0][0] if weights else 10.0


def styles_of(views: Sequence[View], outline: Titles, body: float) -> Styles:
    """Return the styles of a document; `outline` has the levels of titles."""
    lines = _lines(views)
    pitches: Counter[float] = Counter()
    for view in views:
        for column in view.columns:
            for first, second in pairwise(column):
                if isinstance(first, GlyphRun) and isinstance(second, GlyphRun) and first.size == second.size == body:
                    pitches[round(second.y - first.y)] += 1
    total = sum(len(line.text) for line in lines)
    fixed = sum(len(line.text) for line in lines if line.fixed) > 0.6 * total
    bold = sum(len(line.text) for line in lines if line.bold) > 0.6 * total
    larger = [line for line in lines if line.size >= LARGER * body and any(map(str.isalpha, line.text))]
    sizes = sorted({line.size for line in larger if len(line.text) <= LONGEST}, reverse=True)
    levels = {size: min(6, level) for level, group in enumerate(_close(sizes), start=1) for size in group}
    stated: defaultdict[float, Counter[int]] = defaultdict(Counter)
    for line in larger:
        if level := outline.get((line.page, normalize_title(line.text))):
            stated[line.size][level] += 1
    levels |= {size: counts.most_common(1)[0][0] for size, counts in stated.items()}
    pitch = max(pitches, key=lambda item: pitches[item], default=round(1.2 * body))
    compounds = {word.casefold() for line in lines if "-" in line.text for word in COMPOUND.findall(line.text)}
    return Styles(body, levels, fixed, max(pitch, 1.0), frozenset(compounds), bold)


def _lines(views: Sequence[View]) -> list[GlyphRun]:
    return [line for view in views for column in view.columns for line in column if isinstance(line, GlyphRun)]


def _close(sizes: Sequence[float]) -> list[list[float]]:
    """Group descending sizes so that each group spans at most half a point."""
    groups: list[list[float]] = []
    for size in sizes:
        if groups and groups[-1][0] - size <= 0.5:
            groups[-1].append(size)
        else:
            groups.append([size])
    return groups


_EDGE = 0.1
"""Share of a page's height, at the top and at the bottom, in which running heads are looked for."""
_NUMBER = re.compile(
    r"(?i)\W*(?:page|seite|第)?\s*(?:\d{1,4}|[ivxl]{1,6})(?:\s*(?:/|of|von|页，?\s*共)\s*\d{1,4})?\s*页?\W*"
)


_LONGEST = 120
"""Number of characters above which a line can't be a running head."""

LineKey = tuple[str, bool]
"""The text of a line without numbers, and whether it is in the upper half of its page."""


def drop_running(views: Sequence[View], pages: int, body: float, outline: Titles) -> tuple[str, ...]:
    """Remove page numbers, and lines near page edges that repeat on many pages apart from numbers.

    Return the texts of the removed lines that aren't page numbers, each once.
    """
    at_edges: defaultdict[LineKey, set[int]] = defaultdict(set)
    edges: list[tuple[list[Part], GlyphRun, LineKey]] = []
    for view, column, line in _at_edges(views):
        text = normalize_title(line.text)
        is_title = line.size >= LARGER * body or (line.page, text) in outline
        key = text if is_title else re.sub(r"\d+", "#", text), line.y < view.height / 2
        at_edges[key].add(view.number)
        edges.append((column, line, key))
    many = max(2, 0.25 * pages) if pages > 2 else 2
    dropped: dict[LineKey, str] = {}
    for column, line, key in edges:
        is_number = _NUMBER.fullmatch(line.text) and len(line.text) < 20
        if is_number or (len(at_edges[key]) >= many and len(line.text) < _LONGEST):
            column.remove(line)
            if not is_number:
                dropped.setdefault(key, line.text)
    return tuple(dict.fromkeys(dropped.values()))


def _at_edges(views: Sequence[View]) -> Iterator[tuple[View, list[Part], GlyphRun]]:
    for view in views:
        for column in view.columns:
            for line in column:
                if isinstance(line, GlyphRun) and not _EDGE * view.height < line.y < (1 - _EDGE) * view.height:
                    yield view, column, line
