"""The one order of scores: higher first, and of equal ones the earlier chunk.

A chunk's rowid says which is earlier: it was written first. So a search gives the same hits in the
same order each time, and the first of many are the same as if fewer had been looked for. Only which
of many equally near windows Chroma returns, where it is asked for fewer, is its own choice.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from core.model import Rowids


def best(scores: Mapping[int, float], count: int | None = None) -> dict[int, float]:
    """Return the highest scores by rowid, best first: at most `count`, else all."""
    return dict(sorted(scores.items(), key=lambda item: (-item[1], item[0]))[:count])


def best_of(rowids: Rowids, scores: NDArray[np.float64], count: int) -> dict[int, float]:
    """Return what `best` returns, of scores that stand beside their rowids."""
    if 0 < count < len(scores):
        passing = scores >= np.partition(scores, -count)[-count]
        rowids, scores = rowids[passing], scores[passing]
    order = np.lexsort((rowids, -scores))[:count]
    return dict(zip(rowids[order].tolist(), scores[order].tolist(), strict=True))
