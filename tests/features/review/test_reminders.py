"""Notes worth another look: which ones, when they come back, and that nobody sees them unasked."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.features.review import service
from core.features.review.service import FIRST, LONGEST, SECOND, Reminders, next_interval
from core.model import Use
from core.workspace import Workspace

NOW = datetime.now(UTC)
OLD = NOW - timedelta(days=90)


class Clock:
    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(service, "utc_now", clock)
    return clock


@pytest.fixture
def reminders(workspace: Workspace, clock: Clock) -> Reminders:
    return Reminders(workspace.store, workspace.preferences)


def add(workspace: Workspace, title: str, *uses: tuple[str, datetime]) -> str:
    note_id = workspace.notes.add("home", f"About {title}.\n", title=title, author="person", embed=False).id
    workspace.store.database.execute("UPDATE notes SET updated_at = ? WHERE id = ?", OLD.isoformat(), note_id)
    workspace.store.uses.add(Use(note_id, used_in, "", at) for used_in, at in uses)
    return note_id


def titles(reminders: Reminders) -> list[str]:
    return [card.title for card in reminders.due()]


def test_intervals_are_those_of_sm_2() -> None:
    days, interval = [], None
    for _ in range(5):
        interval = next_interval(interval)
        days.append(interval / timedelta(days=1))
    assert days == [1, 6, 15, 37.5, 93.75]


@given(st.timedeltas(min_value=timedelta(days=-10_000), max_value=timedelta(days=100_000)))
def test_the_next_interval_is_never_shorter_and_never_without_end(interval: timedelta) -> None:
    after = next_interval(interval)
    assert FIRST < SECOND <= after <= LONGEST
    assert after >= min(interval, LONGEST)


def test_what_today_touches_and_nobody_saw_for_long_is_shown_if_wished(
    workspace: Workspace, reminders: Reminders
) -> None:
    add(workspace, "Never opened", ("found", NOW))
    add(workspace, "Long ago", ("found", NOW), ("search", OLD))
    add(workspace, "Opened", ("found", NOW), ("search", NOW - timedelta(days=3)))
    add(workspace, "Not touched", ("found", OLD))
    fresh = add(workspace, "Changed", ("found", NOW))
    workspace.notes.update(fresh, body="Anew.\n", author="person", embed=False)
    assert titles(reminders) == []
    assert workspace.review.all(kinds=["reminder"]) == []
    reminders.enable(True)
    assert titles(reminders) == ["Never opened", "Long ago"]
    workspace.neighbours.likeness.read()
    assert workspace.review.counts().total() == len(workspace.review.all())
    (one, _) = workspace.review.all(kinds=["reminder"])
    workspace.review.let_be([one.key])
    assert len(workspace.review.all(kinds=["reminder"])) == 1


def test_what_was_seen_comes_back_ever_later(workspace: Workspace, reminders: Reminders, clock: Clock) -> None:
    note_id = add(workspace, "Long ago", ("found", NOW + timedelta(days=1000)))
    reminders.enable(True)
    for days in (1, 6, 15):
        undo = reminders.seen([note_id])
        assert titles(reminders) == []
        undo()
        assert titles(reminders) == ["Long ago"], "the interval is as it was"
        reminders.seen([note_id])
        clock.now += timedelta(days=days, seconds=-1)
        assert titles(reminders) == []
        clock.now += timedelta(seconds=1)
        assert titles(reminders) == ["Long ago"]
    workspace.store.database.execute("UPDATE decisions SET until = 'soon', at = x'00'")
    assert titles(reminders) == ["Long ago"], "a damaged row is none"
    reminders.seen([note_id])
    assert titles(reminders) == []
