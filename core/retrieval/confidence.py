"""Confidence in a search's hits: whether they answer the question, and how well each hit matches it.

The evidence for an answer is the sum of three values:
- how far the nearest chunk's similarity exceeds its base's background similarity (the level that unrelated questions
  reach), in standard deviations;
- the share of the question's words found in the first hit, weighted by rarity;
- the first hit's score boosts for containing the question as typed.

The weights and the threshold come from a grid search over both vaults and over questions about Wikipedia paragraphs
(`benchmarks.unanswered`). The late interaction score is left out because it makes cross-language questions look
unanswered.
"""

import re
from collections.abc import Mapping
from math import inf
from statistics import fmean

import numpy as np

from core.base.text import CHINESE
from core.model import CLOSE, Highlight, Hit, SearchResult
from core.retrieval.ranking import Ranking
from core.retrieval.requests import SearchRequest
from core.store import Store

# Minimum evidence for hits to count as an answer.
LEAST = 2.0
# Evidence from words if the first hit contains all of the question's words.
_WORDS = 4.0
# Factor applied to the evidence from words if there are no vectors, because freely phrased questions share few words
# with notes.
_WORDS_ALONE = 10.0


def evidence(store: Store, ranking: Ranking) -> float:
    """Return the evidence that the hits answer the question, which is 0 if there are no hits.

    The evidence is infinite if the background similarity is unknown, if the question names metadata of the first note,
    or if the search is a phrase search or only lists notes.
    """
    first = next(iter(ranking.order), None)
    if first is None:
        return 0.0
    if ranking.candidates.mode == "listed" or ranking.scope.phrased or first in ranking.scope.preferred:
        return inf
    words = _WORDS * word_share(store, ranking.request, first) + ranking.gains.get(first, 0.0)
    cosines = ranking.trace.scores("vector")
    if first not in cosines:
        return _WORDS_ALONE * words
    floors = {base.id: store.floors.get(base) for base in ranking.request.bases}
    nearest = -inf
    for rowid, cosine in cosines.items():
        floor = floors[ranking.candidates.card(rowid).base_id]
        if floor is None:
            return inf
        nearest = max(nearest, (cosine - floor.mean) / floor.spread)
    return nearest + words


def word_share(store: Store, request: SearchRequest, rowid: int) -> float:
    """Return the share of a question's words found in a chunk, weighted by rarity, from 0 to 1.

    If the question has several spellings, return the share for the one that fits the chunk best.
    """
    shares = []
    for words in (request.words, *request.others):
        holders = store.words.holders(words)
        rarity = np.log((store.chunks.count_all() + 1) / (np.array([len(chunks) for chunks in holders]) + 0.5))
        held = np.array([rowid in chunks for chunks in holders], dtype=bool)
        shares.append(float(rarity[held].sum() / max(rarity.sum(), 1e-9)))
    return max(shares)


# How well each hit matches its question: weakly, well or strongly.

# Score above which a hit contains words of the question exactly as typed, and the minimum share of its words.
EXACT = 1.0
WORDED = 0.5
# Minimum similarity for a strong match.
VERY_CLOSE = 0.5
# Minimum similarity for a good match if hit and question are in different languages. Nine tenths of the correct hits
# reach it, but so do wrong hits of short queries, so none of these hits is a strong match.
CLOSE_ACROSS = 0.29
_DIGIT = re.compile(r"\d")
_CODE = re.compile(r"(?<![a-zA-Z\d])(?=[a-zA-Z_-]*\d)(?=\d*[a-zA-Z])[\w-]{3,}|\A\W*\d+\W*\Z")


def match_levels(
    result: SearchResult, seen: Mapping[str, Highlight], quoted: Mapping[str, int] | None = None
) -> dict[str, int]:
    """Return how well each hit matches, as a level from 1 to 3, or 0 if unknown, keyed by chunk id.

    If a question was asked, hits quoted in its answer get their level from `quoted`. All other hits get at most 2,
    because sharing words doesn't make a strong match. If nothing is quoted, they get at most 1, because a hit that
    doesn't answer the question isn't a good match. `quoted` is None if no question was asked.

    Levels never rise from one hit to the next. If a later hit would have a higher level than earlier hits, they all get
    their mean level (pool adjacent violators; Barlow et al., 'Statistical Inference under Order Restrictions', 1972).
    """
    levels = [_level(hit, seen[hit.chunk.id], result) for hit in result.hits]
    if quoted is not None:
        most = 2 if quoted else 1
        levels = [quoted.get(hit.chunk.id, min(level, most)) for hit, level in zip(result.hits, levels, strict=True)]
    pools = []
    for level in levels:
        pools.append([level])
        while len(pools) > 1 and fmean(pools[-2]) < fmean(pools[-1]):
            pools[-2:] = [pools[-2] + pools[-1]]
    even = [int(fmean(pool) + 0.5) for pool in pools for _ in pool]
    return {hit.chunk.id: level for hit, level in zip(result.hits, even, strict=True)}


def is_across(hit: Hit, result: SearchResult) -> bool:
    """Return whether a hit and its question are in different languages, one of which is Chinese."""
    is_chinese = bool(CHINESE.search(hit.asked or result.understood.text))
    return is_chinese != (hit.chunk.language in ("zh", "mixed"))


def _level(hit: Hit, seen: Highlight, result: SearchResult) -> int:
    if not result.confident:
        return 1
    literal = hit.scores.get("literal")
    if literal and literal.score > EXACT and seen.held >= WORDED and not result.spelled:
        return 3
    if seen.nearness is None:
        return 0 if not seen.held else 1 + (seen.held >= WORDED) + (seen.held == 1)
    across = is_across(hit, result)
    numbered = (_CODE if across else _DIGIT).search(hit.asked or result.understood.text)
    if not seen.held and numbered:  # no passage is similar to a number or a code
        return 1
    if across:
        return 1 + (seen.nearness >= CLOSE_ACROSS)
    return 1 + (seen.nearness >= CLOSE) + (seen.nearness >= VERY_CLOSE)
