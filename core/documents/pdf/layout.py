"""Conversion of PDF pages to Markdown.

Headings are detected by font size and paragraphs by gaps. Running heads are removed.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from itertools import chain, groupby, pairwise
from operator import attrgetter
from typing import Literal

from core.base.frozen import Texts, frozen
from core.documents.pdf.lines import (
    COMPOUND,
    WIDE,
    GlyphRun,
    Letter,
    go_on,
    join_texts,
    lines_of,
    normalize_title,
    runs_of,
)
from core.documents.pdf.order import PageTable, Part, Parts, by_baseline, fill_cells, order_parts
from core.documents.pdf.reading import Asides, Page, Titles
from core.markdown.writing import code_block, table

# Minimum ratio of a heading's letter size to that of the body text.
LARGER = 1.1
# Maximum number of characters in a heading.
LONGEST = 200


@dataclass(slots=True)
class View:
    """A page's lines and tables in one writing direction, by column, in reading order."""

    number: int
    height: float
    columns: list[Parts]


@frozen
class Styles:
    """The letter size of the body text, and the heading level of each larger size.

    `fixed` means that most of the document is in a monospaced font. `bold` means that most letters are bold, so bold
    lines aren't headings. `pitch` is the usual line spacing. `compounds` are the hyphenated words found within lines.
    """

    body: float
    levels: Mapping[float, int]
    fixed: bool
    pitch: float
    compounds: frozenset[str]
    bold: bool

    def level(self, line: GlyphRun) -> int:
        """Return a line's heading level based on its font, or 0 if it isn't a heading."""
        if not any(map(str.isalnum, line.text)) or len(line.text) > LONGEST or (line.fixed and not self.fixed):
            return 0
        if line.size in self.levels:
            return self.levels[line.size]
        is_bold = (
            line.bold
            and not self.bold
            and line.size >= 0.9 * self.body
            and len(line.text) <= 100
            and not line.text.endswith((".", "。", ",", "，", ";", "；", ":", "："))
        )
        return min(6, max(self.levels.values(), default=0) + 1) if is_bold else 0

    def pitch_at(self, line: GlyphRun) -> float:
        """Return the maximum distance between a line and the previous line of the same paragraph."""
        return _SPACED * max(self.pitch, 1.05 * line.size)


def styles_of(views: Sequence[View], outline: Titles, body: float) -> Styles:
    """Return a document's styles. `outline` gives the levels of bookmarked titles."""
    lines = _lines(views)
    pitches = Counter(
        round(second.y - first.y)
        for first, second in chain.from_iterable(pairwise(column) for view in views for column in view.columns)
        if isinstance(first, GlyphRun) and isinstance(second, GlyphRun) and first.size == second.size == body
    )
    most = 0.6 * sum(len(line.text) for line in lines)
    fixed = sum(len(line.text) for line in lines if line.fixed) > most
    bold = sum(len(line.text) for line in lines if line.bold) > most
    larger = [line for line in lines if line.size >= LARGER * body and any(map(str.isalpha, line.text))]
    levels = {}
    top = math.inf  # the largest size at the current level, which spans at most half a point
    level = 0
    for size in sorted({line.size for line in larger if len(line.text) <= LONGEST}, reverse=True):
        if top - size > 0.5:
            top = size
            level = min(6, level + 1)
        levels[size] = level
    stated = defaultdict[float, Counter[int]](Counter)
    for line in larger:
        if number := outline.get((line.page, normalize_title(line.text))):
            stated[line.size][number] += 1
    levels |= {size: counts.most_common(1)[0][0] for size, counts in stated.items()}
    pitch = max(pitches, key=pitches.__getitem__, default=round(1.2 * body))
    compounds = {word.casefold() for line in lines if "-" in line.text for word in COMPOUND.findall(line.text)}
    return Styles(body, levels, fixed, max(pitch, 1.0), frozenset(compounds), bold)


def _lines(views: Sequence[View]) -> list[GlyphRun]:
    return [line for view in views for column in view.columns for line in column if isinstance(line, GlyphRun)]


