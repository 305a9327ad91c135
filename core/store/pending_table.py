"""Chunks without vectors, and the order in which they are embedded."""

import sqlite3
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import Lock
from typing import NamedTuple, TypeVar

from core.base.frozen import Texts, frozen
from core.model import Chunk, KnowledgeBase
from core.store.chunk_table import CHUNK, RefusalTable, chunk_of
from core.store.database import Database
from core.store.table import Ids, StoreTable, decoding

# Number of most recently opened notes to embed first.
_OPENED = 20
# Condition for chunks with the given ids, or for all chunks if the value is NULL. The value is passed twice.
_CHOSEN = "AND (? IS NULL OR chunks.id IN ?)"
# Fixed cost of embedding a chunk, expressed as the number of characters that take equally long to embed.
PER_CHUNK = 100
# Seconds for which a waiting thread tries to acquire the lock, and for which it sleeps to let urgent threads go first.
_PATIENCE = 0.5
_MOMENT = 0.01


T = TypeVar("T")


class PendingCount(NamedTuple):
    notes: int
    chunks: int


@frozen
class PendingChunk:
    """A stored chunk without vectors. The chunk is unchanged as long as its note has the same `generation`."""

    rowid: int
    base_id: str
    generation: int
    title: str
    chunk: Chunk


class EmbeddingTurn:
    """A lock held while embedding a batch of chunks. Threads with only a few chunks go first."""

    def __init__(self) -> None:
        self.lock = Lock()
        # Tickets of the waiting threads with only a few chunks.
        self.urgent = set[object]()

    @contextmanager
    def take(self, waits: Callable[[], object], *, first: bool) -> Iterator[None]:
        """Hold the lock while the `with` block runs.

        While this thread is waiting for the lock, `waits` is called repeatedly. It may raise an exception to stop
        waiting. With `first`, this thread goes ahead of all threads that don't set `first`.
        """
        ticket = object()
        if first:
            self.urgent.add(ticket)
        try:
            while (self.urgent and not first) or not self.lock.acquire(timeout=_PATIENCE):
                time.sleep(0 if first else _MOMENT)
                waits()
        finally:
            self.urgent.discard(ticket)
        try:
            yield
        finally:
            self.lock.release()


