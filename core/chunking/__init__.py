"""The protocol for chunking strategies, and the table of all strategies."""

from dataclasses import replace
from typing import Protocol

from core.base.errors import ConfigError
from core.base.messages import message
from core.base.registry import Entry, Registry
from core.chunking import describe
from core.chunking.reading import TokenizedNote, Tokens, read
from core.markdown.outline import Outline
from core.model import SIZES, Chunk, ChunkingOptions, Cut, Note


class Chunker(Protocol):
    """Cuts a note's body into verbatim slices, in reading order. The options come from a base or a note."""

    def cut(self, reading: TokenizedNote) -> list[Chunk]: ...


CHUNKERS: Registry[Chunker] = Registry(
    message("chunking strategy"),
    {
        "none": Entry("core.chunking.strategies:NoChunking"),
        "markdown": Entry("core.chunking.strategies:MarkdownAware"),
        "recursive": Entry("core.chunking.strategies:RecursiveCharacter"),
        "lines": Entry("core.chunking.strategies:LineChunker"),
        "auto": Entry("core.chunking.strategies:Adaptive"),
    },
)


def build(options: ChunkingOptions) -> Chunker:
    """Create the strategy named in the options. Raises UnknownChoice, or ConfigError if an option is out of range."""
    chunker: Chunker = CHUNKERS.constructor(options.strategy)(options)
    return chunker


def check(options: ChunkingOptions, stored: ChunkingOptions | None = None) -> None:
    """Raise UnknownChoice if the strategy is unknown, or ConfigError if a size is out of range.

    Sizes equal to the `stored` ones are accepted, because earlier versions allowed any size.
    """
    for name, option in SIZES.items():
        value = getattr(options, name)
        if value != getattr(stored or ChunkingOptions(), name) and (problem := option.problem(name, value)):
            raise ConfigError(problem)
    build(options)


def cut(
    note: Note, options: ChunkingOptions, tokens: Tokens, outline: Outline | None = None, *, own: bool = False
) -> Cut:
    """Chunk a note according to the options. Return the chunks and the reasons for the chosen strategy.

    If no `outline` is given, the note is parsed. `own` means that the options are the note's own, not its base's. A
    plain note is split into lines, whatever the strategy. Raises UnknownChoice or ConfigError if the options are
    invalid, and SourceError if the note is too large to parse.
    """
    from core.chunking.strategies import Adaptive

    if note.plain:
        options = replace(options, strategy="lines")
    chunker = build(options)
    reading = read(note, tokens, outline)
    if isinstance(chunker, Adaptive):
        return chunker.explain(reading)
    chosen = message("Chosen in this note's own settings.") if own else message("Chosen in the settings.")
    if note.plain:
        chosen = message("In this base, every line of a note is a separate chunk.")
    return Cut(
        tuple(chunker.cut(reading)),
        options.strategy,
        describe.profile(reading),
        (message("{strategy}: {reason}", strategy=options.strategy, reason=chosen),),
    )
