"""Maps of the notes in one base, or in all bases with the same model. A map has a point per note and named regions."""

import re
from collections import Counter
from collections.abc import Sequence
from functools import cache, partial
from math import log, sqrt

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from core.base.cache import Cache
from core.base.frozen import Texts
from core.base.phrases import phrases, size_of
from core.base.text import simplify
from core.model import Matrix, NoteMap, Region
from core.notes.links import NoteLinks
from core.retrieval.neighbours.service import Meaning
from core.store import Store

NEIGHBOURS = 12
# Number of neighbours that attract a point in each layout step, and of random points that repel it.
PUSHED = 6
STEPS = 200
# Number of principal components used to find neighbours.
DIRECTIONS = 128
# Number of points processed at once by `neighbours`, and number of points per group.
_BLOCK = 256
_DEALT = 16
_STRONGEST = 4.0
_SPREAD = 10.0
# Strength of each repulsion. It is high because each point is repelled by a sample of only `PUSHED` points.
_PUSH = 10.0
# A coordinate is a weighted mean of the point's rank and its scaled coordinate. This is the rank's weight. Ranks fill
# the plane evenly.
_EVEN = 0.6

Places = NDArray[np.float32]


# If other programs keep the cores busy, two BLAS threads are slower than one, because they wait for each other.
@threadpool_limits.wrap(limits=1, user_api="blas")  # type: ignore[untyped-decorator]
def places(vectors: Matrix) -> Places:
    """Lay out n unit vectors on a plane. Return coordinates from 0 to 1, with shape (n, 2).

    The layout starts from the two largest principal components. Then neighbours attract each other.
    """
    count = len(vectors)
    if count < 3:
        return np.linspace(0.3, 0.7, 2 * count, dtype=np.float32).reshape(-1, 2)
    # Project the vectors onto their principal components, largest variance first.
    centred = vectors - vectors.mean(axis=0)
    _, axes = np.linalg.eigh(centred.T @ centred)
    main: Matrix = centred @ axes[:, : -DIRECTIONS - 1 : -1]
    near = neighbours(main, min(NEIGHBOURS, count - 1)).T
    plane = np.ascontiguousarray(main[:, :2].T) / (np.abs(main[:, :2]).max() or 1.0) * np.float32(_SPREAD)
    chance = np.random.default_rng(0)
    for number in range(STEPS):
        rate = np.float32(1.0 - number / STEPS)
        force = np.zeros_like(plane)
        # Process one neighbour of each point at a time. Using arrays of all pairs would take five times as long.
        for others in near:
            drawn = plane.take(others, axis=1) - plane
            force += drawn * (2.0 / (1.0 + (drawn**2).sum(0)))
        for others in chance.integers(0, count, (PUSHED, count)):
            away = plane - plane.take(others, axis=1)
            squared = (away**2).sum(0)
            force += away * (_PUSH / ((0.01 + squared) * (1.0 + squared)))
        plane += rate * np.clip(force, -_STRONGEST, _STRONGEST) * np.float32(0.2)
    return _within(plane.T)


