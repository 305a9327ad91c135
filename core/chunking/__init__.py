"""Notes -> chunks: the protocol every strategy has, and the table of those there are."""

from collections.abc import Callable
from typing import Protocol

from core.model import Chunk, Note, Spans
from core.registry import Entry

Tokens = Callable[[str], Spans]
"""Where each token of a text stands: an embedder's `tokens`."""


class Chunker(Protocol):
    """Cuts a note into ordered slices of its own body, changing nothing."""

    @property
    def fingerprint(self) -> str:
        """Name and options: equal where the same note is cut the same way."""
        ...

    def chunk(self, note: Note) -> list[Chunk]: ...


CHUNKERS = {
    "none": Entry("core.chunking.whole:NoChunking", "the whole note is one chunk"),
    "markdown": Entry("core.chunking.markdown:MarkdownAware", "a chunk for every section, by its headings"),
    "recursive": Entry("core.chunking.recursive:RecursiveCharacter", "pieces of one size with overlap"),
    "lines": Entry("core.chunking.lines:Lines", "one line, one chunk; duplicates once"),
    "auto": Entry("core.chunking.adaptive:Adaptive", "the strategy that fits the note, with its reasons"),
}
