"""Blocks -> slices of a size: packed where they are small, cut at the best place where too large."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from core.chunking import boundaries
from core.chunking.reading import Reading
from core.outline import Block, BlockKind


@dataclass(frozen=True, slots=True)
class Slice:
    """`body[start:end]`, of which `body[start:own]` is shared with the slice before."""

    start: int
    end: int
    own: int


@dataclass(frozen=True, slots=True)
class Size:
    """Tokens: slices are filled up to `target`, and what belongs together stays so up to `limit`."""

    target: int
    limit: int

    def behind(self, lead: int) -> "Size":
        """Leave room for a lead of so many tokens, unless it would take more than half."""
        if 2 * lead > self.target:
            return self
        return Size(self.target - lead, self.limit - lead)


Span = tuple[int, int]
Finder = Callable[[str, int, int], list[int]]
Level = tuple[Finder, bool]
"""Where to cut, and whether a piece between two such places stays whole up to the limit."""

PROSE: tuple[Level, ...] = (
    (boundaries.sentence_starts, False),
    (boundaries.line_starts, False),
    (boundaries.clause_starts, False),
    (boundaries.word_starts, True),
    (boundaries.space_ends, False),
)
_LINES: tuple[Level, ...] = ((boundaries.line_starts, True), *PROSE)
_PARAGRAPHS: tuple[Level, ...] = ((boundaries.gap_ends, False), *_LINES)
ROWS: dict[str, tuple[Level, ...]] = {
    "fence": _PARAGRAPHS,
    "code": _PARAGRAPHS,
    "html": _PARAGRAPHS,
    "comment": _PARAGRAPHS,
    "math": _LINES,
    "table": _LINES,
}
_FIRST_LINE: Level = (lambda text, start, end: boundaries.line_starts(text, start, end)[:1], True)


def pack(
    reading: Reading, blocks: Sequence[Block], start: int, end: int, size: Size, *, inside: BlockKind | None = None
) -> list[Span]:
    """Return spans that cover `start` to `end` and begin where one of the blocks does.

    Blocks are gathered up to the target; one over the target stays whole up to the limit and is cut
    inside only above it. A heading is never the last of several blocks, nor is the summary of details.
    `inside`: what the blocks are the children of.
    """
    spans: list[Span] = []
    opened, kept = start, start
    for index, block in enumerate(blocks):
        begin = start if index == 0 else block.start
        stop = blocks[index + 1].start if index + 1 < len(blocks) else end
        if opened < begin and reading.count(opened, stop) > size.target and kept > opened:
            spans.append((opened, kept))
            opened = kept
        if reading.count(opened, stop) > size.limit:
            # What stands above the first of details' blocks is a heading's.
            if opened < block.start and reading.count(block.start, stop) <= size.limit:
                spans.append((opened, block.start))
                opened = block.start
            else:
                spans += split(reading, block, opened, stop, size, item=inside == "item" and index == 0)
                opened = stop
        if block.kind != "heading" and (index > 0 or inside != "details"):
            kept = stop
    if opened < end:
        spans.append((opened, end))
    return _join_tail(reading, spans, size)


def split(reading: Reading, block: Block, start: int, end: int, size: Size, *, item: bool = False) -> list[Span]:
    """Cut a block over the limit: between its children, its rows, or its sentences.

    What stands before the block, a heading or a summary, stays with its first piece. `item`: the block
    opens a list item, whose first line stays whole up to the limit.
    """
    size = size.behind(reading.count(block.start, block.start + len(block.lead)) if block.lead else 0)
    if block.children:
        return pack(reading, block.children, start, end, size, inside=block.kind)
    above = [(start, block.start + 1)] if start < block.start else []
    if block.kind in ROWS:
        return cut(reading, start, end, ROWS[block.kind], size, above + solid_rows(reading.body, block))
    return cut(reading, start, end, (_FIRST_LINE, *PROSE) if item else PROSE, size, above)


def cut(
    reading: Reading, start: int, end: int, levels: Sequence[Level], size: Size, solid: Sequence[Span] = ()
) -> list[Span]:
    """Cut a span at the first level's places, and what is still too large at the next one's.

    Behind the last level a piece is cut between tokens. Inside a `solid` span nothing is cut before a
    level that keeps its pieces whole has left one over the limit.
    """
    if reading.count(start, end) <= size.target:
        return [(start, end)]
    if not levels:
        return list(_between_tokens(reading, start, end, size.target))
    (find, whole), deeper = levels[0], levels[1:]
    keep = size.limit if whole else size.target
    points = boundaries.outside(find(reading.body, start, end), solid)
    edges = np.array([start, *points, end], dtype=np.int64)
    ranks = np.searchsorted(reading.starts, edges)
    spans: list[Span] = []
    first, last = 0, len(edges) - 1
    while first < last:
        reach = int(np.searchsorted(ranks, ranks[first] + size.target, side="right")) - 1
        piece = (int(edges[first]), int(edges[max(reach, first + 1)]))
        if reach > first or ranks[first + 1] - ranks[first] <= keep:
            spans.append(piece)
        else:
            spans += cut(reading, *piece, deeper, size, () if whole else solid)
        first = max(reach, first + 1)
    return join(reading, spans, size.target)


def join(reading: Reading, spans: Sequence[Span], target: int) -> list[Span]:
    """Join neighbours as long as they fit: what a deeper level left over is often small."""
    joined: list[Span] = []
    for span in spans:
        if joined and reading.count(joined[-1][0], span[1]) <= target:
            joined[-1] = (joined[-1][0], span[1])
        else:
            joined.append(span)
    return joined


def trim(body: str, start: int, end: int) -> Span:
    """Take blank lines and trailing white space off; the indentation of the first line stays."""
    end = start + len(body[start:end].rstrip())
    first = end - len(body[start:end].lstrip())
    line = max(body.rfind("\n", start, first), body.rfind("\r", start, first)) + 1
    if line > start or start == 0 or body[start - 1] in "\r\n":
        return max(line, start), end
    return first, end


def solid_rows(body: str, block: Block) -> list[Span]:
    """A table's header with its first row, a fence's last row with the line that closes it."""
    lines = [block.start, *boundaries.line_starts(body, block.start, block.end), block.end]
    if block.kind == "table" and len(lines) > 3:
        return [(lines[0], lines[3])]
    if block.kind in ("fence", "math") and len(lines) > 4:
        return [(lines[0], lines[2]), (lines[-3], lines[-1])]
    return []


def _between_tokens(reading: Reading, start: int, end: int, target: int) -> Iterator[Span]:
    first, last = (int(rank) for rank in np.searchsorted(reading.starts, (start, end)))
    while last - first > target:
        ranks = range(first + target, first, -1)
        apart = (rank for rank in ranks if not boundaries.is_joined(reading.body, int(reading.starts[rank])))
        rank = next(apart, first + target)
        point = int(reading.starts[rank])
        if point > start:
            yield start, point
        start, first = point, rank
    yield start, end


def _join_tail(reading: Reading, spans: list[Span], size: Size) -> list[Span]:
    """Let the last span be part of the one before where it is small and both fit the limit."""
    if len(spans) > 1 and 4 * reading.count(*spans[-1]) < size.target:
        before, tail = spans[-2:]
        if reading.count(before[0], tail[1]) <= size.limit:
            return [*spans[:-2], (before[0], tail[1])]
    return spans
