"""Notes as rows."""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, get_type_hints

from core.errors import NoteNotFound
from core.messages import message, to_json
from core.model import NOTE_FIELDS, ChunkingOptions, Filters, KnowledgeBase, KnownNote, Note, NoteCard
from core.store import filters as narrowed
from core.store.cutting import Cutting
from core.store.database import AMONG, Table
from core.store.reading import Reader, loaded, reader, stored
from core.text import fold, keywords

_FIELDS = [name for name in NOTE_FIELDS if name != "tags"]
_RELATIONS = [name for name in _FIELDS if NOTE_FIELDS[name].is_list]
_COLUMNS = [
    *"id base_id generation body body_start content_hash path source source_ref source_url mtime_ns size".split(),
    *_FIELDS,
    *"links created_at updated_at front overridden version extra warnings strategy cut_by chunking".split(),
]
_JSON = ["links", "overridden", "extra", "warnings", *_RELATIONS]
_LISTS = ["tags", "aliases", "warnings", *_RELATIONS]
_ELSEWHERE = "id base_id generation title body version".split()
_ALL = Filters()
_TAGS = "(SELECT json_group_array(tag) FROM tags WHERE note_id = notes.id) AS tags"
_NOTE = ", ".join([*_COLUMNS, _TAGS, "(SELECT kind FROM bases WHERE bases.id = base_id) = 'lines' AS plain"])
_CARD = f"""
    SELECT notes.id, base_id, bases.name AS base, path, body_start, {", ".join(_FIELDS)}, source, notes.updated_at,
           strategy, warnings, version, source_ref, notes.created_at,
           iif(json_valid(extra), json_extract(extra, '$.aliases'), extra) AS aliases, {_TAGS},
           (SELECT count(*) FROM chunks WHERE note_id = notes.id) AS chunks,
           (SELECT count(*) FROM chunks WHERE note_id = notes.id AND state = 'pending') AS pending
    FROM notes JOIN bases ON bases.id = base_id
"""


@dataclass(frozen=True, slots=True)
class Moved:
    """The new place of a note's file."""

    note_id: str
    path: str
    source_ref: str
    title: str
    mtime_ns: int
    size: int


@dataclass(frozen=True, slots=True)
class Named:
    """What a note is called."""

    id: str
    base_id: str
    source_ref: str
    path: str | None
    title: str
    aliases: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Chunked:
    """A note's own chunking options."""

    id: str
    title: str
    chunking: ChunkingOptions | None = None


@dataclass(frozen=True, slots=True)
class Joined:
    """A note of the workspace that becomes that of a file in `source_ref`; `overridden` are the fields of the file."""

    note_id: str
    source_ref: str
    content_hash: str
    overridden: dict[str, object]


