"""Decisions on review items, and reminders of notes that nobody has opened for a long time."""

from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from itertools import islice

from core.base.datetimes import utc_now
from core.model import NoteSummary, in_utc
from core.settings.preferences import Preferences
from core.store import Store
from core.store.table import AMONG, StoreTable

# Decisions on review items: postponed until a time, or left unchanged.


class DecisionTable(StoreTable):
    """Review items that the user postponed or left unchanged. Writing them doesn't change search results."""

    def put(self, matters: Iterable[str], until: datetime | None, *, at: datetime | None = None) -> None:
        """Hide items, by their keys, until a time, or with None until they change.

        `at` is the time of the decision, by default now.
        """
        now, end = (at or utc_now()).isoformat(), until and until.astimezone(UTC).isoformat()
        with self._write(aside=True) as connection:
            connection.executemany(
                "INSERT OR REPLACE INTO decisions (matter, until, at) VALUES (?, ?, ?)",
                [(matter, end, now) for matter in matters],
            )

    def drop(self, matters: Iterable[str]) -> None:
        """Delete decisions."""
        self._execute(f"DELETE FROM decisions WHERE matter {AMONG}", list(matters), aside=True)

    def until(self, matters: Iterable[str]) -> dict[str, tuple[datetime, datetime]]:
        """Return the time of the decision and its end for each postponed item; omit unreadable times."""
        rows = self._rows(f"SELECT matter, at, until FROM decisions WHERE matter {AMONG}", list(matters))
        spans = {}
        for matter, at, until in rows:
            with suppress(ValueError, TypeError):
                spans[matter] = in_utc(datetime.fromisoformat(at)), in_utc(datetime.fromisoformat(until))
        return spans

    def hidden_keys(self) -> set[str]:
        """Return the keys of the items that are postponed or left unchanged."""
        now = utc_now().isoformat()
        return set(self._column("SELECT matter FROM decisions WHERE until IS NULL OR until > ?", now))


EASE = 2.5
"""Factor for the intervals from the third on: the initial value in SM-2, which grade 4 doesn't change."""
FIRST, SECOND, LONGEST = timedelta(days=1), timedelta(days=6), timedelta(days=3650)
UNSEEN = timedelta(days=30)
"""Minimum time since the last use and change of a note for a reminder."""
TODAY = timedelta(days=1)
"""Period before now in which a search must have found a note."""
SHOWN = 10
"""Maximum number of notes, to keep the list short."""
_PREFERENCE = "reminders"


def next_interval(interval: timedelta | None) -> timedelta:
    """Return the interval until the next reminder; `interval` is the last one, None before the first.

    Source: SM-2 (Wozniak, 'Optimization of learning', 1990): 1 day, 6 days, then the last interval times the ease
    factor. *Seen* is the only grade here (4 of 5), which leaves that factor at 2.5.
    """
    if interval is None:
        return FIRST
    return min(max(SECOND, interval * EASE), LONGEST) if interval >= SECOND else SECOND


class Reminders:
    """Notes worth another look; off unless the user turns it on. `clock` returns the time in UTC."""

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
        """Store the user's choice to turn reminders on or off."""
        self._preferences.set(_PREFERENCE, "on" if enabled else "off")

    def due(self) -> Iterator[NoteSummary]:
        """Yield the active notes to look at again, those unused for longest first."""
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
        """Postpone the next reminder of notes by a longer interval each time; return a function that undoes it."""
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
