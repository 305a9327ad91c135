"""Tables for notes, and queries on their fields, properties and titles."""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from datetime import datetime

from core.base.errors import NoteNotFound
from core.base.frozen import AnyValues, Texts, TextValues, attributes
from core.base.text import collapse_spaces, compose, fold, keywords, make_storable
from core.model import (
    ChunkingOptions,
    Filters,
    KnowledgeBase,
    KnownNote,
    Note,
    NoteCounts,
    NoteSummary,
    Rowids,
    fields_of,
    property_values,
)
from core.store import filters as narrowed
from core.store.filters import EXPIRED, NAMES, PROPERTY_TEXT, TEXT, moments
from core.store.note_rows import (
    CARD,
    CHUNKING_READER,
    COLUMNS,
    NAMED,
    NOTE,
    ActiveFile,
    Joined,
    Moved,
    NoteNames,
    card_of,
    described,
    named_of,
    note_of,
)
from core.store.note_to_index import NoteToIndex
from core.store.reading import columns_of, texts
from core.store.table import Ids, StoreTable, first_of_notes

_MOST_NAMES = 10_000
_TITLED = (
    "(title COLLATE NOCASE IN ? OR notes.id IN"
    " (SELECT note_id FROM properties WHERE name = 'aliases' AND value COLLATE NOCASE IN ?))"
)


class FieldTable(StoreTable):
    def classified(self) -> list[tuple[str, str]]:
        """Return the (type, category) pairs in use, most frequent first."""
        return [
            tuple(row)
            for row in self._rows(
                "SELECT type, category FROM notes GROUP BY type, category ORDER BY count(*) DESC, type, category"
            )
        ]

    def words(self, field: str) -> list[str]:
        """Return the values in use for a field of kind `word`, most frequent first."""
        if field not in fields_of("word"):
            raise ValueError(field)
        return self._column(
            f"SELECT {field} FROM notes WHERE {field} != '' GROUP BY {field} ORDER BY count(*) DESC, {field}"
        )

    def metadata(self) -> tuple[tuple[str, str], ...]:
        """Return (field, value) for each tag, project, category and folder in use. Damaged values are left out."""
        return tuple(
            (field, value)
            for field, value in self._rows(
                "SELECT DISTINCT 'tag', tag FROM tags"
                " UNION ALL SELECT DISTINCT 'project', project FROM notes WHERE project != ''"
                " UNION ALL SELECT DISTINCT 'category', category FROM notes WHERE category != ''"
                " UNION ALL SELECT DISTINCT 'path', rtrim(path, replace(path, '/', '')) FROM notes"
                " WHERE instr(path, '/')"
            )
            if isinstance(value, str)
        )

    def any_lapsed(self) -> bool:
        """Return whether any note may have expired. This check treats a date without a time as the start of the day."""
        return self._exists(
            "notes INDEXED BY notes_expiring WHERE expires_at IS NOT NULL AND expires_at <= ?", moments()[1]
        )

    def version(self) -> tuple[int, int]:
        """Return two numbers, at least one of which changes whenever search results may have changed.

        This is the case after every write that affects search results, and whenever a note expires.
        """
        return self._database.version(), self.expired()

    def expired(self) -> int:
        return int(
            self._value(
                f"SELECT count(*) FROM notes INDEXED BY notes_expiring WHERE expires_at IS NOT NULL AND {EXPIRED}",
                *moments(),
            )
        )

    def expiring(self, until: datetime) -> list[str]:
        """Return the ids of active notes that have expired or will expire by the given UTC time, sorted by expiry."""
        return self._column(
            "SELECT id FROM notes INDEXED BY notes_expiring WHERE expires_at IS NOT NULL AND expires_at <= ?"
            " AND status = 'active' ORDER BY expires_at, id",
            until.isoformat(),
        )

    def superseding(self) -> list[str]:
        """Return the ids of active, unexpired notes that supersede other notes."""
        return self._column(
            "SELECT id FROM notes INDEXED BY notes_superseding WHERE supersedes != '[]' AND status = 'active'"
            f" AND NOT {EXPIRED} ORDER BY id",
            *moments(),
        )

    def stamps(self, note_ids: Ids) -> Sequence[tuple[str, str, str, int | None, int | None]]:
        """Return (id, folder, path, modification time in ns, size) for notes in folders, as of the last sync."""
        return [
            tuple(row)
            for row in self._rows(
                "SELECT id, source_ref, path, mtime_ns, size FROM notes WHERE source = 'folder' AND path IS NOT NULL"
                " AND id IN ?",
                note_ids,
            )
        ]


