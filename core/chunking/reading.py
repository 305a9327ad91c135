"""A note parsed and tokenized once: its outline and the starts of its tokens."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from core.base.blobs import LARGE, Span, blank_blobs
from core.chunking.letters import Letters
from core.chunking.shortened import Shortened
from core.markdown.outline import Outline, parse, plain_outline
from core.model import Note, Spans

Tokens = Callable[[str], Spans]
"""Returns the span of each token of a text: an embedder's `tokens`."""


@dataclass(frozen=True, eq=False)
class TokenizedNote:
    """A note with its outline and tokens.

    `body` is that of the note with blanks in place of blobs, `blobs` are the large ones, which no chunk has. `starts`
    are the offsets of the tokens in the body, ascending. `short` is the body without any blobs.
    """

    note: Note
    outline: Outline
    body: str
    blobs: Sequence[Span]
    starts: NDArray[np.int64]
    short: Shortened

    @cached_property
    def letters(self) -> Letters:
        """What the characters of the body are."""
        return Letters.from_blocks(self.body, self.short, self.outline.blocks)

    def count(self, start: int, end: int) -> int:
        """Return how many tokens start in `body[start:end]`."""
        # Of the type of the keys, int64: otherwise numpy would convert the whole array in every call.
        first, last = np.searchsorted(self.starts, (start, end))
        return int(last - first)


def read(note: Note, tokens: Tokens, outline: Outline | None = None) -> TokenizedNote:
    """Read a note: one pass of the Markdown parser, unless its outline is given, and one of the tokenizer.

    A plain note has no outline. Raises SourceError for a body too large to be parsed.
    """
    outline = outline or (plain_outline(note.body) if note.plain else parse(note.body, note.path or note.title))
    large = [span for span in outline.blobs if span[1] - span[0] >= LARGE]
    short = Shortened.from_text(note.body, outline.blobs)
    spans = tokens(short.text) if short.text else np.empty((0, 2), np.int32)
    return TokenizedNote(note, outline, blank_blobs(note.body, outline.blobs), large, short.offsets(spans[:, 0]), short)
