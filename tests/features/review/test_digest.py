"""The digest: its days, what it tells of, and that a clock that is wrong loses nothing."""

from datetime import UTC, datetime, timedelta
from itertools import chain
from zoneinfo import ZoneInfo

import pytest

from core.base.datetimes import LOCAL, local_now
from core.features.review import service
from core.features.review.service import DigestDays
from core.model import DIGEST, MATTERS
from core.settings.preferences import Preferences
from core.workspace import Workspace


class Clock:
    def __init__(self, now: datetime) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock(local_now())
    monkeypatch.setattr(service, "local_now", clock)
    return clock


@pytest.fixture
def days(workspace: Workspace) -> DigestDays:
    return DigestDays(workspace.preferences)


def test_every_kind_is_in_a_line_and_the_lines_are_at_most_five() -> None:
    assert sorted(chain(*DIGEST)) == sorted(MATTERS)
    assert len(DIGEST) + 1 <= 5


def test_a_day_ends_at_local_midnight_and_tells_of_what_was_changed_since_the_one_before(
    workspace: Workspace, days: DigestDays, clock: Clock
) -> None:
    clock.now = first = datetime(2026, 1, 30, 9, tzinfo=LOCAL)
    assert (days.today().since, days.today().until) == (first, first)
    clock.now = datetime(2026, 1, 30, 23, 59, 59, tzinfo=LOCAL)
    days.put_away(days.today().day)
    again = DigestDays(Preferences(workspace.store.folder, readonly=False))  # as after a restart
    assert again.today().put_away
    clock.now = midnight = datetime(2026, 1, 31, tzinfo=LOCAL)
    days.put_away("2026-01-30")  # in a tab that was open at midnight
    today = again.today()
    assert (today.day, today.since, today.until, today.put_away) == ("2026-01-31", first, midnight, False)
    clock.now += timedelta(hours=3)
    assert days.today() == today


@pytest.mark.parametrize(
    "looks",
    [
        (0, 1, 2, 3),
        (0, 1000, 1, 2),
        (0, 1000, 2000, 1, 2),
        (1000, 1, 2),
        (1000, 2000, 1, 2, 3),
        (0, 1, -1, 1, 2),
        (3, 2, 1, 0, 1, 2, 3, 4),
    ],
)
def test_a_clock_that_was_ahead_loses_no_change_and_tells_of_none_for_ever(
    looks: tuple[int, ...], days: DigestDays, clock: Clock
) -> None:
    begins = clock.now
    windows = []
    for place, look in enumerate(looks):
        clock.now = begins + timedelta(days=look)
        today = days.today()
        assert today.since <= today.until == clock.now
        days.put_away(today.day)
        assert days.today().put_away
        windows.append((today.since, today.until))
        if place and 0 <= look - looks[place - 1] <= 1:  # on a right clock
            change = clock.now - timedelta(hours=1)
            assert today.since < change <= today.until
    change = begins + timedelta(days=looks[-1], hours=-1)
    assert sum(since < change <= until for since, until in windows) <= 3


def test_two_browsers_in_two_time_zones_share_a_day(days: DigestDays, clock: Clock) -> None:
    clock.now = first = datetime(2026, 11, 29, 12, tzinfo=UTC)
    days.today()
    begins = datetime(2026, 11, 30, 20, tzinfo=UTC)  # already December in Tokyo
    seen = []
    for hour in range(12):
        for zone in ("Asia/Tokyo", "America/New_York"):
            clock.now = (begins + timedelta(hours=hour)).astimezone(ZoneInfo(zone))
            seen.append(days.today())
    assert {(today.day, today.since, today.until) for today in seen} == {("2026-12-01", first, begins)}
    days.put_away("2026-12-01")
    assert days.today().put_away


@pytest.mark.parametrize("stored", ["", "x", "[]", "null", '{"day": 1}', '{"day": "2026-01-01"}', "[" * 100_000])
def test_a_damaged_preference_begins_anew(stored: str, workspace: Workspace, days: DigestDays) -> None:
    workspace.preferences.set("digest", stored)
    today = days.today()
    assert today.since == today.until
    assert days.today() == today


def test_changes_are_told_with_their_authors_the_users_own_last(workspace: Workspace, clock: Clock) -> None:
    clock.now -= timedelta(days=1)
    assert workspace.review.digest() is None
    add = workspace.notes.add
    mine = add("home", "Mine.", title="Mine", author="person", embed=False)
    theirs = add("home", "Theirs.", title="Theirs", author="person", embed=False)
    gone = add("home", "Gone.", title="Gone", author="person", embed=False)
    workspace.notes.update(theirs.id, tags=["a"], author="program", embed=False)
    workspace.notes.update(mine.id, tags=["a"], author="person", embed=False)
    workspace.trash.put([gone.id])
    assert workspace.review.digest() is None  # it tells of them tomorrow
    clock.now += timedelta(days=2)
    today = workspace.review.digest()
    assert today
    assert [(change.note.title, change.author) for change in today.changed] == [
        ("Theirs", "program"),
        ("Mine", "person"),
    ]
    assert not today.waiting
    workspace.review.days.put_away(today.day)
    assert workspace.review.digest() is None
    clock.now += timedelta(days=1)
    assert workspace.review.digest() is None  # each change is told once


def test_contradictions_stay_counted_while_a_saved_note_is_compared_anew(workspace: Workspace) -> None:
    for heat in (220, 240):
        text = f"The oven for the bread runs at {heat} degrees."
        workspace.notes.add("home", text, title=f"Bread at {heat}", author="person", embed=False)
    assert not workspace.review.counts()["contradiction"]
    workspace.neighbours.likeness.read()
    assert workspace.review.counts()["contradiction"] == 1
    tea = workspace.notes.add("home", "Tea.", title="Tea", author="person", embed=False)
    assert not workspace.neighbours.likeness.is_read
    assert workspace.review.counts()["contradiction"] == 1
    workspace.notes.update(tea.id, body="The oven for the bread runs at 260 degrees.", author="person", embed=False)
    workspace.neighbours.likeness.read()
    assert workspace.review.counts()["contradiction"] == 3
