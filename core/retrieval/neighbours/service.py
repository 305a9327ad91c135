"""Find notes similar to a note by meaning, words, links and tags, and find key phrases and similar passages."""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from core.base.blobs import remove_blobs
from core.base.cache import Cache
from core.base.errors import NoteNotFound
from core.base.frozen import Texts, frozen
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

# Comparing two notes by their words and key phrases.

# Number of words in a piece. Copied text is recognized by shared pieces.
_RUN = 6
# Minimum number of pieces in the shorter text. Copies of even shorter texts aren't recognized.
_LEAST = 20
# Maximum number of shared phrases to show.
_SHOWN = 3

# Maps each word or phrase to its number of occurrences.
Counts = Mapping[str, int]
# Maps each word or phrase to its weight.
Weights = Mapping[str, float]


@frozen
class NoteWords:
    """A note's word counts, and the hashes of its _RUN-word pieces."""

    counts: Counts
    pieces: frozenset[int]


@frozen
class Shared:
    """What two notes share.

    `cosine` is the cosine between their word weights. `phrases` are their common key phrases. `copied` is the share of
    the shorter text that also occurs in the longer one.
    """

    cosine: float
    phrases: Texts
    copied: float


def words_of(text: str) -> NoteWords:
    """Count the words in text and hash its pieces."""
    words = keywords(text)
    return NoteWords(Counter(words), frozenset(map(hash, zip(*(words[at:] for at in range(_RUN)), strict=False))))


def compare(note_id: str, words: Mapping[str, NoteWords], phrases: Mapping[str, Counts]) -> dict[str, Shared]:
    """Return what a note has in common with each of the other notes in `words`. Rare words weigh more (tf-idf).

    `phrases` holds the key phrase counts for the same notes.
    """
    rarity = _rarity([item.counts for item in words.values()])
    telling = _rarity(phrases.values())
    weighed = {note: _weigh_words(theirs.counts, rarity) for note, theirs in words.items()}
    own = words[note_id]
    mine = weighed.pop(note_id)
    named = phrases.get(note_id, {})
    shared = {}
    for other, weights in weighed.items():
        pieces = words[other].pieces
        fewer = min(len(own.pieces), len(pieces))
        shared[other] = Shared(
            sum(weight * weights.get(word, 0.0) for word, weight in mine.items()),
            _common_phrases(named, phrases.get(other, {}), telling),
            len(own.pieces & pieces) / fewer if fewer >= _LEAST else 0.0,
        )
    return shared


def _weigh_words(counts: Counts, rarity: Weights) -> Weights:
    weights = {word: (1 + math.log(count)) * rarity[word] for word, count in counts.items()}
    length = math.hypot(*weights.values()) or 1.0
    return {word: weight / length for word, weight in weights.items()}


def _rarity(group: Collection[Counts]) -> Weights:
    """Return each word's rarity in a group of notes as log((number of notes + 1) / number of notes with the word)."""
    return {
        word: math.log((len(group) + 1) / count)
        for word, count in Counter(word for counts in group for word in counts).items()
    }


def _common_phrases(first: Counts, second: Counts, rarity: Weights) -> Texts:
    """Return the most characteristic key phrases shared by both notes, omitting any that are part of another one."""
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


# Similarity in meaning. Each note's vector is kept in memory, and reread when the note's windows change.

# Number of notes at which half of their mean vector is subtracted. With fewer notes, less is subtracted, because the
# mean of a few notes depends too much on each one.
_FEW = 10


@dataclass(frozen=True, slots=True, eq=False)
class VectorSpace:
    """The vectors of all notes embedded by the same model.

    `vectors` are centred and have unit length. `rows` maps each note id to a row in `vectors`.
    """

    rows: Counts
    vectors: Matrix


# The vector space of each model, keyed by the model's fingerprint.
Spaces = Mapping[str, VectorSpace]


