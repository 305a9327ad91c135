"""Array types of vectors, spans and row numbers."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

Ids = Sequence[int]
"""The ids of a text's tokens, those of its prompt and special ones among them."""

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float32]
    """Vectors, one a row, shape (n, dimension), rows of unit length."""

    Pixels = NDArray[np.uint8]
    """A picture in red, green and blue, shape (height, width, 3)."""

    Bits = NDArray[np.uint8]
    """Signs of centred token vectors, eight to a byte, shape (tokens, dimension / 8)."""

    Spans = NDArray[np.int32]
    """Half-open character offsets, shape (n, 2), in reading order."""

    Rowids = NDArray[np.int64]
    """The numbers of chunks in the store, ascending, shape (n,)."""
else:  # numpy is loaded by what computes
    Matrix = Pixels = Bits = Spans = Rowids = Any
