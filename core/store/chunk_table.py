"""Tables for chunks, their windows, and text refused by a model, with exact vector search and filtering."""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import islice
from typing import NamedTuple, get_type_hints

import numpy as np

from core.base.blobs import Span
from core.base.codec import Decoder
from core.base.datetimes import utc_now
from core.base.errors import ChunkNotFound
from core.base.frozen import Texts
from core.base.messages import Message, from_json, to_json
from core.model import Chunk, Filters, KnowledgeBase, Matrix, RefusedChunk, Rowids
from core.store import filters as narrowed
from core.store import top_k
from core.store.database import Database
from core.store.note_table import FieldTable, PropertyTable
from core.store.note_to_index import NoteToIndex
from core.store.phrases import word_row
from core.store.reading import RowReader, columns_of, texts
from core.store.table import Ids, StoreTable, decoding, first_of_notes
from core.store.top_k import Scores
from core.store.vector_table import VectorTable, matrix


class RefusalTable(StoreTable):
    """Text that models refuse to embed. Chunks with such text have the state `refused`.

    Only keyword search finds these chunks.
    """

    def add(self, fingerprint: str, text_hash: bytes, reason: Message) -> None:
        """Store the reason why a model refuses a piece of text."""
        self._execute(
            "INSERT OR REPLACE INTO refusals (fingerprint, text_hash, at, reason) VALUES (?, ?, ?, ?)",
            fingerprint,
            text_hash,
            utc_now().isoformat(),
            json.dumps(to_json(reason), ensure_ascii=False),
        )

    def ids(self, fingerprint: str, hashes: Iterable[bytes]) -> dict[bytes, int]:
        """Return the ids of a model's refusals, by text hash. Hashes of text that wasn't refused are left out."""
        if not self._exists("refusals WHERE fingerprint = ?", fingerprint):
            return {}
        return self._ids("SELECT id FROM refusals WHERE fingerprint = ? AND text_hash = ?", fingerprint, hashes)

    def link(self, refusals: Mapping[int, int]) -> None:
        """Set the state of chunks to `refused`. `refusals` maps each chunk's rowid to its refusal's id."""
        with self._write():
            self._execute_many("INSERT OR REPLACE INTO refused_chunks VALUES (?, ?)", refusals.items())
            self._execute("UPDATE chunks SET state = 'refused' WHERE rowid IN ?", refusals)

    def all(self, bases: Iterable[KnowledgeBase]) -> list[RefusedChunk]:
        """Return the refused chunks in the given bases, sorted by base, path and position."""
        return self._nouns(
            _REFUSED,
            "SELECT bases.name AS base, notes.id AS note_id, notes.title, path, chunks.id AS chunk_id,"
            " substr(text, 1, 200) AS text, reason, at FROM refused_chunks JOIN refusals ON refusals.id = refusal"
            " JOIN chunks ON chunks.rowid = chunk JOIN notes ON notes.id = note_id JOIN bases ON bases.id = base_id"
            ' WHERE base_id IN ? ORDER BY bases.name, path, note_id, "index"',
            [base.id for base in bases],
        )

    def count(self, base: KnowledgeBase) -> int:
        return int(
            self._value(
                "SELECT count(*) FROM refused_chunks JOIN chunks ON chunks.rowid = chunk"
                " JOIN notes ON notes.id = note_id WHERE base_id = ?",
                base.id,
            )
        )

    def try_again(self, chunk_ids: Ids) -> None:
        """Delete the given chunks' refusals, and make all chunks with the same refused text pending."""
        with self._write():
            refusals = self._column(
                "SELECT refusal FROM refused_chunks JOIN chunks ON chunks.rowid = chunk WHERE chunks.id IN ?", chunk_ids
            )
            self._execute(
                "UPDATE chunks SET state = 'pending'"
                " WHERE rowid IN (SELECT chunk FROM refused_chunks WHERE refusal IN ?)",
                refusals,
            )
            self._execute("DELETE FROM refused_chunks WHERE refusal IN ?", refusals)
            self._execute("DELETE FROM refusals WHERE id IN ?", refusals)

    def drop_unused(self) -> None:
        """Delete refusals that aren't used by any chunk or unfinished embedder switch."""
        self._execute(
            "DELETE FROM refusals WHERE id NOT IN (SELECT refusal FROM refused_chunks)"
            " AND fingerprint NOT IN (SELECT fingerprint FROM switches)"
        )


