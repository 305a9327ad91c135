"""Chunks, their words (FTS5) and their vectors (float32): all that answers a question, as rows."""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace

import numpy as np

from core.errors import ChunkNotFound
from core.model import Chunk, Filters, KnowledgeBase, Matrix, Rowids
from core.store import filters as narrowed
from core.store import ranking, wording, words
from core.store.cutting import Cutting
from core.store.database import Database

_COLUMNS = tuple(name for name in Chunk.__slots__ if name != "total")
_NAMES = ", ".join(f'chunks."{name}"' for name in _COLUMNS)
_TOTAL = '1 + (SELECT max("index") FROM chunks AS own WHERE own.note_id = chunks.note_id) AS total'
_BLOCK = 4096
_LISTED = "group_concat(chunks.rowid)"
_FILTERED = "notes INDEXED BY notes_filters JOIN chunks INDEXED BY chunks_filters ON note_id = notes.id"
"""The tables without the texts: reading past those takes most of the time otherwise."""


class ChunkTable:
    """The chunks of a workspace; a chunk's `rowid` names it in every other table here."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._words = words.Words(database)

    # writing

    def put(self, cutting: Cutting) -> None:
        """Write the chunks of a note, whose row is there, in place of those it had."""
        with self._database.write() as connection:
            _clear(connection, cutting.note.id)
            for chunk, vectors in zip(cutting.chunks, cutting.vectors, strict=True):
                _put(connection, cutting.note.title, chunk, vectors)

    # reading

    def of_note(self, note_id: str) -> list[Chunk]:
        rows = self._database.connection.execute(
            f'SELECT {_NAMES} FROM chunks WHERE note_id = ? ORDER BY "index"', (note_id,)
        ).fetchall()
        return [_chunk(row, total=len(rows)) for row in rows]

    def by_rowid(self, rowids: Iterable[int]) -> dict[int, Chunk]:
        rows = self._database.connection.execute(
            f"SELECT chunks.rowid, {_NAMES}, {_TOTAL} FROM chunks WHERE rowid IN (SELECT value FROM json_each(?))",
            (json.dumps(list(rowids)),),
        )
        return {row["rowid"]: _chunk(row, total=row["total"]) for row in rows}

    def note_of(self, chunk_id: str) -> str:
        """Return the id of a chunk's note; raises ChunkNotFound."""
        row = self._database.connection.execute("SELECT note_id FROM chunks WHERE id = ?", (chunk_id,)).fetchone()
        if row is None:
            raise ChunkNotFound(chunk_id)
        return str(row[0])

    def around(self, note_id: str, index: int, size: int) -> list[Chunk]:
        """Return a chunk with up to `size` neighbours on each side, in order, deleted ones skipped."""
        side = f"SELECT {_NAMES}, {_TOTAL} FROM chunks WHERE note_id = :note AND state != 'deleted' AND \"index\""
        rows = self._database.connection.execute(
            f'SELECT * FROM ({side} <= :index ORDER BY "index" DESC LIMIT :size + 1)'
            f' UNION ALL SELECT * FROM ({side} > :index ORDER BY "index" LIMIT :size) ORDER BY "index"',
            {"note": note_id, "index": index, "size": size},
        )
        return [_chunk(row, total=row["total"]) for row in rows]

    def pending(self, base: KnowledgeBase) -> dict[str, list[str]]:
        """Return the chunks of a base that wait to be embedded, by note."""
        rows = self._database.connection.execute(
            "SELECT note_id, chunks.id FROM chunks JOIN notes ON notes.id = note_id"
            " WHERE state = 'pending' AND base_id = ? ORDER BY path, note_id, \"index\"",
            (base.id,),
        )
        pending: dict[str, list[str]] = {}
        for note_id, chunk_id in rows:
            pending.setdefault(note_id, []).append(chunk_id)
        return pending

    def count(self, base: KnowledgeBase) -> tuple[int, int, int]:
        """Return how many notes, chunks and windows a base has."""
        row = self._database.connection.execute(
            "SELECT (SELECT count(*) FROM notes WHERE base_id = :base),"
            " (SELECT count(*) FROM chunks JOIN notes ON notes.id = note_id WHERE base_id = :base),"
            " (SELECT count(*) FROM windows JOIN chunks ON chunks.rowid = chunk JOIN notes ON notes.id = note_id"
            "  WHERE base_id = :base)",
            {"base": base.id},
        ).fetchone()
        return row[0], row[1], row[2]

    def count_all(self) -> int:
        """Return how many chunks all bases have."""
        row = self._database.connection.execute("SELECT count(*) FROM chunks").fetchone()
        return int(row[0])

    def window_ids(self, note_id: str) -> list[str]:
        """Return the ids that a note's windows have in the vector index."""
        rows = self._database.connection.execute(
            'SELECT generation, chunks."index", windows."index" FROM windows JOIN chunks ON chunks.rowid = chunk'
            " JOIN notes ON notes.id = note_id WHERE note_id = ?",
            (note_id,),
        )
        return [window_id(note_id, *row) for row in rows]

    def windows(self, base: KnowledgeBase) -> Iterator[tuple[list[str], Matrix]]:
        """Yield every window of a base, as blocks of ids and vectors: what its vector index must hold."""
        cursor = self._database.connection.execute(
            'SELECT note_id, generation, chunks."index", windows."index", vectors.vector FROM notes'
            " JOIN chunks ON note_id = notes.id JOIN windows ON chunk = chunks.rowid"
            " JOIN vectors ON vectors.id = windows.vector WHERE base_id = ?",
            (base.id,),
        )
        while rows := cursor.fetchmany(_BLOCK):
            yield [window_id(*row[:4]) for row in rows], _matrix([row[4] for row in rows], base.dimension)

    # searching

    def allowed(self, filters: Filters) -> Rowids | None:
        """Return the chunks that pass every filter, None where nothing is filtered; deleted chunks never pass."""
        if filters.bases and not self._others(filters.bases):
            filters = replace(filters, bases=())
        where = narrowed.of_notes(filters)
        if not narrowed.names_status(filters) and self._some_inactive():
            where.add("status = 'active'")
        chunks = narrowed.of_chunks(filters)
        if not where and not chunks:
            return None
        return self._rowids(
            f"SELECT {_LISTED} FROM {_FILTERED} WHERE state != 'deleted' AND {where} AND {chunks}",
            [*where.values, *chunks.values],
        )

    def rowids(self) -> Rowids:
        """Return all chunks but the deleted ones."""
        return self._rowids(f"SELECT {_LISTED} FROM chunks INDEXED BY chunks_filters WHERE state != 'deleted'")

    def rowids_in(self, bases: Iterable[KnowledgeBase]) -> Rowids:
        """Return the chunks of some bases but the deleted ones."""
        return self._rowids(
            f"SELECT {_LISTED} FROM {_FILTERED} WHERE state != 'deleted'"
            " AND base_id IN (SELECT value FROM json_each(?))",
            [json.dumps([base.id for base in bases])],
        )

    def rowids_of(self, note_id: str) -> list[int]:
        """Return the chunks of a note but the deleted ones, in their order."""
        rows = self._database.connection.execute(
            "SELECT rowid FROM chunks WHERE note_id = ? AND state != 'deleted' ORDER BY \"index\"", (note_id,)
        )
        return [row[0] for row in rows]

    def newest(self, bases: Iterable[KnowledgeBase], count: int, allowed: Rowids | None = None) -> list[int]:
        """Return the first chunk of each of the notes that were changed last."""
        rows = self._database.connection.execute(
            f"SELECT chunks.rowid, note_id FROM {_FILTERED} WHERE state != 'deleted'"
            ' AND base_id IN (SELECT value FROM json_each(?)) ORDER BY updated_at DESC, notes.id, "index"',
            (json.dumps([base.id for base in bases]),),
        )
        passing = None if allowed is None else set(allowed.tolist())
        first: dict[str, int] = {}
        for rowid, note_id in rows:
            if passing is None or rowid in passing:
                first.setdefault(note_id, rowid)
            if len(first) > count:
                break
        return list(first.values())[:count]

    def _others(self, bases: Sequence[str]) -> bool:
        row = self._database.connection.execute(
            "SELECT EXISTS (SELECT 1 FROM bases WHERE name NOT IN (SELECT value FROM json_each(?)))",
            (json.dumps(bases),),
        )
        return bool(row.fetchone()[0])

    def _some_inactive(self) -> bool:
        row = self._database.connection.execute("SELECT EXISTS (SELECT 1 FROM notes WHERE status != 'active')")
        return bool(row.fetchone()[0])

    def _rowids(self, statement: str, values: Sequence[object] = ()) -> Rowids:
        # One long text takes a third of the time of a hundred thousand rows.
        listed = self._database.connection.execute(statement, values).fetchone()[0]
        return np.sort(np.fromstring(listed or "", np.int64, sep=","))

    def of_windows(self, window_ids: Sequence[str]) -> dict[str, int]:
        """Return the chunk of each window; windows of an earlier generation have none."""
        keys = [[key, *parse_window_id(key)[:3]] for key in window_ids]
        rows = self._database.connection.execute(
            "SELECT json_extract(value, '$[0]'), chunks.rowid FROM json_each(?)"
            " JOIN notes ON notes.id = json_extract(value, '$[1]') AND generation = json_extract(value, '$[2]')"
            " JOIN chunks ON note_id = notes.id AND chunks.\"index\" = json_extract(value, '$[3]')",
            (json.dumps(keys),),
        )
        return {row[0]: row[1] for row in rows}

    def nearest(
        self, base: KnowledgeBase, query: Matrix, count: int, allowed: Rowids | None = None
    ) -> dict[int, float]:
        """Return the best chunks of a base by exact cosine over the stored vectors, each as its best window."""
        only = "" if allowed is None else "AND chunks.rowid IN (SELECT value FROM json_each(:allowed))"
        cursor = self._database.connection.execute(
            "SELECT chunks.rowid, vectors.vector FROM notes JOIN chunks ON note_id = notes.id"
            " JOIN windows ON chunk = chunks.rowid JOIN vectors ON vectors.id = windows.vector"
            f" WHERE base_id = :base {only}",
            {"base": base.id, "allowed": None if allowed is None else json.dumps(allowed.tolist())},
        )
        best: dict[int, float] = {}
        while rows := cursor.fetchmany(_BLOCK):
            scores = _matrix([row[1] for row in rows], base.dimension) @ query
            for row, score in zip(rows, scores.tolist(), strict=True):
                best[row[0]] = max(score, best.get(row[0], -1.0))
        return ranking.best(best, count)

    def cosines(self, base: KnowledgeBase, query: Matrix, rowids: Iterable[int]) -> dict[int, float]:
        """Return the exact cosine of each chunk's best window; chunks without vectors are left out."""
        return {rowid: score for rowid, (score, _) in self._best_windows(base, query, rowids).items()}

    def nearest_windows(self, base: KnowledgeBase, query: Matrix, rowids: Iterable[int]) -> dict[int, int]:
        """Return which window of each chunk is nearest to the query; chunks without vectors are left out."""
        return {rowid: index for rowid, (_, index) in self._best_windows(base, query, rowids).items()}

    def _best_windows(self, base: KnowledgeBase, query: Matrix, rowids: Iterable[int]) -> dict[int, tuple[float, int]]:
        rows = self._database.connection.execute(
            'SELECT chunk, windows."index", vectors.vector FROM windows JOIN vectors ON vectors.id = windows.vector'
            " JOIN chunks ON chunks.rowid = chunk JOIN notes ON notes.id = note_id"
            " WHERE chunk IN (SELECT value FROM json_each(?)) AND base_id = ?",
            (json.dumps(list(rowids)), base.id),
        ).fetchall()
        if not rows:
            return {}
        best: dict[int, tuple[float, int]] = {}
        for row, score in zip(rows, (_matrix([row[2] for row in rows], base.dimension) @ query).tolist(), strict=True):
            known = best.get(row[0])
            # Of equal windows the earlier one.
            if known is None or (-score, row[1]) < (-known[0], known[1]):
                best[row[0]] = score, row[1]
        return best

    def matching_words(
        self,
        words: Sequence[str],
        count: int,
        *,
        base_ids: Sequence[str] | None = None,
        allowed: Rowids | None = None,
        rowids: Sequence[int] | None = None,
    ) -> dict[int, float]:
        """Return the chunks that hold any of the words, by BM25 (Robertson and Zaragoza 2009), best first."""
        return self._words.ranked(words, count, base_ids, allowed, rowids)

    def reading_words(self, words: Sequence[str]) -> AbstractContextManager[None]:
        """Read what `matching_words` needs of these words while the caller does something else."""
        return self._words.read_ahead(words)

    def holders(self, words: Sequence[str]) -> list[Rowids]:
        """Return for each word the chunks that hold it."""
        return self._words.holders(words)

    def counts(self, words: Sequence[str]) -> dict[str, int]:
        """Return the number of chunks that hold each word, of those that any holds."""
        return self._words.counts(words)

    def matched(self, words: Sequence[str], rowids: Sequence[int]) -> dict[int, list[str]]:
        """Return which of the words each chunk holds; chunks that hold none are left out."""
        return self._words.matched(words, rowids)

    def containing(self, phrase: str, allowed: Rowids | None = None) -> set[int]:
        """Return the chunks whose title, headings or text hold a phrase as it stands.

        Width, case, traditional characters and line breaks make no difference. A Latin word at its edge
        must be whole: `cat` isn't in `concatenate`, `cache` is in `cache-aside`.
        """
        return self._words.containing(phrase, allowed)

    def holding(self, term: str, allowed: Rowids | None = None) -> set[int]:
        """Return the chunks that hold a word, with another English ending too, or a phrase as it stands."""
        return self._words.holding(term, allowed)


