"""Conversion of PDF pages to Markdown, without running heads; font sizes make headings, gaps make paragraphs."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby, pairwise
from operator import attrgetter
from typing import Literal

from core.base.frozen import frozen
from core.documents.pdf.asides import Asides
from core.documents.pdf.glyphs import WIDE, Letter, join_texts
from core.documents.pdf.lines import GlyphRun, is_prose, lines_of, runs_of
from core.documents.pdf.order import PageTable, Part, by_baseline, fill_cells, order_parts
from core.documents.pdf.reading import Page, Titles, normalize_title
from core.documents.pdf.styles import LONGEST, Styles, View, body_size, drop_running, styles_of
from core.markdown.writing import code_block, table

# The ruled tables of a page, by pdfplumber's functions on its lines.

_Cell = tuple[float, float, float, float]
"""A cell of a ruled table: left, top, right, bottom."""
_FRAME = 8
"""Maximum number of lines in a cell with most of a table's letters; with more lines, it is framed text, not a table."""
_ROWS = 3
"""Minimum number of rows from which the content of a cell is a nested table."""
_OUTSIDE = 0.5
"""Share of baselines that continue outside the rules of a table, above which the rules frame only part of it."""


def ruled_tables(page: Page) -> tuple[list[PageTable], list[Letter]]:
    """Return the ruled tables of a page, found by pdfplumber, and the letters outside of them."""
    if len(page.drawn.edges) < 4 or not page.letters:
        return [], page.letters
    from pdfplumber.table import cells_to_tables, edges_to_intersections, intersections_to_cells, merge_edges

    edges = merge_edges(page.drawn.edges, 3, 3, 3, 3)
    cells = intersections_to_cells(edges_to_intersections(edges, 3, 3))
    tables, left = [], page.letters
    for group in cells_to_tables(cells):
        made, rest = _ruled_table(group, left, page.number)
        if made:
            tables.append(made)
            left = rest
    return tables, left


def _ruled_table(cells: Sequence[_Cell], letters: Sequence[Letter], page: int) -> tuple[PageTable | None, list[Letter]]:
    """Return a table with the text of its cells, and the letters outside; None if it is only a frame."""
    columns = sorted({cell[0] for cell in cells})
    tops = sorted({cell[1] for cell in cells})
    if len(columns) < 2 or len(tops) < 2:
        return None, []
    x0, top, x1, bottom = columns[0], tops[0], max(cell[2] for cell in cells), max(cell[3] for cell in cells)
    inside: dict[_Cell, list[Letter]] = {cell: [] for cell in cells}
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
    if _is_part(runs.values(), [letter for letter in rest if top <= letter.y <= bottom]):
        return None, []
    widths = {(cell[1], cell[0]): cell[2] - cell[0] for cell in cells}
    rows = [
        row
        for start in tops
        for row in _divide(
            [lines.get((start, left), []) for left in columns], [widths.get((start, left), 0.0) for left in columns]
        )
    ]
    rows = [list(row) for row in zip(*(column for column in zip(*rows, strict=True) if any(column)), strict=True)]
    if len(rows) < 2 or sum(map(bool, (text for row in rows for text in row))) < 3:
        return None, []
    return PageTable(rows, x0, top, x1, bottom, page), rest


def _divide(cells: Sequence[Sequence[GlyphRun]], widths: Sequence[float]) -> list[list[str]]:
    """Return a ruled row as one row of running text, or as one row per baseline."""
    several = [number for number, lines in enumerate(cells) if len(lines) > 1]
    if len(several) < 2 or any(is_prose(cells[number], widths[number]) for number in several):
        return [[_join_blocks(lines) for lines in cells]]
    rows = [[line for line in row if line] for row in by_baseline([line for lines in cells for line in lines])]
    column = {id(line): number for number, lines in enumerate(cells) for line in lines}
    return fill_cells([[(column[id(line)], line.text) for line in row] for row in rows], len(cells))


