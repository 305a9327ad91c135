"""Exact search: the vectors of a base in memory, as long as reading all of them is fast.

A graph answers in a time that hardly grows, but leaves out what its links don't reach, and how much that is depends on
the vectors: docs/decisions/0025-exact-search.md.
"""

import threading
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.model import KnowledgeBase, Matrix, Rowids
from core.store import ranking
from core.store.chunk_table import ChunkTable
from core.store.database import Database
from core.store.vector_table import VectorTable

BUDGET = 64 << 20
"""Bytes of vectors up to which a base is searched exactly: a question takes up to 16 ms. They are 43,000 windows of the
built-in model, 8,000 of hashed words."""
_ALL = 4 * BUDGET
"""Bytes of vectors in memory, of all bases."""


@dataclass(frozen=True, slots=True, eq=False)
class _Vectors:
    """The different vectors of a base, shape (n, dimension); its chunks, and both of each window by its position."""

    matrix: Matrix
    chunks: Rowids
    windows: tuple[NDArray[np.intp], NDArray[np.intp]]

    def cosines(self, query: Matrix) -> Matrix:
        """Return the cosine of each chunk's best window."""
        chunk, vector = self.windows
        best = np.full(len(self.chunks), -1.0, np.float32)
        np.maximum.at(best, chunk, (self.matrix @ query)[vector])
        return best


class Resident:
    """The vectors of the bases that were asked, in memory; read again when the database has changed."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._chunks = ChunkTable(database)
        self._vectors = VectorTable(database)
        self._reading = threading.Lock()
        self._read: dict[str, tuple[tuple[int, str], _Vectors | None]] = {}

    def nearest(
        self, base: KnowledgeBase, query: Matrix, count: int, allowed: Rowids | None = None
    ) -> dict[int, float] | None:
        """Return the best chunks of a base with the exact cosine of their best window; None over the budget."""
        vectors = self._of(base)
        if vectors is None:
            return None
        centring = self._vectors.centring(base)
        cosines = vectors.cosines(centring.questions(query))
        passing = slice(None) if allowed is None else np.isin(vectors.chunks, allowed)
        scores = centring.similarity(cosines[passing]).astype(np.float64)
        return ranking.best_of(vectors.chunks[passing], scores, count)

    def _of(self, base: KnowledgeBase) -> _Vectors | None:
        with self._reading, self._database.read():
            state = self._database.version(), base.fingerprint
            known, vectors = self._read.pop(base.id, (None, None))
            if known != state:
                vectors = self._loaded(base)
            self._read[base.id] = state, vectors
            while sum(each.matrix.nbytes for _, each in self._read.values() if each) > _ALL:
                del self._read[next(iter(self._read))]
            return vectors

    def _loaded(self, base: KnowledgeBase) -> _Vectors | None:
        if self._chunks.count(base)[2] * base.dimension * 4 > BUDGET:
            return None
        rows: dict[str, int] = {}
        blocks = [np.empty((0, base.dimension), np.float32)]
        for entries, vectors in self._chunks.windows(base):
            rows |= zip(entries, range(len(rows), len(rows) + len(entries)), strict=True)
            blocks.append(vectors)
        windows = [(chunk, rows[entry]) for chunk, entry in self._chunks.entries_by_chunk(base)]
        chunks, vector = np.array(windows, np.int64).reshape(-1, 2).T
        rowids, chunk = np.unique(chunks, return_inverse=True)
        return _Vectors(np.concatenate(blocks), rowids, (chunk, vector))
