"""The pages of a PDF -> Markdown: what repeats at their edges goes, sizes make headings, gaps make paragraphs."""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal

from core.documents.pdf.letters import WIDE, joined
from core.documents.pdf.lines import Run, Table, lines_of, runs_of, tables_of
from core.documents.pdf.order import flows
from core.documents.pdf.reading import Page, squeezed

_EDGE = 0.1
"""Share of a page's height, at its top and bottom, in which running heads stand."""
_NUMBER = re.compile(
    r"(?i)\W*(?:page|seite|第)?\s*(?:\d{1,4}|[ivxl]{1,6})(?:\s*(?:/|of|von|页，?\s*共)\s*\d{1,4})?\s*页?\W*"
)
_LARGER = 1.1
"""From how many times the size of the body on a line is a heading."""
_LONGEST = 200
_BULLET = re.compile(r"^[•◦▪‣●○■□◆➢✓·*–-]\s*(?=\S)")
_ITEM = re.compile(r"^(\d{1,3})[.)]\s+(?=\S)")
_ENDS = tuple(".!?。！？：:;；…”」")
_SPACED = 1.6
"""How many times the usual distance of lines is one of paragraphs."""

Columns = list[tuple[int, list[list[Run | Table]]]]
"""Of each page its number, and its lines and tables in reading order."""
Kind = Literal["heading", "text", "item", "code", "table"]


@dataclass(slots=True)
class Block:
    """A part of the text; `level` is that of a heading, or the depth of an item."""

    kind: Kind
    text: str
    page: int
    level: int = 0
    places: list[tuple[int, int]] = field(default_factory=list)
    """(characters before, page) where a later page begins in the text."""


@dataclass(frozen=True, slots=True)
class Styles:
    """Size of the body and the levels of larger sizes; with `fixed` the whole document is in a font of fixed width."""

    body: float
    levels: Mapping[float, int]
    fixed: bool
    pitch: float

    def level(self, line: Run) -> int:
        """Return the level of a line that is a heading by its font, else 0."""
        if not any(map(str.isalnum, line.text)) or len(line.text) > _LONGEST or (line.fixed and not self.fixed):
            return 0
        if line.size in self.levels:
            return self.levels[line.size]
        ends = line.text.endswith((".", "。", ",", "，", ";", "；", ":", "："))
        is_bold = line.bold and line.size >= 0.9 * self.body and len(line.text) <= 100 and not ends
        return min(6, max(self.levels.values(), default=0) + 1) if is_bold else 0


def columns_of(page: Page) -> list[list[Run | Table]]:
    """Return the lines and tables of a page, in the columns that they form."""
    tables, letters = tables_of(page)
    made: list[list[Run | Table]] = []
    for flow in flows([*runs_of(letters, page.number), *tables]):
        lines = lines_of(part for part in flow if isinstance(part, Run))
        parts: list[Run | Table] = [*lines, *(part for part in flow if isinstance(part, Table))]
        made.append(sorted(parts, key=lambda part: part.top))
    return made


def text_of(
    columns: Columns,
    heights: Mapping[int, float],
    outline: Mapping[tuple[int, str], int],
    scans: Mapping[int, str],
) -> tuple[str, list[int]]:
    """Return the text, and where each page begins in it.

    `outline` has levels of titles, `scans` the texts of pages that OCR read, by their numbers.
    """
    body = _body(columns)
    _drop_running(columns, heights, body, outline)
    styles = _styles(columns, outline, body)
    blocks: list[Block] = []
    for number, flow in columns:
        if number in scans:
            blocks += [Block("text", part, number) for part in scans[number].split("\n\n") if part.strip()]
            continue
        for column in flow:
            _add(blocks, column, styles, outline)
    return _written(blocks, len(columns))


def _drop_running(
    columns: Columns, heights: Mapping[int, float], body: float, outline: Mapping[tuple[int, str], int]
) -> None:
    """Leave out lines near the edges of pages that are page numbers, or that are on many pages but for numbers."""
    at_edges: defaultdict[tuple[str, bool], set[int]] = defaultdict(set)
    edges: list[tuple[list[Run | Table], Run, tuple[str, bool]]] = []
    for number, flow in columns:
        height = heights[number]
        for column in flow:
            for line in column:
                if isinstance(line, Run) and not _EDGE * height < line.y < (1 - _EDGE) * height:
                    text = squeezed(line.text)
                    is_title = line.size >= _LARGER * body or (line.page, text) in outline
                    key = text if is_title else re.sub(r"\d+", "#", text), line.y < height / 2
                    at_edges[key].add(number)
                    edges.append((column, line, key))
    many = max(2, 0.25 * len(columns)) if len(columns) > 2 else 2
    for column, line, key in edges:
        repeats = len(at_edges[key]) >= many and len(line.text) < 120
        if repeats or (_NUMBER.fullmatch(line.text) and len(line.text) < 20):
            column.remove(line)


def _lines(columns: Columns) -> list[Run]:
    return [line for _, flow in columns for column in flow for line in column if isinstance(line, Run)]


def _body(columns: Columns) -> float:
    """Return the size of most letters."""
    weights: Counter[float] = Counter()
    for line in _lines(columns):
        weights[line.size] += len(line.text)
    return weights.most_common(1)[0][0] if weights else 10.0


