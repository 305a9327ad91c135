"""Ranking of hits by clicks on their notes, which count only for similar questions and fade with time."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import lru_cache

from core.base.errors import QueryError
from core.base.text import query_keywords
from core.model import SIGNALS, Click, Hit, SearchResult, favour, local_now
from core.notes.uses import Clicks
from core.query.parser import parse
from core.retrieval.hits import by_favour

GAIN = 0.5
"""Maximum amount by which clicks raise a hit, on a scale from the last hit (0) to the first (1); see decision 61."""
_LIKE = 0.5
"""Minimum similarity of two questions for clicks on one to count for the other."""


def rank_by_clicks(clicks: Clicks | None, result: SearchResult) -> Sequence[Hit]:
    """Return the hits of a result, reordered by clicks; no hit is added or removed."""
    raising = relevant_clicks(clicks, result)
    if not (clicks and raising):
        return result.hits
    return by_favour(result.hits, favours(raising, result.query, clicks.today), GAIN, "clicks")


def relevant_clicks(clicks: Clicks | None, result: SearchResult) -> Sequence[Click]:
    """Return the clicks for similar questions on a result's notes, newest first; empty if clicks are off.

    It is also empty after a language model's choice, whose order must not change.
    """
    if clicks is None or not clicks.enabled or (result.choice and result.choice.by):
        return ()
    on_notes = clicks.all({hit.note.id for hit in result.hits})
    return [click for click in on_notes if likeness(click.question, result.query) > _LIKE]


def favours(clicks: Iterable[Click], question: str, today: datetime) -> Mapping[str, float]:
    """Return how strongly clicks for similar questions favour each note, from 0 to 1."""
    totals: defaultdict[str, float] = defaultdict(float)
    for click in clicks:
        signal, days = SIGNALS[click.kind], max(0, (today - click.day).days)
        totals[click.note_id] += signal.weight * likeness(click.question, question) * 0.5 ** (days / signal.half_life)
    return {note_id: favour(total, total) for note_id, total in totals.items()}


def likeness(first: str, second: str) -> float:
    """Return how many words two questions share, from 0 to 1 (Dice's coefficient)."""
    item, other = _words(first), _words(second)
    return 2 * len(item & other) / (len(item) + len(other)) if item and other else 0.0


@lru_cache(4096)
def _words(question: str) -> frozenset[str]:
    """Return the content words of a question, without its filters and exclusions."""
    try:
        understood = parse(question, now=local_now(), has_filters=True)
    except QueryError:
        return frozenset(query_keywords(question))
    return frozenset(query_keywords(" ".join([understood.text, *understood.phrases])))
