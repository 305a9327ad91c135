"""Maps of the notes of one base, or of all bases with the same model."""

import re
from collections import Counter
from collections.abc import Sequence
from functools import partial
from math import log, sqrt

import numpy as np

from core.base.cache import Cache
from core.base.phrases import phrases, size_of
from core.base.text import simplify
from core.model import Matrix, NoteMap, Region
from core.notes.links import NoteLinks
from core.retrieval.neighbours.layout import Places, places, regions
from core.retrieval.neighbours.meaning import Meaning
from core.store import Store

MOST_REGIONS = 24
_WORD = re.compile(r"[\w+#'-]+")
PHRASES = 3
"""Maximum number of phrases in the name of a region."""
_LEAST = 3
"""Minimum number of notes in a region, and of notes that contain a phrase in its name."""
_LONGEST = 6
"""Maximum number of characters of a name in a script without spaces."""
_CODE = frozenset(
    "async await bool const def else float func href import int null println return str true false var void".split()
)
"""Programming keywords, which can't name a topic."""
_READ = 40
"""Maximum number of notes to read per region in order to name it."""
_CONSIDERED = 400
"""Number of a region's most frequent phrases to consider for its name."""
_WEIGHED = 60
"""Number of candidates, those in the most notes, that are also counted in other regions."""
_RARE = 0.02
"""Smoothing of a phrase's share, so that phrases that are rare elsewhere have about the same weight."""
_TITLE = 2
"""Extra weight of a phrase in titles."""
_ALIKE = 0.5
"""Maximum overlap between the notes of two phrases, above which the second phrase adds nothing."""
_KEPT = 4
"""Maximum number of cached maps."""


class NoteMaps:
    """The maps of a workspace, cached until the index changes."""

    def __init__(self, store: Store, meaning: Meaning) -> None:
        self._store = store
        self._meaning = meaning
        self._maps: Cache[tuple[str, int], NoteMap] = Cache(_KEPT)

    def build_map(self, base: str = "") -> NoteMap:
        """Return the map of a base, by default of the notes of all bases by their most common model.

        Raises UnknownChoice.
        """
        bases = [self._store.bases.named(base)] if base else self._store.bases.all()
        key = base, self._store.database.version()
        return self._maps.get_or_compute(key, partial(self._compute, [item.id for item in bases]))

    def _compute(self, base_ids: Sequence[str]) -> NoteMap:
        every = self._store.notes.count(base_ids)
        base_of = self._store.notes.base_ids(self._store.note_vectors.states(active=True))
        vectors: dict[str, Matrix] = {}
        for space in self._meaning.spaces().values():
            theirs = {note: space.vectors[row] for note, row in space.rows.items() if base_of.get(note) in base_ids}
            vectors = max(vectors, theirs, key=len)
        if not vectors:
            return NoteMap(left_out=every)
        notes = [*vectors]
        plane = places(np.stack([*vectors.values()]))
        numbers = {note: number for number, note in enumerate(notes)}
        pairs = [(numbers[note], numbers[other]) for note, other in NoteLinks(self._store).among(numbers)]
        return NoteMap(
            tuple(notes),
            tuple((round(x, 4), round(y, 4)) for x, y in plane.tolist()),
            tuple(self._regions(notes, plane)),
            tuple({(min(pair), max(pair)) for pair in pairs}),
            every - len(notes),
        )

    def _regions(self, notes: Sequence[str], plane: Places) -> list[Region]:
        """Return the regions, each named by the phrases that best distinguish its notes from those of other regions."""
        count = max(1, min(MOST_REGIONS, round(sqrt(len(notes) / 4))))
        own = regions(plane, count)
        members = [inside for at in range(count) if len(inside := np.flatnonzero(own == at)) >= _LEAST]
        read = [[notes[number] for number in inside[:: -(-len(inside) // _READ)]] for inside in members]
        texts = self._store.notes.beginnings(note for sample in read for note in sample)
        cards = self._store.notes.cards_of(texts)
        samples = [
            _Sample([texts.get(note, "") for note in sample], [cards[note].title for note in sample if note in cards])
            for sample in read
        ]
        named = []
        for inside, sample in zip(members, samples, strict=True):
            x, y = plane[inside].mean(0).tolist()
            others = [other for other in samples if other is not sample]
            named.append(Region(x, y, len(inside), sample.name(others)))
        return named


class _Sample:
    """The notes of a region that are read to name it."""

    def __init__(self, texts: Sequence[str], titles: Sequence[str]) -> None:
        self._text = "\n".join(texts)
        self._notes = [_Words(text) for text in texts]
        self._words, self._titles = _Words(self._text), _Words(" ".join(titles))

    def rate(self, phrase: str) -> float:
        """Return how often a note has a phrase on average, at most 1."""
        return min(1.0, self._words.count(phrase) / len(self._notes))

    def name(self, others: Sequence["_Sample"]) -> tuple[str, ...]:
        """Return distinct phrases that are common in these notes and rare in those of the other regions."""
        holders = {
            phrase: {number for number, words in enumerate(self._notes) if words.count(phrase)}
            for phrase in phrases(self._text, _CONSIDERED)
            if _is_name(phrase)
        }
        shares = {
            phrase: (len(at) + _TITLE * self._titles.count(phrase)) / len(self._notes)
            for phrase, at in holders.items()
            if len(at) >= min(_LEAST, len(self._notes))
        }

        def weight(phrase: str) -> float:
            rate = sum(other.rate(phrase) for other in others) / max(1, len(others))
            return sqrt(min(2.0, size_of(phrase))) * shares[phrase] * log((shares[phrase] + _RARE) / (rate + _RARE))

        likely = sorted(shares, key=lambda phrase: (-shares[phrase], phrase))[:_WEIGHED]
        weights = {phrase: weight(phrase) for phrase in likely}
        chosen: list[str] = []
        for phrase in sorted(likely, key=lambda phrase: (-weights[phrase], phrase)):
            known = any(
                phrase in other or other in phrase or _overlap(holders[phrase], holders[other]) > _ALIKE
                for other in chosen
            )
            if not known:
                chosen.append(phrase)
        return tuple(chosen[:PHRASES])


class _Words:
    """The normalized words of a text, for counting phrases in it."""

    def __init__(self, text: str) -> None:
        self._words = _WORD.findall(simplify(text).lower())
        self._text = " ".join(self._words)
        self._runs: dict[int, Counter[tuple[str, ...]]] = {}

    def count(self, phrase: str) -> int:
        """Return how often a phrase, or its plural, is in the text."""
        if not phrase.isascii():
            return self._text.count(phrase)
        *first, last = phrase.split()
        runs = self._runs_of(len(first) + 1)
        return runs[(*first, last)] + runs[(*first, f"{last}s")]

    def _runs_of(self, size: int) -> Counter[tuple[str, ...]]:
        if size not in self._runs:
            self._runs[size] = Counter(zip(*(self._words[start:] for start in range(size)), strict=False))
        return self._runs[size]


def _overlap(first: set[int], second: set[int]) -> float:
    return len(first & second) / len(first | second)


def _is_name(phrase: str) -> bool:
    """Return whether a phrase can name a topic: it has no programming keyword and isn't part of a Chinese sentence."""
    if phrase.isascii():
        return _CODE.isdisjoint(phrase.split())
    return len(phrase) <= _LONGEST and "的" not in phrase
