"""The user's edits as rows; they outlive their chunks and their note."""

from collections.abc import Sequence
from dataclasses import asdict

from core.base.errors import EditError
from core.base.messages import message
from core.model import Edit, Note
from core.store.reading import RowReader
from core.store.table import AMONG, StoreTable

_COLUMNS = Edit.__slots__
_SELECT = f"SELECT {', '.join(_COLUMNS)} FROM edits"


class EditTable(StoreTable):
    """The edits of a workspace. A note's edits are in order, also additions at one place."""

    def for_note(self, note_id: str) -> list[Edit]:
        return self._edits("WHERE note_id = ? ORDER BY number", note_id)

    def for_base(self, base_id: str) -> list[Edit]:
        """Return the edits of the notes of a base, of deleted ones too."""
        return self._edits("WHERE base_id = ? ORDER BY note_id, number", base_id)

    def all(self, *, flagged: bool = False) -> list[Edit]:
        """Return all edits, or the flagged ones, including edits of deleted notes."""
        return self._edits("WHERE flagged >= ? ORDER BY note_id, number", flagged)

    def edit(self, edit_id: str) -> Edit:
        """Return the edit of this id; raises EditError where there is none."""
        for edit in self._edits("WHERE id = ?", edit_id):
            return edit
        raise EditError("There is no edit '{edit}'. It may have been resolved since.", edit=edit_id)

    def _edits(self, which: str, value: object) -> list[Edit]:
        return [_READER(dict(row), self._database.unread) for row in self._database.rows(f"{_SELECT} {which}", value)]

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


_READER = RowReader(Edit, message("edit of a chunk"), "note_id")
