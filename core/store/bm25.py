"""BM25 as FTS5 computes it, from counts that are cached until the index changes.

FTS5's own function looks up the length of each chunk for every query. That takes 3 µs, and a third of all chunks may
contain a frequent word. Reading all lengths from FTS5's table `words_docsize` takes 1 ms; counting the words with
fts5vocab takes 1 s for a million words (docs/decisions/0010-bm25-from-kept-counts.md).
"""

import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from core.base.errors import StoreError
from core.model import Rowids
from core.store.database import Database
from core.store.table import AMONG, StoreTable, decoding

_TOKENIZER = "porter ascii tokenchars '.+#_'"
"""FTS5 tokenizer of the word index."""

_K1, _B = 1.2, 0.75
_LEAST = 1e-6
"""Minimum weight of a word, for words in at least half of all chunks."""
_WEIGHTS = {"title": 3.0, "headings": 2.0, "body": 1.0}
"""Weight of a word by field of the word index."""
_FIELD = " ".join(["CASE col", *(f"WHEN '{name}' THEN {number}" for number, name in enumerate(_WEIGHTS)), "END"])
"""SQL expression: the position of an occurrence's field in `_WEIGHTS`."""
_BY_FIELD = np.array(list(_WEIGHTS.values()))
_OTHERS = 0.9
"""Weight of other spellings of the query. A spelling with more words is scaled down to the number of the query's words.
"""
_CACHED = 4_000_000
"""Maximum number of cached counts; each takes 12 bytes."""

_FEW = 3000
"""Number of chunks below which reading a query's counts takes 5 ms, as long as a new thread needs to connect."""
_CACHED_STEMS = 100_000

Scores = NDArray[np.float64]
Places = NDArray[np.int32]


class _Stems:
    """Cache of the stems under which FTS5's tokenizer indexes words."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._stems: dict[str, str] = {}

    def get(self, words: Sequence[str]) -> dict[str, str]:
        """Return the stem of each word, "" for a word that isn't indexed; words not in the cache take 0.5 ms."""
        with self._lock:
            new = [word for word in words if word not in self._stems]
            if len(self._stems) + len(new) > _CACHED_STEMS:
                self._stems, new = {}, [*words]
            if new:
                self._stems |= self._read(new)
            return {word: self._stems[word] for word in words}

    @staticmethod
    def _read(words: Sequence[str]) -> dict[str, str]:
        with closing(sqlite3.connect(":memory:")) as connection:
            connection.executescript(
                f'CREATE VIRTUAL TABLE words USING fts5(word, tokenize = "{_TOKENIZER}");'
                "CREATE VIRTUAL TABLE terms USING fts5vocab(words, instance);"
            )
            connection.executemany("INSERT INTO words (rowid, word) VALUES (?, ?)", enumerate(words))
            stems = dict(connection.execute("SELECT doc, term FROM terms"))
        return {word: stems.get(number, "") for number, word in enumerate(words)}


@dataclass(slots=True)
class _Counts:
    """Counts at one version of the database: each chunk's length norm, and its score for each word."""

    version: int
    rowids: Rowids
    norms: Scores
    gains: OrderedDict[str, tuple[Places, Scores]] = field(default_factory=OrderedDict)
    size: int = 0