def _is_part(cells: Collection[Sequence[GlyphRun]], outside: Sequence[Letter]) -> bool:
    """Return whether rules frame only a part of a table: its rows continue outside, or cells contain tables."""
    if any(sum(len(row) > 1 for row in by_baseline(runs)) >= _ROWS for runs in cells):
        return True
    baselines = {round(run.y) for runs in cells for run in runs}
    shared = baselines & {round(letter.y) for letter in outside}
    return len(shared) >= max(_ROWS, _OUTSIDE * len(baselines))


def _join_blocks(lines: Iterable[GlyphRun]) -> str:
    text = ""
    for line in lines:
        text = join_texts(text, line.text)
    return text


# The blocks of a text -> Markdown, with the places where pages begin.

Kind = Literal["heading", "text", "item", "code", "table", "callout"]


@dataclass(slots=True)
class PageBlock:
    """A block of text; `level` is the level of a heading or the depth of a list item.

    A heading is `stated` if it is one of the document's bookmarks.
    """

    kind: Kind
    text: str
    page: int
    level: int = 0
    places: list[tuple[int, int]] = field(default_factory=list)
    """Offset in the text at which a later page begins, with the page number."""
    stated: bool = False


def to_markdown(blocks: Sequence[PageBlock], pages: int) -> tuple[str, list[int]]:
    parts: list[str] = []
    starts: dict[int, int] = {}
    at = 0
    before: PageBlock | None = None
    for block in blocks:
        lead = "" if before is None else "\n" if before.kind == block.kind == "item" else "\n\n"
        text = _markdown(block)
        at += len(lead)
        starts.setdefault(block.page, at)
        for place, page in block.places:
            starts.setdefault(page, at + len(text) - len(block.text) + place)
        parts += [lead, text]
        at += len(text)
        before = block
    text = "".join(parts) + "\n"
    places, following = [], len(text)
    for number in range(pages, 0, -1):
        following = starts.get(number, following)
        places.append(following)
    return text, places[::-1]


def _markdown(block: PageBlock) -> str:
    if block.kind == "heading":
        return f"{'#' * block.level} {block.text}"
    if block.kind == "code":
        return code_block(block.text)
    if block.kind == "item":
        return "  " * block.level + block.text
    if block.kind == "text" and re.match(r"#{1,6}\s|>|[+*-]\s|~~~|```|\d+[.)]\s|=+$|-+$", block.text):
        return "\\" + block.text if not block.text[0].isdigit() else re.sub(r"^(\d+)", r"\1\\", block.text)
    return block.text


_BULLET = re.compile(r"^(?:[•◦▪‣●○■□◆➢✓·*–-]\s*(?=\S)|(?=[☐☑]\s+\S))")
_ITEM = re.compile(r"^(\d{1,3})[.)]\s+(?=\S)")
_ENDS = tuple(".!?。！？：:;；…”」")
_SPACED = 1.6
"""Factor of the usual line spacing above which a gap ends a paragraph."""
_SEVERAL = 4
"""Minimum number of consecutive lines in one style that can't be headings."""
_SHARE = 0.5
"""Ratio of characters in headings to those below them above which a level holds form values, not headings."""
_FEW = 4
"""Minimum number of headings in a level for this check."""


@frozen
class Text:
    """The text of a document, the start of each page in it, and the running heads that were left out."""

    text: str
    starts: list[int]
    running: tuple[str, ...]


def views_of(page: Page) -> list[View]:
    """Return the lines and tables of a page; those in other directions follow the upright ones."""
    tables, letters = ruled_tables(page)
    views = [View(page.number, page.height, order_parts(runs_of(letters, page.number), tables))]
    return views + [view for other in page.aside for view in views_of(other)]


def letters_in(views: Sequence[View]) -> int:
    """Return the number of letters and digits in the lines and tables of views."""
    parts = (part for view in views for column in view.columns for part in column)
    return sum(map(str.isalnum, "".join(text for part in parts for text in _texts(part))))


