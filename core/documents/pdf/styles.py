"""The sizes of the letters of a document -> which of its lines are headings."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from core.documents.pdf.letters import COMPOUND
from core.documents.pdf.lines import GlyphRun
from core.documents.pdf.reading import squeezed
from core.documents.pdf.tables import PageTable

LARGER = 1.1
"""From how many times the size of the body on a line is a heading."""
LONGEST = 200
"""Most characters of a heading."""


@dataclass(slots=True)
class View:
    """The lines and tables of a page in one direction, as the columns that they form, in reading order."""

    number: int
    height: float
    columns: list[list[GlyphRun | PageTable]]


@dataclass(frozen=True, slots=True)
class Styles:
    """Size of the body and the levels of larger sizes; with `fixed` the whole document is in a font of fixed width.

    `pitch` is the usual distance of lines, `compounds` the words with hyphens within lines.
    In a document of mostly `bold` letters these say nothing.
    """

    body: float
    levels: Mapping[float, int]
    fixed: bool
    pitch: float
    compounds: frozenset[str]
    bold: bool

    def level(self, line: GlyphRun) -> int:
        """Return the level of a line that is a heading by its font, else 0."""
        if not any(map(str.isalnum, line.text)) or len(line.text) > LONGEST or (line.fixed and not self.fixed):
            return 0
        if line.size in self.levels:
            return self.levels[line.size]
        ends = line.text.endswith((".", "。", ",", "，", ";", "；", ":", "："))
        is_bold = line.bold and not self.bold and line.size >= 0.9 * self.body and len(line.text) <= 100 and not ends
        return min(6, max(self.levels.values(), default=0) + 1) if is_bold else 0


def body_size(views: Sequence[View]) -> float:
    """Return the size of most letters."""
    weights: Counter[float] = Counter()
    for line in _lines(views):
        weights[line.size] += len(line.text)
    return weights.most_common(1)[0][0] if weights else 10.0


def styles_of(views: Sequence[View], outline: Mapping[tuple[int, str], int], body: float) -> Styles:
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
        if level := outline.get((line.page, squeezed(line.text))):
            stated[line.size][level] += 1
    levels |= {size: counts.most_common(1)[0][0] for size, counts in stated.items()}
    pitch = max(pitches, key=lambda item: pitches[item], default=round(1.2 * body))
    compounds = {word.casefold() for line in lines if "-" in line.text for word in COMPOUND.findall(line.text)}
    return Styles(body, levels, fixed, max(pitch, 1.0), frozenset(compounds), bold)


def _lines(views: Sequence[View]) -> list[GlyphRun]:
    return [line for view in views for column in view.columns for line in column if isinstance(line, GlyphRun)]


def _close(sizes: Sequence[float]) -> list[list[float]]:
    """Return descending sizes in groups of those that differ by half a point at most."""
    groups: list[list[float]] = []
    for size in sizes:
        if groups and groups[-1][0] - size <= 0.5:
            groups[-1].append(size)
        else:
            groups.append([size])
    return groups