class PropertyTable(StoreTable):
    def text(self, note_id: str) -> str:
        """Return the text of a note's properties, which is indexed with the note's first chunk."""
        return self._value(f"SELECT ({TEXT}) FROM notes WHERE id = ?", note_id) or ""

    def names(self) -> list[str]:
        """Return the property names in use, up to 10,000."""
        return self._column(f"{NAMES} LIMIT ?", _MOST_NAMES)

    def chunk_texts(self, rowids: Iterable[int]) -> dict[int, str]:
        """Return the property text indexed with each chunk. Chunks without property text are left out."""
        return {
            rowid: text
            for rowid, text in self._rows(
                f"SELECT rowid, {PROPERTY_TEXT} AS beside FROM chunks WHERE rowid IN ?", rowids
            )
            if text
        }


class TitleTable(StoreTable):
    """Looks up notes by exact title or alias, ignoring only the case of ASCII letters."""

    def is_title(self, text: str) -> bool:
        forms = _forms([text])
        return self._exists(f"notes WHERE {_TITLED}", forms, forms)

    def first_chunks(self, titles: Iterable[str], bases: Iterable[KnowledgeBase], allowed: Rowids | None) -> list[int]:
        """Return the first allowed chunk of each note in the bases that has one of these titles or aliases."""
        forms = _forms(titles)
        return list(
            first_of_notes(
                self._rows(
                    f"SELECT chunks.rowid, note_id FROM notes JOIN chunks ON note_id = notes.id WHERE {_TITLED}"
                    f" AND base_id IN ? AND state != 'deleted' ORDER BY updated_at DESC, notes.id, \"index\"",
                    forms,
                    forms,
                    [base.id for base in bases],
                ),
                allowed,
            )
        )


def _forms(titles: Iterable[str]) -> list[str]:
    """Return each title as typed, with single spaces, and with composed accents. Notes may contain any of these."""
    stripped = {
        form for title in map(make_storable, titles) for form in (title.strip(), collapse_spaces(title)) if form
    }
    return [*stripped, *map(compose, stripped)]


_ALL = Filters()
_CHOSEN = (
    "iif(json_valid(encoding) AND json_extract(encoding, '$.known') = 'chosen',"
    " coalesce(json_extract(encoding, '$.name'), ''), '')"
)


_INDEXED = ("mtime_ns", "size", "stamp", "strategy", "cut_by")