_REFUSED = RowReader(
    RefusedChunk, "rejected passage", "title", key="chunk_id", reason=lambda text: from_json(json.loads(text))
)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


# Functions that turn a column's value into one of a field's type, even if it is damaged. All other types are strings.
_BY_TYPE: dict[object, Decoder] = {
    Texts: texts,
    bool: bool,
    int: lambda value: value if isinstance(value, int) else 0,
}
_DECODERS = [_BY_TYPE.get(hint, _text) for name, hint in get_type_hints(Chunk).items() if name in Chunk.__slots__]
_TOTAL = '(SELECT 1 + max("index") FROM chunks AS own WHERE own.note_id = chunks.note_id)'
# A chunk's columns, in field order so that reading them by position is fast. They must come last in a row.
CHUNK = ", ".join(_TOTAL if name == "total" else f'chunks."{name}"' for name in Chunk.__slots__)
_BLOCK = 4096
# A join over covering indexes. Without it, most of the time would be spent on reading whole rows with their text.
_FILTERED = "notes INDEXED BY notes_filters JOIN chunks INDEXED BY chunks_filters ON note_id = notes.id"
_VECTORS = (
    "notes JOIN chunks ON note_id = notes.id JOIN windows ON chunk = chunks.rowid"
    " JOIN vectors ON vectors.id = windows.vector"
)
_ENTRIES = (
    "vectors JOIN windows ON windows.vector = vectors.id JOIN chunks ON chunks.rowid = chunk"
    " JOIN notes ON notes.id = note_id"
)


class ChunkText(NamedTuple):
    """A chunk's text and its place in its note. Reading it takes a fifth of the time of reading a `Chunk`."""

    note_id: str
    number: int
    start: int
    end: int
    edited: int
    lead: str
    text: str


class BaseCounts(NamedTuple):
    notes: int
    chunks: int
    windows: int


