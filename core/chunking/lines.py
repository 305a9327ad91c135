"""One line, one chunk."""

from itertools import pairwise

from core.chunking import describe
from core.chunking.boundaries import clause_starts, line_starts, sentence_starts, space_ends, word_starts
from core.chunking.options import positive
from core.chunking.reading import TokenizedNote
from core.chunking.slices import Size, Slice, cut, trim
from core.model import Chunk

_INSIDE = ((sentence_starts, False), (clause_starts, False), (word_starts, True), (space_ends, False))


class LineChunker:
    """Makes every line a chunk, without blank lines, and in Markdown without repeated ones.

    Lines are compared without the white space around them. A line over `max_single_chunk_size` tokens
    is cut at sentence ends, then between words.
    """

    def __init__(self, *, max_single_chunk_size: int = 1500) -> None:
        self._limit = positive("max_single_chunk_size", max_single_chunk_size)

    def cut(self, reading: TokenizedNote) -> list[Chunk]:
        body, size = reading.body, Size(self._limit, self._limit)
        edges = [0, *line_starts(body, 0, len(body)), len(body)]
        seen: set[str] = set()
        slices = []
        for begin, stop in pairwise(edges):
            line = body[begin:stop].strip()
            if not line or (line in seen and not reading.note.plain):
                continue
            seen.add(line)
            trimmed = (trim(body, *piece) for piece in cut(reading, begin, stop, _INSIDE, size))
            slices += [Slice(start, end, start) for start, end in trimmed if start < end]
        return describe.chunks(reading, slices, "line")
