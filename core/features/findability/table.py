"""Checks whether notes can be found, as rows."""

import json
from contextlib import suppress
from datetime import datetime

from core.base.codec import to_plain
from core.base.messages import message
from core.model import BaseCheck, Finding, KnowledgeBase
from core.store.reading import RowReader, fields_in
from core.store.table import StoreTable

RETAINED = 5
"""Newest checks of a base that are stored."""


class CheckTable(StoreTable):
    """The checks of a workspace; writing them changes nothing that a search finds."""

    def for_base(self, base: KnowledgeBase) -> list[BaseCheck]:
        """Return the checks of a base, the newest first."""
        rows = self._database.column("SELECT result FROM checks WHERE base_id = ? ORDER BY at DESC", base.id)
        checks = (_CHECK(fields_in(row, BaseCheck), self._database.unread) for row in rows)
        return [check for check in checks if check.base_id]

    def finding(self, base_id: str, note_id: str) -> tuple[datetime, Finding] | None:
        """Return what the newest check of a base says of a note, with its time; None where it says nothing."""
        row = self._database.row(
            "SELECT at, value FROM checks, json_each(iif(json_valid(result), result, '{}'), '$.findings')"
            " WHERE base_id = ?1 AND at = (SELECT max(at) FROM checks WHERE base_id = ?1)"
            " AND json_extract(value, '$.note_id') = ?2",
            *(base_id, note_id),
        )
        with suppress(ValueError):
            if row:
                finding = _FINDING(fields_in(row["value"], Finding), self._database.unread)
                return datetime.fromisoformat(row["at"]), finding
        return None

    def add(self, check: BaseCheck) -> None:
        """Store a check of a base that is still there, and drop its old ones."""
        with self._database.write(aside=True) as connection:
            connection.execute(
                "INSERT OR REPLACE INTO checks SELECT id, ?, ? FROM bases WHERE id = ?",
                (check.at.isoformat(), json.dumps(to_plain(check)), check.base_id),
            )
            connection.execute(
                "DELETE FROM checks WHERE base_id = ?1 AND at NOT IN"
                " (SELECT at FROM checks WHERE base_id = ?1 ORDER BY at DESC LIMIT ?2)",
                (check.base_id, RETAINED),
            )


_FINDING = RowReader(Finding, message("check"), "title", "note_id")
_CHECK = RowReader(BaseCheck, message("check"), "base_id", "base_id")