class BM25(StoreTable):
    """BM25F scores of chunks over all fields (Robertson and Zaragoza 2009)."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._lock = threading.Lock()
        self._counts: _Counts | None = None
        self._stems = _Stems()

    @decoding
    def scores(self, words: Sequence[str], others: Sequence[Sequence[str]] = ()) -> tuple[Rowids, Scores]:
        """Return the chunks that contain any word of the query or of another spelling, by rowid, with their scores.

        `others` are the words of other spellings of the same query. A chunk gets the score of its best spelling.
        """
        with self._database.read() as connection, self._lock:
            counts = self._read(connection)
            best = np.zeros(len(counts.rowids))
            for spelling in (words, *others):
                total = np.zeros(len(best))
                for places, gains in self._gains(connection, counts, spelling):
                    total[places] += gains
                weight = 1.0 if spelling is words else _OTHERS * min(1.0, len(words) / max(len(spelling), 1))
                best = np.maximum(best, weight * total)
        holding = np.flatnonzero(best)
        return counts.rowids[holding], best[holding]

    @contextmanager
    def read_ahead(self, words: Sequence[str]) -> Iterator[None]:
        """Read the counts of these words in another thread during the block."""
        if not words or self._is_quick(words):
            yield
            return

        def read() -> None:
            with suppress(StoreError):  # the caller gets the same error when it reads
                self.scores(words)

        reading = threading.Thread(target=read)
        reading.start()
        try:
            yield
        finally:
            reading.join()

    def _is_quick(self, words: Sequence[str]) -> bool:
        """Whether the counts of these words are cached, or reading them is faster than starting a thread."""
        counts = self._counts
        if counts is None or counts.version != self._database.version():
            return False
        return len(counts.rowids) < _FEW or all(word in counts.gains for word in words)

    @decoding
    def holders(self, words: Sequence[str]) -> list[Rowids]:
        """Return, for each word, the sorted chunks that contain it."""
        with self._database.read() as connection, self._lock:
            counts = self._read(connection)
            return [counts.rowids[places] for places, _ in self._gains(connection, counts, words)]

    def stems(self, words: Sequence[str]) -> dict[str, str]:
        """Return the stem under which each word is indexed."""
        return self._stems.get(words)

    def indexed_words(self, words: Sequence[str]) -> set[str]:
        """Return the words that any chunk contains, in the same time for frequent and rare words."""
        stems = self.stems(words)
        terms = "SELECT value FROM json_each(?) WHERE EXISTS (SELECT 1 FROM occurrences WHERE term = value)"
        held = set(self._column(terms, [*stems.values()]))
        return {word for word, stem in stems.items() if stem in held}

    def counts(self, words: Sequence[str]) -> dict[str, int]:
        """Return the number of chunks that contain each indexed word, without reading its occurrences."""
        stems = self.stems(words)
        rows = self._rows(f"SELECT term, doc FROM vocabulary WHERE term {AMONG}", [*stems.values()])
        counts = dict(map(tuple, rows))
        return {word: counts[stem] for word, stem in stems.items() if stem in counts}

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
        """Return, for each word, the positions of its chunks in `counts.rowids`, and the chunks' scores."""
        new = [word for word in dict.fromkeys(words) if word not in counts.gains]
        for word, stem in self._stems.get(new).items():
            places, frequencies = _frequencies(connection, counts.rowids, stem)
            inverse = np.log((len(counts.rowids) - len(places) + 0.5) / (len(places) + 0.5))
            gains = frequencies * (_K1 + 1) / (frequencies + counts.norms[places]) * max(inverse, _LEAST)
            counts.gains[word] = places, gains
            counts.size += len(places) + 1
        result = []
        for word in words:
            counts.gains.move_to_end(word)
            result.append(counts.gains[word])
        while counts.size > _CACHED:
            counts.size -= len(counts.gains.popitem(last=False)[1][0]) + 1
        return result


def _lengths(connection: sqlite3.Connection) -> tuple[Rowids, Scores]:
    """Return every indexed chunk, sorted, and its number of words; raises ValueError for an unknown format.

    A row of FTS5's table has the length of each field of a chunk, as variable-length integers of SQLite.
    """
    listed, sizes = connection.execute(
        "SELECT group_concat(id), group_concat(hex(sz), '') FROM (SELECT id, sz FROM words_docsize ORDER BY id)"
    ).fetchone()
    rowids = np.fromstring(listed or "", np.int64, sep=",")
    digits = np.frombuffer(bytes.fromhex(sizes or ""), np.uint8)
    ends = np.flatnonzero(digits < 128)
    if len(ends) != len(_WEIGHTS) * len(rowids):
        raise ValueError(f"{len(ends)} lengths of the fields of {len(rowids)} chunks")
    number: NDArray[np.int64] = np.cumsum(digits < 128) - (digits < 128)
    values = (digits & 127).astype(np.int64) << 7 * (ends[number] - np.arange(len(digits)))
    lengths = np.bincount(number // len(_WEIGHTS), values, len(rowids))
    return rowids, lengths.astype(np.float64)


def _frequencies(connection: sqlite3.Connection, rowids: Rowids, term: str) -> tuple[Places, Scores]:
    """Return the positions in `rowids` of the chunks with a term, and its frequency in each, weighted by field."""
    # One long string takes a third of the time of separate rows.
    listed = connection.execute(
        f"SELECT group_concat({len(_WEIGHTS)} * doc + {_FIELD}) FROM occurrences WHERE term = ?", (term,)
    ).fetchone()[0]
    occurrences = np.fromstring(listed or "", np.int64, sep=",")
    if not len(occurrences):
        return np.empty(0, np.int32), np.empty(0)
    holders = occurrences // len(_WEIGHTS)
    first = np.flatnonzero(np.diff(holders, prepend=-1))
    frequencies = np.add.reduceat(_BY_FIELD[occurrences % len(_WEIGHTS)], first)
    return np.searchsorted(rowids, holders[first]).astype(np.int32), frequencies
