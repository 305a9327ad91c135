"""The confidence of a search: whether its hits answer the question, or are only the nearest chunks of other things.

Three things are evidence of an answer: how far the nearest chunk is above the floor of its base (what questions about
other things reach there, in their standard deviations), the share of the question's words that the first hit holds,
each weighted by its rarity, and what it gains where it holds the question as it was typed. Their sum is the evidence.
The weights and the least evidence were chosen on a grid over both vaults and questions on Wikipedia's paragraphs
(`benchmarks.unanswered`). The score of late interaction says of questions across languages that they have no answer,
so it has no part.
"""

from collections.abc import Sequence
from math import inf

import numpy as np

from core.retrieval.ranking import Ranking
from core.retrieval.requests import SearchRequest
from core.store import Store

LEAST = 2.0
"""Least evidence of an answer."""
_WORDS = 4.0
"""Evidence of a hit that holds all words of a question."""
_WORDS_ALONE = 10.0
"""How much more words count without vectors: a question in other words than the note's holds few of them."""


def evidence(store: Store, ranking: Ranking) -> float:
    """Return the evidence of an answer among the hits.

    It is without limit for a list, a phrase, a note that is asked for by its metadata, and an unknown floor.
    """
    first = next(iter(ranking.order), None)
    if first is None:
        return 0.0
    if ranking.candidates.mode == "listed" or ranking.scope.phrased or first in ranking.scope.preferred:
        return inf
    words = _WORDS * word_share(store, ranking.request, first) + ranking.gains.get(first, 0.0)
    if first not in ranking.trace.scores("vector"):
        return _WORDS_ALONE * words
    return _nearness(store, ranking) + words


def word_share(store: Store, request: SearchRequest, rowid: int) -> float:
    """Return the share of a question's words that a chunk holds, each weighted by its rarity, 0 to 1.

    The spelling of the question counts that fits the chunk best.
    """
    return max(_share(store, words, rowid) for words in (request.words, *request.others))


def _share(store: Store, words: Sequence[str], rowid: int) -> float:
    holders = store.words.holders(words)
    rarity = np.log((store.chunks.count_all() + 1) / (np.array([len(chunks) for chunks in holders]) + 0.5))
    held = np.array([rowid in chunks for chunks in holders], dtype=bool)
    return float(rarity[held].sum() / max(rarity.sum(), 1e-9))


def _nearness(store: Store, ranking: Ranking) -> float:
    """Return the most that a chunk is above the floor of its base, without limit where a floor is unknown."""
    floors = {base.id: store.floors.get(base) for base in ranking.request.bases}
    above = []
    for rowid, cosine in ranking.trace.scores("vector").items():
        floor = floors[ranking.candidates.card(rowid).base_id]
        if floor is None:
            return inf
        above.append((cosine - floor.mean) / floor.spread)
    return max(above, default=0.0)