def neighbours(points: Matrix, count: int) -> NDArray[np.intp]:
    """Return the indices of the `count` points nearest to each point, with shape (n, count).

    Points are split into groups of `_DEALT`. A point's nearest `count` points must be in the `count` groups whose
    nearest member is nearest to that point, so only these groups are searched.
    """
    groups = -(-len(points) // _DEALT)
    padded = np.pad(points, ((0, groups * _DEALT - len(points)), (0, 0)))
    half = (padded**2).sum(1) / 2
    half[len(points) :] = np.inf
    rows = []
    for start in range(0, len(points), _BLOCK):
        nearness = points[start : start + _BLOCK] @ padded.T
        nearness -= half
        own = np.arange(len(nearness))
        nearness[own, start + own] = -np.inf
        best = nearness.reshape(len(own), _DEALT, groups).max(1)
        chosen = np.argpartition(best, -min(count, groups), axis=1)[:, -count:]
        numbers = (chosen[:, None] + groups * np.arange(_DEALT)[:, None]).reshape(len(own), -1)
        nearest = np.argpartition(np.take_along_axis(nearness, numbers, 1), -count, axis=1)[:, -count:]
        rows.append(np.take_along_axis(numbers, nearest, 1))
    return np.concatenate(rows)


def _within(plane: Places) -> Places:
    """Scale coordinates to between 0 and 1. Mix in the ranks on each axis, so that outliers leave no empty space."""
    low = plane.min(axis=0)
    scaled = (plane - low) / np.maximum(plane.max(axis=0) - low, 1e-9)
    ranks = np.argsort(np.argsort(plane, axis=0, kind="stable"), axis=0) / (len(plane) - 1)
    return np.asarray(0.02 + 0.96 * (_EVEN * ranks + (1 - _EVEN) * scaled), np.float32)


def regions(plane: Places, count: int) -> NDArray[np.intp]:
    """Cluster points with k-means, starting from distant centres. Return each point's cluster number, below `count`."""
    middles = plane[[int(np.argmin(((plane - plane.mean(0)) ** 2).sum(1)))]]
    farthest = np.full(len(plane), np.inf, np.float32)
    for _ in range(1, min(count, len(plane))):
        farthest = np.minimum(farthest, ((plane - middles[-1]) ** 2).sum(1))
        middles = np.concatenate((middles, plane[[int(farthest.argmax())]]))
    own = np.zeros(len(plane), np.intp)
    for _ in range(20):
        own = (plane @ middles.T - (middles**2).sum(1) / 2).argmax(1)
        inside = [plane[own == number] for number in range(len(middles))]
        middles = np.stack(
            [members.mean(0) if len(members) else old for members, old in zip(inside, middles, strict=True)]
        )
    return own


MOST_REGIONS = 24
_WORD = re.compile(r"[\w+#'-]+")
# Maximum number of phrases in a region's name.
PHRASES = 3
# Minimum number of notes in a region. A phrase in the region's name must also occur in at least this many of its notes.
_LEAST = 3
# Maximum number of characters in a phrase written without spaces, as in Chinese.
_LONGEST = 6
# Programming keywords, which can't name a topic.
_CODE = frozenset(
    "async await bool const def else float func href import int null println return str true false var void".split()
)
# Maximum number of notes to read per region to find the region's name.
_READ = 40
# Number of a region's most frequent phrases to consider for its name.
_CONSIDERED = 400
# Number of a region's most widespread phrases that are also counted in other regions.
_WEIGHED = 60
# Smoothing added to a phrase's share, so that all phrases that are rare elsewhere get about the same weight.
_RARE = 0.02
# Extra weight for phrases in titles.
_TITLE = 2
# Maximum overlap between two phrases' sets of notes (Jaccard). If the overlap is greater, the second phrase is dropped.
_ALIKE = 0.5
# Maximum number of cached maps.
_KEPT = 4


class NoteMaps:
    """A workspace's maps, cached until the index changes."""

    def __init__(self, store: Store, meaning: Meaning) -> None:
        self._store = store
        self._meaning = meaning
        self._maps: Cache[tuple[str, int], NoteMap] = Cache(_KEPT)

    def build_map(self, base: str = "") -> NoteMap:
        """Return a map of one base's notes. By default, map the notes in all bases that use the most common model.

        Raises UnknownChoice if the base doesn't exist.
        """
        bases = [self._store.bases.named(base)] if base else self._store.bases.all()
        return self._maps.get_or_compute(
            (base, self._store.database.version()), partial(self._compute, [item.id for item in bases])
        )

    def _compute(self, base_ids: Sequence[str]) -> NoteMap:
        every = self._store.notes.count(base_ids)
        base_of = self._store.notes.base_ids(self._store.note_vectors.states(active=True))
        vectors: dict[str, Matrix] = {}
        for space in self._meaning.spaces().values():
            theirs = {note: space.vectors[row] for note, row in space.rows.items() if base_of.get(note) in base_ids}
            vectors = max(vectors, theirs, key=len)
        if not vectors:
            return NoteMap(left_out=every)
        notes = list(vectors)
        plane = places(np.stack(list(vectors.values())))
        numbers = {note: number for number, note in enumerate(notes)}
        pairs = [(numbers[note], numbers[other]) for note, other in NoteLinks(self._store).among(numbers)]
        # A region is named by the phrases that best set it apart from the others.
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
            named.append(Region(x, y, len(inside), sample.name([other for other in samples if other is not sample])))
        return NoteMap(
            tuple(notes),
            tuple((round(x, 4), round(y, 4)) for x, y in plane.tolist()),
            tuple(named),
            tuple({(min(pair), max(pair)) for pair in pairs}),
            every - len(notes),
        )


class _Sample:
    """A sample of a region's notes, read to name the region."""

    def __init__(self, texts: Sequence[str], titles: Sequence[str]) -> None:
        self._text = "\n".join(texts)
        self._notes = list(map(_Words, texts))
        self._words = _Words(self._text)
        self._titles = _Words(" ".join(titles))

    def rate(self, phrase: str) -> float:
        """Return a phrase's average number of occurrences per note, at most 1."""
        return min(1.0, self._words.count(phrase) / len(self._notes))

    def name(self, others: Sequence["_Sample"]) -> Texts:
        """Return distinct phrases that are common in these notes and rare in the other regions' notes."""
        holders = {
            phrase: {number for number, words in enumerate(self._notes) if words.count(phrase)}
            for phrase in phrases(self._text, _CONSIDERED)
            # Names must not contain programming keywords or be fragments of Chinese sentences.
            if (
                _CODE.isdisjoint(phrase.split()) if phrase.isascii() else len(phrase) <= _LONGEST and "的" not in phrase
            )
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
        weights = {phrase: weight(phrase) for phrase in sorted(likely)}
        chosen: list[str] = []
        for phrase in sorted(weights, key=weights.__getitem__, reverse=True):
            if not any(
                phrase in other
                or other in phrase
                or len(holders[phrase] & holders[other]) > _ALIKE * len(holders[phrase] | holders[other])
                for other in chosen
            ):
                chosen.append(phrase)
        return tuple(chosen[:PHRASES])


class _Words:
    """A text's normalized words, for counting phrases."""

    def __init__(self, text: str) -> None:
        words = _WORD.findall(simplify(text).lower())
        self._text = " ".join(words)
        self._runs = cache(lambda size: Counter(zip(*(words[start:] for start in range(size)), strict=False)))

    def count(self, phrase: str) -> int:
        """Return how often a phrase or its plural occurs in the text."""
        if not phrase.isascii():
            return self._text.count(phrase)
        *first, last = phrase.split()
        runs = self._runs(len(first) + 1)
        return runs[(*first, last)] + runs[(*first, f"{last}s")]
