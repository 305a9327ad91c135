"""The nearest notes to a note, by meaning, words, links and tags, and the tags and places that they suggest."""

import math
import posixpath
import threading
from collections import Counter, defaultdict
from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import Generic, TypeVar

import numpy as np

from core.base.errors import NoteNotFound
from core.base.frozen import frozen
from core.base.messages import message, plural
from core.base.text import fold
from core.embedding.tokens import unit
from core.features.related.wording import Shared, Text, Wording
from core.model import Matrix, Note, NoteSummary, PlaceSuggestion, TagSuggestion
from core.notes.links import NoteLinks
from core.store import Store
from core.store.vector_table import Sign

# Similarity of notes: one vector per note in memory, read again when the note's windows change.

_FEW = 10
"""Number of notes at which half of their mean vector is subtracted. With fewer notes less is subtracted, because the
mean of a few notes depends too much on each.
"""

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


@dataclass(frozen=True, slots=True, eq=False)
class _Space:
    """The notes with vectors of one model. `vectors` are centred, of unit length; `rows` maps notes to rows."""

    rows: dict[str, int]
    vectors: Matrix


class Nearness:
    """Similarity of meaning between the notes of a workspace. Thread-safe."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._reading = threading.Lock()
        self._version = -1
        self._means: dict[str, tuple[Sign, Matrix]] = {}
        self._spaces: dict[str, _Space] = {}
        self._space_of: dict[str, str] = {}

    def nearest(self, note_id: str, count: int, allowed: Container[str]) -> dict[str, float]:
        """Return the most similar allowed notes with their cosines, best first; empty for a note without vectors."""
        if (space := self._space(note_id)) is None:
            return {}
        cosines = space.vectors @ space.vectors[space.rows[note_id]]
        ids = [*space.rows]
        best = (row for row in np.argsort(-cosines) if ids[row] != note_id and ids[row] in allowed)
        return {ids[row]: float(cosines[row]) for row in islice(best, count)}

    def cosines(self, note_id: str, others: Iterable[str]) -> dict[str, float]:
        """Return the cosines between a note and others; notes of another model or without vectors are left out."""
        if (space := self._space(note_id)) is None:
            return {}
        own = space.vectors[space.rows[note_id]]
        return {other: float(space.vectors[space.rows[other]] @ own) for other in others if other in space.rows}

    def _space(self, note_id: str) -> _Space | None:
        self._read()
        return self._spaces.get(self._space_of.get(note_id, ""))

    @property
    def is_read(self) -> bool:
        """Whether the vectors in memory are up to date."""
        return self._version == self._store.database.version()

    def _read(self) -> None:
        """Read the vectors of notes whose windows changed since the last call."""
        with self._reading, self._store.database.read():
            version = self._store.database.version()
            if version == self._version:
                return
            signs = self._store.note_vectors.signs()
            bases = self._store.notes.base_ids(signs)
            means: dict[str, tuple[Sign, Matrix]] = {}
            spaces: dict[str, list[str]] = {}
            for base in self._store.bases.all():
                ids = [note_id for note_id in signs if bases.get(note_id) == base.id]
                stale = [item for item in ids if item not in self._means or self._means[item][0] != signs[item]]
                means |= {item: self._means[item] for item in ids if item in self._means}
                means |= {item: (signs[item], mean) for item, mean in self._store.note_vectors.means(base, stale)}
                spaces.setdefault(base.fingerprint, []).extend(item for item in ids if item in means)
            self._means = means
            self._spaces = {
                name: _Space(
                    {item: row for row, item in enumerate(ids)}, _centre(np.stack([means[item][1] for item in ids]))
                )
                for name, ids in spaces.items()
                if ids
            }
            self._space_of = {item: name for name, ids in spaces.items() for item in ids}
            self._version = version


def _centre(vectors: Matrix) -> Matrix:
    """Return centred note vectors of unit length."""
    share = np.float32(len(vectors) / (len(vectors) + _FEW))
    return unit(vectors - share * vectors.mean(axis=0))


CANDIDATES = 40
"""Number of notes nearest in meaning to compare by words. On two vaults, 20 were slightly worse, and 80 no better."""
_WORDS = 2.0
"""Weight of the words' cosine relative to that of the meaning; of the values 1 to 4 the best on two vaults
(benchmarks/related.py).
"""
_LINKED = 0.3
"""Score for a link between two notes."""
_TAGGED = 0.3
"""Score for a tag that only two notes have; a frequent tag adds less."""
_RARE = 50
"""Maximum number of notes with a tag for all of them to be compared."""
_ASKED, _CHUNKS = 24, 200
"""Number of words to search for if a note has no vectors, and of chunks to use from that search."""
LEAST = 0.5
"""Minimum score of a related note."""


@frozen
class Neighbour:
    """A note similar to another, with the cosine of their vectors (None without vectors) and what else they share.

    `links_here`: the neighbour links to the note; `linked`: the note links to the neighbour. `tags`: the common tags.
    """

    note_id: str
    score: float
    cosine: float | None
    shared: Shared
    links_here: bool = False
    linked: bool = False
    tags: tuple[str, ...] = ()


class Neighbours:
    """Finds the neighbours of notes; `text` reads the text of a note."""

    def __init__(self, store: Store, text: Text) -> None:
        self._store = store
        self.nearness = Nearness(store)
        self._wording = Wording(text)

    def nearest_to(self, note: Note, links: NoteLinks | None = None, tags: Iterable[str] = ()) -> list[Neighbour]:
        """Return the nearest active, unexpired notes to a note, the best first.

        Without `links` and `tags`, only meaning and words count.
        """
        allowed = self._store.note_vectors.answering() - {note.id}
        there = {link.note_id for link in links.resolve(note, note.links)} if links else set()
        here = set(links.to(note.id)) if links else set()
        holders = {tag: ids & allowed for tag, ids in self._store.note_vectors.holders([*tags]).items()}
        tagged = {item for ids in holders.values() if len(ids) <= _RARE for item in ids}
        near = self.nearness.nearest(note.id, CANDIDATES, allowed)
        more = ({item for item in there | here | tagged if item} & allowed) - near.keys()
        near_or_none: dict[str, float | None] = {**near, **dict.fromkeys(sorted(more))}
        near_or_none |= self.nearness.cosines(note.id, more)
        if not near:
            near_or_none |= dict.fromkeys(self._by_words(note, allowed - more))
        shared = self._compared(note.id, [*near_or_none])
        neighbours = []
        for note_id, words in shared.items():
            cosine = near_or_none[note_id]
            both = tuple(tag for tag, ids in holders.items() if note_id in ids)
            linked = note_id in there or note_id in here
            score = (cosine or 0.0) + _WORDS * words.cosine + _LINKED * linked
            score += sum(_TAGGED / math.log2(1 + max(1, len(holders[tag]))) for tag in both)
            neighbours.append(Neighbour(note_id, score, cosine, words, note_id in here, note_id in there, both))
        return sorted(neighbours, key=lambda neighbour: (-neighbour.score, neighbour.note_id))

    def _compared(self, note_id: str, others: Iterable[str]) -> dict[str, Shared]:
        words = {}
        for other in others:
            with suppress(NoteNotFound):  # it was deleted meanwhile
                words[other] = self._wording.note_words(other)
        return self._wording.compare(self._wording.note_words(note_id), words)

    def _by_words(self, note: Note, allowed: Collection[str]) -> list[str]:
        """Return the notes that contain the most characteristic words of a note, for a note without vectors."""
        counts = self._wording.note_words(note.id).counts
        known = self._store.words.counts([*counts])
        every = max(1, self._store.chunks.count_all())
        weights = {word: counts[word] * math.log((every + 1) / count) for word, count in known.items()}
        words = sorted(weights, key=lambda word: (-weights[word], word))[:_ASKED]
        ranked = self._store.words.rank(words, _CHUNKS) if words else {}
        return [owner for owner in self._store.note_vectors.owners([*ranked]) if owner in allowed][:CANDIDATES]


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
        reason = plural("{n} of the most similar notes has it", "{n} of the most similar notes have it", n=vote.notes)
        reason = message("{have}, and the text names it", have=reason) if named else reason
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