# Share of a page's height, at the top and bottom, in which running heads may appear.
_EDGE = 0.1


# A running head's text, in which "#" may stand for numbers, and whether it is in the top half of the page.
_Running = tuple[str, bool]


def drop_running(views: Sequence[View], pages: int, body: float, outline: Titles) -> Texts:
    """Remove page numbers, and lines that recur near the edges of many pages, even if the numbers in them differ.

    Return the text of each distinct removed line, except page numbers.
    """
    at_edges = defaultdict[_Running, set[int]](set)
    edges = []
    for view in views:
        for column in view.columns:
            for line in column:
                if not isinstance(line, GlyphRun) or _EDGE * view.height < line.y < (1 - _EDGE) * view.height:
                    continue
                text = normalize_title(line.text)
                is_title = line.size >= LARGER * body or (line.page, text) in outline
                key = text if is_title else re.sub(r"\d+", "#", text), line.y < view.height / 2
                at_edges[key].add(view.number)
                edges.append((column, line, key))
    many = max(2, 0.25 * pages)
    dropped: dict[_Running, str] = {}
    for column, line, key in edges:
        is_number = (
            re.fullmatch(
                r"(?i)\W*(?:page|seite|第)?\s*(?:\d{1,4}|[ivxl]{1,6})(?:\s*(?:/|of|von|页，?\s*共)\s*\d{1,4})?\s*页?\W*",
                line.text,
            )
            and len(line.text) < 20
        )
        # A longer line can't be a running head.
        if is_number or (len(at_edges[key]) >= many and len(line.text) < 120):
            column.remove(line)
            if not is_number:
                dropped.setdefault(key, line.text)
    return tuple(dict.fromkeys(dropped.values()))


# Ruled tables, which pdfplumber finds from the lines drawn on a page.

# Minimum number of rows for a cell's contents to count as a nested table.
_ROWS = 3


def ruled_tables(page: Page) -> tuple[list[PageTable], list[Letter]]:
    """Return a page's ruled tables, and the letters outside them."""
    tables = list[PageTable]()
    left = page.letters
    if len(page.edges) < 4 or not left:
        return tables, left
    from pdfplumber.table import cells_to_tables, edges_to_intersections, intersections_to_cells, merge_edges

    for cells in cells_to_tables(
        intersections_to_cells(edges_to_intersections(merge_edges(page.edges, 3, 3, 3, 3), 3, 3))
    ):
        made, rest = _ruled_table(cells, left, page.number)
        if made:
            tables.append(made)
            left = rest
    return tables, left


def _ruled_table(
    cells: Sequence[tuple[float, float, float, float]], letters: Sequence[Letter], page: int
) -> tuple[PageTable | None, list[Letter]]:
    """Return the table formed by cells (left, top, right, bottom), and the letters outside it.

    Return None and no letters if the cells don't form a table, for example because they only frame text.
    """
    columns, tops = (sorted({cell[side] for cell in cells}) for side in (0, 1))
    if len(columns) < 2 or len(tops) < 2:
        return None, []
    x0 = columns[0]
    top = tops[0]
    x1 = max(cell[2] for cell in cells)
    bottom = max(cell[3] for cell in cells)
    inside: dict[tuple[float, float], list[Letter]] = {cell[:2]: [] for cell in cells}
    rest = []
    for letter in letters:
        x = (letter.x0 + letter.x1) / 2
        y = letter.y - letter.size / 3
        around = (cell for cell in cells if cell[0] <= x <= cell[2] and cell[1] <= y <= cell[3])
        if x0 <= x <= x1 and top <= y <= bottom and (cell := next(around, None)):
            inside[cell[:2]].append(letter)
        else:
            rest.append(letter)
    runs = {place: runs_of(held, page) for place, held in inside.items()}
    lines = {place: lines_of(held) for place, held in runs.items()}
    sizes = [sum(len(line.text) for line in held) for held in lines.values()]
    # A cell that holds most of a table's letters, in more than eight lines, is framed text.
    is_frame = 2 * max(sizes) > sum(sizes) and len(max(lines.values(), key=len)) > 8
    if is_frame or _is_part(runs.values(), [letter for letter in rest if top <= letter.y <= bottom]):
        return None, []
    widths = {cell[:2]: cell[2] - cell[0] for cell in cells}
    rows = [
        row
        for start in tops
        for row in _divide([(lines.get((left, start), []), widths.get((left, start), 0.0)) for left in columns])
    ]
    rows = [list(row) for row in zip(*filter(any, zip(*rows, strict=True)), strict=True)]
    if len(rows) < 2 or sum(bool(text) for row in rows for text in row) < 3:
        return None, []
    return PageTable(rows, x0, top, x1, bottom, page), rest


