"""Scores by words and tokens of candidates in another language than the question's.

Words of a question hardly stand in notes of another language, and its tokens are nearer to tokens of its own. Meaning
alone compares candidates of two languages (`core/embedding/centring.py`), so the other scores are read within one.
"""

import re
from collections.abc import Iterable, Mapping

from core.base.text import CJK
from core.model import Chunk, NoteSummary
from core.retrieval.fusion import Scores, normalise

Groups = Mapping[int, bool]
"""Whether a chunk is written in Chinese, Japanese or Korean: no word of those stands in a text of another language."""

_BY_MEANING = 0.75
"""How far the mean scores of two languages differ as their nearness does. With 0 a single passage in its language is
never first, with 1 questions over both vaults lose half a point."""
_CHARACTER = re.compile(f"[{CJK}]")


def groups(chunks: Mapping[int, Chunk], cards: Mapping[str, NoteSummary]) -> dict[int, bool]:
    """Return the group of each chunk; its headings decide before its text, which may be code."""
    return {
        rowid: chunk.language in ("zh", "mixed")
        or bool(_CHARACTER.search(" ".join((cards[chunk.note_id].title, *chunk.titles))))
        for rowid, chunk in chunks.items()
    }


def trust_words(words: Scores, of: Groups) -> dict[int, float]:
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
