"""Clicks on hits, as rows."""

from collections.abc import Callable, Iterable
from datetime import datetime

from core.base.messages import message
from core.model import Click, in_utc, later
from core.store.reading import RowReader
from core.store.table import AMONG, StoreTable

KEPT = 365
"""Days after which a click is deleted."""


class ClickTable(StoreTable):
    """Clicks on hits; they leave with their notes, and writing them changes nothing else."""

    def add(self, clicks: Iterable[Click], today: datetime) -> None:
        """Record clicks, each once, and delete those that are too old on the day `today`."""
        with self._database.write(aside=True) as connection:
            connection.executemany("INSERT OR IGNORE INTO clicks VALUES (?, ?, ?, ?, ?)", map(_row, clicks))
            connection.execute("DELETE FROM clicks WHERE day < ?", (_text(later(today, -KEPT)),))

    def for_notes(self, note_ids: Iterable[str] | None = None) -> list[Click]:
        """Return the clicks on notes, by default on all, the newest first."""
        where, values = (f"WHERE note_id {AMONG}", [list(note_ids)]) if note_ids is not None else ("", [])
        rows = self._database.rows(f"SELECT * FROM clicks {where} ORDER BY day DESC, note_id, question, kind", *values)
        return [_CLICK(dict(row), self._database.unread) for row in rows]

    def drop(self, note_ids: Iterable[str] | None = None) -> int:
        """Delete the clicks on notes, by default all; return how many."""
        where, values = (f"WHERE note_id {AMONG}", [list(note_ids)]) if note_ids is not None else ("", [])
        return self._database.execute(f"DELETE FROM clicks {where}", *values, aside=True)

    def reword(self, reworded: Callable[[str], str]) -> None:
        """Change the texts of questions; equal clicks become one."""
        with self._database.write(aside=True) as connection:
            for (text,) in connection.execute("SELECT DISTINCT question FROM clicks").fetchall():
                if (now := reworded(text)) != text:
                    connection.execute("UPDATE OR REPLACE clicks SET question = ? WHERE question = ?", (now, text))


def _text(day: datetime) -> str:
    return in_utc(day).isoformat()


def _row(click: Click) -> tuple[str, ...]:
    return click.note_id, click.question, click.kind, _text(click.day), click.chunk_id


_CLICK = RowReader(Click, message("click"), "question", key="note_id")
