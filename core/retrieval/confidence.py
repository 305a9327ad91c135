"""The confidence of a search: whether its hits answer the question, or are only the nearest chunks.

The evidence of an answer is the sum of three values:
- how far the nearest chunk is above the background of its base: the similarity that unrelated questions reach there, in
  standard deviations;
- the share of the question's words, weighted by rarity, that the first hit contains;
- the gains of the first hit for containing the question as typed.

The weights and the least evidence were chosen on a grid, over both vaults and over questions on Wikipedia's paragraphs
(`benchmarks.unanswered`). The late interaction score is left out: it takes questions across languages for unanswered.
"""

from collections.abc import Sequence
from math import inf

import numpy as np

from core.retrieval.ranking import Ranking
from core.retrieval.requests import SearchRequest
from core.store import Store

LEAST = 2.0
"""Minimum evidence for hits to count as an answer."""
_WORDS = 4.0
"""Evidence of a hit that contains all words of the question."""
_WORDS_ALONE = 10.0
"""Factor for the words if there are no vectors, because questions in the user's own words share few words with notes.
"""


def evidence(store: Store, ranking: Ranking) -> float:
    """Return the evidence for an answer among the hits.

    It is infinite for a listing, a phrase, a note that is named by its metadata, and an unknown background.
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
    """Return the share of a question's words that a chunk contains, weighted by rarity, from 0 to 1.

    If the question has several spellings, the one that fits the chunk best counts.
    """
    return max(_share(store, words, rowid) for words in (request.words, *request.others))


def _share(store: Store, words: Sequence[str], rowid: int) -> float:
    holders = store.words.holders(words)
    rarity = np.log((store.chunks.count_all() + 1) / (np.array([len(chunks) for chunks in holders]) + 0.5))
    held = np.array([rowid in chunks for chunks in holders], dtype=bool)
    return float(rarity[held].sum() / max(rarity.sum(), 1e-9))


def _nearness(store: Store, ranking: Ranking) -> float:
    """Return the highest similarity of a chunk above its base's background; infinite if a background is unknown."""
    floors = {base.id: store.floors.get(base) for base in ranking.request.bases}
    above = []
    for rowid, cosine in ranking.trace.scores("vector").items():
        floor = floors[ranking.candidates.card(rowid).base_id]
        if floor is None:
            return inf
        above.append((cosine - floor.mean) / floor.spread)
    return max(above, default=0.0)
