"""The whole note is one chunk."""

from core.chunking import describe
from core.chunking.pieces import Slice, trim
from core.chunking.reading import Reading, Tokens, read
from core.model import Chunk, Note


class NoChunking:
    """Keeps a note in one piece, of whatever size: its windows are the embedder's business."""

    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens

    @property
    def fingerprint(self) -> str:
        return "none"

    def chunk(self, note: Note) -> list[Chunk]:
        return self.cut(read(note, self._tokens))

    def cut(self, reading: Reading) -> list[Chunk]:
        start, end = trim(reading.body, 0, len(reading.body))
        return describe.chunks(reading, [Slice(start, end, start)] if start < end else [], "full_document")