class Meaning:
    """Similarity in meaning between a workspace's notes. Thread-safe."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._means = PerNote(self._read_means)
        self._spaces: Cache[int, Spaces] = Cache(1)

    def cosines(self, note_id: str) -> dict[str, float]:
        """Return the cosine between a note and each of the other notes with the same model, nearest first.

        Return an empty dict if the note has no vector.
        """
        for space in self.spaces().values():
            if note_id in space.rows:
                cosines = space.vectors @ space.vectors[space.rows[note_id]]
                ids = list(space.rows)
                return {ids[row]: float(cosines[row]) for row in np.argsort(-cosines) if ids[row] != note_id}
        return {}

    @property
    def is_read(self) -> bool:
        """Whether the vectors in memory are up to date."""
        return self._spaces.get(self._store.database.version()) is not None

    def spaces(self) -> Spaces:
        """Return the vector space for each model, keyed by the model's fingerprint."""
        return self._spaces.get_or_compute(self._store.database.version(), self._read)

    def _read(self) -> Spaces:
        with self._store.database.read():
            means = self._means.get(self._store.note_vectors.signs())
        of_model: defaultdict[str, dict[str, Matrix]] = defaultdict(dict)
        for note_id, (model, mean) in means.items():
            of_model[model][note_id] = mean
        spaces = {}
        for model, theirs in of_model.items():
            vectors = np.stack(list(theirs.values()))
            share = np.float32(len(vectors) / (len(vectors) + _FEW))
            spaces[model] = VectorSpace(
                {note_id: row for row, note_id in enumerate(theirs)}, unit(vectors - share * vectors.mean(axis=0))
            )
        return spaces

    def _read_means(self, note_ids: Collection[str]) -> Iterator[tuple[str, tuple[str, Matrix]]]:
        """Yield (note id, (its model's fingerprint, mean of its vectors)) for each of the notes."""
        base_of = self._store.notes.base_ids(note_ids)
        for base in self._store.bases.all():
            ids = [note_id for note_id in note_ids if base_of.get(note_id) == base.id]
            for note_id, mean in self._store.note_vectors.means(base, ids):
                yield note_id, (base.fingerprint, mean)


# Finding the notes nearest to a note.

# Number of nearest notes in meaning to compare by words. On two vaults, 20 was slightly worse and 80 no better.
CANDIDATES = 40
# Maximum number of characters to compare per note, counted from the beginning.
LONGEST = 20_000
# Maximum number of notes whose words are cached.
_KNOWN = 4_000
# Weight of the word cosine relative to the vector cosine. On two vaults, it was the best of the values from 1 to 4
# (benchmarks/related.py).
_WORDS = 2.0
# Score for a link between two notes.
_LINKED = 0.3
# Score for a shared tag that no third note has. More frequent tags add less.
_TAGGED = 0.3
# Maximum number of notes with a tag. A more frequent tag isn't a reason to compare two notes.
_RARE = 50
# If a note has no vectors, its neighbours are found by keyword search. These are the number of words to search for and
# the number of resulting chunks to use.
_ASKED = 24
_CHUNKS = 200


@frozen
class Neighbour:
    """A note similar to a given note, with the cosine between their vectors and what they share.

    The cosine is None if either note has no vector. `links_here` is True if the neighbour links to the given note, and
    `linked` if the given note links to the neighbour. `tags` are the tags they have in common.
    """

    note_id: str
    score: float
    cosine: float | None
    shared: Shared
    links_here: bool = False
    linked: bool = False
    tags: Texts = ()


