"""A chunk for every section, by its headings."""

from bisect import bisect_left
from dataclasses import dataclass

from core.chunking import describe
from core.chunking.options import options, size
from core.chunking.pieces import Size, Slice, Span, pack, trim
from core.chunking.reading import Reading, Tokens, read
from core.model import Chunk, Note
from core.outline import Block, Heading

SECTION_LEVEL = 3
"""Headings to this level always begin a section; deeper ones where a section is too large."""


@dataclass(frozen=True, slots=True)
class _Section:
    """A heading with its own text; level 0 is the text before the first heading."""

    start: int
    end: int
    level: int


class MarkdownAware:
    """Makes the own text of every section of level 1 to 3 a chunk; nothing overlaps.

    A section over `max_single_chunk_size` tokens is cut at its deeper headings, level by level, then
    between its blocks into parts of `chunk_size`, and a block over the limit inside (between list
    items, rows, sentences). A section of fewer than `chunk_size // 16` tokens, heading and all, is
    joined to the next one as long as that is its sibling or child (its level is the same or deeper)
    and both fit the limit; joined sections count as one of the first one's level. The text before
    the first heading is never joined.
    """

    def __init__(self, tokens: Tokens, *, chunk_size: int = 512, max_single_chunk_size: int = 1500) -> None:
        self._tokens = tokens
        self._size = Size(size(chunk_size, max_single_chunk_size), max_single_chunk_size)

    @property
    def fingerprint(self) -> str:
        return options("markdown", chunk_size=self._size.target, max_single_chunk_size=self._size.limit)

    def chunk(self, note: Note) -> list[Chunk]:
        return self.cut(read(note, self._tokens))

    def cut(self, reading: Reading) -> list[Chunk]:
        headings = [heading for heading in reading.outline.headings if not heading.nested]
        whole = _Section(0, len(reading.body), 0)
        spans = _SectionCutter(reading, headings, self._size).spans(whole, SECTION_LEVEL)
        trimmed = (trim(reading.body, *span) for span in spans)
        slices = [Slice(start, end, start) for start, end in trimmed if start < end]
        return describe.chunks(reading, slices, "markdown_section")


class _SectionCutter:
    def __init__(self, reading: Reading, headings: list[Heading], size: Size) -> None:
        self._reading = reading
        self._headings = headings
        self._heading_starts = [heading.start for heading in headings]
        self._block_starts = [block.start for block in reading.outline.blocks]
        self._size = size

    def spans(self, section: _Section, level: int) -> list[Span]:
        """Cut a section at its headings down to `level`, and what is too large at deeper ones."""
        found = []
        for part in self._joined(self._parts(section, level)):
            if self._reading.count(part.start, part.end) <= self._size.limit:
                found.append((part.start, part.end))
            elif level < 6:
                found += self.spans(part, level + 1)
            else:
                blocks = self._blocks(part)
                found += pack(self._reading, blocks, part.start, part.end, self._size)
        return found

    def _parts(self, section: _Section, level: int) -> list[_Section]:
        first = bisect_left(self._heading_starts, section.start)
        last = bisect_left(self._heading_starts, section.end)
        edges = [(heading.start, heading.level) for heading in self._headings[first:last] if heading.level <= level]
        if not edges or edges[0][0] > section.start:
            edges.insert(0, (section.start, section.level))
        ends = [start for start, _ in edges[1:]] + [section.end]
        return [_Section(start, end, rank) for (start, rank), end in zip(edges, ends, strict=True)]

    def _joined(self, parts: list[_Section]) -> list[_Section]:
        joined: list[_Section] = []
        for part in parts:
            small = joined[-1] if joined else None
            if small and small.level and part.level >= small.level and self._fits(small, part):
                joined[-1] = _Section(small.start, part.end, small.level)
            else:
                joined.append(part)
        return joined

    def _fits(self, small: _Section, part: _Section) -> bool:
        few = self._size.target // 16
        if self._reading.count(small.start, small.end) >= few:
            return False
        return self._reading.count(small.start, part.end) <= self._size.limit

    def _blocks(self, section: _Section) -> tuple[Block, ...]:
        first = bisect_left(self._block_starts, section.start)
        last = bisect_left(self._block_starts, section.end)
        return self._reading.outline.blocks[first:last]
