"""Letters -> runs of one baseline, and ruled tables -> their cells."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from core.documents.pdf.letters import WIDE, joined
from core.documents.pdf.reading import Letter, Page

_GAP = 0.22
"""Share of a letter's size from which a gap between letters is a blank."""
_NEAR = 40
"""Groups among which the left neighbour of one is looked for."""
_APART = 1.2
"""Share of a letter's size from which a gap divides runs: columns are apart by more."""


@dataclass(slots=True)
class Run:
    """Letters on one baseline without a wide gap."""

    text: str
    x0: float
    x1: float
    y: float
    size: float
    bold: bool
    fixed: bool
    page: int = 0

    @property
    def top(self) -> float:
        return self.y - self.size


@dataclass(slots=True)
class Table:
    """The rows of a ruled table, each as many cells, at its place on a page."""

    rows: list[list[str]]
    x0: float
    top: float
    x1: float
    bottom: float
    page: int


@dataclass(slots=True)
class _Group:
    """Letters side by side; `y` and `size` are those of the largest."""

    letters: list[Letter]
    y: float
    size: float


def runs_of(letters: Sequence[Letter], page: int) -> list[Run]:
    """Return the runs of letters: those that follow each other in the file, then those on one baseline side by side."""
    groups: list[_Group] = []
    for letter in letters:
        if groups and _continues(groups[-1].letters[-1], letter):
            groups[-1].letters.append(letter)
            if letter.size > groups[-1].size:
                groups[-1].y, groups[-1].size = letter.y, letter.size
        elif not letter.text.isspace():
            groups.append(_Group([letter], letter.y, letter.size))
    groups.sort(key=lambda group: (round(group.y), group.letters[0].x0))
    return [_run(group, page) for group in _merged(groups)]


def _continues(last: Letter, letter: Letter) -> bool:
    """Return whether a letter stands right behind another, at its height or, smaller, a little above or below."""
    size = last.size if last.size > letter.size else letter.size
    if not -0.6 * size < letter.x0 - last.x1 < _APART * size:
        return False
    return abs(letter.y - last.y) <= (0.15 if abs(letter.size - last.size) < 0.1 * size else 0.5) * size


def _merged(groups: Sequence[_Group]) -> list[_Group]:
    """Join groups on one baseline, which the file holds apart, such as words that it places one by one."""
    merged: list[_Group] = []
    for group in groups:
        for other in reversed(merged[-_NEAR:]):
            size = max(group.size, other.size)
            if group.y - other.y > size:
                continue
            close = abs(group.y - other.y) <= (0.15 if abs(group.size - other.size) < 0.1 * size else 0.45) * size
            if close and -0.6 * size < group.letters[0].x0 - other.letters[-1].x1 < _APART * size:
                other.letters += group.letters
                if group.size > other.size:
                    other.y, other.size = group.y, group.size
                break
        else:
            merged.append(group)
    return merged


def _run(group: _Group, page: int) -> Run:
    text: list[str] = []
    last = group.letters[0]
    sizes: Counter[float] = Counter()
    bold = fixed = 0
    end = last.x1
    for letter in group.letters:
        if letter.text.isspace():
            text.append(" ")
        else:
            gap = letter.x0 - last.x1
            if gap > _GAP * last.size and text[-1] != " " and _is_blank(gap, last, letter):
                text.append(" ")
            text.append(letter.text)
            sizes[letter.size] += 1
            bold += letter.bold
            fixed += letter.fixed
            end = letter.x1 if letter.x1 > end else end
        last = letter
    inked = sizes.total()
    size = round(max(sizes, key=lambda one: sizes[one]) * 4) / 4
    x0 = group.letters[0].x0
    return Run("".join(text).strip(), x0, end, group.y, size, bold > 0.6 * inked, fixed > 0.8 * inked, page)


def _is_blank(gap: float, last: Letter, letter: Letter) -> bool:
    """Return whether a gap between letters is a blank; between wide characters it is larger."""
    both_wide = WIDE.match(letter.text) and WIDE.match(last.text)
    return gap > (0.5 if both_wide else _GAP) * max(letter.size, last.size)


def tables_of(page: Page) -> tuple[list[Table], list[Letter]]:
    """Return the ruled tables of a page by pdfplumber, and the letters outside of them."""
    if len(page.edges) < 4 or not page.letters:
        return [], page.letters
    from pdfplumber.table import cells_to_tables, edges_to_intersections, intersections_to_cells, merge_edges

    edges = merge_edges(page.edges, 3, 3, 3, 3)
    cells = intersections_to_cells(edges_to_intersections(edges, 3, 3))
    tables, left = [], page.letters
    for group in cells_to_tables(cells):
        made, rest = _table(group, left, page.number)
        if made:
            tables.append(made)
            left = rest
    return tables, left


def _table(cells: Sequence[Any], letters: Sequence[Letter], page: int) -> tuple[Table | None, list[Letter]]:
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
    rows = [[""] * len(columns) for _ in tops]
    for cell, held in inside.items():
        rows[tops.index(cell[1])][columns.index(cell[0])] = _cell_text(held)
    rows = [row for row in rows if any(row)]
    if len(rows) < 2 or sum(map(bool, (text for row in rows for text in row))) < 3:
        return None, []
    return Table(rows, x0, top, x1, bottom, page), rest


def _cell_text(letters: Sequence[Letter]) -> str:
    text = ""
    for run in lines_of(runs_of(letters, 0)):
        text = joined(text, run.text)
    return text


def lines_of(runs: Iterable[Run]) -> list[Run]:
    """Return the lines of one column: runs on one baseline are joined, from left to right, from top to bottom."""
    lines: list[Run] = []
    for run in sorted(runs, key=lambda run: (run.y, run.x0)):
        last = lines[-1] if lines else None
        if last and abs(run.y - last.y) <= 0.35 * max(run.size, last.size) and run.page == last.page:
            left, right = (last, run) if last.x0 <= run.x0 else (run, last)
            bold, fixed = left.bold and right.bold, left.fixed and right.fixed
            size = left.size if len(left.text) >= len(right.text) else right.size
            text = f"{left.text} {right.text}".strip()
            lines[-1] = Run(text, left.x0, max(left.x1, right.x1), last.y, size, bold, fixed, last.page)
        else:
            lines.append(run)
    return lines
