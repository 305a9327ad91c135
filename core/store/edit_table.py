"""A person's edits as rows; they outlive their chunks and their note."""

import sqlite3
from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime

from core.errors import EditError
from core.model import Edit, Note
from core.store.database import AMONG, Table, decoding

_COLUMNS = Edit.__slots__
_SELECT = f"SELECT {', '.join(_COLUMNS)} FROM edits"


class EditTable(Table):
    """The edits of a workspace. Those of a note are in order, which is also the order of additions at one place."""

    @decoding
    def of_note(self, note_id: str) -> list[Edit]:
        return list(map(_edit, self._database.rows(f"{_SELECT} WHERE note_id = ? ORDER BY number", note_id)))

    @decoding
    def of_base(self, base_id: str) -> list[Edit]:
        """Return the edits of the notes of a base, of deleted ones too."""
        rows = self._database.rows(f"{_SELECT} WHERE base_id = ? ORDER BY note_id, number", base_id)
        return list(map(_edit, rows))

    @decoding
    def all(self, *, flagged: bool = False) -> list[Edit]:
        """Return all edits, or the flagged ones, including those of deleted notes."""
        rows = self._database.rows(f"{_SELECT} WHERE flagged >= ? ORDER BY note_id, number", flagged)
        return list(map(_edit, rows))

    @decoding
    def edit(self, edit_id: str) -> Edit:
        """Return the edit of this id; raises EditError where there is none."""
        row = self._database.row(f"{_SELECT} WHERE id = ?", edit_id)
        if row is None:
            raise EditError("There is no edit '{edit}'. It may have been resolved since.", edit=edit_id)
        return _edit(row)

    def put(self, note: Note, edits: Sequence[Edit]) -> None:
        """Make these the edits of a note."""
        with self._database.write():
            self.delete([note.id])
            for number, edit in enumerate(edits):
                row = asdict(edit) | {"created_at": edit.created_at.isoformat()}
                self._database.insert("edits", row | {"base_id": note.base_id, "number": number})

    def flag(self, note_ids: Sequence[str]) -> int:
        """Flag the edits of notes that are deleted, and return how many there are."""
        return self._database.execute(f"UPDATE edits SET flagged = 1 WHERE note_id {AMONG}", list(note_ids))

    def delete(self, note_ids: Sequence[str]) -> None:
        """Delete the edits of notes."""
        self._database.execute(f"DELETE FROM edits WHERE note_id {AMONG}", list(note_ids))

    def drop(self, edit_id: str) -> None:
        self._database.execute("DELETE FROM edits WHERE id = ?", edit_id)


def _edit(row: sqlite3.Row) -> Edit:
    fields = {name: row[name] for name in _COLUMNS} | {
        "created_at": datetime.fromisoformat(row["created_at"]),
        "deleted": bool(row["deleted"]),
        "flagged": bool(row["flagged"]),
    }
    return Edit(**fields)