def window_id(note_id: str, generation: int, index: int, window: int) -> str:
    """Return the id a window has in the vector index."""
    return f"{note_id}:{generation}:{index}:{window}"


def parse_window_id(key: str) -> tuple[str, int, int, int]:
    note_id, generation, index, window = key.rsplit(":", 3)
    return note_id, int(generation), int(index), int(window)


def _clear(connection: sqlite3.Connection, note_id: str) -> None:
    connection.execute("DELETE FROM words WHERE rowid IN (SELECT rowid FROM chunks WHERE note_id = ?)", (note_id,))
    connection.execute("DELETE FROM chunks WHERE note_id = ?", (note_id,))


def _put(connection: sqlite3.Connection, title: str, chunk: Chunk, vectors: Sequence[int]) -> None:
    values = {name: getattr(chunk, name) for name in _COLUMNS} | {
        "parent_sections": json.dumps(chunk.parent_sections, ensure_ascii=False),
        "state": "embedded" if vectors else chunk.state,
    }
    columns = ", ".join(f'"{name}"' for name in values)
    rowid = connection.execute(
        f"INSERT INTO chunks ({columns}) VALUES ({', '.join('?' * len(values))})", list(values.values())
    ).lastrowid
    if chunk.state == "deleted":
        return
    wording.insert(connection, rowid, title, chunk.section, chunk.text)
    connection.executemany(
        "INSERT INTO windows VALUES (?, ?, ?)",
        [(rowid, index, vector) for index, vector in enumerate(vectors)],
    )


def _chunk(row: sqlite3.Row, *, total: int) -> Chunk:
    fields = {name: row[name] for name in _COLUMNS} | {
        "parent_sections": tuple(json.loads(row["parent_sections"])),
        "has_code": bool(row["has_code"]),
        "edited": bool(row["edited"]),
        "total": total,
    }
    return Chunk(**fields)


def _matrix(blobs: Sequence[bytes], dimension: int) -> Matrix:
    return np.frombuffer(b"".join(blobs), dtype="<f4").reshape(len(blobs), dimension)
