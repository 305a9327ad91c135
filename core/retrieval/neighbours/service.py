"""The notes near a note, by meaning, words, links and tags; the phrases of all notes; passages near a text."""

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from core.base.blobs import remove_blobs
from core.base.cache import Cache
from core.base.errors import NoteNotFound
from core.base.frozen import frozen
from core.base.phrases import phrases
from core.model import Hit, Note, SearchOptions
from core.notes.links import NoteLinks
from core.notes.texts import NoteTexts
from core.retrieval.neighbours.copies_and_contradictions import Likeness
from core.retrieval.neighbours.meaning import Meaning
from core.retrieval.neighbours.wording import NoteWords, Shared, compare, words_of
from core.store import Store
from core.store.remembered import PerNote

if TYPE_CHECKING:
    from core.retrieval.engine import SearchEngine

CANDIDATES = 40
"""Number of notes nearest in meaning to compare by words. On two vaults, 20 were slightly worse, and 80 no better."""
LONGEST = 20_000
"""Number of characters to compare per note, from its beginning."""
_KNOWN = 4_000
"""Maximum number of notes whose words are cached."""
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
    """Finds what is near a note or a text. A note is read again only if it changed; its hidden parts count nowhere."""

    def __init__(self, store: Store, texts: NoteTexts, build_engine: "Callable[[], SearchEngine]") -> None:
        self._store = store
        self._texts = texts
        self._build_engine = build_engine
        self._words: Cache[tuple[str, int], NoteWords] = Cache(_KNOWN)
        self._phrases = PerNote(self._read_phrases)
        self.meaning = Meaning(store)
        self.likeness = Likeness(store)
        """The copies and contradictions among the notes."""

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
        """Return passages near the words of a text, the best of each note; none if none is near. Raises ModelError."""
        engine = self._build_engine()
        options = SearchOptions(bases=[*bases], limit=limit, reranker="none", wait=False)
        result = engine.answer(engine.prepare(" ".join(words), options))
        best = {hit.note.id: hit for hit in reversed(result.hits)}
        return [hit for hit in result.hits if hit is best[hit.note.id]] if result.confident else []

    def _compare(self, note_id: str, others: Iterable[str]) -> dict[str, Shared]:
        states = self._states()
        words = {}
        known = [item for item in (note_id, *others) if item in states]
        for item in known:
            with suppress(NoteNotFound):  # it was deleted meanwhile
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
            with suppress(NoteNotFound):  # it was deleted meanwhile
                yield note_id, phrases(self._text(note_id))

    def _text(self, note_id: str) -> str:
        """Return the beginning of a note's title and text, without blobs and hidden parts; raises NoteNotFound."""
        note = self._texts.without_hidden(note_id)
        return f"{note.title}\n{remove_blobs(note.body)}"[:LONGEST]
