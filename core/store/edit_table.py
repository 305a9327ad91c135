"""A person's edits as rows; they outlive the chunks they make, and their note."""

import json
import sqlite3
from collections.abc import Sequence
from datetime import datetime

from core.errors import EditError
from core.model import Edit, Note
from core.store.database import Database

_COLUMNS = Edit.__slots__
_SELECT = f"SELECT {', '.join(_COLUMNS)} FROM edits"


class EditTable:
    """The edits of a workspace; a note's are in order, which is that of additions at one place."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of_note(self, note_id: str) -> list[Edit]:
        rows = self._database.connection.execute(f"{_SELECT} WHERE note_id = ? ORDER BY number", (note_id,))
        return [_edit(row) for row in rows]

    def all(self, *, flagged: bool = False) -> list[Edit]:
        """Return all edits, or the flagged ones; those of notes that are gone are among them."""
        rows = self._database.connection.execute(f"{_SELECT} WHERE flagged >= ? ORDER BY note_id, number", (flagged,))
        return [_edit(row) for row in rows]

    def edit(self, edit_id: str) -> Edit:
        """Return the edit of this id; raises EditError where there is none."""
        row = self._database.connection.execute(f"{_SELECT} WHERE id = ?", (edit_id,)).fetchone()
        if row is None:
            raise EditError("There is no edit '{edit}'. It may have been resolved since.", edit=edit_id)
        return _edit(row)

    def put(self, note: Note, edits: Sequence[Edit]) -> None:
        """Make these the edits of a note."""
        with self._database.write() as connection:
            connection.execute("DELETE FROM edits WHERE note_id = ?", (note.id,))
            connection.executemany(
                f"INSERT INTO edits ({', '.join(_COLUMNS)}, base_id, number)"
                f" VALUES ({', '.join('?' * (len(_COLUMNS) + 2))})",
                [(*_values(edit), note.base_id, number) for number, edit in enumerate(edits)],
            )

    def flag(self, note_ids: Sequence[str]) -> int:
        """Flag the edits of notes that go, and return how many there are."""
        with self._database.write() as connection:
            return connection.execute(
                "UPDATE edits SET flagged = 1 WHERE note_id IN (SELECT value FROM json_each(?))",
                (json.dumps(note_ids),),
            ).rowcount

    def delete(self, note_ids: Sequence[str]) -> None:
        """Delete the edits of notes."""
        with self._database.write() as connection:
            connection.execute(
                "DELETE FROM edits WHERE note_id IN (SELECT value FROM json_each(?))", (json.dumps(note_ids),)
            )

    def drop(self, edit_id: str) -> None:
        with self._database.write() as connection:
            connection.execute("DELETE FROM edits WHERE id = ?", (edit_id,))


def _values(edit: Edit) -> tuple[object, ...]:
    return tuple(edit.created_at.isoformat() if name == "created_at" else getattr(edit, name) for name in _COLUMNS)


def _edit(row: sqlite3.Row) -> Edit:
    fields = {name: row[name] for name in _COLUMNS} | {
        "created_at": datetime.fromisoformat(row["created_at"]),
        "deleted": bool(row["deleted"]),
        "flagged": bool(row["flagged"]),
    }
    return Edit(**fields)
