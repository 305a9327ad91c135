"""Conversion of times to UTC and to local time, and shifts by days, within the calendar (years 1 to 9999).

A bare day, such as `created: 2026-01-31`, is the same day in every time zone. It is stored as midnight UTC. A time that
happens to be midnight UTC is stored one microsecond later (`clock_to_utc`).

Computed times are clamped to the calendar. Input outside the calendar is rejected (`exact`).
"""

import time as clock
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo

CALENDAR_BEGINS = datetime.min.replace(tzinfo=UTC)
CALENDAR_ENDS = datetime.max.replace(tzinfo=UTC)
# Errors that Python and the C library raise for times outside the calendar or the system clock's range.
_BEYOND = (OverflowError, ValueError, OSError)


class _Clock(tzinfo):
    """This machine's time zone, with the UTC offset that applies at each time.

    `datetime.astimezone` would set a fixed offset instead.
    """

    def utcoffset(self, at: datetime | None) -> timedelta | None:
        return _local(at.replace(tzinfo=None)).utcoffset() if at else None

    def dst(self, at: datetime | None) -> None:
        return None

    def tzname(self, at: datetime | None) -> str | None:
        return _local(at.replace(tzinfo=None)).tzname() if at else None

    def fromutc(self, at: datetime) -> datetime:
        return _local(at.replace(tzinfo=UTC)).replace(tzinfo=self)


LOCAL = _Clock()


def local_now() -> datetime:
    return datetime.now(LOCAL)


def utc_now() -> datetime:
    return datetime.now(UTC)


def _local(at: datetime) -> datetime:
    """Convert a time to local time. A time without an offset counts as local time, and gets the offset at that time.

    If the offset is unknown, the standard offset is used.
    """
    today = timezone(timedelta(seconds=-clock.timezone))
    try:
        return at.astimezone()
    except _BEYOND as error:
        if at.tzinfo is None:
            return at.replace(tzinfo=today)
        if isinstance(error, OSError):  # before 1970 on Windows
            return at.astimezone(today)
        raise


def in_utc(at: datetime) -> datetime:
    """Convert a time to UTC. A time without an offset counts as UTC."""
    if at.tzinfo in (None, UTC):
        return at.replace(tzinfo=UTC)
    return _within(lambda: at.astimezone(UTC), at)


def exact(at: datetime) -> datetime:
    """Convert a time to UTC, or raise ValueError if the result would be outside the calendar."""
    converted = in_utc(at)
    if at.tzinfo and converted != at:
        raise ValueError(at.isoformat())
    return converted


def clock_to_utc(at: datetime) -> datetime:
    """Convert a time to UTC, and add a microsecond to midnight. A time without an offset counts as local time.

    Raises ValueError if a time with an offset would be outside the calendar in UTC.
    """
    converted = exact(at) if at.tzinfo else in_utc(at.replace(tzinfo=LOCAL))
    return converted.replace(microsecond=1) if is_day(converted) else converted


def is_day(at: datetime) -> bool:
    return in_utc(at).time() == time()


def on_clock(at: datetime, zone: tzinfo | None = None) -> datetime:
    """Convert a time to the given time zone, by default this machine's."""
    return _within(lambda: at.astimezone(zone) if zone else _local(at), at)


def midnight(day: date, zone: tzinfo | None = None) -> datetime:
    """Return the UTC time at which a day begins in the given time zone, by default this machine's."""
    return in_utc(datetime(day.year, day.month, day.day, tzinfo=zone or LOCAL))


def later(at: datetime, days: float) -> datetime:
    """Return a time shifted by the given number of days, which may be negative."""
    try:
        return at + timedelta(days=days)
    except OverflowError:
        return CALENDAR_ENDS if days > 0 else CALENDAR_BEGINS


def day_of(at: datetime, zone: tzinfo | None = None) -> str:
    """Return the date of a bare day, or of a time in the given time zone, in the form 2026-01-31.

    By default, the time zone is this machine's.
    """
    return (in_utc(at) if is_day(at) else on_clock(at, zone)).date().isoformat()


def _within(converted: Callable[[], datetime], at: datetime) -> datetime:
    try:
        return converted()
    except _BEYOND:
        return CALENDAR_ENDS if at.year > 1 else CALENDAR_BEGINS


def lapses(expires_at: datetime) -> datetime:
    """Return the moment a note expires. For a bare day, stored as midnight UTC, that is when the day ends locally."""
    at = in_utc(expires_at)
    if not is_day(at):
        return at
    return midnight(at.date() + timedelta(days=1)) if at.date() < date.max else CALENDAR_ENDS
