"""Tables of a page: ruled ones by pdfplumber, and rows without rules by where their cells stand."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from core.documents.pdf.glyphs import Letter
from core.documents.pdf.letters import joined
from core.documents.pdf.lines import Run, lines_of, runs_of
from core.documents.pdf.prose import go_on, is_prose
from core.documents.pdf.reading import Page

_FRAME = 8
"""Lines of a cell that holds most of the letters of what is no table, but text in a frame."""
_MARK = re.compile(r"[^\w\s]{1,2}|\(?(?:\d{1,3}|[A-Za-z]|[ivxIVX]{1,4})[.)]|\[\d+\]")
"""A bullet or a number before an item."""
_BULLET = re.compile(r"[•◦▪‣●○■□◆➢✓·]")
_LEAST = 3
"""Rows of a table without rules that has two columns, cells of a row in one that has two rows."""
_SPAN = 0.15
"""Share of the rows that may have a cell over a gap between columns."""
_APART, _WRAPPED = 3.5, 1.6
"""How many times the size of the letters are the distances of rows, and of the lines of a cell, at most."""
_GUTTER = 3.0
"""Points between two columns."""


@dataclass(slots=True)
class Table:
    """The rows of a table, each as many cells, at its place on a page."""

    rows: list[list[str]]
    x0: float
    top: float
    x1: float
    bottom: float
    page: int

    @property
    def texts(self) -> Iterator[str]:
        """The texts of its cells."""
        return (cell for row in self.rows for cell in row)


def ruled(page: Page) -> tuple[list[Table], list[Letter]]:
    """Return the ruled tables of a page by pdfplumber, and the letters outside of them."""
    if len(page.drawn.edges) < 4 or not page.letters:
        return [], page.letters
    from pdfplumber.table import cells_to_tables, edges_to_intersections, intersections_to_cells, merge_edges

    edges = merge_edges(page.drawn.edges, 3, 3, 3, 3)
    cells = intersections_to_cells(edges_to_intersections(edges, 3, 3))
    tables, left = [], page.letters
    for group in cells_to_tables(cells):
        made, rest = _ruled(group, left, page.number)
        if made:
            tables.append(made)
            left = rest
    return tables, left


def _ruled(cells: Sequence[Any], letters: Sequence[Letter], page: int) -> tuple[Table | None, list[Letter]]:
    """Return a table with the text of its cells, and the letters outside; None for a frame that is no table."""
    columns = sorted({cell[0] for cell in cells})
    tops = sorted({cell[1] for cell in cells})
    if len(columns) < 2 or len(tops) < 2:
        return None, []
    x0, top, x1, bottom = columns[0], tops[0], max(cell[2] for cell in cells), max(cell[3] for cell in cells)
    inside: dict[Any, list[Letter]] = {cell: [] for cell in cells}
    rest = []
    for letter in letters:
        x, y = (letter.x0 + letter.x1) / 2, letter.y - letter.size / 3
        if not (x0 <= x <= x1 and top <= y <= bottom):
            rest.append(letter)
        elif cell := next((one for one in cells if one[0] <= x <= one[2] and one[1] <= y <= one[3]), None):
            inside[cell].append(letter)
        else:
            rest.append(letter)
    lines = {(cell[1], cell[0]): lines_of(runs_of(held, page)) for cell, held in inside.items()}
    sizes = [sum(len(line.text) for line in held) for held in lines.values()]
    if 2 * max(sizes) > sum(sizes) and len(max(lines.values(), key=len)) > _FRAME:
        return None, []
    widths = {(cell[1], cell[0]): cell[2] - cell[0] for cell in cells}
    rows = [
        row
        for start in tops
        for row in _divided(
            [lines.get((start, left), []) for left in columns], [widths.get((start, left), 0.0) for left in columns]
        )
    ]
    if len(rows) < 2 or sum(map(bool, (text for row in rows for text in row))) < 3:
        return None, []
    return Table(rows, x0, top, x1, bottom, page), rest


def _divided(cells: Sequence[Sequence[Run]], widths: Sequence[float]) -> list[list[str]]:
    """Return a ruled row as the rows that its baselines make: its cells hold running text, or one line in each row."""
    several = [number for number, lines in enumerate(cells) if len(lines) > 1]
    if len(several) < 2 or any(is_prose(cells[number], widths[number]) for number in several):
        return [[_joined(lines) for lines in cells]]
    rows = [[line for line in row if line] for row in _by_baseline([line for lines in cells for line in lines])]
    column = {id(line): number for number, lines in enumerate(cells) for line in lines}
    return _filled([[(column[id(line)], line.text) for line in row] for row in rows], len(cells))


def _filled(rows: Iterable[Sequence[tuple[int, str]]], columns: int) -> list[list[str]]:
    """Return rows of cells; what stands alone on its baseline goes on with the cell above it."""
    made: list[list[str]] = []
    for row in rows:
        number, text = row[0]
        if len(row) == 1 and made and made[-1][number] and (number > 0 or text[:1].islower()):
            made[-1][number] = joined(made[-1][number], text)
            continue
        made.append([""] * columns)
        for number, text in row:
            made[-1][number] = joined(made[-1][number], text)
    return made


def _joined(lines: Iterable[Run]) -> str:
    text = ""
    for line in lines:
        text = joined(text, line.text)
    return text


def _by_baseline(runs: Iterable[Run]) -> list[list[Run]]:
    """Return runs as rows from top to bottom, each from left to right, bullets and numbers with what they mark."""
    rows: list[list[Run]] = []
    for run in sorted(runs, key=lambda run: (run.y, run.x0)):
        if rows and abs(run.y - rows[-1][0].y) <= 0.35 * max(run.size, rows[-1][0].size):
            rows[-1].append(run)
        else:
            rows.append([run])
    return [sorted(row, key=lambda run: run.x0) for row in rows]


def unruled(runs: Sequence[Run]) -> tuple[list[Table], list[Run]]:
    """Return the tables that runs of one column form without rules, and the runs outside of them."""
    tables: list[Table] = []
    left: list[Run] = []
    group: list[list[Run]] = []
    for row in [*_by_baseline(runs), []]:
        if row and (_goes_on(group, row) if group else len(_cells(row)) > 1):
            group.append(row)
            continue
        made, rest = _unruled(group)
        tables += made
        left += rest
        group = []
        if len(_cells(row)) > 1:
            group = [row]
        else:
            left += row
    return tables, left


def _cells(row: Sequence[Run]) -> list[list[Run]]:
    """Return the cells of a row: a bullet or a number is one with what it marks."""
    cells: list[list[Run]] = []
    for run in row:
        if cells and len(cells[-1]) == 1 and _MARK.fullmatch(cells[-1][0].text):
            cells[-1].append(run)
        else:
            cells.append([run])
    return cells


def _goes_on(group: Sequence[Sequence[Run]], row: Sequence[Run]) -> bool:
    """Return whether a row may be the next one of a table."""
    size = max(run.size for run in row)
    apart = row[0].y - group[-1][0].y
    if apart > _APART * size or max(size, group[-1][0].size) > 1.3 * min(size, group[-1][0].size):
        return False
    if len(_cells(row)) > 1:
        return True
    wide = [one for one in group[-_LEAST:] if len(_cells(one)) > 1]
    over = sum(run.x0 < row[-1].x1 and row[0].x0 < run.x1 for one in wide for run in one)
    return apart <= _WRAPPED * size and over <= len(wide)


def _unruled(group: list[list[Run]]) -> tuple[list[Table], list[Run]]:
    """Return the table of rows, and the runs that belong to none."""
    after: list[list[Run]] = []
    columns = _columns(group)
    while group and len(_cells(group[-1])) < 2 and not _wraps(group[-1], columns):
        after.insert(0, group.pop())
    cells = [{_column(cell, columns): cell for cell in _cells(row)} for row in group]
    full = [row for row in cells if len(row) > 1]
    is_table = len(columns) > 1 and len(full) > 1 and (len(full) >= _LEAST or max(map(len, full)) >= _LEAST)
    runs = [run for row in group for run in row]
    if not is_table or all(run.fixed for run in runs) or _are_texts(cells, len(columns)):
        return [], [*runs, *(run for row in after for run in row)]
    x0, x1 = min(run.x0 for run in runs), max(run.x1 for run in runs)
    rows = [[(_column(cell, columns), " ".join(run.text for run in cell)) for cell in _cells(row)] for row in group]
    table = Table(_filled(rows, len(columns)), x0, runs[0].top, x1, runs[-1].y, runs[0].page)
    return [table], [run for row in after for run in row]


def _are_texts(rows: Sequence[Mapping[int, Sequence[Run]]], columns: int) -> bool:
    """Return whether a column of what could be a table is a text or a list: it goes on from row to row."""
    for number in range(columns):
        held = [row[number][0] for row in rows if number in row]
        pairs = [
            (first[number][0], second[number][0])
            for first, second in pairwise(rows)
            if number in first and number in second and len(first) > 1 and len(second) > 1
        ]
        if go_on(pairs, max((run.x1 for run in held), default=0.0) - min((run.x0 for run in held), default=0.0)):
            return True
        if number and sum(bool(_BULLET.match(run.text)) for run in held) > 0.5 * len(held):
            return True
    return False


def _columns(group: Sequence[Sequence[Run]]) -> list[float]:
    """Return where the columns of rows begin: right of the gaps that nearly no cell spans."""
    cells = [(cell[0].x0, cell[-1].x1) for row in group for cell in _cells(row) if len(_cells(row)) > 1]
    most = int(_SPAN * len(group))
    starts: list[float] = []
    over, free = 0, -_GUTTER
    for x, change in sorted([*((x0, 1) for x0, _ in cells), *((x1, -1) for _, x1 in cells)]):
        if change > 0 and over <= most and x - free >= _GUTTER:
            starts.append(x)
        over += change
        if over <= most:
            free = x
    return starts


def _column(cell: Sequence[Run], columns: Sequence[float]) -> int:
    middle = (cell[0].x0 + cell[-1].x1) / 2
    return max(0, sum(start <= max(cell[0].x0, min(middle, cell[0].x0 + cell[0].size)) + 1 for start in columns) - 1)


def _wraps(row: Sequence[Run], columns: Sequence[float]) -> bool:
    """Return whether a row of one cell goes on with the cell above it."""
    number = _column(row, columns)
    is_within = number + 1 == len(columns) or row[-1].x1 < columns[number + 1]
    return is_within and (number > 0 or row[0].text[:1].islower())