class NoteTable(StoreTable):
    """A workspace's notes. Reading a single note raises NoteNotFound if it isn't stored."""

    # writing

    def put(self, cut: NoteToIndex) -> None:
        """Insert or replace a note's row, tags and properties, but not its chunks."""
        row = described(cut.note) | attributes(cut, _INDEXED)
        row["chunking"] = cut.options and json.dumps(asdict(cut.options))
        assignments = ", ".join(f"{column} = excluded.{column}" for column in COLUMNS if column != "id")
        with self._write():
            self._execute(
                f"INSERT INTO notes ({', '.join(COLUMNS)}) VALUES ({', '.join('?' * len(COLUMNS))})"
                f" ON CONFLICT (id) DO UPDATE SET {assignments}",
                *(row[column] for column in COLUMNS),
            )
            self._tag(cut.note)

    def describe(self, note: Note) -> None:
        """Update the fields of a stored note whose title and body are unchanged, keeping its chunks."""
        row = described(note) | {"generation": note.generation + 1}
        assignments = ", ".join(f"{column} = ?" for column in row)
        with self._write():
            self._execute(f"UPDATE notes SET {assignments} WHERE id = ?", *row.values(), note.id)
            self._tag(note)

    def _tag(self, note: Note) -> None:
        """Replace a note's tags and properties, within the caller's transaction."""
        self._execute("DELETE FROM tags WHERE note_id = ?", note.id)
        self._execute_many("INSERT OR IGNORE INTO tags VALUES (?, ?)", [(note.id, tag) for tag in note.tags])
        self._execute("DELETE FROM properties WHERE note_id = ?", note.id)
        self._execute_many(
            "INSERT OR IGNORE INTO properties VALUES (?, ?, ?)",
            [(note.id, name, value) for name, value in property_values(note.extra)],
        )

    def delete(self, note_ids: Ids) -> None:
        ids = list(note_ids)
        with self._write():
            self._execute("DELETE FROM words WHERE rowid IN (SELECT rowid FROM chunks WHERE note_id IN ?)", ids)
            self._execute("DELETE FROM notes WHERE id IN ?", ids)

    def move(self, moves: Sequence[Moved]) -> None:
        """Record renamed files in a single transaction. The files' notes keep their text and vectors."""
        with self._write():
            # Clear the paths first, because two files may have swapped names.
            self._execute("UPDATE notes SET path = NULL WHERE id IN ?", [move.note_id for move in moves])
            self._execute_many(
                "UPDATE notes SET path = :path, source_ref = :source_ref, title = :title, mtime_ns = :mtime_ns,"
                " size = :size, stamp = :stamp WHERE id = :note_id",
                map(asdict, moves),
            )
            self._execute_many(
                "UPDATE words SET title = ? WHERE rowid IN (SELECT rowid FROM chunks WHERE note_id = ?)",
                [(" ".join(keywords(move.title)), move.note_id) for move in moves],
            )

    def join(self, joins: Iterable[Joined]) -> None:
        self._execute_many(
            "UPDATE notes SET source = 'folder', source_ref = :source_ref, path = :path,"
            " content_hash = :content_hash, overridden = :overridden WHERE id = :note_id",
            map(columns_of, joins),
        )

    def set_options(self, note_id: str, options: ChunkingOptions) -> None:
        self._execute("UPDATE notes SET chunking = ? WHERE id = ?", json.dumps(asdict(options)), note_id)

    def touch(self, stats: Iterable[tuple[str, int, int, str]]) -> None:
        """Record (note id, modification time in ns, size, stamp) for files with unchanged contents."""
        self._execute_many("UPDATE notes SET mtime_ns = ?2, size = ?3, stamp = ?4 WHERE id = ?1", stats)

    # one note

    def note(self, note_id: str) -> Note:
        return note_of(self._only(NOTE, note_id), self._database.unread)

    def title(self, note_id: str) -> str:
        return str(self._only("title", note_id)[0])

    def slice(self, note_id: str, start: int, end: int) -> str:
        return str(self._only("substr(body, ?, ?)", note_id, start + 1, end - start)[0])

    def indexed_as(self, note_id: str) -> AnyValues:
        """Return `strategy`, `cut_by`, `mtime_ns`, `size` and `stamp` as of the last time the note was indexed."""
        return dict(self._only(", ".join(_INDEXED), note_id))

    def card(self, note_id: str) -> NoteSummary:
        if cards := self.cards_of([note_id]):
            return cards[note_id]
        raise NoteNotFound(note_id)

    def _only(self, columns: str, note_id: str, *values: object) -> sqlite3.Row:
        if (row := self._row(f"SELECT {columns} FROM notes WHERE id = ?", *values, note_id)) is None:
            raise NoteNotFound(note_id)
        return row

    def generation(self, note_id: str) -> int:
        """Return a note's generation, which increases with every write, or 0 if the note isn't stored."""
        return self._value("SELECT generation FROM notes WHERE id = ?", note_id) or 0

    def reading_choices(self, note_id: str) -> tuple[str, str]:
        """Return the converter and the encoding chosen by the user for a note's file. Each is "" if none was chosen."""
        row = self._row(
            "SELECT iif(json_valid(document), coalesce(json_extract(document, '$.chosen'), ''), ''),"
            f" {_CHOSEN} FROM notes WHERE id = ?",
            note_id,
        )
        return (str(row[0]), str(row[1])) if row else ("", "")

    def options(self, note_id: str) -> ChunkingOptions | None:
        """Return the chunking options set for a note, or None if it uses its base's options or isn't stored."""
        chunking = self._value("SELECT chunking FROM notes WHERE id = ?", note_id)
        return CHUNKING_READER({"id": note_id, "title": note_id, "chunking": chunking}, self._database.unread).chunking

    # several notes

    def ids(self) -> set[str]:
        return set(self._column("SELECT id FROM notes"))

    def notes_with_text(self, base: KnowledgeBase, text: str) -> Iterator[Note]:
        """Yield a base's searchable notes whose folded body contains the folded `text`, ordered by path."""
        where = narrowed.answerable_conditions(Filters(bases=(base.name,)))
        return (
            note_of(row, self._database.unread)
            for row in self._rows(
                f"SELECT {NOTE} FROM notes WHERE {where} AND instr(fold(body), ?) ORDER BY path, id",
                *where.values,
                fold(text),
            )
        )

    def has_path(self, base: KnowledgeBase, path: str, source_ref: str = "") -> bool:
        """Return whether a base has a note with this path.

        `source_ref` is the note's folder, or "" for notes stored only in the workspace.
        """
        return self._exists("notes WHERE base_id = ? AND source_ref = ? AND path = ?", base.id, source_ref, path)

    def count(self, base_ids: Ids) -> int:
        return int(self._value("SELECT count(*) FROM notes WHERE base_id IN ?", base_ids))

    def counts(self, base_ids: Ids) -> NoteCounts:
        """Count the notes in the given bases by status. `by_words` isn't set."""
        return self._made(
            NoteCounts,
            "SELECT count(*), count(*) FILTER (WHERE status = 'pending'), count(*) FILTER (WHERE status = 'archived'),"
            f" count(*) FILTER (WHERE {EXPIRED}) FROM notes WHERE base_id IN ?",
            *moments(),
            base_ids,
        )[0]

    def base_ids(self, note_ids: Ids) -> TextValues:
        """Return the base id for each note id. Notes that aren't stored are left out."""
        return dict(self._rows("SELECT id, base_id FROM notes WHERE id IN ?", note_ids))

    def cut_by(self, base: KnowledgeBase) -> TextValues:
        """Return a string for each note in a base, by note id. The string identifies how the note was chunked."""
        return dict(self._rows("SELECT id, cut_by FROM notes WHERE base_id = ? ORDER BY path, id", base.id))

    def cards(self, filters: Filters = _ALL, *, text: str = "", answering: bool = False) -> list[NoteSummary]:
        """Return summaries of notes that pass the filters and contain `text` in their title or path.

        Notes are sorted by base and path. With `answering`, notes must also be active and unexpired. A note passes a
        filter on chunks if any of its chunks does.
        """
        where = narrowed.answerable_conditions(filters) if answering else narrowed.note_conditions(filters)
        if chunks := narrowed.chunk_conditions(filters):
            where.add(f"notes.id IN (SELECT note_id FROM chunks WHERE state != 'deleted' AND {chunks})", *chunks.values)
        if text:
            where.add("instr(fold(title), ?) OR instr(fold(coalesce(path, '')), ?)", *[fold(text)] * 2)
        return self._nouns(card_of, f"{CARD} WHERE {where} ORDER BY bases.name, path, title", *where.values)

    def cards_of(self, note_ids: Ids) -> dict[str, NoteSummary]:
        return {card.id: card for card in self._nouns(card_of, f"{CARD} WHERE notes.id IN ?", note_ids)}

    def links_of(self, note_ids: Ids) -> dict[str, Texts]:
        """Return each note's link targets, as written in its text."""
        return {
            note_id: texts(links)
            for note_id, links in self._rows("SELECT id, links FROM notes WHERE id IN ?", note_ids)
        }

    def beginnings(self, note_ids: Ids, length: int = 600) -> TextValues:
        """Return each note's title and, on the next line, up to `length` characters from its first three chunks.

        Deleted chunks are left out.
        """
        return dict(
            self._rows(
                "SELECT id, title || char(10) || coalesce((SELECT substr(group_concat(text, char(10)), 1, ?)"
                " FROM (SELECT text FROM chunks WHERE note_id = notes.id AND state != 'deleted'"
                " ORDER BY \"index\" LIMIT 3)), '') FROM notes WHERE id IN ?",
                length,
                note_ids,
            )
        )

    def named(self) -> list[NoteNames]:
        return self._nouns(named_of, NAMED)

    def newest(self, limit: int, base_id: str | None = None) -> list[str]:
        """Return the ids of up to `limit` notes, most recently changed first, without those that await review."""
        return self._column(
            "SELECT id FROM notes WHERE status != 'pending' AND (?2 IS NULL OR base_id = ?2)"
            " ORDER BY updated_at DESC, id LIMIT ?1",
            limit,
            base_id,
        )

    def linking(self) -> Iterator[tuple[str, str]]:
        """Yield (id, links as JSON) for every note with links."""
        yield from map(tuple, self._rows("SELECT id, links FROM notes WHERE links != '[]' AND json_valid(links)"))

    def naming(self, source_refs: Iterable[str], words: Iterable[str]) -> list[str]:
        """Return the ids of notes in the given folders whose body contains any of the words, ignoring ASCII case."""
        return self._column(
            "SELECT id FROM notes WHERE source_ref IN ?"
            " AND EXISTS (SELECT 1 FROM json_each(?) WHERE body LIKE '%' || value || '%')",
            source_refs,
            words,
        )

    def tags(self, base: str | None = None) -> dict[str, int]:
        """Return the number of notes per tag, most frequent first. Notes tagged `a/b` also count for `a`."""
        return dict(
            self._rows(
                "WITH RECURSIVE named(tag, note_id) AS (SELECT tag, note_id FROM tags UNION ALL"
                " SELECT rtrim(rtrim(tag, replace(tag, '/', '')), '/'), note_id FROM named WHERE instr(tag, '/') > 1)"
                " SELECT min(tag), count(DISTINCT note_id) AS notes FROM named JOIN notes ON notes.id = note_id"
                " JOIN bases ON bases.id = base_id WHERE ?1 IS NULL OR bases.name = ?1"
                " GROUP BY tag COLLATE NOCASE ORDER BY notes DESC, tag COLLATE NOCASE",
                base,
            )
        )

    def categories(self, base: str | None = None) -> dict[str, int]:
        """Return the number of notes per category, most frequent first."""
        return dict(
            self._rows(
                "SELECT category, count(*) AS notes FROM notes JOIN bases ON bases.id = base_id"
                " WHERE category != '' AND (?1 IS NULL OR bases.name = ?1)"
                " GROUP BY category ORDER BY notes DESC, category",
                base,
            )
        )

    def active_files(self) -> list[ActiveFile]:
        return self._made(
            ActiveFile,
            "SELECT id, generation, base_id, source_ref, path FROM notes"
            " WHERE path IS NOT NULL AND status = 'active' ORDER BY path",
        )

    def local_notes(self, base: KnowledgeBase) -> list[KnownNote]:
        """Return a base's notes that have a path but are stored in the workspace instead of a folder."""
        return self._made(
            KnownNote,
            "SELECT id, path, source_ref, content_hash, -1, -1 FROM notes"
            " WHERE base_id = ? AND source_ref = '' AND path IS NOT NULL",
            base.id,
        )

    def files(self, base: KnowledgeBase) -> list[KnownNote]:
        """Return a base's notes that came from folders and uploads."""
        return self._made(
            KnownNote,
            "SELECT id, path, source_ref, content_hash, coalesce(mtime_ns, 0), coalesce(size, 0), stamp,"
            f" {_CHOSEN} FROM notes WHERE base_id = ? AND source IN ('folder', 'upload')",
            base.id,
        )
