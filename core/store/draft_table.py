"""Unsaved texts of the editor as rows."""

import json
import sqlite3

from core.base.messages import message
from core.model import NoteDraft
from core.store.reading import RowReader, stored
from core.store.table import StoreTable

_DRAFT = "SELECT key, base_id, version, title, body, fields, at FROM drafts"


class DraftTable(StoreTable):
    """The drafts of a workspace; a draft's key is the id of its note or a name that the page chose."""

    def put(self, draft: NoteDraft) -> None:
        """Write a draft in place of the one with its key."""
        fields = json.dumps(draft.fields, ensure_ascii=False)
        self._database.execute(
            "INSERT OR REPLACE INTO drafts (key, base_id, version, title, body, fields, at)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            *(draft.key, draft.base_id, draft.version, draft.title, draft.body, fields, draft.at.isoformat()),
            aside=True,
        )

    def all(self) -> list[NoteDraft]:
        """Return the drafts, the newest first."""
        return [self._draft(row) for row in self._database.rows(f"{_DRAFT} ORDER BY at DESC")]

    def find(self, key: str) -> NoteDraft | None:
        """Return the draft of this key, None if there is none."""
        return next(map(self._draft, self._database.rows(f"{_DRAFT} WHERE key = ?", key)), None)

    def _draft(self, row: sqlite3.Row) -> NoteDraft:
        return _READER(dict(row), self._database.unread)

    def delete_for_good(self, key: str) -> None:
        """Delete a draft, if there is one of this key."""
        self._database.execute("DELETE FROM drafts WHERE key = ?", key, aside=True)


_READER = RowReader(NoteDraft, message("draft"), "title", key="key", fields=stored(dict[str, object]))
