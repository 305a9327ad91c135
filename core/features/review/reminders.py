"""Notes worth another look: today's questions touch them, and nobody has opened them for long."""

from collections.abc import Callable, Collection, Iterator
from datetime import datetime, timedelta
from itertools import islice

from core.base.datetimes import utc_now
from core.features.review.table import DecisionTable
from core.model import NoteSummary
from core.settings.preferences import Preferences
from core.store import Store

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
