"""Bases and notes as rows."""

import json
import sqlite3
from collections.abc import Container, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from hashlib import blake2b
from typing import Any

from core.errors import NoteNotFound, UnknownChoice
from core.messages import Message, from_json, to_json
from core.model import ChunkingOptions, Filters, KnowledgeBase, Note, NoteCard, SearchSettings
from core.store import filters as narrowed
from core.store.cutting import Cutting
from core.store.database import Database
from core.text import fold, keywords

_NOTE_COLUMNS = (
    "id base_id generation title body body_start content_hash path source source_ref source_url mtime_ns size"
    " links category type project scope priority status created_at updated_at version extra warnings strategy"
    " cut_by chunking"
).split()
_ALL = Filters()
_CARD = """
    SELECT notes.id, base_id, bases.name AS base, title, path, body_start, status, source, notes.updated_at,
           strategy, warnings, type, category, project,
           (SELECT count(*) FROM chunks WHERE note_id = notes.id) AS chunks,
           (SELECT count(*) FROM chunks WHERE note_id = notes.id AND state = 'pending') AS pending,
           (SELECT json_group_array(tag) FROM tags WHERE note_id = notes.id) AS tags
    FROM notes JOIN bases ON bases.id = base_id
"""


@dataclass(frozen=True, slots=True)
class Moved:
    """Where the file of a note is now."""

    note_id: str
    path: str
    source_ref: str
    title: str
    mtime_ns: int
    size: int


