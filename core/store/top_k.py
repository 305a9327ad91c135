"""The order of scores: higher first, of equal scores the chunk with the lower rowid, which was written earlier.

A search gives the same hits in the same order each time, and the first of them don't depend on how many are wanted.
One exception: Chroma may choose any of several equally near windows.
"""

import numpy as np
from numpy.typing import NDArray

from core.model import Rowids

Scores = dict[int, float]
"""The scores of chunks by rowid, mostly best first."""


def best(scores: Scores, count: int | None = None) -> Scores:
    """Return the highest scores by rowid, best first: at most `count`, else all."""
    return dict(sorted(scores.items(), key=lambda item: (-item[1], item[0]))[:count])


def best_of(rowids: Rowids, scores: NDArray[np.float64], count: int) -> Scores:
    """Return the same as `best`, from an array of scores and the array of their rowids."""
    if 0 < count < len(scores):
        passing = scores >= np.partition(scores, -count)[-count]
        rowids, scores = rowids[passing], scores[passing]
    order = np.lexsort((rowids, -scores))[:count]
    return dict(zip(rowids[order].tolist(), scores[order].tolist(), strict=True))
