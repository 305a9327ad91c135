"""Notes as one vector each: the middle of their windows."""

from collections.abc import Collection, Iterator

import numpy as np

from core.markdown.tags import key
from core.model import Filters, KnowledgeBase, Matrix
from core.store import filters as narrowed
from core.store.table import AMONG, StoreTable, decoding
from core.store.vector_table import VectorTable, matrix

_BLOCK = 200
"""Notes whose windows are read at once."""

Sign = tuple[int, int]
"""The number of a note's windows and the sum of their vectors' ids: another one means other windows."""


class NoteVectors(StoreTable):
    """The vectors of whole notes, computed from their windows' vectors."""

    def answering(self) -> set[str]:
        """Return the ids of the notes that answer: active and not expired."""
        where = narrowed.answerable_conditions(Filters())
        return set(self._database.column(f"SELECT id FROM notes WHERE {where}", *where.values))

    def states(self) -> dict[str, int]:
        """Return each note's number, which changes when its text or its hidden parts change."""
        return dict(
            self._database.rows(
                "SELECT notes.id, 1000 * generation + count(chunks.rowid) FROM notes"
                " LEFT JOIN chunks ON note_id = notes.id AND state = 'deleted' GROUP BY notes.id"
            )
        )

    def signs(self) -> dict[str, Sign]:
        """Return for each note with windows what tells whether they changed."""
        rows = self._database.rows(
            "SELECT note_id, count(*), sum(vector) FROM windows JOIN chunks ON chunks.rowid = chunk GROUP BY note_id"
        )
        return {note_id: (count, total) for note_id, count, total in rows}

    def holders(self, tags: Collection[str]) -> dict[str, set[str]]:
        """Return the ids of the notes that have each of some tags, in whatever case."""
        names = {key(tag): tag for tag in tags}
        used = f"SELECT tag FROM (SELECT DISTINCT tag FROM tags) WHERE tag_key(tag) {AMONG}"
        holders: dict[str, set[str]] = {tag: set() for tag in names.values()}
        for tag, note_id in self._database.rows(f"SELECT tag, note_id FROM tags WHERE tag IN ({used})", [*names]):
            holders[names[key(tag)]].add(note_id)
        return holders

    def owners(self, rowids: Collection[int]) -> list[str]:
        """Return the ids of the notes that have some chunks, each once, in the order of the chunks."""
        rows = self._database.rows(f"SELECT rowid, note_id FROM chunks WHERE rowid {AMONG}", [*rowids])
        owner = dict(map(tuple, rows))
        return [*dict.fromkeys(owner[rowid] for rowid in rowids if rowid in owner)]

    @decoding
    def means(self, base: KnowledgeBase, note_ids: Collection[str]) -> Iterator[tuple[str, Matrix]]:
        """Yield notes of a base with the mean of their windows' centred vectors, of unit length."""
        centring = VectorTable(self._database).centring(base)
        ids = [*note_ids]
        for at in range(0, len(ids), _BLOCK):
            rows = self._database.rows(
                "SELECT note_id, vectors.vector FROM chunks JOIN windows ON chunk = chunks.rowid"
                f" JOIN vectors ON vectors.id = windows.vector WHERE note_id {AMONG} ORDER BY note_id",
                ids[at : at + _BLOCK],
            ).fetchall()
            if not rows:
                continue
            vectors = centring.passages(matrix([row[1] for row in rows], base.dimension))
            owners = np.array([row[0] for row in rows])
            first = np.flatnonzero(np.r_[True, owners[1:] != owners[:-1]])
            sums = np.add.reduceat(vectors, first)
            yield from zip(owners[first].tolist(), unit(sums), strict=True)


def unit(rows: Matrix) -> Matrix:
    """Return rows with unit length; a row of zeros stays."""
    lengths: Matrix = np.maximum(np.linalg.norm(rows, axis=-1, keepdims=True), np.float32(1e-6))
    return rows / lengths
