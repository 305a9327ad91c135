"""Ranking of hits by clicks on their notes: only for similar questions, and less with time."""

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
"""The most that clicks raise a hit, on a scale from the last hit (0) to the first (1); see decision 61."""
_LIKE = 0.5
"""Similarity of two questions above which clicks for one count for the other."""


def rank_by_clicks(clicks: Clicks | None, result: SearchResult) -> Sequence[Hit]:
    """Return the hits of a result, reordered by clicks; no hit is added or removed."""
    raising = relevant_clicks(clicks, result)
    if not (clicks and raising):
        return result.hits
    return by_favour(result.hits, favours(raising, result.query, clicks.today), GAIN, "clicks")


def relevant_clicks(clicks: Clicks | None, result: SearchResult) -> Sequence[Click]:
    """Return the clicks for similar questions on a result's notes, newest first; none if clicks are off.

    A language model's order is kept, so it gets none either.
    """
    if clicks is None or not clicks.enabled or (result.choice and result.choice.by):
        return ()
    on_notes = clicks.all({hit.note.id for hit in result.hits})
    return [click for click in on_notes if likeness(click.question, result.query) > _LIKE]


def favours(clicks: Iterable[Click], question: str, today: datetime) -> Mapping[str, float]:
    """Return how much clicks for similar questions speak for each note, between 0 and 1."""
    totals: defaultdict[str, float] = defaultdict(float)
    for click in clicks:
        signal, days = SIGNALS[click.kind], max(0, (today - click.day).days)
        totals[click.note_id] += signal.weight * likeness(click.question, question) * 0.5 ** (days / signal.half_life)
    return {note_id: favour(total, total) for note_id, total in totals.items()}


def likeness(first: str, second: str) -> float:
    """Return the share of words that two questions have in common, 0 to 1 (Dice's coefficient)."""
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
