"""Dates at the ends of the calendar are dates like others, wherever the clock of the machine stands."""

import time
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path

import pytest

from core.base.errors import EditError
from core.model import CALENDAR_BEGINS, CALENDAR_ENDS, Filters, in_utc, lapses, later, midnight, on_clock
from core.workspace import Workspace

ENDS = ("0001-01-01", "9999-12-31", "0001-01-01T00:00:00-14:00", "9999-12-31T23:59:59.999999+14:00")
BEYOND = ("0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59.999999-14:00")


@pytest.fixture(params=["UTC", "Etc/GMT-14", "Etc/GMT+12", "Asia/Shanghai", "America/New_York"])
def _zone(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with monkeypatch.context() as patch:
        patch.setenv("TZ", request.param)
        time.tzset()
        yield
    time.tzset()


@pytest.mark.usefixtures("_zone")
def test_the_ends_of_the_calendar_hold_everywhere() -> None:
    zones = [timezone(timedelta(hours=hours, minutes=59)) for hours in (-23, -14, 0, 13, 22)]
    some = (datetime(1969, 12, 31, 23, tzinfo=UTC), datetime(2026, 2, 28, 23, 59, tzinfo=UTC))
    for at in (CALENDAR_BEGINS, *some, CALENDAR_ENDS):
        for there in (UTC, *zones):
            moment = in_utc(at.replace(tzinfo=there))
            assert in_utc(moment) == moment
            assert lapses(moment) >= moment - timedelta(hours=14) if moment.year > 1 else lapses(moment)
            for zone in (None, *zones):
                assert abs(on_clock(moment, zone) - moment) < timedelta(1)
            for days in (-(10**12), -1, 0.5, 10**12):
                assert later(moment, days).tzinfo
    for day in (date.min, date.max, date(2026, 2, 28)):
        assert abs(midnight(day).date() - day) <= timedelta(1)


@pytest.mark.usefixtures("_zone")
@pytest.mark.parametrize("expires", ENDS)
def test_a_note_of_any_expiry_is_found_or_expired(workspace: Workspace, expires: str) -> None:
    note = workspace.notes.add("desk", "a heron stands there", title="Heron", expires_at=expires, author="person")
    is_over = expires.startswith("0001")
    assert workspace.notes.all()[0].expired == is_over
    for question in ("heron", "heron status:active", "heron status:expired", "heron after:1900 before:2999"):
        workspace.search(question, mode="keyword", explain=True)
    assert bool(workspace.search("heron", mode="keyword").hits) != is_over
    assert [card.id for card in workspace.notes.expiring(days=10**9)] == [note.id]
    assert bool(workspace.notes.expiring()) == is_over
    west = timezone(-timedelta(hours=14))
    edges = Filters(after=CALENDAR_BEGINS.replace(tzinfo=None), before=CALENDAR_ENDS.replace(tzinfo=west))
    assert workspace.notes.all(edges)


@pytest.mark.parametrize("expires", BEYOND)
def test_a_time_that_lies_beyond_the_calendar_by_its_offset_is_refused(workspace: Workspace, expires: str) -> None:
    for value in (expires, datetime.fromisoformat(expires)):
        with pytest.raises(EditError, match="is not a date like"):
            workspace.notes.add("desk", "a heron", expires_at=value, author="person")


@pytest.mark.parametrize("at", ENDS + BEYOND)
def test_a_file_of_any_date_is_read_and_offers_no_month_that_no_question_can_hold(
    workspace: Workspace, tmp_path: Path, at: str
) -> None:
    folder = tmp_path / "vault"
    folder.mkdir()
    for number, day in enumerate((at, "2026-01-31")):
        text = f"---\ncreated: {day}\nupdated: {day}\nexpires: 9999-12-31\n---\nheron {number}\n"
        (folder / f"{number}.md").write_text(text)
    workspace.imports.apply(workspace.imports.plan_folder(folder, "vault"))
    cards = {card.path: card for card in workspace.notes.all()}
    year = cards["0.md"].updated_at
    assert year
    assert bool(cards["0.md"].warnings) == (at in BEYOND)
    assert at in BEYOND or year.year == int(at[:4])
    result = workspace.search("heron", mode="keyword")
    assert len(result.hits) == 2
    for facet in result.facets:
        workspace.search(f"heron {facet.term}", mode="keyword")
