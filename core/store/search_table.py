"""Past searches and saved searches, as rows."""

from collections.abc import Callable
from datetime import UTC, datetime

from core.base.messages import message
from core.model import PastSearch
from core.store.reading import RowReader
from core.store.table import StoreTable

_REMEMBERED = 200
"""Maximum number of past questions; saved ones are not counted."""


class SearchTable(StoreTable):
    """Past and saved searches; writing them changes nothing that a search finds."""

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
        """Change the text of past questions; equal ones become one."""
        with self._database.write(aside=True) as connection:
            for (query,) in connection.execute("SELECT query FROM searches").fetchall():
                if (now := reworded(query)) != query:
                    connection.execute("UPDATE OR REPLACE searches SET query = ? WHERE query = ?", (now, query))

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


_PAST = RowReader(PastSearch, message("past search"), "query", key="query")
