"""How well each hit matches its question: weakly, well or strongly."""

import re
from collections.abc import Mapping
from math import floor

from core.base.text import CJK
from core.model import CLOSE, Highlight, Hit, SearchResult

EXACT = 1.0
"""Score above which a hit contains the question as typed."""
VERY_CLOSE = 0.5
"""Minimum similarity of a strong match."""
VERY_CLOSE_ACROSS, CLOSE_ACROSS = 0.35, 0.29
"""Minimum similarity of a strong match and of a good one in another language than the question. A quarter and nine
tenths of the right hits reach them.
"""
_CHINESE = re.compile(f"[{CJK}]")


def match_levels(
    result: SearchResult, seen: Mapping[str, Highlight], quoted: Mapping[str, int] | None = None
) -> dict[str, int]:
    """Return how well each hit matches, 1 to 3, by chunk id; 0 if unknown.

    For a question with an answer, hits that the answer quotes get their level from `quoted`, and others at most 2: a
    common word isn't a strong match. `quoted` is None for other searches.

    The level never rises from a hit to the next: if a later hit seems nearer, all between get their mean (pool adjacent
    violators; Barlow et al., 'Statistical Inference under Order Restrictions', 1972).
    """
    levels = [_level(hit, seen[hit.chunk.id], result) for hit in result.hits]
    if quoted is not None:
        levels = [quoted.get(hit.chunk.id, min(level, 2)) for hit, level in zip(result.hits, levels, strict=True)]
    pools: list[tuple[float, int]] = []
    for level in levels:
        pools.append((float(level), 1))
        while len(pools) > 1 and pools[-2][0] < pools[-1][0]:
            (first, many), (second, more) = pools[-2:]
            pools[-2:] = [((first * many + second * more) / (many + more), many + more)]
    even = [floor(mean + 0.5) for mean, count in pools for _ in range(count)]
    return {hit.chunk.id: level for hit, level in zip(result.hits, even, strict=True)}


def _level(hit: Hit, seen: Highlight, result: SearchResult) -> int:
    if not result.confident:
        return 1
    if (literal := hit.scores.get("literal")) and literal.score > EXACT and not result.spelled:
        return 3
    if seen.nearness is None:
        return 0 if not seen.held else 1 + (seen.held >= 0.5) + (seen.held == 1)
    across = bool(_CHINESE.search(hit.asked or result.understood.text)) != (hit.chunk.language in ("zh", "mixed"))
    close, very_close = (CLOSE_ACROSS, VERY_CLOSE_ACROSS) if across else (CLOSE, VERY_CLOSE)
    return 1 + (seen.nearness >= close) + (seen.nearness >= very_close)
