"""Fusion of the scores of several stages, as pure functions over {chunk: score}.

Scores by words and tokens are compared within a language: words of a question are rare in notes of another one, and its
tokens are nearer to tokens of its own. Meaning alone compares candidates of two languages
(`core/embedding/centring.py`).
"""

import re
from collections.abc import Iterable, Mapping
from statistics import fmean

from core.base.text import CJK
from core.model import Chunk, NoteSummary
from core.store.top_k import Scores, best

ChunkMap = Mapping[int, Chunk]
"""Chunks by their rowids."""
Cards = Mapping[str, NoteSummary]
"""Notes by their ids."""
PHRASE = 0.3
"""Gain of a chunk that holds an optional phrase, on a scale from 0 to 1."""

_BY_WORDS = 0.25
"""How far the best words lead from the mean meaning to the best, where there is no vector.

With half of the notes of both vaults in a base by words only, MRR@10 is 0.540 with 0, 0.561 with 0.25; what 0.5 gains
for notes without vectors, others lose.
"""
_CONSTANT = 60


def fuse_weighted(vector: Scores, keyword: Scores, weight: float, trusted: Scores) -> Scores:
    """Return the weighted sum of both stages' scores, each normalised to 0..1 over the pool.

    `weight` applies to meaning, 1 - `weight` to words; of that, what words are not `trusted` with goes to meaning too.
    A chunk without a vector counts in meaning as the mean of the others, and as more the better its words are.
    On 1,800 questions this put the right passage first 1.5 to 2.5 points more often than
    reciprocal ranks, and alike for weights of 0.5 to 0.7; every candidate needs both scores.
    """
    meaning, words = normalise(vector), normalise(keyword)
    mean = fmean(meaning.values()) if meaning else 0.0
    unknown = {key: mean + _BY_WORDS * (1 - mean) * words[key] for key in words.keys() - meaning.keys()}
    return {
        key: (1 - (1 - weight) * trusted.get(key, 1.0)) * score + (1 - weight) * words.get(key, 0.0)
        for key, score in (meaning | unknown).items()
    }


def fuse_reciprocal(*stages: Scores) -> Scores:
    """Return the sum of 1 / (60 + rank) over the stages that returned a chunk; each stage is ordered best first.

    Reciprocal rank fusion (Cormack, Clarke and Buettcher, SIGIR 2009, with their constant).
    """
    fused: Scores = {}
    for scores in stages:
        for rank, key in enumerate(scores, 1):
            fused[key] = fused.get(key, 0.0) + share(rank)
    return fused


def share(rank: int) -> float:
    """Return the share of a rank in the sum over several lists."""
    return 1 / (_CONSTANT + rank)


def add_gains(scores: Scores, gains: Scores) -> Scores:
    """Return the scores, normalised to 0..1 and raised by their gains, best first; equal ones keep their order."""
    after = {key: score + gains.get(key, 0.0) for key, score in normalise(scores).items()}
    return dict(sorted(after.items(), key=lambda item: -item[1]))


def to_scale(raised: Scores, low: float, high: float) -> Scores:
    """Return scores from 0 to 1 between `low` and `high`, and higher ones, which have gains, between `high` and 1."""
    return {
        key: max(0.0, high - (high - low) * (1 - score)) if score <= 1 else 1 - (1 - high) / score
        for key, score in raised.items()
    }


def blend(scores: Scores, judged: Mapping[int, float | None], weight: float) -> Scores:
    """Return the scores blended with those of a reranker, both normalised to 0..1, best first.

    Candidates outside `judged` follow in their previous order. Where the reranker ran out of time (None),
    the candidate's own score replaces the reranker's.
    """
    before = normalise(scores)
    reranked = normalise({key: score for key, score in judged.items() if score is not None})
    combined = {key: (1 - weight) * before[key] + weight * reranked.get(key, before[key]) for key in judged}
    rest = {key: (1 - weight) * before[key] for key in scores if key not in judged}
    return best(combined) | rest


def normalise(scores: Scores) -> Scores:
    """Return the scores on a scale from the lowest (0) to the highest (1); equal scores are all 1, zeros stay 0."""
    if not scores:
        return {}
    low, high = min(scores.values()), max(scores.values())
    if high == low:
        return dict.fromkeys(scores, 1.0 if high else 0.0)
    return {key: (score - low) / (high - low) for key, score in scores.items()}


Groups = Mapping[int, bool]
"""Whether a chunk is written in Chinese, Japanese or Korean: no word of those is in a text of another language."""

_BY_MEANING = 0.75
"""How far the mean scores of two languages differ as their nearness does. With 0 a single passage in its language is
never first, with 1 questions over both vaults lose half a point."""
_CHARACTER = re.compile(f"[{CJK}]")


def language_groups(chunks: ChunkMap, cards: Cards) -> dict[int, bool]:
    """Return the group of each chunk; its headings decide before its text, which may be code."""
    return {
        rowid: chunk.language in ("zh", "mixed")
        or bool(_CHARACTER.search(" ".join((cards[chunk.note_id].title, *chunk.titles))))
        for rowid, chunk in chunks.items()
    }


def trust_words(words: Scores, of: Groups) -> Scores:
    """Return how far scores by word are trusted with each chunk, 1 where all are in one language.

    It is the root of what the best chunk in its language has of the score of the best of all.
    """
    best: dict[bool, float] = {}
    for rowid, score in words.items():
        best[of[rowid]] = max(best.get(of[rowid], 0.0), score)
    most = max(best.values(), default=0.0)
    return {rowid: (best[of[rowid]] / most) ** 0.5 if most else 1.0 for rowid in words}


def level_scores(judged: Mapping[int, float | None], meaning_scores: Scores, of: Groups) -> dict[int, float | None]:
    """Return a reranker's scores with the languages' means as far apart as those of meaning, `meaning_scores`.

    Both are compared on a scale from 0 to 1. Scores of candidates in one language stay as they are.
    """
    scores = {rowid: score for rowid, score in judged.items() if score is not None}
    ours = [rowid for rowid in scores if of[rowid]]
    others = [rowid for rowid in scores if not of[rowid]]
    if not ours or not others:
        return dict(judged)
    meaning = normalise({rowid: meaning_scores.get(rowid, 0.0) for rowid in scores})
    spread = max(scores.values()) - min(scores.values())
    due = _BY_MEANING * spread * (_mean(meaning, ours) - _mean(meaning, others))
    shift = due - (_mean(scores, ours) - _mean(scores, others))
    return {rowid: score if score is None or not of[rowid] else score + shift for rowid, score in judged.items()}


def _mean(scores: Scores, rowids: Iterable[int]) -> float:
    values = [scores[rowid] for rowid in rowids]
    return sum(values) / len(values)