def _divide(cells: Sequence[tuple[Sequence[GlyphRun], float]]) -> list[list[str]]:
    """Return a ruled row as a single row if a cell is running text, or as one row per baseline otherwise.

    Each cell is a pair of its lines and its width.
    """
    several = [cell for cell in cells if len(cell[0]) > 1]
    if len(several) < 2 or any(go_on(list(pairwise(lines)), width) for lines, width in several):
        return [[reduce(join_texts, [line.text for line in lines], "") for lines, _ in cells]]
    column = {id(line): number for number, (lines, _) in enumerate(cells) for line in lines}
    rows = by_baseline([line for lines, _ in cells for line in lines])
    return fill_cells([[(column[id(line)], line.text) for line in row] for row in rows], len(cells))


def _is_part(cells: Collection[Sequence[GlyphRun]], outside: Sequence[Letter]) -> bool:
    """Return whether ruled lines frame only part of a table.

    This is the case if rows continue outside the lines, or if a cell contains a table itself.
    """
    if any(sum(len(row) > 1 for row in by_baseline(runs)) >= _ROWS for runs in cells):
        return True
    baselines = {round(run.y) for runs in cells for run in runs}
    return len(baselines & {round(letter.y) for letter in outside}) >= max(_ROWS, 0.5 * len(baselines))


# Blocks of text as Markdown, with the offsets at which pages begin.

_ENDS = tuple(".!?。！？：:;；…”」")
# A gap larger than this multiple of the usual line spacing ends a paragraph.
_SPACED = 1.6
# This many consecutive lines in the same style can't be headings.
_SEVERAL = 4


@dataclass(slots=True)
class PageBlock:
    """A block of text. `level` is a heading's level or a list item's depth.

    `stated` means that a heading is one of the document's bookmarks.
    """

    kind: Literal["heading", "text", "item", "code", "table", "callout"]
    text: str
    page: int
    level: int = 0
    places: list[tuple[int, int]] = field(default_factory=list)
    """Offsets in the text at which later pages begin, each with the page number."""
    stated: bool = False


def to_markdown(blocks: Sequence[PageBlock], pages: int) -> tuple[str, list[int]]:
    """Return blocks as Markdown, and the offset at which each page begins."""
    text = ""
    before = ""
    starts: dict[int, int] = {}
    for block in blocks:
        text += "" if not before else "\n" if before == block.kind == "item" else "\n\n"
        starts.setdefault(block.page, len(text))
        match block.kind:
            case "heading":
                text += f"{'#' * block.level} {block.text}"
            case "code":
                text += code_block(block.text)
            case "item":
                text += "  " * block.level + block.text
            case "text":
                # Escape the start of a paragraph if Markdown would read it as markup.
                text += re.sub(
                    r"^(\d*)((?<=\d)[.)]\s|(?<!\d)(?:#{1,6}\s|>|[+*-]\s|~~~|```|=+$|-+$))", r"\1\\\2", block.text
                )
            case _:
                text += block.text
        for place, page in block.places:
            starts.setdefault(page, len(text) - len(block.text) + place)
        before = block.kind
    places = []
    following = len(text) + 1
    for number in range(pages, 0, -1):
        following = starts.get(number, following)
        places.append(following)
    return text + "\n", places[::-1]


