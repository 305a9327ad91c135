"""The properties of notes: a row for each value."""

from collections.abc import Iterable

from core.model import Note, property_values
from core.store.property_rows import BESIDE, NAMES, TEXT
from core.store.table import AMONG, StoreTable

_MOST_NAMES = 10_000


class PropertyTable(StoreTable):
    """The values of the properties of notes."""

    def put(self, note: Note) -> None:
        """Write the properties of a note in place of its old ones; the note's row must exist."""
        rows = [(note.id, name, value) for name, value in property_values(note.extra)]
        with self._database.write() as connection:
            connection.execute("DELETE FROM properties WHERE note_id = ?", (note.id,))
            connection.executemany("INSERT OR IGNORE INTO properties VALUES (?, ?, ?)", rows)

    def text(self, note_id: str) -> str:
        """Return the text by which the properties of a note find its first chunk."""
        return self._database.value(f"SELECT ({TEXT}) FROM notes WHERE id = ?", note_id) or ""

    def names(self) -> list[str]:
        """Return the names of properties that notes have."""
        return self._database.column(f"{NAMES} LIMIT ?", _MOST_NAMES)

    def beside(self, rowids: Iterable[int]) -> dict[int, str]:
        """Return the text by which properties find chunks, in addition to their own; most have none."""
        statement = f"SELECT rowid, {BESIDE} AS beside FROM chunks WHERE rowid {AMONG}"
        return {rowid: text for rowid, text in self._database.rows(statement, list(rowids)) if text}
