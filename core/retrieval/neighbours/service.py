"""Notes similar to a note, by meaning, words, links and tags; phrases of all notes; passages similar to a text."""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from core.base.blobs import remove_blobs
from core.base.cache import Cache
from core.base.errors import NoteNotFound
from core.base.frozen import frozen
from core.base.phrases import phrases, size_of
from core.base.text import keywords
from core.embedding.tokens import unit
from core.model import Hit, Matrix, Note, SearchOptions
from core.notes.links import NoteLinks
from core.notes.texts import NoteTexts
from core.retrieval.neighbours.copies_and_contradictions import Likeness
from core.store import Store
from core.store.remembered import PerNote

if TYPE_CHECKING:
    from core.retrieval.engine import SearchEngine

# Words and key phrases of notes, and how many of them notes share.

_RUN = 6
"""Number of words in each piece of text that is compared to recognize copies."""
_LEAST = 20
"""Minimum number of pieces in the shorter text for recognizing copies."""
_SHOWN = 3
"""Maximum number of shared phrases to show."""


@frozen
class NoteWords:
    """Counts of the words in a note, and the hashes of its pieces of _RUN words."""

    counts: Mapping[str, int]
    pieces: frozenset[int]


@frozen
class Shared:
    """What two notes share: the cosine of their words, common key phrases, and the copied share of the shorter text."""

    cosine: float
    phrases: tuple[str, ...]
    copied: float


def words_of(text: str) -> NoteWords:
    """Return the words of a text."""
    words = keywords(text)
    runs = zip(*(words[at:] for at in range(_RUN)), strict=False)
    return NoteWords(Counter(words), frozenset(map(hash, runs)))


def compare(
    note_id: str, words: Mapping[str, NoteWords], phrases: Mapping[str, Mapping[str, int]]
) -> dict[str, Shared]:
    """Return what a note shares with each of the other notes in `words`; rarer words weigh more (tf-idf).

    `phrases` are the counts of key phrases in the same notes.
    """
    rarity = _rarity([item.counts for item in words.values()])
    telling = _rarity(phrases.values())
    weighed = {note: _weigh_words(theirs.counts, rarity) for note, theirs in words.items()}
    own, mine, named = words[note_id], weighed.pop(note_id), phrases.get(note_id, {})
    shared = {}
    for other, weights in weighed.items():
        pieces = words[other].pieces
        fewer = min(len(own.pieces), len(pieces))
        shared[other] = Shared(
            sum(weight * weights[word] for word, weight in mine.items() if word in weights),
            _common_phrases(named, phrases.get(other, {}), telling),
            len(own.pieces & pieces) / fewer if fewer >= _LEAST else 0.0,
        )
    return shared


def _weigh_words(counts: Mapping[str, int], rarity: Mapping[str, float]) -> dict[str, float]:
    """Return the weights of words, normalized to unit length."""
    weights = {word: (1 + math.log(count)) * rarity[word] for word, count in counts.items()}
    length = math.sqrt(sum(weight * weight for weight in weights.values())) or 1.0
    return {word: weight / length for word, weight in weights.items()}


def _rarity(group: Collection[Mapping[str, int]]) -> dict[str, float]:
    """Return the rarity of each word in a group of notes: the logarithm of the inverse share of notes with it."""
    holders = Counter(word for counts in group for word in counts)
    return {word: math.log((len(group) + 1) / count) for word, count in holders.items()}


def _common_phrases(
    first: Mapping[str, int], second: Mapping[str, int], rarity: Mapping[str, float]
) -> tuple[str, ...]:
    """Return the most characteristic key phrases of both notes; no phrase is part of another."""
    weights = {
        phrase: math.sqrt(count * second[phrase] * size_of(phrase)) * rarity[phrase]
        for phrase, count in first.items()
        if phrase in second
    }
    chosen: list[str] = []
    for phrase in sorted(weights, key=lambda phrase: (-weights[phrase], phrase)):
        if len(chosen) < _SHOWN and not any(phrase in item or item in phrase for item in chosen):
            chosen.append(phrase)
    return tuple(chosen)