def views_of(page: Page) -> list[View]:
    """Return a page's lines and tables, with upright ones first, then those in other directions."""
    tables, letters = ruled_tables(page)
    view = View(page.number, page.height, order_parts(runs_of(letters, page.number), tables))
    return [view, *(view for other in page.aside for view in views_of(other))]


def letters_in(views: Sequence[View]) -> int:
    """Return the number of letters and digits in the views."""
    texts = (text for view in views for column in view.columns for part in column for text in part.texts)
    return sum(map(str.isalnum, "".join(texts)))


def text_of(
    views: Sequence[View], pages: int, outline: Titles, scans: Mapping[int, str], asides: Mapping[int, Asides]
) -> tuple[str, list[int], Texts]:
    """Return a document's text, the offset at which each page begins, and the removed running heads.

    `pages` is the number of pages. `outline` gives the levels of bookmarked titles. `scans` gives the OCR text of
    scanned pages, which is added after their other text. `asides` are added at the end of their pages.
    """
    weights = Counter[float]()
    for line in _lines(views):
        weights[line.size] += len(line.text)
    body = max(weights, key=weights.__getitem__, default=10.0)
    running = drop_running(views, pages, body, outline)
    styles = styles_of(views, outline, body)
    blocks = list[PageBlock]()
    for number, page_views in groupby(views, key=attrgetter("number")):
        scan = scans.get(number, "")
        read = normalize_title(scan)
        for view in page_views:
            for column in view.columns:
                # On a scanned page, add only what OCR missed, such as small or rotated text.
                missed = [
                    part for part in column if not read or any(normalize_title(text) not in read for text in part.texts)
                ]
                _add(blocks, missed, styles, outline)
        blocks += [PageBlock("text", part, number) for part in scan.split("\n\n") if part.strip()]
    _demote(blocks)
    for number, aside in asides.items():
        blocks += [PageBlock("text", text, number) for text in aside.descriptions]
        blocks += [PageBlock("callout", text, number) for text in aside.comments]
    return *to_markdown(sorted(blocks, key=attrgetter("page")), pages), running


def _demote(blocks: Sequence[PageBlock]) -> None:
    """Turn false headings into text.

    These are headings that are long, that have no text below them, or whose level holds form values. A level holds form
    values if its headings are more than half as long as the text below them.
    """
    headings = defaultdict[int, list[int]](list)
    below = Counter[int]()
    above = list[int]()
    for block in blocks:
        if block.kind == "heading":
            above = [*(level for level in above if level < block.level), block.level]
            headings[block.level].append(len(block.text))
        for level in above:
            below[level] += len(block.text)
    # A level with fewer than four headings isn't checked.
    values = {
        level for level, sizes in headings.items() if len(sizes) >= 4 and sum(sizes) > 0.5 * (below[level] - sum(sizes))
    }
    next_level: int | None = 0
    for block in reversed(blocks):
        level_now = block.level if block.kind == "heading" else None
        if level_now is not None and not block.stated:
            is_bare = next_level is not None and next_level <= level_now
            if is_bare or len(block.text) > LONGEST or level_now in values:
                block.kind = "text"
                block.level = 0
        next_level = level_now


def _add(blocks: list[PageBlock], column: Sequence[Part], styles: Styles, outline: Titles) -> None:
    lines = [part for part in column if isinstance(part, GlyphRun)]
    right = max((line.x1 for line in lines), default=0.0)
    left = min((line.x0 for line in lines), default=0.0)
    last = None
    starts = list[float]()
    alike = _like_neighbours(column, styles)
    for number, part in enumerate(column):
        if isinstance(part, PageTable):
            blocks.append(PageBlock("table", table(part.rows), part.page))
            last = None
            continue
        block = _start_block(part, styles, outline, starts, differs=number not in alike)
        before = blocks[-1] if blocks else None
        if block.kind == "code" and last and before and before.kind == "code":
            blank = "\n" if part.y - last.y > _SPACED * 1.2 * part.size else ""
            indent = " " * max(0, round((part.x0 - left) / (0.6 * part.size)))
            before.text += f"{blank}\n{indent}{part.text}"
        elif last and before and _goes_on(before, block, last, part, right, styles):
            before.text = join_texts(before.text, part.text, styles.compounds)
        elif block.kind == "text" and last is None and before and _crosses(before, block):
            before.text = join_texts(before.text, block.text, styles.compounds)
            if block.page > (before.places[-1][1] if before.places else before.page):
                before.places.append((len(before.text) - len(block.text), block.page))
        else:
            left = part.x0 if block.kind == "code" else left
            blocks.append(block)
        if block.kind not in ("item", "text"):
            starts.clear()
        last = part


