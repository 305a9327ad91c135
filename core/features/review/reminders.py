"""Decisions on items to review, and notes worth another look, which nobody has opened for long."""

from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from itertools import islice

from core.base.datetimes import utc_now
from core.model import NoteSummary, in_utc
from core.settings.preferences import Preferences
from core.store import Store
from core.store.table import AMONG, StoreTable

# Decisions on items to review: put off until a time, or fine as it is.


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


EASE = 2.5
"""Factor of the intervals from the third on. SM-2 begins with it, and the grade 4 leaves it as it is."""
FIRST, SECOND, LONGEST = timedelta(days=1), timedelta(days=6), timedelta(days=3650)
UNSEEN = timedelta(days=30)
"""Time without a look or a change, from which on a note may be shown."""
TODAY = timedelta(days=1)
"""Time back from now whose searches count."""
SHOWN = 10
"""Notes at most, so that the list stays a short one."""
_PREFERENCE = "reminders"


def next_interval(interval: timedelta | None) -> timedelta:
    """Return the time until the next look, after one that came this interval after the look before, None for the first.

    Source: SM-2 (Wozniak, 'Optimization of learning', 1990): 1 day, 6 days, then the interval times the ease factor.
    *Seen* is the only grade here (4 of 5), by which that factor stays 2.5.
    """
    if interval is None:
        return FIRST
    return min(max(SECOND, interval * EASE), LONGEST) if interval >= SECOND else SECOND


class Reminders:
    """The notes that are worth another look; off unless the person wants them. `clock` tells the time in UTC."""

    def __init__(
        self, store: Store, preferences: Preferences, clock: Callable[[], datetime] = lambda: utc_now()
    ) -> None:
        self._store = store
        self._table = DecisionTable(store.database)
        self._preferences = preferences
        self._clock = clock

    @property
    def enabled(self) -> bool:
        return self._preferences.get(_PREFERENCE) == "on"

    def enable(self, enabled: bool) -> None:
        """Store the person's choice."""
        self._preferences.set(_PREFERENCE, "on" if enabled else "off")

    def due(self) -> Iterator[NoteSummary]:
        """Yield the active notes to look at again, the longest unseen first."""
        if not self.enabled:
            return
        now = self._clock()
        touched = self._store.uses.touched(now - TODAY, now - UNSEEN)
        waiting = self._table.until(map(_key, touched))
        cards = self._store.notes.cards_of(touched)
        due = (cards[item] for item in touched if item in cards and waiting.get(_key(item), (now, now))[1] <= now)
        recent = now - UNSEEN
        old = (card for card in due if card.status == "active" and card.updated_at and card.updated_at <= recent)
        yield from [*islice(old, SHOWN)]

    def seen(self, note_ids: Collection[str]) -> Callable[[], None]:
        """Put off the next look at notes, by a longer time each time; return what undoes it."""
        keys, now = [_key(item) for item in note_ids], self._clock()
        before = self._table.until(keys)
        for key in keys:
            at, end = before.get(key, (now, now))
            self._table.put([key], now + next_interval(end - at if key in before else None), at=now)

        def undo() -> None:
            self._table.drop(keys)
            for key, (at, end) in before.items():
                self._table.put([key], end, at=at)

        return undo


def _key(note_id: str) -> str:
    return f"seen-{note_id}"
