"""Exact search for small bases. It compares the question with all of a base's vectors in memory.

Searching a graph takes barely any longer in a larger base, but misses vectors that the graph's links don't lead to. How
many are missed depends on the vectors (docs/decisions/0025-exact-search.md).
"""

from dataclasses import dataclass
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from core.embedding.centring import Centring
from core.model import KnowledgeBase, Matrix, Rowids
from core.store import top_k
from core.store.chunk_table import ChunkTable
from core.store.database import Database
from core.store.table import StoreTable
from core.store.top_k import Scores
from core.store.vector_table import VectorTable

# Maximum size in bytes of a base's vectors for exact search.
#
# It allows 109,000 windows with the built-in model, or 20,000 with hashed words. A search then takes up to 20 ms.
BUDGET = 160 << 20
# Maximum size in bytes of a base's vectors in a workspace without an index.
#
# It allows 1,400,000 windows with the built-in model. A graph of that size would take more memory, and reading the
# vectors from the database for each question would take many times as long.
ALONE = 2 << 30
# Budget for all bases' vectors combined, as a multiple of the budget for one base.
_BASES = 2
_BLOCK = 4096


@dataclass(frozen=True, slots=True, eq=False)
class _Vectors:
    """A base's vectors at one version of the database.

    `matrix` has shape (n, dimension), and `rows` maps entries to its rows. `chunks` holds the sorted rowids of the
    chunks. For each window, `places` holds the index of its chunk in `chunks`, and `windows` the row of its vector in
    `matrix`.
    """

    version: int
    matrix: Matrix
    rows: dict[str, int]
    chunks: Rowids
    places: NDArray[np.intp]
    windows: NDArray[np.intp]

    def scores(self, query: Matrix, centring: Centring) -> NDArray[np.float64]:
        """Return the similarity between the question and each chunk's best window."""
        best = np.full(len(self.chunks), -np.inf)
        np.maximum.at(best, self.places, centring.similarities(self.matrix, query)[self.windows])
        return best


class ExactSearch(StoreTable):
    """Searches bases exactly, keeping the vectors of the most recently searched bases in memory.

    After a write, only new vectors are read. `alone` means that the workspace has no index.
    """

    def __init__(self, database: Database, *, alone: bool = False) -> None:
        super().__init__(database)
        self._alone = alone
        self._chunks = ChunkTable(database)
        self._vectors = VectorTable(database)
        self._reading = Lock()
        self._read: dict[str, _Vectors] = {}
        # For each base that exceeds the budget, by base id, the database version at which this was found.
        self._larger: dict[str, int] = {}

    def nearest(self, base: KnowledgeBase, query: Matrix, count: int, allowed: Rowids | None = None) -> Scores | None:
        """Return a base's best chunks by the exact cosine of their best window.

        Return None if the base exceeds the budget.
        """
        if (vectors := self._load_vectors(base)) is None:
            return None
        scores = vectors.scores(query, self._vectors.centring(base))
        passing = slice(None) if allowed is None else np.isin(vectors.chunks, allowed)
        return top_k.best_of(vectors.chunks[passing], scores[passing], count)

    def _load_vectors(self, base: KnowledgeBase) -> _Vectors | None:
        with self._reading, self._database.read():
            version = self._database.version()
            if self._larger.get(base.id) == version:
                return None
            if (known := self._read.pop(base.id, None)) is None or known.version != version:
                if self._chunks.count(base).windows * base.dimension * 4 > self._budget:
                    self._larger[base.id] = version
                    return None
                known = self._loaded(base, known, version)
            self._read[base.id] = known
            while sum(vectors.matrix.nbytes for vectors in self._read.values()) > _BASES * self._budget:
                del self._read[next(iter(self._read))]
            return known

    @property
    def _budget(self) -> int:
        return ALONE if self._alone else BUDGET

    def _loaded(self, base: KnowledgeBase, known: _Vectors | None, version: int) -> _Vectors:
        """Return a base's vectors at the given database version. Vectors already in `known` aren't read again."""
        chunks, vectors = self._columns(
            "SELECT group_concat(chunk), group_concat(vector) FROM notes JOIN chunks ON note_id = notes.id"
            " JOIN windows ON chunk = chunks.rowid WHERE base_id = ?",
            base.id,
        )
        # Read the ids of all vectors. An index suffices for this, so the rows themselves, which are large, aren't read.
        numbers, entries = self._columns("SELECT group_concat(id), group_concat(entry) FROM vectors")
        named = dict(zip(numbers, entries, strict=True))
        ids = {named[vector]: int(vector) for vector in vectors}
        if known is None or known.matrix.shape[1] != base.dimension or len(known.rows) > 2 * len(ids):
            known = _Vectors(0, np.empty((0, base.dimension), np.float32), {}, *[np.empty(0, np.intp)] * 3)
        fresh = sorted(ids[entry] for entry in ids.keys() - known.rows.keys())
        blocks = [known.matrix]
        rows = dict(known.rows)
        for at in range(0, len(fresh), _BLOCK):
            block = self._vectors.entries(fresh[at : at + _BLOCK], base.dimension)
            blocks.append(np.stack(list(block.values())))
            rows |= {entry: row for row, entry in enumerate(block, len(rows))}
        windows = np.array([rows[named[vector]] for vector in vectors], np.intp)
        rowids, places = np.unique(np.array(chunks, np.int64), return_inverse=True)
        matrix = blocks[0] if len(blocks) == 1 else np.concatenate(blocks)
        return _Vectors(version, matrix, rows, rowids, places, windows)

    def _columns(self, statement: str, *values: object) -> list[list[str]]:
        """Return the columns of a query that returns a single row with each column's values joined by commas.

        Reading a single row takes a third of the time of reading many rows.
        """
        return [joined.split(",") if joined else [] for joined in self._row(statement, *values) or ()]
