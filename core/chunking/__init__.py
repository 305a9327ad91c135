"""Notes -> chunks: the protocol every strategy has, and the table of those there are."""

from dataclasses import asdict
from inspect import signature
from typing import Protocol

from core.chunking import describe
from core.chunking.reading import Reading, Tokens, read
from core.model import Chunk, ChunkingOptions, Cut, Note
from core.registry import Entry, load

__all__ = ["CHUNKERS", "Chunker", "Tokens", "build", "cut"]


class Chunker(Protocol):
    """Cuts a note into ordered slices of its own body, changing nothing."""

    @property
    def fingerprint(self) -> str:
        """Name and options: equal where the same note is cut the same way."""
        ...

    def chunk(self, note: Note) -> list[Chunk]: ...

    def cut(self, reading: Reading) -> list[Chunk]:
        """Cut a note that was read before: `chunk(note)` without parsing and tokenizing it again."""
        ...


CHUNKERS = {
    "none": Entry("core.chunking.whole:NoChunking", "the whole note is one chunk"),
    "markdown": Entry("core.chunking.markdown:MarkdownAware", "a chunk for every section, by its headings"),
    "recursive": Entry("core.chunking.recursive:RecursiveCharacter", "pieces of one size with overlap"),
    "lines": Entry("core.chunking.lines:Lines", "one line, one chunk; duplicates once"),
    "auto": Entry("core.chunking.adaptive:Adaptive", "the strategy that fits the note, with its reasons"),
}


def build(options: ChunkingOptions, tokens: Tokens) -> Chunker:
    """Make the strategy that the options name, with those of them it takes.

    Raises UnknownChoice, or ConfigError for an option out of range.
    """
    constructor = load(CHUNKERS, "chunking strategy", options.strategy)
    taken = signature(constructor).parameters
    values = {name: value for name, value in asdict(options).items() if name in taken}
    chunker: Chunker = constructor(tokens, **values)
    return chunker


def cut(note: Note, options: ChunkingOptions, tokens: Tokens) -> Cut:
    """Cut a note as its base asks for, and say why so; import and preview both call this.

    Raises UnknownChoice or ConfigError for the options, SourceError for a note too large to parse.
    """
    from core.chunking.adaptive import Adaptive

    chunker = build(options, tokens)
    reading = read(note, tokens)
    if isinstance(chunker, Adaptive):
        return chunker.explain(reading)
    reason = f"{options.strategy}: asked for by the settings of the base."
    chunks = tuple(chunker.cut(reading))
    return Cut(chunks, options.strategy, describe.profile(reading), (reason,))