@dataclass(eq=False)
class Neighbours:
    """Finds notes and passages similar to a note or to given words.

    Rereads notes only if they have changed, and ignores their hidden parts.
    """

    _store: Store
    _texts: NoteTexts
    _build_engine: "Callable[[], SearchEngine]"

    def __post_init__(self) -> None:
        self._words: Cache[tuple[str, int], NoteWords] = Cache(_KNOWN)
        self._phrases = PerNote(self._read_phrases)
        self.meaning = Meaning(self._store)
        self.likeness = Likeness(self._store)
        """Finds copies and contradictions among the notes."""

    def nearest_to(self, note: Note, links: NoteLinks | None = None, tags: Iterable[str] = ()) -> list[Neighbour]:
        """Return the active, unexpired notes nearest to a note, best first.

        Without `links` and `tags`, only meaning and words count.
        """
        allowed = self._store.note_vectors.answering() - {note.id}
        there = {link.note_id for link in links.resolve(note, note.links)} if links else set()
        here = set(links.to(note.id)) if links else set()
        holders = {tag: ids & allowed for tag, ids in self._store.note_vectors.holders(list(tags)).items()}
        tagged = {item for ids in holders.values() if len(ids) <= _RARE for item in ids}
        cosines = self.meaning.cosines(note.id)
        near = [other for other in cosines if other in allowed][:CANDIDATES] or self._by_words(note, allowed)
        more = sorted(allowed.intersection(there | here | tagged).difference(near))
        states = self._states()
        words = {}
        for item in filter(states.__contains__, (note.id, *near, *more)):
            with suppress(NoteNotFound):  # deleted in the meantime
                words[item] = self._words.get_or_compute((item, states[item]), partial(self._read_words, item))
        compared = compare(note.id, words, self._phrases.get(states, words)) if note.id in words else {}
        neighbours = []
        for note_id, shared in compared.items():
            both = tuple(tag for tag, ids in holders.items() if note_id in ids)
            score = cosines.get(note_id, 0.0) + _WORDS * shared.cosine + _LINKED * (note_id in there | here)
            score += sum(_TAGGED / math.log2(1 + max(1, len(holders[tag]))) for tag in both)
            neighbours.append(
                Neighbour(note_id, score, cosines.get(note_id), shared, note_id in here, note_id in there, both)
            )
        return sorted(neighbours, key=lambda neighbour: (-neighbour.score, neighbour.note_id))

    def phrases(self) -> dict[str, Counter[str]]:
        """Return the key phrases in each active, unexpired note, with their counts."""
        return self._phrases.get(self._states(), self._store.note_vectors.answering())

    def passages(self, words: Iterable[str], limit: int, bases: Collection[str] = ()) -> list[Hit]:
        """Return the passages most similar to the given words, with only the best passage from each note.

        Return an empty list if no passage is similar enough. Raises ModelError.
        """
        engine = self._build_engine()
        result = engine.answer(
            engine.prepare(" ".join(words), SearchOptions(bases=list(bases), limit=limit, reranker="none", wait=False))
        )
        best = {hit.note.id: hit for hit in reversed(result.hits)}
        return [hit for hit in result.hits if hit is best[hit.note.id]] if result.confident else []

    def _by_words(self, note: Note, allowed: Collection[str]) -> list[str]:
        """Return notes that contain the most characteristic words of a note that has no vectors."""
        counts = self._read_words(note.id).counts
        known = self._store.words.counts(list(counts))
        every = max(1, self._store.chunks.count_all())
        weights = {word: counts[word] * math.log((every + 1) / count) for word, count in known.items()}
        words = sorted(weights, key=lambda word: (-weights[word], word))[:_ASKED]
        ranked = self._store.words.rank(words, _CHUNKS) if words else {}
        return [owner for owner in self._store.note_vectors.owners(list(ranked)) if owner in allowed][:CANDIDATES]

    def _states(self) -> Counts:
        return self._store.remembered.get("states", self._store.note_vectors.states)

    def _read_words(self, note_id: str) -> NoteWords:
        return words_of(self._text(note_id))

    def _read_phrases(self, note_ids: Iterable[str]) -> Iterator[tuple[str, Counter[str]]]:
        for note_id in note_ids:
            with suppress(NoteNotFound):  # deleted in the meantime
                yield note_id, phrases(self._text(note_id))

    def _text(self, note_id: str) -> str:
        """Return the beginning of a note's title and text, without blobs or hidden parts. Raises NoteNotFound."""
        note = self._texts.without_hidden(note_id)
        return f"{note.title}\n{remove_blobs(note.body)}"[:LONGEST]
