"""What the nearest notes suggest for a note: tags and a place."""

import posixpath
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from core.base.messages import Message, message, plural
from core.base.text import fold
from core.features.related.neighbours import Neighbour
from core.model import Note, NoteSummary, PlaceSuggestion, TagSuggestion

NEAREST = 10
"""Nearest notes that a reason counts."""
_TAGS, _PLACES = 5, 3
_STEEP = 3
"""Power of a neighbour's score in its vote: of 1 to 6 it finds most chapters (benchmarks/related.py)."""
_LEAST_NOTES = 2
"""Nearest notes that have a suggested tag or lie in a suggested folder."""
_LEAST_SHARE = 0.2
"""Share of the votes of a tag or a place."""
_LEAD = 0.5
"""Share of the votes of a place before which the note's own place isn't questioned."""

Label = TypeVar("Label")


@dataclass(frozen=True, slots=True)
class Vote(Generic[Label]):
    """A label with its share of the votes, from 0 to 1, and the number of the nearest notes that have it."""

    label: Label
    share: float
    notes: int


def votes(neighbours: Sequence[Neighbour], labels: Mapping[str, Iterable[Label]]) -> list[Vote[Label]]:
    """Return the labels of the nearest notes, those with the most votes first; a nearer note has more of a vote."""
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
    """Return the tags that a note may have: its nearest notes have them."""
    own = {tag.casefold() for tag in note.tags}
    text = fold(f"{note.title}\n{note.body}")
    suggested = []
    for vote in votes(neighbours, {note_id: card.tags for note_id, card in cards.items()}):
        named = len(vote.label) > 1 and fold(vote.label) in text
        if vote.label.casefold() in own or vote.notes < _LEAST_NOTES or (vote.share < _LEAST_SHARE and not named):
            continue
        suggested.append(TagSuggestion(vote.label, _have_it(vote.notes, named=named)))
    return suggested[:_TAGS]


def places(
    note: Note, base: str, neighbours: Sequence[Neighbour], cards: Mapping[str, NoteSummary]
) -> list[PlaceSuggestion]:
    """Return where a note may lie: most of its nearest notes lie there, and few where it is."""
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
            "{n} of the {all} nearest notes is there, {here} where this one is",
            "{n} of the {all} nearest notes are there, {here} where this one is",
            n=vote.notes,
            all=min(NEAREST, len(neighbours)),
            here=staying.notes if staying else 0,
        )
        suggested.append(PlaceSuggestion(where, folder, reason, movable=where == base and not note.source_ref))
    return suggested


def folder_of(path: str | None) -> str:
    """Return the folder of a note, "" for the top of its base."""
    return posixpath.dirname(path or "")


def _have_it(notes: int, *, named: bool) -> Message:
    have = plural("{n} of the nearest notes has it", "{n} of the nearest notes have it", n=notes)
    return message("{have}, and the text names it", have=have) if named else have
