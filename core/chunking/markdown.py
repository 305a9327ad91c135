"""A chunk for every section, by its headings."""

from bisect import bisect_left
from dataclasses import dataclass

from core.chunking import describe
from core.chunking.options import size
from core.chunking.reading import TokenizedNote
from core.chunking.sections import SECTION_LEVEL
from core.chunking.slices import Size, Slice, Span, pack, trim
from core.markdown.outline import Block, Heading
from core.model import Chunk


@dataclass(frozen=True, slots=True)
class _HeadingSection:
    """A heading with its text down to the next heading; level 0 is the text before the first heading."""

    start: int
    end: int
    level: int


class MarkdownAware:
    """Makes every section of level 1 to 3 a chunk, without its subsections and without overlap.

    A section over `max_single_chunk_size` tokens (the limit) is cut at its deeper headings, level by
    level, then between its blocks into parts of `chunk_size`. A block over the limit is cut between
    its list items, rows or sentences.

    A section of fewer than `chunk_size // 16` tokens, its heading included, is joined with the next
    section if that has the same or a deeper level and both fit the limit. Joined sections have the
    level of the first, and their chunk has the section of the last. The text before the first heading is never joined.
    """

    def __init__(self, *, chunk_size: int = 512, max_single_chunk_size: int = 1500) -> None:
        self._size = Size(size(chunk_size, max_single_chunk_size), max_single_chunk_size)

    def cut(self, reading: TokenizedNote) -> list[Chunk]:
        headings = [heading for heading in reading.outline.headings if not heading.nested]
        whole = _HeadingSection(0, len(reading.body), 0)
        spans = _SectionCutter(reading, headings, self._size).spans(whole, SECTION_LEVEL)
        trimmed = (trim(reading.body, *span) for span in spans)
        slices = [Slice(start, end, start) for start, end in trimmed if start < end]
        return describe.chunks(reading, slices, "markdown_section")


class _SectionCutter:
    def __init__(self, reading: TokenizedNote, headings: list[Heading], size: Size) -> None:
        self._reading = reading
        self._headings = headings
        self._heading_starts = [heading.start for heading in headings]
        self._block_starts = [block.start for block in reading.outline.blocks]
        self._size = size

    def spans(self, section: _HeadingSection, level: int) -> list[Span]:
        """Cut a section at its headings down to `level`, and parts over the limit at deeper headings."""
        spans = []
        for part in self._joined(self._parts(section, level)):
            if self._reading.count(part.start, part.end) <= self._size.limit:
                spans.append((part.start, part.end))
            elif level < 6:
                spans += self.spans(part, level + 1)
            else:
                spans += pack(self._reading, self._blocks(part), part.start, part.end, self._size)
        return spans

    def _parts(self, section: _HeadingSection, level: int) -> list[_HeadingSection]:
        first, last = (bisect_left(self._heading_starts, edge) for edge in (section.start, section.end))
        edges = [(heading.start, heading.level) for heading in self._headings[first:last] if heading.level <= level]
        if not edges or edges[0][0] > section.start:
            edges.insert(0, (section.start, section.level))
        ends = [start for start, _ in edges[1:]] + [section.end]
        return [_HeadingSection(start, end, rank) for (start, rank), end in zip(edges, ends, strict=True)]

    def _joined(self, parts: list[_HeadingSection]) -> list[_HeadingSection]:
        joined: list[_HeadingSection] = []
        for part in parts:
            before = joined[-1] if joined else None
            if before and before.level and part.level >= before.level and self._is_small_enough(before, part):
                joined[-1] = _HeadingSection(before.start, part.end, before.level)
            else:
                joined.append(part)
        return joined

    def _is_small_enough(self, before: _HeadingSection, part: _HeadingSection) -> bool:
        if self._reading.count(before.start, before.end) >= self._size.target // 16:
            return False
        return self._reading.count(before.start, part.end) <= self._size.limit

    def _blocks(self, section: _HeadingSection) -> tuple[Block, ...]:
        first, last = (bisect_left(self._block_starts, edge) for edge in (section.start, section.end))
        return self._reading.outline.blocks[first:last]
