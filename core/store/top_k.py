"""The order of scores: highest first. Equal scores are ordered by rowid, so that the oldest row comes first.

Because of this order, a search always returns the same hits in the same order, whatever its limit. The exception is
Chroma, which may return any of several equally near windows.
"""

import numpy as np
from numpy.typing import NDArray

from core.model import Rowids

# Maps chunks' rowids to scores, usually best first.
Scores = dict[int, float]


def best(scores: Scores, count: int | None = None) -> Scores:
    """Return the `count` highest scores, best first, or all scores if `count` is None."""
    return dict(sorted(scores.items(), key=lambda item: (-item[1], item[0]))[:count])


def best_of(rowids: Rowids, scores: NDArray[np.float64], count: int) -> Scores:
    """Return the `count` highest scores, best first, given arrays of rowids and scores."""
    if 0 < count < len(scores):
        passing = scores >= np.partition(scores, -count)[-count]
        rowids = rowids[passing]
        scores = scores[passing]
    order = np.lexsort((rowids, -scores))[:count]
    return dict(zip(rowids[order].tolist(), scores[order].tolist(), strict=True))
