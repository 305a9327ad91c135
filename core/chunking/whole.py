"""One chunk for the whole note."""

from core.chunking import describe
from core.chunking.reading import TokenizedNote
from core.chunking.slices import Slice, trim
from core.model import Chunk


class NoChunking:
    """Keeps a note in one piece of any size; the embedder divides long chunks into windows."""

    def cut(self, reading: TokenizedNote) -> list[Chunk]:
        start, end = trim(reading.body, 0, len(reading.body))
        return describe.chunks(reading, [Slice(start, end, start)] if start < end else [], "full_document")
