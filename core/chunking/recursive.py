"""Pieces of one size with overlap, cut by langchain's recursive splitter."""

from bisect import bisect_left
from collections.abc import Iterator
from itertools import accumulate, pairwise

import numpy as np
from numpy.typing import NDArray

from core.base.text import with_newlines
from core.chunking import boundaries, describe
from core.chunking.options import overlap, size
from core.chunking.reading import TokenizedNote
from core.chunking.slices import PROSE, ROWS, Size, Slice, Span, cut, join, solid_rows, trim
from core.markdown.outline import Block, walk
from core.model import Chunk


class RecursiveCharacter:
    """Cuts a note between paragraphs, else lines, sentences, words or tokens.

    A chunk has up to `chunk_size` tokens. Up to `chunk_overlap` of them repeat the end of the chunk
    before: from the start of a sentence if that gives at least half the overlap, else of a word.
    Code, tables, math, HTML and links stay in one piece up to `max_single_chunk_size` tokens and share
    nothing with a neighbour; larger ones are cut between rows. A heading stays with the text below it.
    """

    def __init__(self, *, chunk_size: int = 512, chunk_overlap: int = 100, max_single_chunk_size: int = 1500) -> None:
        self._size = Size(size(chunk_size, max_single_chunk_size), max_single_chunk_size)
        self._overlap = overlap(chunk_overlap, chunk_size)

    def cut(self, reading: TokenizedNote) -> list[Chunk]:
        size = Size(self._size.target - self._overlap, self._size.limit)
        solid = _solid(reading, size)
        if len(reading.starts) <= self._size.target:
            spans = [(0, len(reading.body))]
        else:
            spans = _separated(reading, solid, size.target)
            spans = _bounded(reading, _with_headings(reading, spans), solid, size)
        trimmed = (trim(reading.body, *span) for span in spans)
        own = [span for span in trimmed if span[0] < span[1]]
        return describe.chunks(reading, self._overlapping(reading, own, solid), "recursive_character")

    def _overlapping(self, reading: TokenizedNote, own: list[Span], solid: NDArray[np.bool_]) -> list[Slice]:
        slices: list[Slice] = []
        for start, end in own:
            shared = start
            if slices and self._overlap and not describe.lead_at(reading.outline.blocks, start):
                room = min(self._overlap, self._size.limit - reading.count(start, end))
                shared = _shared_start(reading, slices[-1], start, room, solid)
            slices.append(Slice(trim(reading.body, shared, end)[0], end, start))
        return slices


