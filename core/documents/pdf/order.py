"""Detection of tables without ruled lines on a page, and the reading order of its columns."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import attrgetter

from core.documents.pdf.lines import GlyphRun, go_on, is_prose, join_texts, lines_of, width_of

# A bullet or a number at the start of a list item.
_MARK = re.compile(r"[^\w\s]{1,2}|\(?(?:\d{1,3}|[A-Za-z]|[ivxIVX]{1,4})[.)]|\[\d+\]")
_BULLET = re.compile(r"[•◦▪‣●○■□◆➢✓·]")
# Minimum number of full rows in a table without rules. With only two full rows, one of them needs this many cells.
_LEAST_ROWS = 3
# Minimum distance in points between two columns of a table.
_CELL_GAP = 3.0


@dataclass(slots=True)
class PageTable:
    """A table's rows, all with the same number of cells, and its box on the page."""

    rows: list[list[str]]
    x0: float
    top: float
    x1: float
    bottom: float
    page: int

    @property
    def texts(self) -> Iterator[str]:
        return (cell for row in self.rows for cell in row)


def fill_cells(rows: Iterable[Sequence[tuple[int, str]]], columns: int) -> list[list[str]]:
    """Return rows with one cell per column. Text that is alone on its baseline is added to the cell above."""
    made = list[list[str]]()
    for row in rows:
        number, text = row[0]
        goes_on = len(row) == 1 and made and made[-1][number] and (number > 0 or text[:1].islower())
        made += [] if goes_on else [[""] * columns]
        for number, text in row:
            made[-1][number] = join_texts(made[-1][number], text)
    return made


# Text runs, grouped by row on a page, or by cell in a row.
RunGroups = list[list[GlyphRun]]


def by_baseline(runs: Iterable[GlyphRun]) -> RunGroups:
    """Group text runs into rows from top to bottom, each from left to right."""
    rows = RunGroups()
    for run in sorted(runs, key=attrgetter("y", "x0")):
        if rows and abs(run.y - rows[-1][0].y) <= 0.35 * max(run.size, rows[-1][0].size):
            rows[-1].append(run)
        else:
            rows.append([run])
    return [sorted(row, key=attrgetter("x0")) for row in rows]


def find_tables(runs: Sequence[GlyphRun]) -> tuple[list[PageTable], list[GlyphRun]]:
    """Return the tables without ruled lines, and the text runs outside them."""
    tables = []
    left = []
    group = RunGroups()
    for row in [*by_baseline(runs), []]:
        if row and (_goes_on(group, row) if group else len(_cells(row)) > 1):
            group.append(row)
            continue
        made, rest = _table_of_rows(group)
        tables += made
        left += rest
        group = [row] if len(_cells(row)) > 1 else []
        left += [] if group else row
    return tables, left


def _cells(row: Sequence[GlyphRun]) -> RunGroups:
    """Return a row's cells. A bullet or number is in the same cell as its list item."""
    cells = RunGroups()
    for run in row:
        if cells and len(cells[-1]) == 1 and (_MARK if len(cells) == 1 else _BULLET).fullmatch(cells[-1][0].text):
            cells[-1].append(run)
        else:
            cells.append([run])
    return cells


def _goes_on(group: Sequence[Sequence[GlyphRun]], row: Sequence[GlyphRun]) -> bool:
    """Return whether a row could be the next row of a table."""
    size = max(run.size for run in row)
    last = group[-1][0]
    apart = row[0].y - last.y
    if apart > 3.5 * size or max(size, last.size) > 1.3 * min(size, last.size):
        return False
    if len(_cells(row)) > 1:
        return True
    wide = [item for item in group[-_LEAST_ROWS:] if len(_cells(item)) > 1]
    over = sum(run.x0 < row[-1].x1 and row[0].x0 < run.x1 for item in wide for run in item)
    return apart <= 1.6 * size and over <= len(wide)  # as close as the lines in a cell


