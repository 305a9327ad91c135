"""Maps of the notes of one base, or of all bases with the same model."""

import re
import threading
from collections import Counter
from collections.abc import Sequence
from math import log, sqrt

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController

from core.base.phrases import phrases, size_of
from core.base.text import simplify
from core.model import KnowledgeBase, Matrix, NoteMap, Region
from core.notes.links import NoteLinks
from core.store import Store

# Places of vectors on a plane: the two main directions first, then neighbours are drawn together.

NEIGHBOURS, PUSHED = 12, 6
"""Neighbours that attract a point, and random points that repel it, in each step."""
STEPS = 200
DIRECTIONS = 128
"""Number of principal components in which neighbours are searched."""
_BLOCK, _DEALT = 256, 16
"""Points whose neighbours are searched at once, and points per group; groups are ranked by their nearest point."""
_STRONGEST = 4.0
_SPREAD = 10.0
_PUSH = 10.0
"""Weight of a repulsion; it is high because only `PUSHED` of all other points repel a point."""
_EVEN = 0.6
"""Weight of the rank in a coordinate, which fills the plane evenly; the rest is the scaled position."""

Places = NDArray[np.float32]


def places(vectors: Matrix) -> Places:
    """Lay out n unit vectors on a plane; return coordinates from 0 to 1, shape (n, 2)."""
    if len(vectors) < 3:
        return np.linspace(0.3, 0.7, 2 * len(vectors), dtype=np.float32).reshape(-1, 2)
    main = directions(vectors)
    near = neighbours(main, min(NEIGHBOURS, len(vectors) - 1)).T
    plane = np.ascontiguousarray(main[:, :2].T) / (np.abs(main[:, :2]).max() or 1.0) * np.float32(_SPREAD)
    chance = np.random.default_rng(0)
    for number in range(STEPS):
        rate = np.float32(1.0 - number / STEPS)
        force = np.zeros_like(plane)
        # One neighbour of each point at a time: arrays of all pairs take five times as long, too large to be reused.
        for others in near:
            drawn = plane.take(others, axis=1) - plane
            force += drawn * (2.0 / (1.0 + (drawn**2).sum(0)))
        for others in chance.integers(0, len(vectors), (PUSHED, len(vectors))):
            away = plane - plane.take(others, axis=1)
            squared = (away**2).sum(0)
            force += away * (_PUSH / ((0.01 + squared) * (1.0 + squared)))
        plane += rate * np.clip(force, -_STRONGEST, _STRONGEST) * np.float32(0.2)
    return _within(plane.T)


def neighbours(points: Matrix, count: int) -> NDArray[np.intp]:
    """Return the indices of each point's nearest other points, shape (n, count).

    Points are split into groups of `_DEALT`. The `count` groups with the nearest members contain the result.
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


def directions(vectors: Matrix) -> Matrix:
    """Project vectors onto their principal components, largest variance first."""
    centred = vectors - vectors.mean(axis=0)
    _, axes = np.linalg.eigh(centred.T @ centred)
    main: Matrix = centred @ axes[:, : -DIRECTIONS - 1 : -1]
    return main


def _within(plane: Places) -> Places:
    """Scale places to 0 to 1, partly by their rank on each axis, so that distant groups leave no empty space."""
    low, high = plane.min(axis=0), plane.max(axis=0)
    scaled = (plane - low) / np.maximum(high - low, 1e-9)
    ranks = np.argsort(np.argsort(plane, axis=0, kind="stable"), axis=0) / (len(plane) - 1)
    return np.asarray(0.02 + 0.96 * (_EVEN * ranks + (1 - _EVEN) * scaled), np.float32)


def regions(plane: Places, count: int) -> NDArray[np.intp]:
    """Cluster places by k-means from centres that are far apart; return numbers from 0 to at most `count` - 1."""
    middles = plane[[int(np.argmin(((plane - plane.mean(0)) ** 2).sum(1)))]]
    farthest = np.full(len(plane), np.inf, np.float32)
    for _ in range(1, min(count, len(plane))):
        farthest = np.minimum(farthest, ((plane - middles[-1]) ** 2).sum(1))
        middles = np.concatenate((middles, plane[[int(farthest.argmax())]]))
    own = np.zeros(len(plane), np.intp)
    for _ in range(20):
        own = (plane @ middles.T - (middles**2).sum(1) / 2).argmax(1)
        sizes = np.bincount(own, minlength=len(middles))
        sums = [np.bincount(own, side, len(middles)) for side in plane.T]
        middles = np.where(sizes[:, None], np.stack(sums, 1) / np.maximum(sizes, 1)[:, None], middles)
    return own


MOST_REGIONS = 24
_WORD = re.compile(r"[\w+#'-]+")
PHRASES = 3
"""Maximum number of phrases that name a region."""
_LEAST = 3
"""Minimum notes of a region, and minimum notes of it that contain a phrase of its name."""
_LONGEST = 6
"""Maximum characters of a name in a script without spaces."""
_CODE = frozenset(
    "async await bool const def else float func href import int null println return str true false var void".split()
)
"""Keywords of programming languages, which name no topic."""
_READ = 40
"""Maximum number of notes per region that are read to name it."""
_CONSIDERED = 400
"""Number of a region's most frequent phrases that are candidates for its name."""
_WEIGHED = 60
"""Number of candidates, from those in most notes, that are also counted in other regions."""
_RARE = 0.02
"""Smoothing of a phrase's share, so that phrases that are rare elsewhere weigh about the same."""
_TITLE = 2
"""Extra weight of a phrase in a title."""
_ALIKE = 0.5
"""Maximum overlap of the notes of two phrases; above it, the second phrase says nothing new."""


