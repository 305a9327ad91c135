"""Past searches, saved searches and feedback on hits, as rows."""

from collections.abc import Callable
from datetime import UTC, datetime

from core.messages import message
from core.model import Feedback, PastSearch, Verdict
from core.store.reading import Reader
from core.store.table import Table

_REMEMBERED = 200
"""Maximum number of past questions; saved ones are not counted."""


class UsageTable(Table):
    """Feedback and past searches; writing them changes nothing that a search finds."""

    def judge(self, query: str, note_id: str, chunk_id: str, verdict: Verdict | None) -> None:
        """Record the verdict on a hit in place of an earlier one; None removes it."""
        with self._database.write(aside=True) as connection:
            connection.execute("DELETE FROM usage WHERE query = ? AND chunk_id = ?", (query, chunk_id))
            if verdict:
                connection.execute(
                    "INSERT INTO usage VALUES (?, ?, ?, ?, ?)", (query, note_id, chunk_id, verdict, _now())
                )

    def put(self, feedback: Feedback) -> None:
        """Write feedback as it was."""
        row = (feedback.query, feedback.note_id, feedback.chunk_id, feedback.verdict, feedback.at.isoformat())
        self._database.execute("INSERT OR IGNORE INTO usage VALUES (?, ?, ?, ?, ?)", *row, aside=True)

    def judged(self, *, query: str | None = None, note_id: str | None = None) -> list[Feedback]:
        """Return the feedback on a question, on a note, or all of it, the newest first."""
        rows = self._database.rows(
            "SELECT query, note_id, chunk_id, verdict, at FROM usage"
            " WHERE (?1 IS NULL OR query = ?1) AND (?2 IS NULL OR note_id = ?2) ORDER BY at DESC",
            *(query, note_id),
        )
        return [_FEEDBACK(dict(row), self._database.unread) for row in rows]

    def add(self, query: str) -> None:
        """Record a question; does nothing in a read-only workspace."""
        if self._database.readonly:
            return
        with self._database.write(aside=True) as connection:
            connection.execute(
                "INSERT INTO searches (query, at, times) VALUES (?1, ?2, 1)"
                " ON CONFLICT (query) DO UPDATE SET at = ?2, times = times + 1",
                (query, _now()),
            )
            connection.execute(
                "DELETE FROM searches WHERE name = '' AND query NOT IN"
                " (SELECT query FROM searches WHERE name = '' ORDER BY at DESC LIMIT ?)",
                (_REMEMBERED,),
            )

    def save(self, query: str, name: str) -> None:
        """Save a question under a name; an empty name makes it a past question again."""
        self._database.execute(
            "INSERT INTO searches (query, at, times, name) VALUES (?1, ?2, 0, ?3)"
            " ON CONFLICT (query) DO UPDATE SET name = ?3",
            *(query, _now(), name.strip()),
            aside=True,
        )

    def reword(self, reworded: Callable[[str], str]) -> None:
        """Change the text of past questions and of those with feedback; equal ones become one."""
        with self._database.write(aside=True) as connection:
            for table in ("searches", "usage"):
                for (query,) in connection.execute(f"SELECT DISTINCT query FROM {table}").fetchall():
                    if (now := reworded(query)) != query:
                        connection.execute(f"UPDATE OR REPLACE {table} SET query = ? WHERE query = ?", (now, query))

    def delete_for_good(self, query: str) -> None:
        self._database.execute("DELETE FROM searches WHERE query = ?", query, aside=True)

    def all(self, limit: int = _REMEMBERED) -> list[PastSearch]:
        """Return the saved searches, then the past ones, both the newest first."""
        rows = self._database.rows(
            "SELECT query, at, times, name FROM searches ORDER BY name = '', at DESC LIMIT ?", limit
        )
        return [_PAST(dict(row), self._database.unread) for row in rows]


def _now() -> str:
    return datetime.now(UTC).isoformat()


_FEEDBACK = Reader(Feedback, message("verdict"), "query", key="query")
_PAST = Reader(PastSearch, message("past search"), "query", key="query")