def _styles(columns: Columns, outline: Mapping[tuple[int, str], int], body: float) -> Styles:
    lines = _lines(columns)
    pitches: Counter[float] = Counter()
    for _, flow in columns:
        for column in flow:
            for first, second in pairwise(column):
                if isinstance(first, Run) and isinstance(second, Run) and first.size == second.size == body:
                    pitches[round(second.y - first.y)] += 1
    fixed = sum(len(line.text) for line in lines if line.fixed) > 0.6 * sum(len(line.text) for line in lines)
    larger = [line for line in lines if line.size >= _LARGER * body and any(map(str.isalpha, line.text))]
    sizes = sorted({line.size for line in larger if len(line.text) <= _LONGEST}, reverse=True)
    levels = {size: min(6, level) for level, group in enumerate(_close(sizes), start=1) for size in group}
    stated: defaultdict[float, Counter[int]] = defaultdict(Counter)
    for line in larger:
        if level := outline.get((line.page, squeezed(line.text))):
            stated[line.size][level] += 1
    levels |= {size: counts.most_common(1)[0][0] for size, counts in stated.items()}
    pitch = max(pitches, key=lambda one: pitches[one], default=round(1.2 * body))
    return Styles(body, levels, fixed, max(pitch, 1.0))


def _close(sizes: Sequence[float]) -> list[list[float]]:
    """Return descending sizes in groups of those that differ by half a point at most."""
    groups: list[list[float]] = []
    for size in sizes:
        if groups and groups[-1][0] - size <= 0.5:
            groups[-1].append(size)
        else:
            groups.append([size])
    return groups


def _add(
    blocks: list[Block], column: Sequence[Run | Table], styles: Styles, outline: Mapping[tuple[int, str], int]
) -> None:
    """Add the lines and tables of a column to the blocks before it."""
    right = max((part.x1 for part in column if isinstance(part, Run)), default=0.0)
    left = min((part.x0 for part in column if isinstance(part, Run)), default=0.0)
    last: Run | None = None
    starts: list[float] = []
    for part in column:
        if isinstance(part, Table):
            blocks.append(Block("table", _table(part.rows), part.page))
            last = None
            continue
        block = _begun(part, styles, outline, starts)
        if block.kind == "code" and last and blocks[-1].kind == "code":
            blank = "\n" if part.y - last.y > _SPACED * 1.2 * part.size else ""
            blocks[-1].text += blank + "\n" + _indent(part, left, part.size) + part.text
        elif last and _goes_on(blocks[-1], block, last, part, right, styles):
            blocks[-1].text = joined(blocks[-1].text, part.text)
        elif block.kind == "text" and last is None and blocks and _crosses(blocks[-1], block):
            _join(blocks[-1], block)
        else:
            if block.kind == "code":
                left = part.x0
            blocks.append(block)
        if block.kind not in ("item", "text"):
            starts.clear()
        last = part


def _begun(line: Run, styles: Styles, outline: Mapping[tuple[int, str], int], starts: list[float]) -> Block:
    """Return the block that a line would begin; `starts` are the places of the items before it."""
    stated = outline.get((line.page, squeezed(line.text)), 0) if line.bold or line.size > styles.body else 0
    if level := stated or styles.level(line):
        return Block("heading", line.text, line.page, level)
    if line.fixed and not styles.fixed:
        return Block("code", line.text, line.page)
    if (match := _BULLET.match(line.text)) or (number := _ITEM.match(line.text)):
        while starts and line.x0 < starts[-1] - 3:
            starts.pop()
        if not starts or line.x0 > starts[-1] + 3:
            starts.append(line.x0)
        text = f"- {line.text[match.end() :]}" if match else f"{number[1]}. {line.text[number.end() :]}"  # type: ignore[index,union-attr]
        return Block("item", text, line.page, len(starts) - 1)
    return Block("text", line.text, line.page)


def _goes_on(before: Block, block: Block, last: Run, line: Run, right: float, styles: Styles) -> bool:
    """Return whether a line goes on with the block before it."""
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


def _first_word(line: Run) -> float:
    """Return about how wide the first word of a line is, which the line before had no room for."""
    first = 1 if WIDE.match(line.text) else len(line.text.partition(" ")[0])
    return first / len(line.text) * (line.x1 - line.x0)


def _crosses(before: Block, block: Block) -> bool:
    """Return whether a paragraph goes on in the next column or on the next page."""
    starts_within = bool(re.match(r"[a-z(]", block.text) or WIDE.match(block.text))
    return before.kind == "text" and not before.text.endswith(_ENDS) and starts_within and len(before.text) > 40


def _join(before: Block, block: Block) -> None:
    if block.page > (before.places[-1][1] if before.places else before.page):
        text = joined(before.text, block.text)
        before.places.append((len(text) - len(block.text), block.page))
        before.text = text
    else:
        before.text = joined(before.text, block.text)


def _indent(line: Run, left: float, size: float) -> str:
    return " " * max(0, round((line.x0 - left) / (0.6 * size)))


def _table(rows: Sequence[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
    return "\n".join([lines[0], "|" + "---|" * len(rows[0]), *lines[1:]])


def _written(blocks: Sequence[Block], pages: int) -> tuple[str, list[int]]:
    parts: list[str] = []
    starts: dict[int, int] = {}
    at = 0
    before: Block | None = None
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


def _markdown(block: Block) -> str:
    if block.kind == "heading":
        return f"{'#' * block.level} {block.text}"
    if block.kind == "code":
        fence = "~~~" if "```" in block.text else "```"
        return f"{fence}\n{block.text}\n{fence}"
    if block.kind == "item":
        return "  " * block.level + block.text
    if block.kind == "text" and re.match(r"#{1,6}\s|>|[+*-]\s|~~~|```|\d+[.)]\s|=+$|-+$", block.text):
        return "\\" + block.text if not block.text[0].isdigit() else re.sub(r"^(\d+)", r"\1\\", block.text)
    return block.text
