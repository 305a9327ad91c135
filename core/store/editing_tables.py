"""Tables of drafts, proposed changes, notes created by programs, and edits of chunks."""

import json
from collections.abc import Sequence

from core.base.errors import EditError
from core.model import Creation, Edit, Note, NoteDraft, Proposal
from core.store.reading import RowReader, columns_of, stored
from core.store.table import AMONG, StoreTable, decoding

_DRAFT = "SELECT key, base_id, version, title, body, fields, at FROM drafts"


class DraftTable(StoreTable):
    """The drafts of a workspace. A draft's key is the id of its note, or a name from the page."""

    def put(self, draft: NoteDraft) -> None:
        """Store a draft, replacing the draft with the same key."""
        self._insert("drafts", columns_of(draft), replace=True, aside=True)

    def all(self) -> list[NoteDraft]:
        """Return the drafts, the newest first."""
        return self._nouns(_DRAFT_READER, f"{_DRAFT} ORDER BY at DESC")

    def find(self, key: str) -> NoteDraft | None:
        """Return the draft with the given key, None if there is none."""
        return next(iter(self._nouns(_DRAFT_READER, f"{_DRAFT} WHERE key = ?", key)), None)

    def delete_for_good(self, key: str) -> None:
        """Delete the draft with the given key, if there is one."""
        self._execute("DELETE FROM drafts WHERE key = ?", key, aside=True)


_DRAFT_READER = RowReader(NoteDraft, "draft", "title", key="key", fields=stored(dict[str, object]))


_PROPOSALS = """
    SELECT note_id, proposals.version, proposals.body, fields, at FROM proposals JOIN notes ON notes.id = note_id
    WHERE ?1 IS NULL OR base_id = ?1 ORDER BY at, note_id
"""


class ProposalTable(StoreTable):
    """The proposed changes in a workspace, at most one per note."""

    def put(self, proposal: Proposal) -> None:
        """Store a proposal, replacing an earlier one for the same note."""
        self._insert("proposals", columns_of(proposal), replace=True, aside=True)

    def all(self, base_id: str | None = None) -> list[Proposal]:
        """Return the proposals for a base, by default for all bases, the oldest first."""
        return self._nouns(_PROPOSAL_READER, _PROPOSALS, base_id)

    def drop(self, note_id: str) -> None:
        """Delete the proposal for a note, if there is one."""
        self._execute("DELETE FROM proposals WHERE note_id = ?", note_id, aside=True)


_PROPOSAL_READER = RowReader(Proposal, "proposed change", "note_id", key="note_id", fields=stored(dict[str, object]))


_DAYS = 1
_MOST_BYTES = 32 * 1024 * 1024
"""Maximum total size of the stored responses; the oldest are deleted first."""
_ROW = 1000
"""Number of bytes counted per row in addition to its response."""


class CreationTable(StoreTable):
    """Programs' creations in the last day, by idempotency key, with their responses."""

    @decoding
    def begin(self, key: str, request: bytes) -> Creation | None:
        """Reserve a key for a request; return the creation that already has the key, None if it was free."""
        with self._write(aside=True) as connection:
            connection.execute("DELETE FROM creations WHERE at < datetime('now', ?)", (f"-{_DAYS} day",))
            connection.execute(
                "DELETE FROM creations WHERE key IN (SELECT key FROM"
                " (SELECT key, sum(coalesce(length(body), 0) + ?) OVER (ORDER BY at DESC, key) AS bytes FROM creations)"
                " WHERE bytes > ?)",
                (_ROW, _MOST_BYTES),
            )
            row = connection.execute(
                "SELECT request, status, headers, body FROM creations WHERE key = ?", (key,)
            ).fetchone()
            if row is None:
                connection.execute(
                    "INSERT INTO creations (key, request, at) VALUES (?, ?, datetime('now'))", (key, request)
                )
                return None
        return Creation(row["request"], row["status"], json.loads(row["headers"]), row["body"])

    def end(self, key: str, done: Creation) -> None:
        """Store the response to a creation."""
        self._execute(
            "UPDATE creations SET status = ?, headers = ?, body = ? WHERE key = ?",
            *(done.status, json.dumps(dict(done.headers)), done.body, key),
            aside=True,
        )

    def release(self, key: str) -> None:
        """Free a key after a request that created nothing."""
        self._execute("DELETE FROM creations WHERE key = ?", key, aside=True)


_COLUMNS = Edit.__slots__
_SELECT = f"SELECT {', '.join(_COLUMNS)} FROM edits"


class EditTable(StoreTable):
    """The edits in a workspace. A note's edits keep their order, which matters for several additions at one place."""

    def for_note(self, note_id: str) -> list[Edit]:
        return self._edits("WHERE note_id = ? ORDER BY number", note_id)

    def for_base(self, base_id: str) -> list[Edit]:
        """Return the edits of a base's notes, including deleted notes."""
        return self._edits("WHERE base_id = ? ORDER BY note_id, number", base_id)

    def all(self, *, flagged: bool = False) -> list[Edit]:
        """Return all edits, or only flagged ones; includes edits of deleted notes."""
        return self._edits("WHERE flagged >= ? ORDER BY note_id, number", flagged)

    def edit(self, edit_id: str) -> Edit:
        """Return the edit with the given id; raises EditError if there is none."""
        for edit in self._edits("WHERE id = ?", edit_id):
            return edit
        raise EditError("There is no edit '{edit}'. It may have been resolved already.", edit=edit_id)

    def _edits(self, which: str, value: object) -> list[Edit]:
        return self._nouns(_READER, f"{_SELECT} {which}", value)

    def put(self, note: Note, edits: Sequence[Edit]) -> None:
        """Replace the edits of a note."""
        with self._write():
            self.delete([note.id])
            for number, edit in enumerate(edits):
                self._insert("edits", columns_of(edit) | {"base_id": note.base_id, "number": number})

    def flag(self, note_ids: Sequence[str]) -> int:
        """Flag the edits of deleted notes; return the number of flagged edits."""
        return self._execute(f"UPDATE edits SET flagged = 1 WHERE note_id {AMONG}", note_ids)

    def delete(self, note_ids: Sequence[str]) -> None:
        """Delete the edits of notes."""
        self._execute(f"DELETE FROM edits WHERE note_id {AMONG}", note_ids)

    def drop(self, edit_id: str) -> None:
        self._execute("DELETE FROM edits WHERE id = ?", edit_id)


_READER = RowReader(Edit, "chunk edit", "note_id")