class PendingTable(StoreTable):
    """A workspace's pending chunks.

    A thread holds `turn` while it embeds chunks. `opened` are the ids of the notes most recently opened by the user.
    """

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self.turn = EmbeddingTurn()
        self.opened: Texts = ()

    def open(self, note_id: str) -> None:
        """Give priority to the pending chunks of a note opened by the user."""
        if note_id not in self.opened:
            self.opened = (note_id, *self.opened[: _OPENED - 1])

    def for_notes(self, note_ids: Ids) -> set[str]:
        return set(self._column("SELECT id FROM chunks WHERE state = 'pending' AND note_id IN ?", note_ids))

    def count(self, base_ids: Ids) -> PendingCount:
        return self._made(
            PendingCount,
            "SELECT count(DISTINCT note_id), count(*) FROM chunks INDEXED BY chunks_pending"
            " JOIN notes ON notes.id = note_id WHERE state = 'pending' AND base_id IN ?",
            base_ids,
        )[0]

    def work(self, base_ids: Ids, only: Collection[str] | None = None) -> int:
        """Return the cost, in characters, of embedding the bases' pending chunks.

        With `only`, count only chunks with these ids.
        """
        return int(
            self._value(
                f"SELECT coalesce(sum(length(text) + {PER_CHUNK}), 0) FROM chunks INDEXED BY chunks_pending"
                f" JOIN notes ON notes.id = note_id WHERE state = 'pending' AND base_id IN ? {_CHOSEN}",
                base_ids,
                only,
                only,
            )
        )

    def unindexed(self, base_ids: Ids) -> set[int]:
        """Return the rowids of pending and refused chunks in the given bases."""
        return {
            *self._column(
                "SELECT chunks.rowid FROM chunks JOIN notes ON notes.id = note_id"
                " WHERE state IN ('pending', 'refused') AND base_id IN ?",
                base_ids,
            )
        }

    def any(self, base_ids: Ids) -> bool:
        return self._exists(
            "chunks INDEXED BY chunks_pending JOIN notes ON notes.id = note_id"
            " WHERE state = 'pending' AND base_id IN ?",
            base_ids,
        )

    @decoding
    def next(self, counts: Mapping[str, int], only: Collection[str] | None = None) -> list[PendingChunk]:
        """Return the next pending chunks, all from the same base.

        Recently opened notes come first, then recently changed notes, then short notes, and then newer ones. A note is
        short if it has a single pending chunk. Short notes have priority because many of them can be finished in the
        time one long note takes. `counts` maps each base's id to the maximum number of chunks. With `only`, return only
        chunks with these ids.
        """
        waiting = "SELECT 1 FROM chunks WHERE note_id = notes.id AND state = 'pending'"
        notes = self._rows(
            # The most recently opened notes come first, then the most recently changed ones.
            "SELECT id, base_id, 2 * (id IN ?)"
            " + (id IN (SELECT id FROM notes INDEXED BY notes_filters ORDER BY updated_at DESC LIMIT 20)) AS early,"
            f" EXISTS ({waiting} LIMIT 1 OFFSET 1) AS long FROM notes INDEXED BY notes_filters"
            f" WHERE base_id IN ? AND EXISTS ({waiting} {_CHOSEN})"
            " ORDER BY early DESC, long, updated_at DESC, id LIMIT ?",
            list(self.opened),
            counts,
            only,
            only,
            max(counts.values(), default=0),
        ).fetchall()
        count = counts[notes[0][1]] if notes else 0
        rows = list[sqlite3.Row]()
        # Read note by note, because sorting all notes' chunks would take longer than embedding a few chunks.
        for note_id in (note_id for note_id, *group in notes if group == list(notes[0][1:])):
            rows += self._rows(
                f"SELECT chunks.rowid AS row, base_id, generation, notes.title, {CHUNK} FROM notes"
                " JOIN chunks INDEXED BY chunks_pending ON note_id = notes.id"
                f" WHERE notes.id = ? AND state = 'pending' {_CHOSEN} ORDER BY \"index\" LIMIT ?",
                note_id,
                only,
                only,
                count - len(rows),
            )
            if len(rows) == count:
                break
        return [PendingChunk(row[0], row[1], row[2], row[3], chunk_of(row)) for row in rows]

    def unchanged(self, found: Mapping[PendingChunk, T]) -> dict[PendingChunk, T]:
        """Return those of the given chunks that are still pending and unchanged, each with the value found for it."""
        now = {
            tuple(row)
            for row in self._rows(
                "SELECT chunks.rowid, note_id, generation FROM chunks JOIN notes ON notes.id = note_id"
                " WHERE chunks.rowid IN ? AND state = 'pending'",
                [pending.rowid for pending in found],
            )
        }
        return {
            pending: value
            for pending, value in found.items()
            if (pending.rowid, pending.chunk.note_id, pending.generation) in now
        }

    def refuse(self, refusals: Mapping[PendingChunk, int]) -> None:
        """Mark pending chunks as `refused` unless they have changed. `refusals` maps each chunk to its refusal's id."""
        with self._write():
            RefusalTable(self._database).link(
                {pending.rowid: number for pending, number in self.unchanged(refusals).items()}
            )

    def forget_vectors(self, base: KnowledgeBase) -> None:
        """Delete a base's vectors, and the background similarities of all bases with the same model.

        If the model has no other vectors, also delete its centring and centre.
        """
        with self._write():
            self._drop_vectors("base_id = ?", base.id)
            self._execute("UPDATE bases SET floor = NULL WHERE fingerprint = ?", base.fingerprint)
            self._execute(
                "UPDATE embedders SET centring = NULL, centre = NULL, unrelated = NULL WHERE fingerprint = ?"
                " AND NOT EXISTS (SELECT 1 FROM vectors WHERE embedder = embedders.id)",
                base.fingerprint,
            )

    def drop_damaged(self) -> None:
        """Delete vectors with the wrong dimension, and make their chunks pending."""
        self._drop_vectors("length(vectors.vector) != 4 * dimension")

    def _drop_vectors(self, condition: str, *values: object) -> None:
        """Delete the vectors that meet a condition, and make all chunks that used them pending."""
        chunks = "SELECT chunk FROM windows WHERE vector IN (SELECT vector FROM temp.dropped)"
        with self._write():
            self._execute(
                "CREATE TABLE temp.dropped AS SELECT DISTINCT vectors.id AS vector FROM vectors"
                " JOIN windows ON windows.vector = vectors.id JOIN chunks ON chunks.rowid = chunk"
                f" JOIN notes ON notes.id = note_id JOIN bases ON bases.id = base_id WHERE {condition}",
                *values,
            )
            self._execute(f"UPDATE chunks SET state = 'pending' WHERE rowid IN ({chunks})")
            self._execute(f"DELETE FROM windows WHERE chunk IN ({chunks})")
            self._execute("DELETE FROM vectors WHERE id IN (SELECT vector FROM temp.dropped)")
            self._execute("DROP TABLE temp.dropped")

    def embed(self, vectors: Mapping[PendingChunk, Sequence[int]]) -> None:
        """Store pending chunks' windows, and set the chunks' state to `embedded`.

        `vectors` maps each chunk to the ids of its windows' vectors.
        """
        windows = [
            (pending.rowid, index, vector) for pending, ids in vectors.items() for index, vector in enumerate(ids)
        ]
        with self._write():
            self._execute_many("INSERT INTO windows VALUES (?, ?, ?)", windows)
            self._execute(
                "UPDATE chunks SET state = 'embedded' WHERE rowid IN ?", [pending.rowid for pending in vectors]
            )