def _separated(reading: TokenizedNote, mask: NDArray[np.bool_], target: int) -> list[Span]:
    """Cut the body with langchain's splitter into spans without gaps.

    The splitter gets a copy of the body. A mark before every token lets its length function count
    marks. Filler replaces the text that must stay whole, so that no separator matches in it. The pieces
    add up to the copy, so their lengths without the marks give the offsets in the body.
    """
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    codes = np.frombuffer(with_newlines(reading.body).encode("utf-32-le", "surrogatepass"), dtype="<u4").copy()
    used = set(reading.body)
    unused = (code for code in range(0xE000, 0x110000) if chr(code) not in used)
    mark, filler = next(unused), next(unused)
    codes[mask] = filler
    marked = np.insert(codes, reading.starts, mark).tobytes().decode("utf-32-le", "surrogatepass")
    sign = chr(mark)
    splitter = RecursiveCharacterTextSplitter(
        separators=_separators(sign, chr(filler), max(1, target // 8)),
        is_separator_regex=True,
        keep_separator="end",
        strip_whitespace=False,
        chunk_size=target,
        chunk_overlap=0,
        # At least 1: otherwise thousands of pieces without a token would fill one chunk, and langchain
        # takes quadratic time to empty it.
        length_function=lambda text: max(1, text.count(sign)) if text else 0,
    )
    lengths = (len(piece) - piece.count(sign) for piece in splitter.split_text(marked))
    return list(pairwise(accumulate(lengths, initial=0)))


def _separators(mark: str, filler: str, run: int) -> list[str]:
    """Return the patterns at which a piece may end, best first; the last one matches up to `run` tokens.

    A mark may come before every character.
    """
    closing = rf"(?:{mark}*[”’」』）》】\"'\)\]])*"
    blank = rf"[{mark} \t\u3000\xa0]"
    return [
        rf"\n(?:{blank}*\n)+",
        r"\n",
        rf"[。！？；…]{closing}",
        rf"[.!?]{closing}{blank}*[ \t]",
        r"[，、：]",
        rf"[ \t\u3000\xa0]+(?:{mark}+[ \t\u3000\xa0]+)*",
        # Several tokens at once: a text without any other separator may have millions.
        rf"(?:{mark}+[^{mark}{filler}]++){{1,{run}}}(?<!\u200d)(?!{mark}*{boundaries.JOINED})",
    ]


def _solid(reading: TokenizedNote, size: Size) -> NDArray[np.bool_]:
    """Flag the characters that stay together: blocks, rows, first lines of list items, links."""
    flags = np.zeros(len(reading.body), dtype=bool)
    for block in walk(reading.outline.blocks):
        for start, end in _solid_in(reading, block, size):
            flags[start:end] = True
    return flags


def _solid_in(reading: TokenizedNote, block: Block, size: Size) -> Iterator[Span]:
    body = reading.body
    if block.kind == "details" and reading.count(block.start, block.end) <= size.limit:
        yield block.start, block.end
    elif block.kind in ROWS:
        if reading.count(block.start, block.end) <= size.limit:
            yield block.start, block.end
            return
        rows = [block.start, *boundaries.line_starts(body, block.start, block.end), block.end]
        spans = [*pairwise(rows), *solid_rows(body, block)]
        for start, end in spans:
            end = start + len(body[start:end].rstrip())
            if reading.count(start, end) <= size.limit:
                yield start, end
    elif not block.children:
        for start, end in boundaries.unbreakable(body, block.start, block.end):
            if reading.count(start, end) <= size.limit:
                yield start, end
        if block.kind == "heading" and reading.count(block.start, block.end) <= size.target:
            yield block.start, block.end
    elif block.kind == "item":
        first = [*boundaries.line_starts(body, block.start, block.end), block.end][0]
        if reading.count(block.start, first) <= size.limit:
            yield block.start, block.start + len(body[block.start : first].rstrip())


def _with_headings(reading: TokenizedNote, spans: list[Span]) -> list[Span]:
    """Move headings at the end of a span to the next span, which has their text."""
    blocks = reading.outline.blocks
    starts = [block.start for block in blocks]
    edges = [0]
    for _, end in spans[:-1]:
        index = bisect_left(starts, end) - 1
        while index >= 0 and blocks[index].kind == "heading" and blocks[index].start >= edges[-1]:
            end = blocks[index].start
            index -= 1
        edges.append(end)
    edges.append(len(reading.body))
    return [(start, end) for start, end in pairwise(edges) if start < end]


def _bounded(reading: TokenizedNote, spans: list[Span], solid: NDArray[np.bool_], size: Size) -> list[Span]:
    """Join the small pieces that langchain leaves next to every cut, and cut spans over the limit."""

    def lines(text: str, start: int, end: int) -> list[int]:
        return [at for at in boundaries.line_starts(text, start, end) if not (solid[at - 1] and solid[at])]

    def edges(_: str, start: int, end: int) -> list[int]:
        return [int(at) + start + 1 for at in np.flatnonzero(solid[start : end - 1] != solid[start + 1 : end])]

    bounded: list[Span] = []
    for span in join(reading, spans, size.target):
        if reading.count(*span) <= size.limit:
            bounded.append(span)
        else:
            bounded += cut(reading, *span, ((lines, True), (edges, True), *PROSE), size)
    return bounded


def _shared_start(reading: TokenizedNote, before: Slice, start: int, room: int, solid: NDArray[np.bool_]) -> int:
    """Return the start of the text shared with the chunk before; `start` if no text is shared."""
    rank = int(np.searchsorted(reading.starts, start))
    if room <= 0 or rank == 0:
        return start
    body = reading.body
    first = max(before.own, int(reading.starts[max(0, rank - room)]))
    sentences = {*boundaries.line_starts(body, first, start), *boundaries.sentence_starts(body, first, start)}
    if first == before.own:
        sentences.add(first)
    for points in (sorted(sentences), boundaries.word_starts(body, max(before.own, first - 1), start), [first]):
        free = (at for at in points if at > before.start and not (solid[at] and solid[at - 1]))
        point = next(free, start)
        if 2 * reading.count(point, start) >= room and not boundaries.is_joined(body, point):
            return point
    return start