def _texts(part: Part) -> Iterable[str]:
    return part.texts if isinstance(part, PageTable) else (part.text,)


def text_of(
    views: Sequence[View], pages: int, outline: Titles, scans: Mapping[int, str], asides: Mapping[int, Asides]
) -> Text:
    """Return the text of a document with `pages` pages.

    `outline` has the levels of titles, `scans` the texts of scanned pages by number; other text of a scanned page comes
    first. `asides` come at the end of their pages.
    """
    body = body_size(views)
    running = drop_running(views, pages, body, outline)
    styles = styles_of(views, outline, body)
    blocks: list[PageBlock] = []
    for number, page_views in groupby(views, key=lambda view: view.number):
        scan = scans.get(number, "")
        for view in page_views:
            for column in view.columns:
                _add(blocks, _without_scans(column, scan), styles, outline)
        blocks += [PageBlock("text", part, number) for part in scan.split("\n\n") if part.strip()]
    _demote(blocks)
    for number, aside in asides.items():
        blocks += [PageBlock("text", said, number) for said in aside.descriptions]
        blocks += [PageBlock("callout", said, number) for said in aside.comments]
    return Text(*to_markdown(sorted(blocks, key=attrgetter("page")), pages), running)


def _without_scans(column: Sequence[Part], scan: str) -> Sequence[Part]:
    """Return the lines and tables of a scanned page that OCR missed, such as small or rotated text."""
    read = normalize_title(scan)
    return (
        [part for part in column if any(normalize_title(text) not in read for text in _texts(part))] if read else column
    )


def _demote(blocks: Sequence[PageBlock]) -> None:
    """Turn false headings into text: long ones, ones without text below, and levels that hold form values."""
    values = _levels_of_values(blocks)
    next_level: int | None = 0
    for block in reversed(blocks):
        level = block.level if block.kind == "heading" else None
        if level is not None and not block.stated:
            is_bare = next_level is not None and next_level <= level
            if is_bare or len(block.text) > LONGEST or level in values:
                block.kind, block.level = "text", 0
        next_level = level


def _levels_of_values(blocks: Sequence[PageBlock]) -> set[int]:
    """Return the heading levels with too much text in proportion to the text below, such as values in a form."""
    headings: Counter[int] = Counter()
    below: Counter[int] = Counter()
    counts: Counter[int] = Counter()
    above: list[int] = []
    for block in blocks:
        if block.kind == "heading":
            above = [level for level in above if level < block.level]
        for level in above:
            below[level] += len(block.text)
        if block.kind == "heading":
            above.append(block.level)
            headings[block.level] += len(block.text)
            counts[block.level] += 1
    return {level for level in headings if counts[level] >= _FEW and headings[level] > _SHARE * below[level]}


def _add(
    blocks: list[PageBlock],
    column: Sequence[Part],
    styles: Styles,
    outline: Titles,
) -> None:
    """Append the lines and tables of a column to the blocks."""
    right = max((part.x1 for part in column if isinstance(part, GlyphRun)), default=0.0)
    left = min((part.x0 for part in column if isinstance(part, GlyphRun)), default=0.0)
    last: GlyphRun | None = None
    starts: list[float] = []
    alike = _like_neighbours(column, styles)
    for number, part in enumerate(column):
        if isinstance(part, PageTable):
            blocks.append(PageBlock("table", table(part.rows), part.page))
            last = None
            continue
        block = _start_block(part, styles, outline, starts, differs=number not in alike)
        if block.kind == "code" and last and blocks[-1].kind == "code":
            blank = "\n" if part.y - last.y > _SPACED * 1.2 * part.size else ""
            blocks[-1].text += blank + "\n" + _indent(part, left, part.size) + part.text
        elif last and _goes_on(blocks[-1], block, last, part, right, styles):
            blocks[-1].text = join_texts(blocks[-1].text, part.text, styles.compounds)
        elif block.kind == "text" and last is None and blocks and _crosses(blocks[-1], block):
            _join(blocks[-1], block, styles.compounds)
        else:
            if block.kind == "code":
                left = part.x0
            blocks.append(block)
        if block.kind not in ("item", "text"):
            starts.clear()
        last = part