# How near notes are by meaning: a vector for each note, kept in memory, and read again when its windows change.

_FEW = 10
"""Number of notes at which half of their mean vector is subtracted; with fewer notes it is less, because the mean of
a few notes depends too much on each.
"""


@dataclass(frozen=True, slots=True, eq=False)
class VectorSpace:
    """The notes with vectors of one model. `vectors` are centred, of unit length; `rows` maps notes to rows."""

    rows: Mapping[str, int]
    vectors: Matrix


class Meaning:
    """Similarity of meaning between the notes of a workspace. Thread-safe."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._means = PerNote(self._read_means)
        self._spaces: Cache[int, Mapping[str, VectorSpace]] = Cache(1)

    def cosines(self, note_id: str) -> dict[str, float]:
        """Return the cosines of a note to the other notes of its model, the nearest first; empty without vectors."""
        for space in self.spaces().values():
            if note_id in space.rows:
                cosines = space.vectors @ space.vectors[space.rows[note_id]]
                ids = [*space.rows]
                return {ids[row]: float(cosines[row]) for row in np.argsort(-cosines) if ids[row] != note_id}
        return {}

    @property
    def is_read(self) -> bool:
        """Whether the vectors in memory are up to date."""
        return self._spaces.get(self._store.database.version()) is not None

    def spaces(self) -> Mapping[str, VectorSpace]:
        """Return the notes with vectors, by the fingerprint of their model."""
        return self._spaces.get_or_compute(self._store.database.version(), self._read)

    def _read(self) -> Mapping[str, VectorSpace]:
        with self._store.database.read():
            means = self._means.get(self._store.note_vectors.signs())
        of_model: defaultdict[str, dict[str, Matrix]] = defaultdict(dict)
        for note_id, (model, mean) in means.items():
            of_model[model][note_id] = mean
        spaces = {}
        for model, theirs in of_model.items():
            vectors = np.stack([*theirs.values()])
            share = np.float32(len(vectors) / (len(vectors) + _FEW))
            rows = {note_id: row for row, note_id in enumerate(theirs)}
            spaces[model] = VectorSpace(rows, unit(vectors - share * vectors.mean(axis=0)))
        return spaces

    def _read_means(self, note_ids: Collection[str]) -> Iterator[tuple[str, tuple[str, Matrix]]]:
        """Yield note ids with the fingerprint of the note's model and the mean of the note's vectors."""
        base_of = self._store.notes.base_ids(note_ids)
        for base in self._store.bases.all():
            ids = [note_id for note_id in note_ids if base_of.get(note_id) == base.id]
            for note_id, mean in self._store.note_vectors.means(base, ids):
                yield note_id, (base.fingerprint, mean)


# The notes near a note.

CANDIDATES = 40
"""Number of notes nearest in meaning to compare by words. On two vaults, 20 were slightly worse, and 80 no better."""
LONGEST = 20_000
"""Number of characters to compare per note, from its beginning."""
_KNOWN = 4_000
"""Maximum number of notes whose words are cached."""
_WORDS = 2.0
"""Weight of the words' cosine relative to that of the vectors: the best of the values 1 to 4 on two vaults
(benchmarks/related.py).
"""
_LINKED = 0.3
"""Score for a link between two notes."""
_TAGGED = 0.3
"""Score for a tag that only two notes have; a frequent tag adds less."""
_RARE = 50
"""Maximum number of notes with the same tag; if more have it, they aren't compared because of the tag."""
_ASKED, _CHUNKS = 24, 200
"""Number of words to search for if a note has no vectors, and of chunks to use from that search."""


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
    """Finds notes and passages similar to a note or a text; rereads only notes that changed, ignores hidden parts."""

    def __init__(self, store: Store, texts: NoteTexts, build_engine: "Callable[[], SearchEngine]") -> None:
        self._store = store
        self._texts = texts
        self._build_engine = build_engine
        self._words: Cache[tuple[str, int], NoteWords] = Cache(_KNOWN)
        self._phrases = PerNote(self._read_phrases)
        self.meaning = Meaning(store)
        self.likeness = Likeness(store)
        """Copies and contradictions among the notes."""

    def nearest_to(self, note: Note, links: NoteLinks | None = None, tags: Iterable[str] = ()) -> list[Neighbour]:
        """Return the nearest active, unexpired notes to a note, the best first.

        Without `links` and `tags`, only meaning and words count.
        """
        allowed = self._store.note_vectors.answering() - {note.id}
        there = {link.note_id for link in links.resolve(note, note.links)} if links else set()
        here = set(links.to(note.id)) if links else set()
        holders = {tag: ids & allowed for tag, ids in self._store.note_vectors.holders([*tags]).items()}
        tagged = {item for ids in holders.values() if len(ids) <= _RARE for item in ids}
        cosines = self.meaning.cosines(note.id)
        near = [*islice((other for other in cosines if other in allowed), CANDIDATES)] or self._by_words(note, allowed)
        more = sorted(allowed.intersection(there | here | tagged).difference(near))
        neighbours = []
        for note_id, shared in self._compare(note.id, [*near, *more]).items():
            both = tuple(tag for tag, ids in holders.items() if note_id in ids)
            linked = note_id in there or note_id in here
            score = cosines.get(note_id, 0.0) + _WORDS * shared.cosine + _LINKED * linked
            score += sum(_TAGGED / math.log2(1 + max(1, len(holders[tag]))) for tag in both)
            neighbours.append(
                Neighbour(note_id, score, cosines.get(note_id), shared, note_id in here, note_id in there, both)
            )
        return sorted(neighbours, key=lambda neighbour: (-neighbour.score, neighbour.note_id))

    def phrases(self) -> dict[str, Counter[str]]:
        """Return the key phrases of active, unexpired notes with their counts."""
        return self._phrases.get(self._states(), self._store.note_vectors.answering())

    def passages(self, words: Iterable[str], limit: int, bases: Collection[str] = ()) -> list[Hit]:
        """Return passages similar to the words of a text, the best of each note; may be empty. Raises ModelError."""
        engine = self._build_engine()
        options = SearchOptions(bases=[*bases], limit=limit, reranker="none", wait=False)
        result = engine.answer(engine.prepare(" ".join(words), options))
        best = {hit.note.id: hit for hit in reversed(result.hits)}
        return [hit for hit in result.hits if hit is best[hit.note.id]] if result.confident else []

    def _compare(self, note_id: str, others: Iterable[str]) -> dict[str, Shared]:
        states = self._states()
        words = {}
        for item in [item for item in (note_id, *others) if item in states]:
            with suppress(NoteNotFound):  # deleted in the meantime
                words[item] = self._words.get_or_compute((item, states[item]), partial(self._read_words, item))
        return compare(note_id, words, self._phrases.get(states, words)) if note_id in words else {}

    def _by_words(self, note: Note, allowed: Collection[str]) -> list[str]:
        """Return the notes that contain the most characteristic words of a note, for a note without vectors."""
        counts = self._read_words(note.id).counts
        known = self._store.words.counts([*counts])
        every = max(1, self._store.chunks.count_all())
        weights = {word: counts[word] * math.log((every + 1) / count) for word, count in known.items()}
        words = sorted(weights, key=lambda word: (-weights[word], word))[:_ASKED]
        ranked = self._store.words.rank(words, _CHUNKS) if words else {}
        return [owner for owner in self._store.note_vectors.owners([*ranked]) if owner in allowed][:CANDIDATES]

    def _states(self) -> Mapping[str, int]:
        return self._store.remembered.get("states", self._store.note_vectors.states)

    def _read_words(self, note_id: str) -> NoteWords:
        return words_of(self._text(note_id))

    def _read_phrases(self, note_ids: Iterable[str]) -> Iterator[tuple[str, Counter[str]]]:
        for note_id in note_ids:
            with suppress(NoteNotFound):  # deleted in the meantime
                yield note_id, phrases(self._text(note_id))

    def _text(self, note_id: str) -> str:
        """Return the beginning of a note's title and text, without blobs and hidden parts; raises NoteNotFound."""
        note = self._texts.without_hidden(note_id)
        return f"{note.title}\n{remove_blobs(note.body)}"[:LONGEST]
