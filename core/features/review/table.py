"""Decisions on items to review: put off until a time, or fine as it is."""

from collections.abc import Iterable
from contextlib import suppress
from datetime import UTC, datetime

from core.base.datetimes import utc_now
from core.model import in_utc
from core.store.table import AMONG, StoreTable


class DecisionTable(StoreTable):
    """The items that the user put off or accepted as they are; writing them changes nothing that a search finds."""

    def put(self, matters: Iterable[str], until: datetime | None, *, at: datetime | None = None) -> None:
        """Let matters, by their keys, be out of sight until a time, or with None as long as they stay as they are.

        `at` is when that was decided, by default now.
        """
        now, end = (at or utc_now()).isoformat(), until and until.astimezone(UTC).isoformat()
        with self._write(aside=True) as connection:
            connection.executemany(
                "INSERT OR REPLACE INTO decisions (matter, until, at) VALUES (?, ?, ?)",
                [(matter, end, now) for matter in matters],
            )

    def drop(self, matters: Iterable[str]) -> None:
        """Take decisions back."""
        self._execute(f"DELETE FROM decisions WHERE matter {AMONG}", list(matters), aside=True)

    def until(self, matters: Iterable[str]) -> dict[str, tuple[datetime, datetime]]:
        """Return when matters were put off, and until when; those whose times can't be read aren't among them."""
        rows = self._rows(f"SELECT matter, at, until FROM decisions WHERE matter {AMONG}", list(matters))
        spans = {}
        for matter, at, until in rows:
            with suppress(ValueError, TypeError):
                spans[matter] = in_utc(datetime.fromisoformat(at)), in_utc(datetime.fromisoformat(until))
        return spans

    def hidden_keys(self) -> set[str]:
        """Return the keys of the matters that are put off, or fine as they are."""
        now = utc_now().isoformat()
        return set(self._column("SELECT matter FROM decisions WHERE until IS NULL OR until > ?", now))