def _like_neighbours(column: Sequence[Part], styles: Styles) -> set[int]:
    """Return the indexes of lines that can't be headings because many lines in a row share their style."""
    alike = set()
    stretch = list[int]()
    for number, (last, line) in enumerate(pairwise([None, *column])):
        goes_on = (
            isinstance(last, GlyphRun)
            and isinstance(line, GlyphRun)
            and abs(last.size - line.size) < 0.5
            and last.bold == line.bold
            and line.y - last.y <= styles.pitch_at(line)
        )
        stretch = [*stretch[1 - _SEVERAL :], number] if goes_on else [number]
        if len(stretch) >= _SEVERAL:
            alike.update(stretch)
    return alike


def _start_block(line: GlyphRun, styles: Styles, outline: Titles, starts: list[float], *, differs: bool) -> PageBlock:
    """Return the block that a line would start. `starts`, the left edges of the open list levels, is updated."""
    stated = outline.get((line.page, normalize_title(line.text)), 0) if line.bold or line.size > styles.body else 0
    if level := stated or (differs and styles.level(line)):
        return PageBlock("heading", line.text, line.page, level, stated=bool(stated))
    if line.fixed and not styles.fixed:
        return PageBlock("code", line.text, line.page)
    if match := re.match(r"[•◦▪‣●○■□◆➢✓·*–-]\s*(?=\S)|(?=[☐☑]\s+\S)|(\d{1,3})[.)]\s+(?=\S)", line.text):
        while starts and line.x0 < starts[-1] - 3:
            starts.pop()
        if not starts or line.x0 > starts[-1] + 3:
            starts.append(line.x0)
        label = f"{match[1]}." if match[1] else "-"
        return PageBlock("item", f"{label} {line.text[match.end() :]}", line.page, len(starts) - 1)
    return PageBlock("text", line.text, line.page)


def _goes_on(before: PageBlock, block: PageBlock, last: GlyphRun, line: GlyphRun, right: float, styles: Styles) -> bool:
    """Return whether a line continues the previous block."""
    gap = line.y - last.y
    if block.kind == "heading":
        return (
            before.kind == "heading"
            and before.level == block.level
            and gap <= 1.5 * line.size
            and abs(last.size - line.size) < 0.5
            and last.bold == line.bold
            and last.x1 > 0.6 * right
        )
    if block.kind != "text" or before.kind not in ("text", "item"):
        return False
    if gap > styles.pitch_at(line) or abs(last.size - line.size) > 0.15 * line.size:
        return False
    if not last.text.endswith(_ENDS):
        return True
    # A sentence may end with the line only because the next word didn't fit. An indented line starts a new paragraph.
    first = 1 if WIDE.match(line.text) else len(line.text.partition(" ")[0])
    is_short = last.x1 + first / len(line.text) * (line.x1 - line.x0) + 0.5 * line.size < right
    return not is_short and not (before.kind == "text" and line.x0 > last.x0 + 0.8 * line.size)


def _crosses(before: PageBlock, block: PageBlock) -> bool:
    """Return whether a paragraph continues in a new column or on a new page."""
    return (
        before.kind == "text"
        and not before.text.endswith(_ENDS)
        and len(before.text) > 40
        and bool(re.match(r"[a-z(]", block.text) or WIDE.match(block.text))
    )
