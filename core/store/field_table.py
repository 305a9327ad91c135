"""Queries over the fields, properties and titles of all notes: used values, expiry, superseding notes, files."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from core.base.text import compose, make_storable
from core.model import KnowledgeBase, Note, Rowids, fields_of, property_values
from core.store.filters import EXPIRED, NAMES, PROPERTY_TEXT, TEXT, moments
from core.store.table import AMONG, StoreTable, first_of_notes

_MOST_NAMES = 10_000
_TITLED = (
    f"(title COLLATE NOCASE {AMONG} OR notes.id IN"
    f" (SELECT note_id FROM properties WHERE name = 'aliases' AND value COLLATE NOCASE {AMONG}))"
)


class FieldTable(StoreTable):
    """The fields of all notes."""

    def classified(self) -> list[tuple[str, str]]:
        """Return the used pairs of type and category, the most frequent first."""
        rows = self._rows(
            "SELECT type, category FROM notes GROUP BY type, category ORDER BY count(*) DESC, type, category"
        )
        return [(kind, category) for kind, category in rows]

    def words(self, field: str) -> list[str]:
        """Return the used values of a field of the kind `word`, the most frequent first."""
        if field not in fields_of("word"):
            raise ValueError(field)
        return self._column(
            f"SELECT {field} FROM notes WHERE {field} != '' GROUP BY {field} ORDER BY count(*) DESC, {field}"
        )

    def metadata(self) -> tuple[tuple[str, str], ...]:
        """Return pairs of field and value: the used tags, projects, categories and folders, without damaged ones."""
        values = "SELECT DISTINCT '{0}', {0} FROM notes WHERE {0} != ''"
        folders = "SELECT DISTINCT 'path', rtrim(path, replace(path, '/', '')) FROM notes WHERE instr(path, '/')"
        sources = ["SELECT DISTINCT 'tag', tag FROM tags", *map(values.format, ("project", "category")), folders]
        rows = self._rows(" UNION ALL ".join(sources))
        return tuple((field, value) for field, value in rows if isinstance(value, str))

    def any_lapsed(self) -> bool:
        """Return whether any note may be expired; a date without a time counts as expired from its start."""
        source = "notes INDEXED BY notes_expiring WHERE expires_at IS NOT NULL AND expires_at <= ?"
        return self._exists(source, moments()[1])

    def version(self) -> tuple[int, int]:
        """Return two numbers that change with every write that changes search results, and whenever a note expires."""
        return self._database.version(), self.expired()

    def expired(self) -> int:
        """Return the number of expired notes."""
        if not self.any_lapsed():
            return 0
        return int(
            self._value(
                f"SELECT count(*) FROM notes INDEXED BY notes_expiring WHERE expires_at IS NOT NULL AND {EXPIRED}",
                *moments(),
            )
        )

    def expiring(self, until: datetime) -> list[str]:
        """Return the ids of active notes that have expired or expire by a given time in UTC, sorted by expiry."""
        return self._column(
            "SELECT id FROM notes INDEXED BY notes_expiring WHERE expires_at IS NOT NULL AND expires_at <= ?"
            " AND status = 'active' ORDER BY expires_at, id",
            until.isoformat(),
        )

    def superseding(self) -> list[str]:
        """Return the ids of the active, unexpired notes that supersede others."""
        return self._column(
            "SELECT id FROM notes INDEXED BY notes_superseding WHERE supersedes != '[]' AND status = 'active'"
            f" AND NOT {EXPIRED} ORDER BY id",
            *moments(),
        )

    def stamps(self, note_ids: Iterable[str]) -> Sequence[tuple[str, str, str, int | None, int | None]]:
        """Return the id, folder, path, modification time in ns and size of notes from files, as of the last sync."""
        rows = self._rows(
            "SELECT id, source_ref, path, mtime_ns, size FROM notes WHERE source = 'folder' AND path IS NOT NULL"
            f" AND id {AMONG}",
            note_ids,
        )
        return [tuple(row) for row in rows]


class PropertyTable(StoreTable):
    """The values of the properties of notes."""

    def put(self, note: Note) -> None:
        """Replace the properties of a note; the note's row must exist."""
        rows = [(note.id, name, value) for name, value in property_values(note.extra)]
        with self._write() as connection:
            connection.execute("DELETE FROM properties WHERE note_id = ?", (note.id,))
            connection.executemany("INSERT OR IGNORE INTO properties VALUES (?, ?, ?)", rows)

    def text(self, note_id: str) -> str:
        """Return the text of a note's properties, which is indexed with the note's first chunk."""
        return self._value(f"SELECT ({TEXT}) FROM notes WHERE id = ?", note_id) or ""

    def names(self) -> list[str]:
        """Return the used property names, at most 10,000."""
        return self._column(f"{NAMES} LIMIT ?", _MOST_NAMES)

    def chunk_texts(self, rowids: Iterable[int]) -> dict[int, str]:
        """Return the property text that is indexed with each chunk; chunks without property text are left out."""
        statement = f"SELECT rowid, {PROPERTY_TEXT} AS beside FROM chunks WHERE rowid {AMONG}"
        return {rowid: text for rowid, text in self._rows(statement, rowids) if text}


class TitleTable(StoreTable):
    """Exact look-up of notes by title or alias; only the case of ASCII letters is ignored."""

    def is_title(self, text: str) -> bool:
        """Return whether a note has the given title or alias."""
        forms = _forms([text])
        return self._exists(f"notes WHERE {_TITLED}", forms, forms)

    def first_chunks(self, titles: Iterable[str], bases: Iterable[KnowledgeBase], allowed: Rowids | None) -> list[int]:
        """Return the first allowed chunk of each note in the bases with any of these titles or aliases."""
        forms = _forms(titles)
        rows = self._rows(
            f"SELECT chunks.rowid, note_id FROM notes JOIN chunks ON note_id = notes.id WHERE {_TITLED}"
            f" AND base_id {AMONG} AND state != 'deleted' ORDER BY updated_at DESC, notes.id, \"index\"",
            forms,
            forms,
            [base.id for base in bases],
        ).fetchall()
        return [*first_of_notes(rows, allowed)] if rows else []


def _forms(titles: Iterable[str]) -> list[str]:
    """Return titles in the forms that notes may use: as typed, with single spaces, and with composed accents."""
    stripped = {
        form for title in map(make_storable, titles) for form in (title.strip(), " ".join(title.split())) if form
    }
    return [*stripped, *map(compose, stripped)]