class NoteTable(Table):
    """The notes of a workspace. Reading one note raises NoteNotFound."""

    # writing

    def put(self, cutting: Cutting) -> None:
        """Write the row and the tags of a note in place of its old ones; its chunks are another table's."""
        row = _row(cutting)
        assignments = ", ".join(f"{column} = excluded.{column}" for column in _COLUMNS if column != "id")
        with self._database.write() as connection:
            connection.execute(
                f"INSERT INTO notes ({', '.join(_COLUMNS)}) VALUES ({', '.join('?' * len(_COLUMNS))})"
                f" ON CONFLICT (id) DO UPDATE SET {assignments}",
                [row[column] for column in _COLUMNS],
            )
            self._tag(cutting.note)

    def describe(self, note: Note) -> None:
        """Write the fields of a stored note whose title and body are as they were; its chunks stay."""
        row = _note_row(note) | {"generation": note.generation + 1}
        assignments = ", ".join(f"{column} = ?" for column in row)
        with self._database.write():
            self._database.execute(f"UPDATE notes SET {assignments} WHERE id = ?", *row.values(), note.id)
            self._tag(note)

    def _tag(self, note: Note) -> None:
        with self._database.write() as connection:
            connection.execute("DELETE FROM tags WHERE note_id = ?", (note.id,))
            connection.executemany("INSERT OR IGNORE INTO tags VALUES (?, ?)", [(note.id, tag) for tag in note.tags])

    def delete(self, note_ids: Iterable[str]) -> None:
        """Delete notes, and with them their tags, chunks and words."""
        ids = list(note_ids)
        with self._database.write():
            self._database.execute(
                f"DELETE FROM words WHERE rowid IN (SELECT rowid FROM chunks WHERE note_id {AMONG})", ids
            )
            self._database.execute(f"DELETE FROM notes WHERE id {AMONG}", ids)

    def move(self, moves: Sequence[Moved]) -> None:
        """Record that files were renamed, all in one transaction; their notes keep text and vectors."""
        with self._database.write() as connection:
            # Two notes may have swapped their names.
            connection.executemany("UPDATE notes SET path = NULL WHERE id = ?", [(move.note_id,) for move in moves])
            for move in moves:
                self._database.execute(
                    "UPDATE notes SET path = ?, source_ref = ?, title = ?, mtime_ns = ?, size = ? WHERE id = ?",
                    *(move.path, move.source_ref, move.title, move.mtime_ns, move.size, move.note_id),
                )
                self._database.execute(
                    "UPDATE words SET title = ? WHERE rowid IN (SELECT rowid FROM chunks WHERE note_id = ?)",
                    *(" ".join(keywords(move.title)), move.note_id),
                )

    def join(self, joins: Iterable[Joined]) -> None:
        """Record that notes are those of files from now on."""
        with self._database.write() as connection:
            connection.executemany(
                "UPDATE notes SET source = 'folder', source_ref = ?, content_hash = ?, overridden = ? WHERE id = ?",
                [(one.source_ref, one.content_hash, _overridden(one.overridden), one.note_id) for one in joins],
            )

    def set_options(self, note_id: str, options: ChunkingOptions) -> None:
        """Give a note chunking options of its own, by which it is cut from then on."""
        self._database.execute("UPDATE notes SET chunking = ? WHERE id = ?", json.dumps(asdict(options)), note_id)

    def touch(self, stats: Iterable[tuple[str, int, int]]) -> None:
        """Record the (note id, modification time in ns, size) of files whose content is the same."""
        with self._database.write() as connection:
            connection.executemany("UPDATE notes SET mtime_ns = ?2, size = ?3 WHERE id = ?1", stats)

    # one note

    def note(self, note_id: str) -> Note:
        return self._note(self._only(_NOTE, note_id))

    def title(self, note_id: str) -> str:
        return str(self._only("title", note_id)[0])

    def slice(self, note_id: str, start: int, end: int) -> str:
        return str(self._only("substr(body, ?, ?)", note_id, start + 1, end - start)[0])

    def indexed_as(self, note_id: str) -> dict[str, Any]:
        """Return strategy, cut_by, mtime_ns and size of a note, as of its last indexing."""
        return dict(self._only("strategy, cut_by, mtime_ns, size", note_id))

    def card(self, note_id: str) -> NoteCard:
        """Return the card of a note."""
        for card in self.cards_of([note_id]).values():
            return card
        raise NoteNotFound(note_id)

    def _note(self, row: sqlite3.Row) -> Note:
        fields = dict(row) | {name: loaded(row[name]) for name in (*_JSON, "tags")}
        return _READER(fields, self._database.unread)

    def _card(self, row: sqlite3.Row) -> NoteCard:
        fields = dict(row) | {name: _listed(row[name]) for name in _LISTS}
        return _CARD_READER(fields, self._database.unread)

    def _only(self, columns: str, note_id: str, *values: object) -> sqlite3.Row:
        row = self._database.row(f"SELECT {columns} FROM notes WHERE id = ?", *values, note_id)
        if row is None:
            raise NoteNotFound(note_id)
        return row

    def generation(self, note_id: str) -> int:
        """Return how often the note was indexed, 0 for a note that isn't stored."""
        return self._database.value("SELECT generation FROM notes WHERE id = ?", note_id) or 0

    def options(self, note_id: str) -> ChunkingOptions | None:
        """Return the note's own chunking options, None if it has those of its base or isn't stored."""
        options = self._database.value("SELECT chunking FROM notes WHERE id = ?", note_id)
        row = {"id": note_id, "title": note_id, "chunking": options}
        return _CHUNKING(row, self._database.unread).chunking

    # several notes

    def ids(self) -> set[str]:
        return set(self._database.column("SELECT id FROM notes"))

    def holding(self, base: KnowledgeBase, text: str) -> Iterator[Note]:
        """Yield the answering notes of a base whose text may hold another one, folded, by their paths."""
        where = narrowed.of_answers(Filters(bases=(base.name,)))
        rows = self._database.rows(
            f"SELECT {_NOTE} FROM notes WHERE {where} AND may_hold(body, ?) ORDER BY path, id",
            *(*where.values, fold(text)),
        )
        return map(self._note, rows)

    def paths(self, base: KnowledgeBase, source_ref: str = "") -> set[str]:
        """Return the paths of the notes of a base that are from one source, by default those written here."""
        return set(
            self._database.column(
                "SELECT path FROM notes WHERE base_id = ? AND source_ref = ? AND path IS NOT NULL", base.id, source_ref
            )
        )

    def has_path(self, base: KnowledgeBase, path: str, source_ref: str = "") -> bool:
        """Return whether a note of a base that is from one source has this path."""
        found = "SELECT EXISTS (SELECT 1 FROM notes WHERE base_id = ? AND source_ref = ? AND path = ?)"
        return bool(self._database.value(found, base.id, source_ref, path))

    def count(self, base_ids: Iterable[str]) -> int:
        """Return the number of notes in some bases."""
        return int(self._database.value(f"SELECT count(*) FROM notes WHERE base_id {AMONG}", [*base_ids]))

    def base_ids(self, note_ids: Iterable[str]) -> dict[str, str]:
        """Return the base of each note; notes that aren't stored are left out."""
        return dict(self._database.rows(f"SELECT id, base_id FROM notes WHERE id {AMONG}", list(note_ids)))

    def cut_by(self, base: KnowledgeBase) -> dict[str, str]:
        """Return for each note of the base the text that identifies its cut."""
        return dict(self._database.rows("SELECT id, cut_by FROM notes WHERE base_id = ? ORDER BY path, id", base.id))

    def cards(self, filters: Filters = _ALL, *, text: str = "", answering: bool = False) -> list[NoteCard]:
        """Return the cards of the notes that pass, by base and path, with `text` in their title or path.

        Notes of every status pass, unless the filters name one; with `answering` those that answer questions. A note
        passes a filter on chunks with one of its chunks.
        """
        where = narrowed.of_answers(filters) if answering else narrowed.of_notes(filters)
        chunks = narrowed.of_chunks(filters)
        if chunks:
            where.add(f"notes.id IN (SELECT note_id FROM chunks WHERE state != 'deleted' AND {chunks})", *chunks.values)
        if text:
            where.add("instr(fold(title), ?) OR instr(fold(coalesce(path, '')), ?)", *[fold(text)] * 2)
        rows = self._database.rows(f"{_CARD} WHERE {where} ORDER BY bases.name, path, title", *where.values)
        return [self._card(row) for row in rows]

    def cards_of(self, note_ids: Iterable[str]) -> dict[str, NoteCard]:
        rows = self._database.rows(f"{_CARD} WHERE notes.id {AMONG}", list(note_ids))
        return {row["id"]: self._card(row) for row in rows}

    def links_of(self, note_ids: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """Return the link targets of each note, as they are written in it."""
        rows = self._database.rows(f"SELECT id, links FROM notes WHERE id {AMONG}", list(note_ids))
        return {note_id: texts(links) for note_id, links in rows}

    def named(self) -> list[Named]:
        """Return what the notes of all bases are called."""
        rows = self._database.rows(
            "SELECT id, base_id, source_ref, path, title,"
            " iif(json_valid(extra), json_extract(extra, '$.aliases'), extra) AS aliases FROM notes"
        )
        return [_NAMED(dict(row) | {"aliases": _listed(row["aliases"])}, self._database.unread) for row in rows]

    def newest(self, limit: int) -> list[str]:
        """Return the ids of the notes that were changed last."""
        return list(self._database.column("SELECT id FROM notes ORDER BY updated_at DESC, id LIMIT ?", limit))

    def linking(self) -> Iterator[tuple[str, str]]:
        """Yield the id and the links, as JSON, of every note that has links."""
        yield from map(
            tuple, self._database.rows("SELECT id, links FROM notes WHERE links != '[]' AND json_valid(links)")
        )

    def tags(self, base: str | None = None) -> dict[str, int]:
        """Return the tags in use with their numbers of notes, the most frequent first."""
        return dict(
            self._database.rows(
                "SELECT min(tag), count(*) AS notes FROM tags JOIN notes ON notes.id = note_id"
                " JOIN bases ON bases.id = base_id WHERE ?1 IS NULL OR bases.name = ?1"
                " GROUP BY tags.tag ORDER BY notes DESC, tags.tag",
                base,
            )
        )

    def categories(self, base: str | None = None) -> dict[str, int]:
        """Return the categories in use with their numbers of notes, the most frequent first."""
        return dict(
            self._database.rows(
                "SELECT category, count(*) AS notes FROM notes JOIN bases ON bases.id = base_id"
                " WHERE category != '' AND (?1 IS NULL OR bases.name = ?1)"
                " GROUP BY category ORDER BY notes DESC, category",
                base,
            )
        )

    def loose(self, base: KnowledgeBase) -> list[KnownNote]:
        """Return the notes of the base that live in the workspace and have a path."""
        rows = self._database.rows(
            "SELECT id, path, source_ref, content_hash, -1, -1 FROM notes"
            " WHERE base_id = ? AND source_ref = '' AND path IS NOT NULL",
            base.id,
        )
        return [KnownNote(*row) for row in rows]

    def files(self, base: KnowledgeBase) -> list[KnownNote]:
        """Return the notes of the base that were read from files."""
        rows = self._database.rows(
            "SELECT id, path, source_ref, content_hash, coalesce(mtime_ns, 0), coalesce(size, 0) FROM notes"
            " WHERE base_id = ? AND source IN ('folder', 'upload')",
            base.id,
        )
        return [KnownNote(*row) for row in rows]


def _overridden(fields: dict[str, object]) -> str:
    return json.dumps({name: _plain(value) for name, value in fields.items()}, ensure_ascii=False)


def data_of(note: Note) -> dict[str, Any]:
    """Return what a note has beside its id, base, title and text, as JSON values."""
    names = [name for name in _COLUMNS if hasattr(note, name) and name not in _ELSEWHERE]
    values = {name: _plain(getattr(note, name)) for name in (*names, "tags")}
    over = {name: _plain(value) for name, value in note.overridden.items()}
    return values | {"overridden": over, "warnings": [to_json(warning) for warning in note.warnings]}


def _note_row(note: Note) -> dict[str, object]:
    elsewhere = {name: getattr(note, name) for name in _ELSEWHERE}
    row = {name: value for name, value in (data_of(note) | elsewhere).items() if name != "tags"}
    return row | {name: json.dumps(row[name], ensure_ascii=False) for name in _JSON}


def _row(cutting: Cutting) -> dict[str, object]:
    return _note_row(cutting.note) | {
        "mtime_ns": cutting.mtime_ns,
        "size": cutting.size,
        "strategy": cutting.strategy,
        "cut_by": cutting.cut_by,
        "chunking": json.dumps(asdict(cutting.options)) if cutting.options else None,
    }


def _plain(value: object) -> object:
    if isinstance(value, datetime):
        return value.isoformat()
    return list(value) if isinstance(value, tuple) else value


def _listed(stored: object) -> Any:
    return loaded(stored) if stored else ()


def texts(stored: object) -> tuple[str, ...]:
    """Return a stored list of texts, an empty one where it can't be read."""
    items = loaded(stored)
    return tuple(item for item in items if isinstance(item, str)) if isinstance(items, list) else ()


def overridden(values: dict[str, Any]) -> dict[str, object]:
    """Return values of fields of a note of their JSON values."""
    return {name: reader(_HINTS[name])(value) for name, value in values.items()}


def extra(values: dict[str, Any]) -> dict[str, object]:
    """Return the values without a field of their JSON values; aliases are texts."""
    reader(tuple[str, ...])(values.get("aliases", ()))
    read: dict[str, object] = reader(dict[str, object])(values)
    return read


_HINTS = get_type_hints(Note)
_WHAT = message("note")
_READER = Reader(Note, _WHAT, "title", overridden=overridden, extra=extra)
_CARD_READER = Reader(NoteCard, _WHAT, "title")
_NAMED = Reader(Named, _WHAT, "title")
_CHUNKING = Reader(_Chunked, _WHAT, "title", chunking=lambda value: value and stored(ChunkingOptions)(value))
