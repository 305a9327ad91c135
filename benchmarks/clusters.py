"""A made workspace of any size: vectors in clusters, and an embedder whose questions lie among them.

A vector is the direction of its topic, of which there are a thousand, plus that of its note, plus its own, each drawn
at random in all 384 dimensions: windows of a note have a cosine of 0.65, of a topic 0.43, others 0. It is no model's:
real vectors lie closer together, in fewer directions. The words follow a law like Zipf's.
"""

import random
import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import accumulate, islice
from pathlib import Path

import numpy as np

from core.base.registry import Entry
from core.base.text import digest
from core.embedding import EMBEDDERS
from core.model import Chunk, ChunkingOptions, KnowledgeBase, Matrix, Note, Role, Spans
from core.settings.sections import IndexSettings
from core.store import Store
from core.store.note_to_index import NoteToIndex

BASE, NAME = "made", "clusters"
DIMENSION = 384
_TOPICS = 1000
_OF_NOTE, _OWN = 0.7, 0.9
"""Lengths of what a note and a window add to the direction of the topic."""
_WINDOWS = 10
"""Windows of a note, each a chunk of its own."""
_WORDS, _VOCABULARY = 25, 50_000
_TOGETHER = 200
_SYLLABLES = "ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo zu".split()
_NOTE = re.compile(r"\bnote(\d+)\b")


class Clusters:
    """The embedder of the questions: a text that says `note7` lies in the cluster of note 7."""

    fingerprint = f"{NAME}:{DIMENSION}"
    dimension = DIMENSION
    input_tokens = 400

    def tokens(self, text: str) -> Spans:
        """Return the places of the words."""
        return np.array([found.span() for found in re.finditer(r"\S+", text)], np.int32).reshape(-1, 2)

    def embed(self, texts: Sequence[str], *, role: Role) -> Matrix:
        """Return a vector for each text, the same at every call."""
        return np.concatenate([self._vector(text) for text in texts])

    def warm(self) -> None:
        """Load nothing."""

    @staticmethod
    def _vector(text: str) -> Matrix:
        said = _NOTE.search(text)
        return among(int(said[1]) if said else 0, 1, seed=int.from_bytes(digest(text)[:4]))


def offer_model() -> None:
    """Put the embedder into the table of this process."""
    EMBEDDERS[NAME] = Entry(f"{__name__}:Clusters")


def questions(windows: int, count: int) -> list[str]:
    """Return questions, each about one of the notes: a name of its cluster, and three words of the notes."""
    chance, vocabulary = random.Random(3), _vocabulary()
    notes = (chance.randrange(windows // _WINDOWS) for _ in range(count))
    return [f"note{note} {' '.join(chance.choices(vocabulary[:5000], k=3))}" for note in notes]


def fill(folder: Path, windows: int) -> None:
    """Write a workspace of so many windows, without an index."""
    words, store = _stream(), Store(folder, index=IndexSettings(kind="none"))
    base = store.bases.add(
        BASE, embedder=NAME, fingerprint=Clusters.fingerprint, dimension=DIMENSION, chunking=ChunkingOptions()
    )
    for first in range(0, windows // _WINDOWS, _TOGETHER):
        numbers = range(first, min(first + _TOGETHER, windows // _WINDOWS))
        keys = [digest(f"{note}:{window}") for note in numbers for window in range(_WINDOWS)]
        store.vectors.add(base.fingerprint, keys, np.concatenate([among(note, _WINDOWS) for note in numbers]))
        ids = store.vectors.ids(base.fingerprint, keys)
        store.put(base, list(_cuttings(base, numbers, [ids[key] for key in keys], words)))
        print(f"\r{numbers.stop * _WINDOWS:,} windows are written", end="", flush=True)
    print()
    store.close()


def among(note: int, count: int, seed: int = 0) -> Matrix:
    """Return unit vectors of a note's cluster, shape (count, DIMENSION)."""
    middle = _direction(1, note % _TOPICS) + _OF_NOTE * _direction(2, note)
    own = np.random.default_rng((3, note, seed)).standard_normal((count, DIMENSION), np.float32)
    vectors = middle + _OWN * own / np.linalg.norm(own, axis=1, keepdims=True)
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), np.float32)


def _direction(*seed: int) -> Matrix:
    vector = np.random.default_rng(seed).standard_normal(DIMENSION, np.float32)
    return np.asarray(vector / np.linalg.norm(vector), np.float32)


def _cuttings(base: KnowledgeBase, numbers: range, ids: Sequence[int], words: Iterator[str]) -> Iterator[NoteToIndex]:
    for number, at in zip(numbers, range(0, len(ids), _WINDOWS), strict=True):
        note_id, body = f"{number:012x}", ""
        chunks = []
        for index in range(_WINDOWS):
            text, start = " ".join(islice(words, _WORDS)), len(body)
            body += f"{text}\n\n"
            end = start + len(text)
            place = {"index": index, "total": _WINDOWS, "start": start, "end": end, "token_count": _WORDS}
            chunks.append(Chunk(f"{note_id}:{index}", note_id, text=text, kind="recursive_character", **place))
        note = Note(
            *(note_id, base.id, body, note_id),
            title=f"note{number}",
            generation=1,
            path=f"{number // 1000}/{number}.md",
            updated_at=datetime(2020, 1, 1, tzinfo=UTC) + timedelta(minutes=number),
        )
        yield NoteToIndex(note, chunks, [[one] for one in ids[at : at + _WINDOWS]], "made", "made")


def _stream() -> Iterator[str]:
    """Yield words, the n-th of the vocabulary in proportion to 1 / (n + 3)."""
    chance, vocabulary = random.Random(5), _vocabulary()
    weights = list(accumulate(1 / (rank + 3) for rank in range(_VOCABULARY)))
    while True:
        yield from chance.choices(vocabulary, cum_weights=weights, k=10_000)


def _vocabulary() -> list[str]:
    chance = random.Random(9)
    return ["".join(chance.choices(_SYLLABLES, k=4)) for _ in range(_VOCABULARY)]