class ChunkTable(StoreTable):
    """A workspace's chunks. Other tables refer to a chunk by its `rowid`."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._fields = FieldTable(database)
        self._vectors = VectorTable(database)

    # writing

    def put(self, cut: NoteToIndex) -> None:
        """Replace a note's chunks. The note's row must exist."""
        note_id = cut.note.id
        with self._write():
            self._execute("DELETE FROM words WHERE rowid IN (SELECT rowid FROM chunks WHERE note_id = ?)", note_id)
            self._execute("DELETE FROM chunks WHERE note_id = ?", note_id)
            properties = PropertyTable(self._database).text(note_id) if cut.note.extra else ""
            for chunk, vectors in zip(cut.chunks, cut.vectors, strict=True):
                # A `refused` chunk stays pending until its refusal is linked.
                state = "pending" if chunk.state == "refused" else chunk.state
                row = columns_of(chunk) | {"state": "embedded" if vectors else state}
                del row["total"]
                rowid = self._insert("chunks", row)
                if chunk.state != "deleted":
                    self._execute(
                        "INSERT INTO words (rowid, title, headings, body) VALUES (?, ?, ?, ?)",
                        rowid,
                        *word_row(cut.note.title, chunk, properties),
                    )
                    self._execute_many(
                        "INSERT INTO windows VALUES (?, ?, ?)",
                        [(rowid, index, vector) for index, vector in enumerate(vectors)],
                    )
                    properties = ""
                if refusal := cut.refusals.get(chunk.id):
                    RefusalTable(self._database).link({rowid: refusal})

    # reading

    @decoding
    def for_note(self, note_id: str) -> list[Chunk]:
        columns = CHUNK.replace(_TOTAL, "count(*) OVER ()")  # halves the time for a note with ten thousand lines
        return list(
            map(chunk_of, self._rows(f'SELECT {columns} FROM chunks WHERE note_id = ? ORDER BY "index"', note_id))
        )

    @decoding
    def by_rowid(self, rowids: Iterable[int]) -> dict[int, Chunk]:
        return {
            row[0]: chunk_of(row)
            for row in self._rows(f"SELECT chunks.rowid, {CHUNK} FROM chunks WHERE rowid IN ?", rowids)
        }

    def texts(self, rowids: Iterable[int], filters: Filters) -> Iterator[ChunkText]:
        """Yield the texts of the given chunks in order, leaving out those whose notes a filtered search can't find."""
        where = narrowed.answerable_conditions(filters)
        statement = (
            'SELECT note_id, "index", start, "end", edited, lead, text FROM json_each(?)'
            f" CROSS JOIN chunks ON chunks.rowid = value JOIN notes ON notes.id = note_id WHERE {where}"
        )
        yield from map(ChunkText._make, self._rows(statement, rowids, *where.values))

    def with_open_boxes(self, notes: int) -> list[int]:
        """Return the rowids of chunks with an unticked box in the `notes` newest active notes, newest first."""
        return self._column(
            "SELECT chunks.rowid FROM (SELECT id, updated_at FROM notes WHERE status = 'active'"
            " ORDER BY updated_at DESC, id LIMIT ?) AS newest JOIN chunks ON note_id = newest.id"
            " WHERE state != 'deleted' AND instr(text, '[ ]') ORDER BY updated_at DESC, newest.id, \"index\"",
            notes,
        )

    def rowids_by_id(self, ids: Ids) -> dict[str, int]:
        return dict(self._rows("SELECT id, rowid FROM chunks WHERE id IN ?", ids))

    def note_of(self, chunk_id: str) -> str:
        """Return the id of a chunk's note. Raises ChunkNotFound."""
        if (note_id := self._value("SELECT note_id FROM chunks WHERE id = ?", chunk_id)) is None:
            raise ChunkNotFound(chunk_id)
        return str(note_id)

    @decoding
    def neighbours(self, note_id: str, index: int, size: int) -> list[Chunk]:
        """Return a chunk with up to `size` neighbours on each side, in order, skipping deleted chunks."""
        side = f"SELECT {CHUNK} FROM chunks WHERE note_id = ?1 AND state != 'deleted' AND \"index\""
        return list(
            map(
                chunk_of,
                self._rows(
                    f'SELECT * FROM ({side} <= ?2 ORDER BY "index" DESC LIMIT ?3 + 1)'
                    f' UNION ALL SELECT * FROM ({side} > ?2 ORDER BY "index" LIMIT ?3) ORDER BY "index"',
                    note_id,
                    index,
                    size,
                ),
            )
        )

    def hidden(self, note_id: str) -> list[Span]:
        """Return the sorted spans in a note's body that are covered only by deleted chunks."""
        hidden = []
        reached = 0
        for is_hidden, start, end in self._rows(
            'SELECT state = \'deleted\' AS hidden, start, "end" FROM chunks WHERE note_id = ? AND start < "end"'
            " AND typeof(start) = 'integer' AND typeof(\"end\") = 'integer' ORDER BY start",
            note_id,
        ):
            if is_hidden:
                hidden.append((max(start, reached), end))
                continue
            reached = max(reached, end)
            hidden = [part for left, right in hidden for part in ((left, min(right, start)), (max(left, end), right))]
            hidden = [(left, right) for left, right in hidden if left < right]
        return [(start, end) for start, end in hidden if start < end]

    def with_tables(self, base: KnowledgeBase) -> list[int]:
        """Return the rowids of a base's embedded chunks that contain a table."""
        return self._column(
            "SELECT chunks.rowid FROM chunks JOIN notes ON notes.id = note_id WHERE base_id = ? AND state = 'embedded'"
            " AND line = 0 AND instr(text, '|') AND has_table(lead || char(10) || text)",
            base.id,
        )

    def has_window(self, rowid: int, base: KnowledgeBase, text_hash: bytes) -> bool:
        """Return whether a chunk has a window whose text has the given hash."""
        vectors = self._vectors.ids(base.fingerprint, [text_hash]).values()
        return any(self._exists("windows WHERE chunk = ? AND vector = ?", rowid, vector) for vector in vectors)

    def count(self, base: KnowledgeBase) -> BaseCounts:
        return self._made(
            BaseCounts,
            "SELECT (SELECT count(*) FROM notes WHERE base_id = ?1),"
            " (SELECT count(*) FROM chunks JOIN notes ON notes.id = note_id WHERE base_id = ?1),"
            " (SELECT count(*) FROM windows JOIN chunks ON chunks.rowid = chunk"
            "  JOIN notes ON notes.id = note_id WHERE base_id = ?1)",
            base.id,
        )[0]

    def count_all(self) -> int:
        return int(self._value("SELECT count(*) FROM chunks"))

    # entries of the vector index

    def entries(self, note_ids: Ids) -> list[str]:
        return self._column(f"SELECT DISTINCT entry FROM {_VECTORS} WHERE note_id IN ?", note_ids)

    def unused_entries(self, base: KnowledgeBase, entries: Ids) -> list[str]:
        """Return the given entries that aren't used by any window in a base."""
        return self._column(
            f"SELECT value FROM json_each(?) WHERE NOT EXISTS (SELECT 1 FROM {_ENTRIES} WHERE entry = value"
            " AND base_id = ?)",
            entries,
            base.id,
        )

    def by_entries(self, base: KnowledgeBase, entries: Ids) -> list[tuple[int, str]]:
        """Return (chunk rowid, entry) for each window in a base that has one of the given entries."""
        return [
            tuple(row)
            for row in self._rows(
                f"SELECT chunk, entry FROM {_ENTRIES} WHERE entry IN ? AND base_id = ?", entries, base.id
            )
        ]

    def vectors(self, base: KnowledgeBase, entries: Ids) -> tuple[list[str], Matrix]:
        """Return those of the given entries that are stored, with their centred vectors."""
        vectors = dict(self._rows("SELECT entry, vector FROM vectors WHERE entry IN ?", entries))
        return list(vectors), self._vectors.centring(base).centred(
            matrix(list(vectors.values()), base.dimension), role="note"
        )

    def windows(self, base: KnowledgeBase) -> Iterator[tuple[list[str], Matrix]]:
        """Yield a base's entries with their centred vectors in batches, without duplicates."""
        cursor = self._rows(f"SELECT entry, vectors.vector FROM {_VECTORS} WHERE base_id = ?", base.id)
        centring = self._vectors.centring(base)
        yielded = set[str]()
        while rows := cursor.fetchmany(_BLOCK):
            fresh = {entry: vector for entry, vector in rows if entry not in yielded}
            yielded.update(fresh)
            if fresh:
                yield list(fresh), centring.centred(matrix(list(fresh.values()), base.dimension), role="note")

    # searching

    def allowed(self, filters: Filters) -> Rowids | None:
        """Return the chunks that pass every filter, or None if no filter applies. Deleted chunks never pass."""
        if filters.bases and not self._exists("bases WHERE name NOT IN ?", filters.bases):
            filters = replace(filters, bases=())
        where = narrowed.answerable_conditions(
            filters,
            inactive=self._exists("notes WHERE status != 'active'"),
            lapsed=self._fields.any_lapsed(),
        )
        chunks = narrowed.chunk_conditions(filters)
        return self._passing(where, chunks) if where or chunks else None

    def passing(self, filters: Filters) -> Rowids:
        """Return the chunks that pass every filter. Deleted chunks never pass."""
        return self._passing(narrowed.answerable_conditions(filters), narrowed.chunk_conditions(filters))

    def _passing(self, where: narrowed.Where, chunks: narrowed.Where) -> Rowids:
        return self._rowids(_FILTERED, f"{where} AND {chunks}", *where.values, *chunks.values)

    def rowids(self) -> Rowids:
        """Return all chunks except deleted ones."""
        return self._rowids("chunks INDEXED BY chunks_filters", "TRUE")

    def rowids_of(self, note_id: str) -> list[int]:
        """Return a note's chunks in order, except deleted ones."""
        return self._column(
            "SELECT rowid FROM chunks WHERE note_id = ? AND state != 'deleted' ORDER BY \"index\"", note_id
        )

    def newest(self, bases: Iterable[KnowledgeBase], count: int, allowed: Rowids | None = None) -> list[int]:
        """Return the first allowed chunk of each of the `count` most recently changed notes, newest first.

        If notes were changed at the same time, those with a higher priority come first.
        """
        return list(
            islice(
                first_of_notes(
                    self._rows(
                        f"SELECT chunks.rowid, note_id FROM {_FILTERED} WHERE state != 'deleted' AND base_id IN ?"
                        ' ORDER BY updated_at DESC, priority DESC, notes.id, "index"',
                        [base.id for base in bases],
                    ),
                    allowed,
                ),
                count,
            )
        )

    def _rowids(self, tables: str, condition: str, *values: object) -> Rowids:
        # Reading a single long string takes a third of the time of reading a hundred thousand rows.
        rowids = self._value(
            f"SELECT group_concat(chunks.rowid) FROM {tables} WHERE state != 'deleted' AND {condition}", *values
        )
        return np.sort(np.fromstring(rowids or "", np.int64, sep=","))

    def nearest(self, base: KnowledgeBase, query: Matrix, count: int, allowed: Rowids | None = None) -> Scores:
        """Return a base's best chunks by the exact cosine of their best window, best first."""
        return top_k.best(self.cosines(base, query, None if allowed is None else allowed.tolist()), count)

    def cosines(self, base: KnowledgeBase, query: Matrix, rowids: Iterable[int] | None) -> Scores:
        """Return the exact cosine of each chunk's best window. Chunks without vectors are left out."""
        return {rowid: score for rowid, (score, _) in self._best_windows(base, query, rowids).items()}

    def nearest_windows(self, base: KnowledgeBase, query: Matrix, rowids: Iterable[int]) -> dict[int, int]:
        """Return the index of each chunk's window nearest to the query. Chunks without vectors are left out."""
        return {rowid: index for rowid, (_, index) in self._best_windows(base, query, rowids).items()}

    def _best_windows(
        self, base: KnowledgeBase, query: Matrix, rowids: Iterable[int] | None
    ) -> dict[int, tuple[float, int]]:
        """Return the score and index of each chunk's best window. If `rowids` is None, use all of the base's chunks."""
        only, values = ("", []) if rowids is None else ("AND chunk IN ?", [rowids])
        cursor = self._rows(
            f'SELECT chunk, windows."index", vectors.vector FROM {_VECTORS} WHERE base_id = ? {only}', base.id, *values
        )
        centring = self._vectors.centring(base)
        best: dict[int, tuple[float, int]] = {}
        while rows := cursor.fetchmany(_BLOCK):
            scores = centring.similarities(matrix([row[2] for row in rows], base.dimension), query)
            for (rowid, index, _), score in zip(rows, scores.tolist(), strict=True):
                # On a tie, the earlier window wins.
                if rowid not in best or (-score, index) < (-best[rowid][0], best[rowid][1]):
                    best[rowid] = score, index
        return best


def chunk_of(row: sqlite3.Row) -> Chunk:
    """Return the chunk in a row whose last columns are `CHUNK`."""
    columns = row[-len(_DECODERS) :]
    return Chunk(*(decode(value) for decode, value in zip(_DECODERS, columns, strict=True)))