def _table_of_rows(group: RunGroups) -> tuple[list[PageTable], list[GlyphRun]]:
    """Return the table formed by rows, if any, and the text runs outside it."""
    after = RunGroups()
    columns = _columns(group)
    while group and len(_cells(group[-1])) < 2 and not _wraps(group[-1], columns):
        after.insert(0, group.pop())
    cells = [{_column(cell, columns): cell for cell in _cells(row)} for row in group]
    full = [row for row in cells if len(row) > 1]
    is_table = len(columns) > 1 and len(full) > 1 and (len(full) >= _LEAST_ROWS or max(map(len, full)) >= _LEAST_ROWS)
    runs = [run for row in group for run in row]
    rest = [run for row in after for run in row]
    if not is_table or all(run.fixed for run in runs) or _are_texts(cells, len(columns)):
        return [], [*runs, *rest]
    rows = [[(_column(cell, columns), " ".join(run.text for run in cell)) for cell in _cells(row)] for row in group]
    return [
        PageTable(
            fill_cells(rows, len(columns)),
            min(run.x0 for run in runs),
            runs[0].top,
            max(run.x1 for run in runs),
            runs[-1].y,
            runs[0].page,
        )
    ], rest


def _are_texts(rows: Sequence[Mapping[int, Sequence[GlyphRun]]], columns: int) -> bool:
    """Return whether a column of a possible table is running text or a list."""
    for number in range(columns):
        held = [row[number][0] for row in rows if number in row]
        pairs = [
            (first[number][0], second[number][0])
            for first, second in pairwise(rows)
            if number in first and number in second and len(first) > 1 and len(second) > 1
        ]
        if go_on(pairs, width_of(held)):
            return True
        if number and sum(bool(_BULLET.match(run.text)) for run in held) > 0.5 * len(held):
            return True
    return False


def _columns(group: Sequence[Sequence[GlyphRun]]) -> list[float]:
    """Return the left edges of the columns formed by rows. A few cells may span several columns."""
    rows = [[(cell[0].x0, cell[-1].x1) for cell in _cells(row)] for row in group]
    columns = list[tuple[float, float]]()
    spanned = set[int]()
    full = [(*cell, number) for number, row in enumerate(rows) if len(row) > 1 for cell in row]
    for x0, x1, number in sorted(full, key=lambda cell: cell[1] - cell[0]):
        under = [column for column in columns if column[0] < x1 + _CELL_GAP and x0 - _CELL_GAP < column[1]]
        # A few rows may have cells that span several columns.
        if len(under) > 1 and len(spanned | {number}) <= 0.15 * len(group):
            spanned.add(number)
            continue
        columns = [column for column in columns if column not in under]
        columns.append((min([x0, *(item[0] for item in under)]), max([x1, *(item[1] for item in under)])))
    starts = list[float]()
    before = set[int]()
    for x0, x1 in sorted(columns):
        held = {number for number, row in enumerate(rows) if any(item[0] < x1 and x0 < item[1] for item in row)}
        if starts and not held & before and min(len(held), len(before)) == 1:  # a heading and its values share a column
            before |= held
            continue
        starts.append(x0)
        before = held
    return starts


def _column(cell: Sequence[GlyphRun], columns: Sequence[float]) -> int:
    return max(0, sum(start <= cell[0].x0 + _CELL_GAP for start in columns) - 1)


def _wraps(row: Sequence[GlyphRun], columns: Sequence[float]) -> bool:
    """Return whether a row with one cell continues the cell above it."""
    number = _column(row, columns)
    return (number + 1 == len(columns) or row[-1].x1 < columns[number + 1]) and (
        number > 0 or row[0].text[:1].islower()
    )


# Minimum number of lines in a column.
_LEAST = 3
# Minimum distance in points between two text columns.
_GUTTER = 6.0

Part = GlyphRun | PageTable
# Lines and tables, such as those in a column.
Parts = list[Part]


def order_parts(runs: Sequence[GlyphRun], tables: Sequence[PageTable]) -> list[Parts]:
    """Return a page's lines and tables by column, in reading order."""
    made = []
    across, others = find_tables(runs)
    for flow in flows([*others, *tables, *across]):
        rows, rest = find_tables([part for part in flow if isinstance(part, GlyphRun)])
        parts: Parts = [*lines_of(rest), *rows, *(part for part in flow if isinstance(part, PageTable))]
        made.append(sorted(parts, key=attrgetter("top")))
    return made


