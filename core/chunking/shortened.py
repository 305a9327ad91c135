"""A text without its blobs, so that none of a pasted picture's millions of characters is looked at."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.base.blobs import Span, remove_blobs


@dataclass(frozen=True, eq=False)
class Shortened:
    """A text with one blank in place of each blob.

    `ends` are the offsets in it after each blob, `missing` the characters left out up to there, with a 0 before them.
    """

    text: str
    ends: NDArray[np.int64]
    missing: NDArray[np.int64]

    @classmethod
    def from_text(cls, text: str, blobs: Sequence[Span]) -> "Shortened":
        """Shorten a text by its blobs."""
        spans = np.array(blobs, np.int64).reshape(-1, 2)
        missing = np.cumsum([0, *(spans[:, 1] - spans[:, 0] - 1)], dtype=np.int64)
        return cls(remove_blobs(text, blobs), spans[:, 1] - missing[1:], missing)

    def offsets(self, places: NDArray[np.integer]) -> NDArray[np.int64]:
        """Return where characters of the short text are in the whole one."""
        return places + self.missing[np.searchsorted(self.ends, places, side="right")]