class NoteTable:
    """The bases and notes of a workspace."""

    def __init__(self, database: Database) -> None:
        self._database = database

    # bases

    def bases(self) -> list[KnowledgeBase]:
        rows = self._database.connection.execute("SELECT * FROM bases ORDER BY name").fetchall()
        return [_base(row) for row in rows]

    def base(self, name: str) -> KnowledgeBase:
        """Return the base of this name; raises UnknownChoice that lists those there are."""
        row = self._database.connection.execute("SELECT * FROM bases WHERE name = ?", (name,)).fetchone()
        if row is None:
            raise UnknownChoice("base", name, [base.name for base in self.bases()])
        return _base(row)

    def base_of(self, base_id: str) -> KnowledgeBase:
        """Return the base of this id; raises UnknownChoice where it was deleted."""
        row = self._database.connection.execute("SELECT * FROM bases WHERE id = ?", (base_id,)).fetchone()
        if row is None:
            raise UnknownChoice("base", base_id, [base.name for base in self.bases()])
        return _base(row)

    def add_base(
        self,
        name: str,
        *,
        embedder: str,
        fingerprint: str,
        dimension: int,
        chunking: ChunkingOptions,
        embed_at_once: bool = True,
    ) -> KnowledgeBase:
        with self._database.write() as connection:
            taken = {row[0] for row in connection.execute("SELECT id FROM bases")}
            base = KnowledgeBase(
                id=fresh_id(name, taken),
                name=name,
                embedder=embedder,
                fingerprint=fingerprint,
                dimension=dimension,
                chunking=chunking,
                created_at=datetime.now(UTC),
                embed_at_once=embed_at_once,
            )
            row = asdict(base) | {
                "chunking": json.dumps(asdict(chunking)),
                "search": json.dumps(base.search.chosen()),
                "created_at": base.created_at.isoformat(),
            }
            _insert(connection, "bases", row)
        return base

    def delete_base(self, base: KnowledgeBase) -> None:
        with self._database.write() as connection:
            connection.execute(
                "DELETE FROM words WHERE rowid IN (SELECT chunks.rowid FROM chunks JOIN notes ON notes.id = note_id"
                " WHERE base_id = ?)",
                (base.id,),
            )
            connection.execute("DELETE FROM bases WHERE id = ?", (base.id,))

    def set_chunking(self, base: KnowledgeBase, options: ChunkingOptions) -> KnowledgeBase:
        """Store how the base's notes are cut from now on; return the changed base."""
        with self._database.write() as connection:
            connection.execute("UPDATE bases SET chunking = ? WHERE id = ?", (json.dumps(asdict(options)), base.id))
        return replace(base, chunking=options)

    def set_embed_at_once(self, base: KnowledgeBase, at_once: bool) -> None:
        with self._database.write() as connection:
            connection.execute("UPDATE bases SET embed_at_once = ? WHERE id = ?", (at_once, base.id))

    def set_search(self, base: KnowledgeBase, settings: SearchSettings) -> KnowledgeBase:
        """Record how the base is searched where a search doesn't say, and return it so."""
        with self._database.write() as connection:
            connection.execute("UPDATE bases SET search = ? WHERE id = ?", (json.dumps(settings.chosen()), base.id))
        return replace(base, search=settings)

    def set_keep_tokens(self, base: KnowledgeBase, keep: bool) -> KnowledgeBase:
        """Record whether the base keeps the bits of its tokens, and return it so."""
        with self._database.write() as connection:
            connection.execute("UPDATE bases SET keep_tokens = ? WHERE id = ?", (keep, base.id))
        return replace(base, keep_tokens=keep)

    @staticmethod
    def next_index(base: KnowledgeBase) -> KnowledgeBase:
        """Return the base as it will be with the next generation of its vector index."""
        return replace(base, index_generation=base.index_generation + 1)

    def switch_index(self, base: KnowledgeBase) -> None:
        """Make the base's generation of the vector index the one in use."""
        with self._database.write() as connection:
            connection.execute(
                "UPDATE bases SET index_generation = ?, index_added = 0 WHERE id = ?",
                (base.index_generation, base.id),
            )

    def switch_embedder(self, base: KnowledgeBase) -> None:
        """Make the base's embedder, and its generation of the vector index, those in use."""
        with self._database.write() as connection:
            connection.execute(
                "UPDATE bases SET embedder = ?, fingerprint = ?, dimension = ?, index_generation = ?, index_added = 0"
                " WHERE id = ?",
                (base.embedder, base.fingerprint, base.dimension, base.index_generation, base.id),
            )

    def count_index_added(self, base: KnowledgeBase, windows: int) -> None:
        with self._database.write() as connection:
            connection.execute("UPDATE bases SET index_added = index_added + ? WHERE id = ?", (windows, base.id))

    def index_added(self, base: KnowledgeBase) -> int:
        """Return how many windows went into the base's index since it was built."""
        row = self._database.connection.execute("SELECT index_added FROM bases WHERE id = ?", (base.id,)).fetchone()
        return int(row[0])

    def record_sync(self, base: KnowledgeBase, folder: str, report: dict[str, object]) -> None:
        now = datetime.now(UTC).isoformat()
        with self._database.write() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO syncs VALUES (?, ?, ?, ?)", (base.id, folder, now, json.dumps(report))
            )
            connection.execute("UPDATE bases SET synced_at = ? WHERE id = ?", (now, base.id))

    def syncs(self, base: KnowledgeBase) -> list[tuple[str, datetime, dict[str, Any]]]:
        """Return each folder of the base with the time and the report of its last sync, newest first."""
        rows = self._database.connection.execute(
            "SELECT folder, at, report FROM syncs WHERE base_id = ? ORDER BY at DESC", (base.id,)
        )
        return [(row["folder"], datetime.fromisoformat(row["at"]), json.loads(row["report"])) for row in rows]

    # notes

    def put(self, cutting: Cutting) -> None:
        """Write a note's row and tags in place of those it had; its chunks are another table's."""
        row, tags = _row(cutting), cutting.note.tags
        assignments = ", ".join(f"{column} = excluded.{column}" for column in _NOTE_COLUMNS if column != "id")
        with self._database.write() as connection:
            connection.execute(
                f"INSERT INTO notes ({', '.join(_NOTE_COLUMNS)}) VALUES ({', '.join('?' * len(_NOTE_COLUMNS))})"
                f" ON CONFLICT (id) DO UPDATE SET {assignments}",
                [row[column] for column in _NOTE_COLUMNS],
            )
            connection.execute("DELETE FROM tags WHERE note_id = ?", (row["id"],))
            connection.executemany("INSERT OR IGNORE INTO tags VALUES (?, ?)", [(row["id"], tag) for tag in tags])

    def delete(self, note_ids: Iterable[str]) -> None:
        """Delete notes, and with them their tags, chunks and words."""
        with self._database.write() as connection:
            for note_id in note_ids:
                connection.execute(
                    "DELETE FROM words WHERE rowid IN (SELECT rowid FROM chunks WHERE note_id = ?)", (note_id,)
                )
                connection.execute("DELETE FROM notes WHERE id = ?", (note_id,))

    def note(self, note_id: str) -> Note:
        row = self._database.connection.execute(
            f"SELECT {', '.join(_NOTE_COLUMNS)},"
            " (SELECT json_group_array(tag) FROM tags WHERE note_id = notes.id) AS tags FROM notes WHERE id = ?",
            (note_id,),
        ).fetchone()
        if row is None:
            raise NoteNotFound(note_id)
        return _note(row)

    def title(self, note_id: str) -> str:
        return str(self._only("title", note_id)[0])

    def version(self, note_id: str) -> int:
        return int(self._only("version", note_id)[0])

    def _only(self, columns: str, note_id: str) -> sqlite3.Row:
        row = self._database.connection.execute(f"SELECT {columns} FROM notes WHERE id = ?", (note_id,)).fetchone()
        if row is None:
            raise NoteNotFound(note_id)
        return row  # type: ignore[no-any-return]

    def generation(self, note_id: str) -> int:
        """Return how often the note was indexed, 0 for one that isn't there."""
        row = self._database.connection.execute("SELECT generation FROM notes WHERE id = ?", (note_id,)).fetchone()
        return int(row[0]) if row else 0

    def options(self, note_id: str) -> ChunkingOptions | None:
        """Return how the note is cut where that is its own choice, None where it goes with its base or isn't there."""
        row = self._database.connection.execute("SELECT chunking FROM notes WHERE id = ?", (note_id,)).fetchone()
        return ChunkingOptions(**json.loads(row[0])) if row and row[0] else None

    def indexed_as(self, note_id: str) -> sqlite3.Row:
        """Return strategy, cut_by, mtime_ns and size of a note: what its row says of its last indexing."""
        return self._only("strategy, cut_by, mtime_ns, size", note_id)

    def base_ids(self, note_ids: Iterable[str]) -> dict[str, str]:
        """Return the base of each of the notes; those that aren't there are left out."""
        rows = self._database.connection.execute(
            "SELECT id, base_id FROM notes WHERE id IN (SELECT value FROM json_each(?))", (json.dumps(list(note_ids)),)
        )
        return {row[0]: row[1] for row in rows}

    def cut_by(self, base: KnowledgeBase) -> dict[str, str]:
        """Return by what each note of the base was cut."""
        rows = self._database.connection.execute(
            "SELECT id, cut_by FROM notes WHERE base_id = ? ORDER BY path, id", (base.id,)
        )
        return {row[0]: row[1] for row in rows}

    def slice(self, note_id: str, start: int, end: int) -> str:
        row = self._database.connection.execute(
            "SELECT substr(body, ?, ?) FROM notes WHERE id = ?", (start + 1, end - start, note_id)
        ).fetchone()
        if row is None:
            raise NoteNotFound(note_id)
        return str(row[0])

    def cards(self, filters: Filters = _ALL, *, text: str = "") -> list[NoteCard]:
        """Return what lists show of the notes that pass, by base and path; `text` is looked for in title and path.

        Of whatever status they are, unless the filters say; a filter on chunks asks that one of the note's
        chunks passes.
        """
        where, chunks = narrowed.of_notes(filters), narrowed.of_chunks(filters)
        if chunks:
            where.add(f"notes.id IN (SELECT note_id FROM chunks WHERE state != 'deleted' AND {chunks})", *chunks.values)
        if text:
            where.add("instr(fold(title), ?) OR instr(fold(coalesce(path, '')), ?)", *[fold(text)] * 2)
        rows = self._database.connection.execute(
            f"{_CARD} WHERE {where} ORDER BY bases.name, path, title", where.values
        )
        return [_card(row) for row in rows]

    def card(self, note_id: str) -> NoteCard:
        """Return what lists show of a note; raises NoteNotFound."""
        try:
            return self.cards_of([note_id])[note_id]
        except KeyError:
            raise NoteNotFound(note_id) from None

    def cards_of(self, note_ids: Iterable[str]) -> dict[str, NoteCard]:
        rows = self._database.connection.execute(
            f"{_CARD} WHERE notes.id IN (SELECT value FROM json_each(?))", (json.dumps(list(note_ids)),)
        )
        return {row["id"]: _card(row) for row in rows}

    def links_of(self, note_ids: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """Return what each of the notes links to, as it is written there."""
        rows = self._database.connection.execute(
            "SELECT id, links FROM notes WHERE id IN (SELECT value FROM json_each(?))", (json.dumps(list(note_ids)),)
        )
        return {row[0]: tuple(json.loads(row[1])) for row in rows}

    def tags(self, base: str | None = None) -> dict[str, int]:
        """Return the tags in use and on how many notes, the most frequent first."""
        rows = self._database.connection.execute(
            "SELECT min(tag) AS tag, count(*) AS notes FROM tags JOIN notes ON notes.id = note_id"
            " JOIN bases ON bases.id = base_id WHERE ? IS NULL OR bases.name = ?"
            " GROUP BY tags.tag ORDER BY notes DESC, tags.tag",
            (base, base),
        )
        return {row["tag"]: row["notes"] for row in rows}

    def files(self, base: KnowledgeBase) -> list[sqlite3.Row]:
        """Return id, path, source_ref, content_hash, mtime_ns, size and cut_by of the notes that came from files."""
        return self._database.connection.execute(
            "SELECT id, path, source, source_ref, content_hash, mtime_ns, size, cut_by FROM notes"
            " WHERE base_id = ? AND path IS NOT NULL",
            (base.id,),
        ).fetchall()

    def move(self, moves: Sequence[Moved]) -> None:
        """Record that files were renamed, all at once; their notes keep text and vectors."""
        with self._database.write() as connection:
            # Two notes may have changed names with each other.
            connection.executemany("UPDATE notes SET path = NULL WHERE id = ?", [(move.note_id,) for move in moves])
            for move in moves:
                connection.execute(
                    "UPDATE notes SET path = ?, source_ref = ?, title = ?, mtime_ns = ?, size = ? WHERE id = ?",
                    (move.path, move.source_ref, move.title, move.mtime_ns, move.size, move.note_id),
                )
                connection.execute(
                    "UPDATE words SET title = ? WHERE rowid IN (SELECT rowid FROM chunks WHERE note_id = ?)",
                    (" ".join(keywords(move.title)), move.note_id),
                )

    def touch(self, stats: Iterable[tuple[str, int, int]]) -> None:
        """Record the (note id, modification time in ns, size) of files whose content is the same."""
        with self._database.write() as connection:
            connection.executemany(
                "UPDATE notes SET mtime_ns = ?2, size = ?3 WHERE id = ?1", [tuple(stat) for stat in stats]
            )

    def ids(self) -> set[str]:
        return {row[0] for row in self._database.connection.execute("SELECT id FROM notes")}


def fresh_id(seed: str, taken: Container[str]) -> str:
    """Return 12 hex digits computed from the seed, others only where those are taken.

    Computed, not random: the same folder imported into an empty workspace gives the same ids.
    """
    attempt = 0
    while True:
        candidate = blake2b(f"{seed}\0{attempt}".encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()
        if candidate not in taken:
            return candidate
        attempt += 1


def _row(cutting: Cutting) -> dict[str, object]:
    note = cutting.note
    row = {name: getattr(note, name) for name in _NOTE_COLUMNS if hasattr(note, name)}
    row["warnings"] = [to_json(warning) for warning in note.warnings]
    for name in ("links", "warnings", "extra"):
        row[name] = json.dumps(row[name], ensure_ascii=False)
    for name in ("created_at", "updated_at"):
        row[name] = row[name].isoformat() if row[name] else None
    return row | {
        "mtime_ns": cutting.mtime_ns,
        "size": cutting.size,
        "strategy": cutting.strategy,
        "cut_by": cutting.cut_by,
        "chunking": json.dumps(asdict(cutting.options)) if cutting.options else None,
    }


def _insert(connection: sqlite3.Connection, table: str, row: dict[str, object]) -> int:
    columns = ", ".join(f'"{column}"' for column in row)
    cursor = connection.execute(
        f"INSERT INTO {table} ({columns}) VALUES ({', '.join('?' * len(row))})", list(row.values())
    )
    return cursor.lastrowid or 0


def _time(value: str | None) -> datetime | None:
    return datetime.fromisoformat(value) if value else None


def _base(row: sqlite3.Row) -> KnowledgeBase:
    fields = {name: row[name] for name in KnowledgeBase.__slots__} | {
        "chunking": ChunkingOptions(**json.loads(row["chunking"])),
        "search": SearchSettings.of(json.loads(row["search"])),
        "created_at": datetime.fromisoformat(row["created_at"]),
        "synced_at": _time(row["synced_at"]),
        "embed_at_once": bool(row["embed_at_once"]),
        "keep_tokens": bool(row["keep_tokens"]),
    }
    return KnowledgeBase(**fields)


def _note(row: sqlite3.Row) -> Note:
    fields = {name: row[name] for name in row.keys() if name in Note.__slots__}  # noqa: SIM118 a Row iterates over its values
    return Note(
        **fields
        | {name: tuple(json.loads(row[name])) for name in ("tags", "links")}
        | {"warnings": _warnings(row)}
        | {name: _time(row[name]) for name in ("created_at", "updated_at")}
        | {"extra": json.loads(row["extra"])}
    )


def _card(row: sqlite3.Row) -> NoteCard:
    fields = dict(row) | {"tags": tuple(json.loads(row["tags"])), "warnings": _warnings(row)}
    return NoteCard(**fields | {"updated_at": _time(row["updated_at"])})


def _warnings(row: sqlite3.Row) -> tuple[Message, ...]:
    return tuple(map(from_json, json.loads(row["warnings"])))
