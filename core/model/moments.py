"""Times anywhere in the calendar, from year 1 to 9999: brought to UTC, read on a person's clock, moved by days.

The calendar has two ends. A time that would lie beyond one, by its offset or by a span, counts as that end; what comes
from outside is refused there (`exact`).
"""

from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta, tzinfo

CALENDAR_BEGINS = datetime.min.replace(tzinfo=UTC)
CALENDAR_ENDS = datetime.max.replace(tzinfo=UTC)
_BEYOND = (OverflowError, ValueError, OSError)
"""What Python and the C library raise for a time beyond the calendar, or beyond the clock of the system."""


def in_utc(at: datetime) -> datetime:
    """Return a time in UTC; one without an offset counts as UTC."""
    if at.tzinfo is None:
        return at.replace(tzinfo=UTC)
    return _within(lambda: at.astimezone(UTC), at)


def exact(at: datetime) -> datetime:
    """Return a time in UTC; raises ValueError for one that lies beyond an end of the calendar by its offset."""
    brought = in_utc(at)
    if at.tzinfo and brought != at:
        raise ValueError(at.isoformat())
    return brought


def on_clock(at: datetime, zone: tzinfo | None = None) -> datetime:
    """Return a time as a clock in a zone shows it, by default this machine's."""
    return _within(lambda: at.astimezone(zone), at)


def midnight(day: date, zone: tzinfo | None = None) -> datetime:
    """Return the time in UTC at which a day begins in a zone, by default this machine's."""
    at = datetime(day.year, day.month, day.day, tzinfo=zone)
    return _within(lambda: at.astimezone(UTC), at)


def later(at: datetime, days: float) -> datetime:
    """Return the time so many days later, or earlier for less than 0."""
    try:
        return at + timedelta(days=days)
    except OverflowError:
        return CALENDAR_ENDS if days > 0 else CALENDAR_BEGINS


def day_of(at: datetime) -> str:
    """Return the day of a time, such as 2026-01-31; the year has four digits."""
    return at.date().isoformat()


def _within(brought: Callable[[], datetime], at: datetime) -> datetime:
    try:
        return brought()
    except _BEYOND:
        return CALENDAR_ENDS if at.year > 1 else CALENDAR_BEGINS


def lapses(expires_at: datetime) -> datetime:
    """Return when a note of this expiry is expired; a bare date, stored as midnight in UTC, lasts through the day."""
    at = in_utc(expires_at)
    if at.time() != time():
        return at
    return midnight(at.date() + timedelta(days=1)) if at.date() < date.max else CALENDAR_ENDS
