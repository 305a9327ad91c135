"""Runs and tables of a page -> their reading order: columns one after the other, what runs across them between."""

from collections import Counter
from collections.abc import Sequence

from core.documents.pdf.lines import GlyphRun, is_prose, lines_of
from core.documents.pdf.tables import PageTable, find_tables

_LEAST = 3
"""Lines of a column."""
_SHARE = 0.2
"""Share of the width of the text that the lines of a column have on average, unless they are running text."""
_SAME_BASELINE = 0.7
"""Share of the lines of a column that are on baselines of the other where both are the columns of a table."""
_MOST = 40
"""Places at which a column may begin."""
_GUTTER = 6.0
"""Points between two columns."""
_ACROSS = 0.25
"""Share of the lines next to a gutter that may run across it."""

Part = GlyphRun | PageTable


def order_parts(runs: Sequence[GlyphRun], tables: Sequence[PageTable]) -> list[list[Part]]:
    """Return the lines and tables of a page, in the columns that they form, in reading order."""
    made: list[list[Part]] = []
    across, others = find_tables(runs)
    for flow in flows([*others, *tables, *across]):
        rows, rest = find_tables([part for part in flow if isinstance(part, GlyphRun)])
        parts: list[Part] = [*lines_of(rest), *rows, *(part for part in flow if isinstance(part, PageTable))]
        made.append(sorted(parts, key=lambda part: part.top))
    return made


def flows(parts: Sequence[Part]) -> list[list[Part]]:
    """Return the parts of a page in reading order, as the columns that they form."""
    gutter = _gutter(parts)
    if gutter is None:
        return [sorted(parts, key=lambda part: (part.top, part.x0))] if parts else []
    made: list[list[Part]] = []
    left: list[Part] = []
    right: list[Part] = []
    across: list[Part] = []
    for part in sorted(parts, key=lambda part: (part.top, part.x0)):
        if part.x1 <= gutter:
            left.append(part)
        elif part.x0 >= gutter - _GUTTER:
            right.append(part)
        else:
            below = _below(left, right)
            made += [*flows(left[:below]), *flows(right)]
            across += [*left[below:], part]
            left, right = [], []
            continue
        if across:
            made.append(across)
            across = []
    below = _below(left, right)
    if not all(_is_title(part, right) for part in left[below:]):  # a longer column on the left goes on to its end
        below = len(left)
    rest = [left[below:]] if left[below:] else []
    return [*made, *([across] if across else []), *flows(left[:below]), *flows(right), *rest]


def _is_title(part: Part, others: Sequence[Part]) -> bool:
    """Return whether a part is in larger letters than most others."""
    sizes = sorted(other.size for other in others if isinstance(other, GlyphRun))
    return isinstance(part, GlyphRun) and bool(sizes) and part.size > 1.08 * sizes[len(sizes) // 2]


def _below(left: Sequence[Part], right: Sequence[Part]) -> int:
    """Return from which part on the left ones are below both columns, such as a short title before what follows."""
    bottom = max((_bottom(part) for part in right), default=0.0)
    for at, part in enumerate(left[1:], start=1):
        if right and part.top > bottom and part.top - _bottom(left[at - 1]) > 0.8 * (_bottom(part) - part.top):
            return at
    return len(left)


def _bottom(part: Part) -> float:
    return part.y if isinstance(part, GlyphRun) else part.bottom


def _gutter(parts: Sequence[Part]) -> float | None:
    """Return where the best right one of two columns begins, None where the parts form one column."""
    runs = [part for part in parts if isinstance(part, GlyphRun)]
    if len(runs) < 2 * _LEAST:
        return None
    width = max(part.x1 for part in runs) - min(part.x0 for part in runs)
    starts = Counter(round(run.x0) for run in runs)
    best: tuple[int, float] | None = None
    for start in sorted(sorted(starts, key=lambda item: -starts[item])[:_MOST]):
        if starts[start - 1] + starts[start] + starts[start + 1] < _LEAST:
            continue
        left = lines_of(run for run in runs if run.x1 <= start - _GUTTER / 2)
        right = lines_of(run for run in runs if run.x0 >= start - 1)
        if len(left) < _LEAST or len(right) < _LEAST:
            continue
        top, bottom = max(left[0].y, right[0].y), min(left[-1].y, right[-1].y)
        overlapping = [[run for run in side if top - 1 <= run.y <= bottom + 1] for side in (left, right)]
        across = sum(run.x0 < start - 1 and run.x1 > start - _GUTTER / 2 and top <= run.y <= bottom for run in runs)
        if min(map(len, overlapping)) < _LEAST or across > _ACROSS * sum(map(len, overlapping)):
            continue
        if not _are_columns(overlapping[0], overlapping[1], width):
            continue
        score = sum(map(len, overlapping)) - 2 * across
        if best is None or score > best[0]:
            best = score, float(start)
    return best[1] if best else None


def _are_columns(left: Sequence[GlyphRun], right: Sequence[GlyphRun], width: float) -> bool:
    """Return whether the lines on both sides of a gutter are columns of text, not of a table.

    The rows of a table share their baselines, and none of its cells goes on in the row below.
    """
    running = is_prose(left) or is_prose(right)
    fewer, more = sorted((left, right), key=len)
    baselines = {round(run.y) for run in more}
    shared = sum(any(round(run.y) + step in baselines for step in (-1, 0, 1)) for run in fewer)
    if shared >= _SAME_BASELINE * len(fewer):
        return running
    wide = all(sum(run.x1 - run.x0 for run in side) / len(side) >= _SHARE * width for side in (left, right))
    return running or (wide and len(fewer) > _LEAST)
