"""Array types of vectors, spans and row numbers."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

Ids = Sequence[int]
"""Ids of a text's tokens, including the prompt and special tokens."""

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float32]
    """Row vectors of unit length, shape (n, dimension)."""

    Pixels = NDArray[np.uint8]
    """An RGB picture, shape (height, width, 3)."""

    Bits = NDArray[np.uint8]
    """Signs of centred token vectors, eight to a byte, shape (tokens, dimension / 8)."""

    Spans = NDArray[np.int32]
    """Half-open character offsets, shape (n, 2), in reading order."""

    Rowids = NDArray[np.int64]
    """Row ids of chunks in the store, ascending, shape (n,)."""
else:  # only modules that compute load numpy
    Matrix = Pixels = Bits = Spans = Rowids = Any
