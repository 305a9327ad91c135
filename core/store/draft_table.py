"""Unsaved texts of the editor as rows."""

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from core.model import NoteDraft
from core.store.database import Table, decoding

_DRAFT = "SELECT key, base_id, version, title, body, fields, at FROM drafts"


class DraftTable(Table):
    """The drafts of a workspace; a draft is known by its key, the id of its note or a name of the page's own."""

    def put(self, draft: NoteDraft) -> None:
        """Write a draft in place of the one with its key."""
        fields = json.dumps(draft.fields, ensure_ascii=False)
        self._database.execute(
            "INSERT OR REPLACE INTO drafts (key, base_id, version, title, body, fields, at)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            *(draft.key, draft.base_id, draft.version, draft.title, draft.body, fields, draft.at.isoformat()),
            aside=True,
        )

    @decoding
    def all(self) -> list[NoteDraft]:
        """Return the drafts, the newest first."""
        return [_draft(row) for row in self._database.rows(f"{_DRAFT} ORDER BY at DESC")]

    @decoding
    def find(self, key: str) -> NoteDraft | None:
        """Return the draft of this key, None if there is none."""
        return next((_draft(row) for row in self._database.rows(f"{_DRAFT} WHERE key = ?", key)), None)

    def drop(self, key: str) -> None:
        """Delete a draft, if there is one of this key."""
        self._database.execute("DELETE FROM drafts WHERE key = ?", key, aside=True)


def _draft(row: Sequence[Any]) -> NoteDraft:
    key, base_id, version, title, body, fields, at = row
    return NoteDraft(key, base_id, version, title, body, json.loads(fields), datetime.fromisoformat(at))
