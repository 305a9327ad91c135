"""The fields, properties and titles of all notes: the words in use, expired and superseding notes, the files."""

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
        """Return the pairs of type and category that notes have, the most frequent first."""
        rows = self._rows(
            "SELECT type, category FROM notes GROUP BY type, category ORDER BY count(*) DESC, type, category"
        )
        return [(kind, category) for kind, category in rows]

    def words(self, field: str) -> list[str]:
        """Return the words that notes have in a field of the kind `word`, the most frequent first."""
        if field not in fields_of("word"):
            raise ValueError(field)
        return self._column(
            f"SELECT {field} FROM notes WHERE {field} != '' GROUP BY {field} ORDER BY count(*) DESC, {field}"
        )

    def metadata(self) -> tuple[tuple[str, str], ...]:
        """Return the tags, projects, categories and folders of notes, each once with its field, none damaged."""
        values = "SELECT DISTINCT '{0}', {0} FROM notes WHERE {0} != ''"
        folders = "SELECT DISTINCT 'path', rtrim(path, replace(path, '/', '')) FROM notes WHERE instr(path, '/')"
        sources = ["SELECT DISTINCT 'tag', tag FROM tags", *map(values.format, ("project", "category")), folders]
        rows = self._rows(" UNION ALL ".join(sources))
        return tuple((field, value) for field, value in rows if isinstance(value, str))

    def any_lapsed(self) -> bool:
        """Return whether the time of a note may be over; bare dates count from their beginning."""
        source = "notes INDEXED BY notes_expiring WHERE expires_at IS NOT NULL AND expires_at <= ?"
        return self._exists(source, moments()[1])

    def version(self) -> tuple[int, int]:
        """Return numbers that change with every note that is written, and with every note that expires."""
        return self._database.version(), self.expired()

    def expired(self) -> int:
        """Return the number of expired notes, which grows as time passes."""
        if not self.any_lapsed():
            return 0
        return int(
            self._value(
                f"SELECT count(*) FROM notes INDEXED BY notes_expiring WHERE expires_at IS NOT NULL AND {EXPIRED}",
                *moments(),
            )
        )

    def expiring(self, until: datetime) -> list[str]:
        """Return the ids of active notes that expire by a time in UTC, also of expired ones, by expiry."""
        return self._column(
            "SELECT id FROM notes INDEXED BY notes_expiring WHERE expires_at IS NOT NULL AND expires_at <= ?"
            " AND status = 'active' ORDER BY expires_at, id",
            until.isoformat(),
        )

    def superseding(self) -> list[str]:
        """Return the ids of the active notes that supersede others and aren't expired."""
        return self._column(
            "SELECT id FROM notes INDEXED BY notes_superseding WHERE supersedes != '[]' AND status = 'active'"
            f" AND NOT {EXPIRED} ORDER BY id",
            *moments(),
        )

    def stamps(self, note_ids: Iterable[str]) -> Sequence[tuple[str, str, str, int | None, int | None]]:
        """Return id, folder, path, time in ns and size of the notes that are files, as of the last sync."""
        rows = self._rows(
            "SELECT id, source_ref, path, mtime_ns, size FROM notes WHERE source = 'folder' AND path IS NOT NULL"
            f" AND id {AMONG}",
            note_ids,
        )
        return [tuple(row) for row in rows]


class PropertyTable(StoreTable):
    """The values of the properties of notes."""

    def put(self, note: Note) -> None:
        """Write the properties of a note in place of its old ones; the note's row must exist."""
        rows = [(note.id, name, value) for name, value in property_values(note.extra)]
        with self._write() as connection:
            connection.execute("DELETE FROM properties WHERE note_id = ?", (note.id,))
            connection.executemany("INSERT OR IGNORE INTO properties VALUES (?, ?, ?)", rows)

    def text(self, note_id: str) -> str:
        """Return the text by which the properties of a note find its first chunk."""
        return self._value(f"SELECT ({TEXT}) FROM notes WHERE id = ?", note_id) or ""

    def names(self) -> list[str]:
        """Return the names of properties that notes have."""
        return self._column(f"{NAMES} LIMIT ?", _MOST_NAMES)

    def chunk_texts(self, rowids: Iterable[int]) -> dict[int, str]:
        """Return the text by which properties find chunks, in addition to their own; most have none."""
        statement = f"SELECT rowid, {PROPERTY_TEXT} AS beside FROM chunks WHERE rowid {AMONG}"
        return {rowid: text for rowid, text in self._rows(statement, rowids) if text}


class TitleTable(StoreTable):
    """The titles and aliases of notes, sign for sign; only the case of ASCII letters makes no difference."""

    def is_title(self, text: str) -> bool:
        """Return whether a note has this title or alias."""
        forms = _forms([text])
        return self._exists(f"notes WHERE {_TITLED}", forms, forms)

    def first_chunks(self, titles: Iterable[str], bases: Iterable[KnowledgeBase], allowed: Rowids | None) -> list[int]:
        """Return the first chunk of each note of the bases that has one of these titles, of those allowed."""
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
    """Return titles as notes may have them: with single spaces, and with letters and their accents as one character."""
    stripped = {
        form for title in map(make_storable, titles) for form in (title.strip(), " ".join(title.split())) if form
    }
    return [*stripped, *map(compose, stripped)]
