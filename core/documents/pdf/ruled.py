"""The ruled tables of a page, by pdfplumber's functions on its lines."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from core.documents.pdf.glyphs import Letter
from core.documents.pdf.letters import joined
from core.documents.pdf.lines import GlyphRun, lines_of, runs_of
from core.documents.pdf.prose import is_prose
from core.documents.pdf.reading import Page
from core.documents.pdf.tables import PageTable, by_baseline, filled

_FRAME = 8
"""Lines of a cell that holds most of the letters of what is no table, but text in a frame."""
_ROWS = 3
"""Rows of a table within a cell."""
_OUTSIDE = 0.5
"""Share of the baselines of a table on which letters stand outside of it, if its rules are those of a part."""


def ruled(page: Page) -> tuple[list[PageTable], list[Letter]]:
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


def _ruled(cells: Sequence[Any], letters: Sequence[Letter], page: int) -> tuple[PageTable | None, list[Letter]]:
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
        elif cell := next((item for item in cells if item[0] <= x <= item[2] and item[1] <= y <= item[3]), None):
            inside[cell].append(letter)
        else:
            rest.append(letter)
    runs = {(cell[1], cell[0]): runs_of(held, page) for cell, held in inside.items()}
    lines = {place: lines_of(held) for place, held in runs.items()}
    sizes = [sum(len(line.text) for line in held) for held in lines.values()]
    if 2 * max(sizes) > sum(sizes) and len(max(lines.values(), key=len)) > _FRAME:
        return None, []
    if _is_part(runs, [letter for letter in rest if top <= letter.y <= bottom]):
        return None, []
    widths = {(cell[1], cell[0]): cell[2] - cell[0] for cell in cells}
    rows = [
        row
        for start in tops
        for row in _divided(
            [lines.get((start, left), []) for left in columns], [widths.get((start, left), 0.0) for left in columns]
        )
    ]
    rows = [list(row) for row in zip(*(column for column in zip(*rows, strict=True) if any(column)), strict=True)]
    if len(rows) < 2 or sum(map(bool, (text for row in rows for text in row))) < 3:
        return None, []
    return PageTable(rows, x0, top, x1, bottom, page), rest


def _divided(cells: Sequence[Sequence[GlyphRun]], widths: Sequence[float]) -> list[list[str]]:
    """Return a ruled row as the rows that its baselines make: its cells hold running text, or one line in each row."""
    several = [number for number, lines in enumerate(cells) if len(lines) > 1]
    if len(several) < 2 or any(is_prose(cells[number], widths[number]) for number in several):
        return [[_joined(lines) for lines in cells]]
    rows = [[line for line in row if line] for row in by_baseline([line for lines in cells for line in lines])]
    column = {id(line): number for number, lines in enumerate(cells) for line in lines}
    return filled([[(column[id(line)], line.text) for line in row] for row in rows], len(cells))


def _is_part(cells: Mapping[Any, Sequence[GlyphRun]], outside: Sequence[Letter]) -> bool:
    """Return whether rules are those of a part of a table: its rows go on outside, or cells are tables themselves."""
    if any(sum(len(row) > 1 for row in by_baseline(runs)) >= _ROWS for runs in cells.values()):
        return True
    baselines = {round(run.y) for runs in cells.values() for run in runs}
    shared = baselines & {round(letter.y) for letter in outside}
    return len(shared) >= max(_ROWS, _OUTSIDE * len(baselines))


def _joined(lines: Iterable[GlyphRun]) -> str:
    text = ""
    for line in lines:
        text = joined(text, line.text)
    return text