def flows(parts: Sequence[Part]) -> list[Parts]:
    """Group a page's parts by column, in reading order."""
    gutter = _gutter(parts)
    if gutter is None:
        return [sorted(parts, key=attrgetter("top", "x0"))] if parts else []
    made = []
    left = Parts()
    right = Parts()
    across = Parts()
    for part in sorted(parts, key=attrgetter("top", "x0")):
        if part.x1 <= gutter:
            left.append(part)
        elif part.x0 >= gutter - _GUTTER:
            right.append(part)
        else:
            below = _below(left, right)
            made += [*flows(left[:below]), *flows(right)]
            across += [*left[below:], part]
            left = []
            right = []
            continue
        if across:
            made.append(across)
            across = []
    below = _below(left, right)
    if not all(_is_title(part, right) for part in left[below:]):  # the left column is merely longer
        below = len(left)
    return list(filter(None, [*made, across, *flows(left[:below]), *flows(right), left[below:]]))


def _is_title(part: Part, others: Sequence[Part]) -> bool:
    """Return whether a part's letters are larger than those of most other parts."""
    sizes = sorted(other.size for other in others if isinstance(other, GlyphRun))
    return isinstance(part, GlyphRun) and bool(sizes) and part.size > 1.08 * sizes[len(sizes) // 2]


def _below(left: Sequence[Part], right: Sequence[Part]) -> int:
    """Return the index of the first part in `left` that is below both columns, such as the next section's title.

    Return the length of `left` if there is no such part.
    """
    bottom = max((part.bottom for part in right), default=math.inf)
    for at, part in enumerate(left[1:], start=1):
        if part.top > bottom and part.top - left[at - 1].bottom > 0.8 * (part.bottom - part.top):
            return at
    return len(left)


def _gutter(parts: Sequence[Part]) -> float | None:
    """Return the left edge of the likeliest right column, or None if there is only one column."""
    runs = [part for part in parts if isinstance(part, GlyphRun)]
    if len(runs) < 2 * _LEAST:
        return None
    width = max(part.x1 for part in runs) - min(part.x0 for part in runs)
    starts = Counter(round(run.x0) for run in runs)
    scores = {}
    # Try the 40 most frequent left edges as the start of a column.
    for start in sorted(sorted(starts, key=lambda item: -starts[item])[:40]):
        if starts[start - 1] + starts[start] + starts[start + 1] < _LEAST:
            continue
        left = lines_of(run for run in runs if run.x1 <= start - _GUTTER / 2)
        right = lines_of(run for run in runs if run.x0 >= start - 1)
        if len(left) < _LEAST or len(right) < _LEAST:
            continue
        top = max(left[0].y, right[0].y)
        bottom = min(left[-1].y, right[-1].y)
        overlapping = [[run for run in side if top - 1 <= run.y <= bottom + 1] for side in (left, right)]
        across = sum(run.x0 < start - 1 and run.x1 > start - _GUTTER / 2 and top <= run.y <= bottom for run in runs)
        count = sum(map(len, overlapping))
        if min(map(len, overlapping)) >= _LEAST and across <= 0.25 * count and _are_columns(overlapping, width):
            scores[start] = count - 2 * across
    return max(scores, key=scores.__getitem__, default=None)


def _are_columns(sides: RunGroups, width: float) -> bool:
    """Return whether the lines on both sides of a gutter are columns of text, not of a table.

    Cells in a table row share a baseline, and no cell continues in the row below.
    """
    running = any(map(is_prose, sides))
    fewer, more = sorted(sides, key=len)
    baselines = {round(run.y) for run in more}
    shared = sum(any(round(run.y) + step in baselines for step in (-1, 0, 1)) for run in fewer)
    if shared >= 0.7 * len(fewer):  # most lines share a baseline, like the cells of a row
        return running
    wide = all(sum(run.x1 - run.x0 for run in side) / len(side) >= 0.2 * width for side in sides)
    return running or (wide and len(fewer) > _LEAST)
