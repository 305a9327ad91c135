"""Creations under the keys of programs, as rows: the request and the answer."""

import json

from core.model import Creation
from core.store.table import StoreTable, decoding

_DAYS = 1
_MOST_BYTES = 32 * 1024 * 1024
"""Bytes of answers that are stored at most; the oldest go first."""
_ROW = 1000
"""Bytes that a row counts for beside its answer."""


class CreationTable(StoreTable):
    """The creations of the last day."""

    @decoding
    def begin(self, key: str, request: bytes) -> Creation | None:
        """Reserve a key for a request; return the creation that has the key, None where it was free."""
        with self._database.write(aside=True) as connection:
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
        """Store the answer to a creation."""
        self._database.execute(
            "UPDATE creations SET status = ?, headers = ?, body = ? WHERE key = ?",
            *(done.status, json.dumps(dict(done.headers)), done.body, key),
            aside=True,
        )

    def release(self, key: str) -> None:
        """Free a key: nothing was created."""
        self._database.execute("DELETE FROM creations WHERE key = ?", key, aside=True)