class NoteMaps:
    """The maps of a workspace, cached until the index changes."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._maps: dict[str, tuple[int, NoteMap]] = {}
        self._computing = threading.Lock()

    def build_map(self, base: str = "") -> NoteMap:
        """Return the map of a base, by default of all bases with the most common model; raises UnknownChoice."""
        bases = [self._store.bases.named(base)] if base else self._store.bases.all()
        with self._computing:
            version = self._store.database.version()
            known = self._maps.get(base)
            if known is None or known[0] != version:
                known = self._maps[base] = version, self._computed(bases)
            return known[1]

    def is_known(self, base: str = "") -> bool:
        """Return whether the map is cached and up to date."""
        return base in self._maps and self._maps[base][0] == self._store.database.version()

    def _computed(self, bases: Sequence[KnowledgeBase]) -> NoteMap:
        every = self._store.notes.count([base.id for base in bases])
        meant = Counter(
            base.fingerprint for base in bases if base.has_vectors and self._store.chunks.count(base).windows
        )
        if not meant:
            return NoteMap(left_out=every)
        common = meant.most_common(1)[0][0]
        notes = []
        blocks = []
        for base in bases:
            if base.fingerprint == common and base.has_vectors:
                ids, vectors = self._store.vectors.note_directions(base)
                notes += ids
                blocks.append(vectors)
        if not notes:
            return NoteMap(left_out=every)
        # While other programs keep the cores busy, two threads of BLAS take longer than one: they wait for each other.
        with ThreadpoolController().select(internal_api="openblas").limit(limits=1):
            plane = places(np.concatenate(blocks))
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
        """Return the regions, each named by the phrases that best distinguish its notes from the others."""
        count = max(1, min(MOST_REGIONS, round(sqrt(len(notes) / 4))))
        own = regions(plane, count)
        members = [inside for at in range(count) if len(inside := np.flatnonzero(own == at)) >= _LEAST]
        samples = [[notes[number] for number in inside[:: -(-len(inside) // _READ)]] for inside in members]
        read = [note for sample in samples for note in sample]
        texts, cards = self._store.notes.beginnings(read), self._store.notes.cards_of(read)
        titles = [_Words(" ".join(cards[note].title for note in sample if note in cards)) for sample in samples]
        notes_of = [[texts.get(note, "") for note in sample] for sample in samples]
        joined = [_Words("\n".join(sample)) for sample in notes_of]
        named = []
        for at, inside in enumerate(members):
            x, y = plane[inside].mean(0).tolist()
            elsewhere = [
                (words, len(sample))
                for other, (words, sample) in enumerate(zip(joined, samples, strict=True))
                if other != at
            ]
            named.append(Region(x, y, len(inside), _name(notes_of[at], titles[at], elsewhere)))
        return named


class _Words:
    """The normalized words of a text, for counting phrases."""

    def __init__(self, text: str) -> None:
        self._words = _WORD.findall(simplify(text).lower())
        self._text = " ".join(self._words)
        self._runs: dict[int, Counter[tuple[str, ...]]] = {}

    def count(self, phrase: str) -> int:
        """Return how often the text has a phrase, in the plural too."""
        if not phrase.isascii():
            return self._text.count(phrase)
        *first, last = phrase.split()
        runs = self._runs_of(len(first) + 1)
        return runs[(*first, last)] + runs[(*first, f"{last}s")]

    def _runs_of(self, size: int) -> Counter[tuple[str, ...]]:
        if size not in self._runs:
            self._runs[size] = Counter(zip(*(self._words[start:] for start in range(size)), strict=False))
        return self._runs[size]


def _name(texts: Sequence[str], titles: _Words, elsewhere: Sequence[tuple[_Words, int]]) -> tuple[str, ...]:
    """Return distinct phrases that are common in a region's notes and rare elsewhere.

    `elsewhere` has the words of each other region with its number of notes.
    """
    notes = [_Words(text) for text in texts]
    holders = {
        phrase: {number for number, words in enumerate(notes) if words.count(phrase)}
        for phrase in phrases("\n".join(texts), _CONSIDERED)
        if _is_name(phrase)
    }
    shares = {
        phrase: (len(at) + _TITLE * titles.count(phrase)) / len(texts)
        for phrase, at in holders.items()
        if len(at) >= min(_LEAST, len(texts))
    }

    def weight(phrase: str) -> float:
        rates = [min(1.0, words.count(phrase) / count) for words, count in elsewhere]
        rate = sum(rates) / max(1, len(rates))
        return sqrt(min(2.0, size_of(phrase))) * shares[phrase] * log((shares[phrase] + _RARE) / (rate + _RARE))

    likely = sorted(shares, key=lambda phrase: (-shares[phrase], phrase))[:_WEIGHED]
    weights = {phrase: weight(phrase) for phrase in likely}
    chosen: list[str] = []
    for phrase in sorted(likely, key=lambda phrase: (-weights[phrase], phrase)):
        known = any(
            phrase in other or other in phrase or _overlap(holders[phrase], holders[other]) > _ALIKE for other in chosen
        )
        if not known:
            chosen.append(phrase)
        if len(chosen) == PHRASES:
            break
    return tuple(chosen)


def _overlap(first: set[int], second: set[int]) -> float:
    return len(first & second) / len(first | second)


def _is_name(phrase: str) -> bool:
    """Return whether a phrase can name a topic: it has no keyword of code and isn't part of a Chinese sentence."""
    if phrase.isascii():
        return _CODE.isdisjoint(phrase.split())
    return len(phrase) <= _LONGEST and "的" not in phrase
