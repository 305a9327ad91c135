"""BM25 as FTS5 computes it, from counts that are kept until the index changes.

FTS5's own function looks up the length of a chunk for each question anew, which takes three microseconds, and a
third of all chunks may hold a frequent word.
"""

import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from core.model import Rowids
from core.store.database import Database

TOKENIZER = "porter ascii tokenchars '.+#_'"
"""How the index of words takes its fields apart."""

_K1, _B = 1.2, 0.75
_LEAST = 1e-6
"""What a word weighs that half of all chunks hold, or more."""
_WEIGHTS = {"title": 3.0, "headings": 2.0, "body": 1.0}
_OF_LENGTH = np.array([0.0] * 4 + [_WEIGHTS["body"], _WEIGHTS["title"], 0.0, 0.0, _WEIGHTS["headings"]])
"""The weight of a field by the length of its name, which is read in half the time that comparing names takes."""
_KEPT = 4_000_000
"""Counts that are kept, of 12 bytes each."""

Scores = NDArray[np.float64]
Places = NDArray[np.int32]


@dataclass(slots=True)
class _Counts:
    """What was read at a version: every chunk with what its length makes of a count, and what it gains by a word."""

    version: int
    rowids: Rowids
    norms: Scores
    gains: OrderedDict[str, tuple[Places, Scores]] = field(default_factory=OrderedDict)
    size: int = 0


class BM25:
    """How well chunks match words, over all fields (Robertson and Zaragoza 2009)."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = threading.Lock()
        self._counts: _Counts | None = None

    def scores(self, words: Sequence[str]) -> tuple[Rowids, Scores]:
        """Return the chunks that hold any of the words, in order, and their scores."""
        with self._database.read() as connection, self._lock:
            counts = self._read(connection)
            total = np.zeros(len(counts.rowids))
            for places, gains in self._gains(connection, counts, words):
                total[places] += gains
        found = np.flatnonzero(total)
        return counts.rowids[found], total[found]

    @contextmanager
    def ahead(self, words: Sequence[str]) -> Iterator[None]:
        """Read what the scores of these words need, in a thread of its own while the caller does something else."""
        if not words or self._known(words):
            yield
            return
        reading = threading.Thread(target=self.scores, args=(words,))
        reading.start()
        try:
            yield
        finally:
            reading.join()

    def _known(self, words: Sequence[str]) -> bool:
        counts = self._counts
        if counts is None or counts.version != self._database.version():
            return False
        return all(word in counts.gains for word in words)

    def holding(self, words: Sequence[str]) -> list[Rowids]:
        """Return for each word the chunks that hold it, in order."""
        with self._database.read() as connection, self._lock:
            counts = self._read(connection)
            return [counts.rowids[places] for places, _ in self._gains(connection, counts, words)]

    def _read(self, connection: sqlite3.Connection) -> _Counts:
        version = self._database.version()
        if self._counts is None or self._counts.version != version:
            rowids, lengths = _lengths(connection)
            mean = max(lengths.sum(), 1) / max(len(lengths), 1)
            self._counts = _Counts(version, rowids, _K1 * (1 - _B + _B * lengths / mean))
        return self._counts

    def _gains(
        self, connection: sqlite3.Connection, counts: _Counts, words: Sequence[str]
    ) -> list[tuple[Places, Scores]]:
        """Where each word stands among the chunks, and what each chunk gains by it."""
        new = [word for word in dict.fromkeys(words) if word not in counts.gains]
        for word, term in zip(new, _terms(new), strict=True):
            places, frequencies = _frequencies(connection, counts.rowids, term)
            inverse = np.log((len(counts.rowids) - len(places) + 0.5) / (len(places) + 0.5))
            gains = frequencies * (_K1 + 1) / (frequencies + counts.norms[places]) * max(inverse, _LEAST)
            counts.gains[word] = places, gains
            counts.size += len(places) + 1
        asked = []
        for word in words:
            counts.gains.move_to_end(word)
            asked.append(counts.gains[word])
        while counts.size > _KEPT:
            counts.size -= len(counts.gains.popitem(last=False)[1][0]) + 1
        return asked


def _lengths(connection: sqlite3.Connection) -> tuple[Rowids, Scores]:
    """Every chunk that says something, in order, and how many words it has."""
    # FTS5 keeps a row of variable-length integers for each, the words of every field.
    listed, sizes = connection.execute(
        "SELECT group_concat(id), group_concat(hex(sz), '') FROM (SELECT id, sz FROM words_docsize ORDER BY id)"
    ).fetchone()
    rowids = np.fromstring(listed or "", np.int64, sep=",")
    digits = np.frombuffer(bytes.fromhex(sizes or ""), np.uint8)
    ends = np.flatnonzero(digits < 128)
    number: NDArray[np.int64] = np.cumsum(digits < 128) - (digits < 128)
    values = (digits & 127).astype(np.int64) << 7 * (ends[number] - np.arange(len(digits)))
    lengths = np.bincount(number // len(_WEIGHTS), values, len(rowids))
    return rowids, lengths.astype(np.float64)


def _frequencies(connection: sqlite3.Connection, rowids: Rowids, term: str) -> tuple[Places, Scores]:
    """Where a term stands among the chunks, and how often each holds it, by the weight of the field."""
    # One long text takes a third of the time of as many rows.
    listed = connection.execute(
        "SELECT group_concat(16 * doc + length(col)) FROM occurrences WHERE term = ?", (term,)
    ).fetchone()[0]
    found = np.fromstring(listed or "", np.int64, sep=",")
    if not len(found):
        return np.empty(0, np.int32), np.empty(0)
    holders = found >> 4
    first = np.flatnonzero(np.diff(holders, prepend=-1))
    frequencies = np.add.reduceat(_OF_LENGTH[found & 15], first)
    return np.searchsorted(rowids, holders[first]).astype(np.int32), frequencies


def _terms(words: Sequence[str]) -> list[str]:
    """Return what the index keeps in place of each word: its stem."""
    if not words:
        return []
    with closing(sqlite3.connect(":memory:")) as own:
        own.executescript(
            f'CREATE VIRTUAL TABLE said USING fts5(word, tokenize = "{TOKENIZER}");'
            "CREATE VIRTUAL TABLE terms USING fts5vocab(said, instance);"
        )
        own.executemany("INSERT INTO said (rowid, word) VALUES (?, ?)", enumerate(words))
        found = dict(own.execute("SELECT doc, term FROM terms"))
    return [found.get(number, "") for number in range(len(words))]
