"""A note read once: its outline and where its tokens start, shared by all that profile or cut it."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.model import Note, Spans
from core.outline import Outline, parse

Tokens = Callable[[str], Spans]
"""Where each token of a text stands: an embedder's `tokens`."""


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """`starts` holds the offset at which each token of the body starts, in order."""

    note: Note
    outline: Outline
    starts: NDArray[np.int64]

    @property
    def body(self) -> str:
        return self.note.body

    def count(self, start: int, end: int) -> int:
        """Return how many tokens start in `body[start:end]`."""
        # The array has the type of the keys: numpy would convert all of it in every call.
        first, last = np.searchsorted(self.starts, (start, end))
        return int(last - first)


def read(note: Note, tokens: Tokens) -> Reading:
    """Read a note: one pass of the Markdown parser and one of the tokenizer.

    Raises SourceError for a body too large to be parsed.
    """
    outline = parse(note.body, note.path or note.title)
    spans = tokens(note.body) if note.body else np.empty((0, 2), np.int32)
    return Reading(note, outline, spans[:, 0].astype(np.int64))