def _like_neighbours(column: Sequence[Part], styles: Styles) -> set[int]:
    """Return the indexes of lines in a run of lines with the same style, which can't be headings."""
    alike: set[int] = set()
    stretch: list[int] = []
    for number, (last, line) in enumerate(pairwise([None, *column])):
        goes_on = (
            isinstance(last, GlyphRun)
            and isinstance(line, GlyphRun)
            and abs(last.size - line.size) < 0.5
            and last.bold == line.bold
            and line.y - last.y <= _SPACED * max(styles.pitch, 1.05 * line.size)
        )
        stretch = [*stretch[1 - _SEVERAL :], number] if goes_on else [number]
        if len(stretch) >= _SEVERAL:
            alike.update(stretch)
    return alike


def _start_block(line: GlyphRun, styles: Styles, outline: Titles, starts: list[float], *, differs: bool) -> PageBlock:
    """Return the block that a line would begin; `starts` has the left edges of the open list levels."""
    stated = outline.get((line.page, normalize_title(line.text)), 0) if line.bold or line.size > styles.body else 0
    if level := stated or (differs and styles.level(line)):
        return PageBlock("heading", line.text, line.page, level, stated=bool(stated))
    if line.fixed and not styles.fixed:
        return PageBlock("code", line.text, line.page)
    if (match := _BULLET.match(line.text)) or (number := _ITEM.match(line.text)):
        while starts and line.x0 < starts[-1] - 3:
            starts.pop()
        if not starts or line.x0 > starts[-1] + 3:
            starts.append(line.x0)
        text = f"- {line.text[match.end() :]}" if match else f"{number[1]}. {line.text[number.end() :]}"  # type: ignore[index,union-attr]
        return PageBlock("item", text, line.page, len(starts) - 1)
    return PageBlock("text", line.text, line.page)


def _goes_on(before: PageBlock, block: PageBlock, last: GlyphRun, line: GlyphRun, right: float, styles: Styles) -> bool:
    """Return whether a line continues the previous block."""
    gap = line.y - last.y
    if block.kind == "heading":
        near = gap <= 1.5 * line.size and abs(last.size - line.size) < 0.5 and last.bold == line.bold
        return before.kind == "heading" and near and before.level == block.level and last.x1 > 0.6 * right
    if block.kind != "text" or before.kind not in ("text", "item"):
        return False
    if gap > _SPACED * max(styles.pitch, 1.05 * line.size) or abs(last.size - line.size) > 0.15 * line.size:
        return False
    is_short = last.text.endswith(_ENDS) and last.x1 + _first_word(line) + 0.5 * line.size < right
    indented = before.kind == "text" and line.x0 > last.x0 + 0.8 * line.size and last.text.endswith(_ENDS)
    return not is_short and not indented


def _first_word(line: GlyphRun) -> float:
    """Return the approximate width of a line's first word, which had no room on the previous line."""
    first = 1 if WIDE.match(line.text) else len(line.text.partition(" ")[0])
    return first / len(line.text) * (line.x1 - line.x0)


def _crosses(before: PageBlock, block: PageBlock) -> bool:
    """Return whether a paragraph continues in the next column or on the next page."""
    starts_within = bool(re.match(r"[a-z(]", block.text) or WIDE.match(block.text))
    return before.kind == "text" and not before.text.endswith(_ENDS) and starts_within and len(before.text) > 40


def _join(before: PageBlock, block: PageBlock, compounds: frozenset[str]) -> None:
    before.text = join_texts(before.text, block.text, compounds)
    if block.page > (before.places[-1][1] if before.places else before.page):
        before.places.append((len(before.text) - len(block.text), block.page))


def _indent(line: GlyphRun, left: float, size: float) -> str:
    return " " * max(0, round((line.x0 - left) / (0.6 * size)))
