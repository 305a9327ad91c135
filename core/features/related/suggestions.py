"""Tags and places that the nearest notes of a note suggest."""

import posixpath
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Generic, TypeVar

from core.base.frozen import frozen
from core.base.messages import message, plural
from core.base.text import fold
from core.model import Note, NoteSummary, PlaceSuggestion, TagSuggestion
from core.retrieval.neighbours.service import Neighbour

NEAREST = 10
"""Number of nearest notes to count in a reason."""
_TAGS, _PLACES = 5, 3
_STEEP = 3
"""Exponent of a neighbour's score in its vote. Of the values 1 to 6, it predicts the most chapters
(benchmarks/related.py).
"""
_LEAST_NOTES = 2
"""Minimum number of nearest notes with a suggested tag or folder."""
_LEAST_SHARE = 0.2
"""Minimum share of votes for a suggested tag or place."""
_LEAD = 0.5
"""Minimum share of votes for the first place; with less, no place is suggested."""

Label = TypeVar("Label")


@frozen
class Vote(Generic[Label]):
    """A label with its share of the votes, from 0 to 1, and its number of notes among the nearest."""

    label: Label
    share: float
    notes: int


def votes(neighbours: Sequence[Neighbour], labels: Mapping[str, Iterable[Label]]) -> list[Vote[Label]]:
    """Return the labels of neighbours, the most votes first; nearer notes have more weight."""
    voters = [
        (max(neighbour.score, 0.0) ** _STEEP, labels[neighbour.note_id])
        for neighbour in neighbours
        if neighbour.note_id in labels
    ]
    weights: defaultdict[Label, float] = defaultdict(float)
    for weight, theirs in voters:
        for label in theirs:
            weights[label] += weight
    every = sum(weight for weight, _ in voters) or 1.0
    nearest = Counter(label for _, theirs in voters[:NEAREST] for label in theirs)
    ranked = sorted(weights, key=lambda label: (-weights[label], str(label)))
    return [Vote(label, weights[label] / every, nearest[label]) for label in ranked]


def tags(note: Note, neighbours: Sequence[Neighbour], cards: Mapping[str, NoteSummary]) -> list[TagSuggestion]:
    """Return suggested tags for a note, from the tags of its nearest notes."""
    own = {tag.casefold() for tag in note.tags}
    text = fold(f"{note.title}\n{note.body}")
    suggested = []
    for vote in votes(neighbours, {note_id: card.tags for note_id, card in cards.items()}):
        named = len(vote.label) > 1 and fold(vote.label) in text
        if vote.label.casefold() in own or vote.notes < _LEAST_NOTES or (vote.share < _LEAST_SHARE and not named):
            continue
        reason = plural(
            "{n} of the most similar notes has this tag", "{n} of the most similar notes have this tag", n=vote.notes
        )
        reason = message("{have}, and the text mentions it", have=reason) if named else reason
        suggested.append(TagSuggestion(vote.label, reason))
    return suggested[:_TAGS]


def places(
    note: Note, base: str, neighbours: Sequence[Neighbour], cards: Mapping[str, NoteSummary]
) -> list[PlaceSuggestion]:
    """Return suggested places for a note, if most of its nearest notes are in another place."""
    here = base, folder_of(note.path)
    ranking = votes(neighbours, {item: [(card.base, folder_of(card.path))] for item, card in cards.items()})
    if not ranking or ranking[0].label == here or ranking[0].share < _LEAD or ranking[0].notes < _LEAST_NOTES:
        return []
    shares = {vote.label: vote for vote in ranking}
    suggested = []
    for vote in ranking[:_PLACES]:
        if vote.label == here or vote.notes < _LEAST_NOTES or vote.share < _LEAST_SHARE:
            break
        (where, folder), staying = vote.label, shares.get(here)
        reason = plural(
            "{n} of the {all} most similar notes is there, {here} here",
            "{n} of the {all} most similar notes are there, {here} here",
            n=vote.notes,
            all=min(NEAREST, len(neighbours)),
            here=staying.notes if staying else 0,
        )
        suggested.append(PlaceSuggestion(where, folder, reason, movable=where == base and not note.source_ref))
    return suggested


def folder_of(path: str | None) -> str:
    """Return the folder in the path of a note, "" for the top of its base."""
    return posixpath.dirname(path or "")
