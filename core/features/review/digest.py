"""The days of the digest: when today's began, since when it tells of changes, and whether it was put away."""

import json
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta

from core.base.codec import DAMAGE, decode, to_plain
from core.base.datetimes import local_now
from core.base.frozen import frozen
from core.settings.preferences import Preferences

_PREFERENCE = "digest"


@frozen
class DigestDay:
    """A `day` of this machine's calendar. Its digest tells of changes after `since`, up to its first view, `until`."""

    day: str
    since: datetime
    until: datetime
    put_away: bool = False


class DigestDays:
    """The day of the last digest, in the preferences."""

    def __init__(self, preferences: Preferences) -> None:
        self._preferences = preferences

    def today(self) -> DigestDay:
        """Return today's digest; the first call of a day begins it. The first digest of all tells of no changes."""
        now, last = local_now(), self._last()
        day = now.date().isoformat()
        if last and last.day == day:
            return last
        since = now
        if last:  # a clock that was ahead made times that are still to come
            since = next((at for at in (last.until, last.since) if at <= now), now - timedelta(days=1))
        return self._store(DigestDay(day, since, now))

    def put_away(self, day: str) -> None:
        """Put a digest away for the rest of its day; one of an earlier day is gone already."""
        today = self.today()
        if today.day == day:
            self._store(replace(today, put_away=True))

    def _last(self) -> DigestDay | None:
        with suppress(*DAMAGE):
            last: DigestDay = decode(DigestDay, json.loads(self._preferences.get(_PREFERENCE)))
            return last
        return None

    def _store(self, day: DigestDay) -> DigestDay:
        self._preferences.set(_PREFERENCE, json.dumps(to_plain(day)))
        return day
