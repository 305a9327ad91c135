"""The day that a file says is the day on which its note is found and shown, in every zone."""

import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from core.model import NoteSummary, day_of
from core.notes import file_writing
from core.workspace import Workspace

ZONES = (
    "UTC Asia/Shanghai Europe/Berlin America/New_York Pacific/Kiritimati Etc/GMT+12 Asia/Kolkata Asia/Kathmandu"
    " America/St_Johns Africa/Cairo America/Havana America/Santiago America/Sao_Paulo Asia/Beirut Australia/Lord_Howe"
    " Pacific/Auckland Pacific/Apia Europe/London Asia/Tokyo America/Los_Angeles Asia/Tehran Africa/Casablanca"
    " Pacific/Chatham America/Asuncion"
).split()
DAYS = ("2026-11-20", "2026-07-01", "2026-03-29", "2018-11-04", "1955-06-01")
"""In winter and in summer; days on which clocks skip an hour, some of them the first one; before 1970."""
CLOCKS = ("", "T00:00:00", " 00:30", "T08:00:00", "T16:00:00", "T19:00:00", "T23:30:00")
"""A bare day, and times; each is midnight of UTC somewhere."""

Travel = Callable[[str], None]


@pytest.fixture
def travel(monkeypatch: pytest.MonkeyPatch) -> Iterator[Travel]:
    """Set the clock of this machine to a zone."""

    def to(zone: str) -> None:
        monkeypatch.setenv("TZ", zone)
        time.tzset()

    with monkeypatch.context():
        yield to
    monkeypatch.undo()
    time.tzset()


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    monkeypatch.setenv("TESSERA_EMBEDDER", "tfidf")
    monkeypatch.setenv("TESSERA_SEARCH__RERANKER", "none")
    with Workspace(tmp_path / "workspace") as workspace:
        yield workspace


def imported(workspace: Workspace, folder: Path, base: str, texts: dict[str, str]) -> dict[str, NoteSummary]:
    """Import notes with this front matter and return them by their path."""
    folder.mkdir()
    for name, front in texts.items():
        (folder / name).write_text(f"---\n{front}\n---\nlark\n", encoding="utf-8")
    workspace.imports.apply(workspace.imports.plan_folder(folder, base), embed=False)
    return {str(card.path): card for card in workspace.notes.all(workspace.searching.filters(bases=[base]))}


def found(workspace: Workspace, *terms: str) -> set[str]:
    return {str(card.path) for card in workspace.notes.all(workspace.searching.filters(terms=terms))}


def test_the_day_that_is_written_is_found_and_shown(workspace: Workspace, tmp_path: Path, travel: Travel) -> None:
    texts = {
        f"{day}-{number}.md": f"created: {day}{clock}\nupdated: {day}{clock}"
        for day in DAYS
        for number, clock in enumerate(CLOCKS)
    }
    for number, zone in enumerate(ZONES):
        travel(zone)
        base = f"base{number}"
        cards = imported(workspace, tmp_path / base, base, texts)
        for path, card in cards.items():
            assert card.created_at
            assert (zone, path, day_of(card.created_at)) == (zone, path, path[:10])
        for day in DAYS:
            of_day = {path for path in texts if path.startswith(day)}
            assert found(workspace, f"base:{base}", f"created:{day}") == of_day, zone
            assert found(workspace, f"base:{base}", f"after:{day}", f"updated:<={day}") == of_day, zone
            assert not found(workspace, f"base:{base}", f"before:{day}", f"created:>={day}"), zone
    for zone in ZONES:
        travel(zone)
        bare = {f"{DAYS[0]}-0.md"}
        assert bare <= found(workspace, f"created:{DAYS[0]}")
        assert not bare & found(workspace, f"-created:{DAYS[0]}"), "a bare day is that day in every zone"


def test_a_time_with_an_offset_is_that_moment(workspace: Workspace, tmp_path: Path, travel: Travel) -> None:
    at = datetime(2026, 11, 19, 16, 30, tzinfo=UTC)
    cards = imported(workspace, tmp_path / "a", "a", {"a.md": "created: 2026-11-20T00:30:00+08:00"})
    assert cards["a.md"].created_at == at
    for zone in ZONES:
        travel(zone)
        day = at.astimezone(ZoneInfo(zone)).date().isoformat()
        assert day_of(at) == day
        assert found(workspace, f"created:{day}") == {"a.md"}, zone


@pytest.mark.parametrize("zone", ["Asia/Shanghai", "America/New_York", "Europe/Berlin"])
def test_times_are_written_as_they_are_read(workspace: Workspace, tmp_path: Path, travel: Travel, zone: str) -> None:
    travel(zone)
    written = {
        "bare.md": "updated: 2026-11-20",
        "clock.md": "updated: 2026-11-20T08:00:00",
        "twice.md": "updated: 2026-10-25 02:30",
        "offset.md": "updated: 2026-11-20T08:00:00+05:30",
    }
    imported(workspace, tmp_path / "vault", "vault", written)
    workspace.store.bases.change(workspace.bases.get("vault"), write_files=True)
    for path in written:
        note = workspace.notes.find(path)
        assert note
        before = datetime.now(ZoneInfo(zone)).replace(microsecond=0)
        workspace.notes.update(note.id, body="lark and wren\n")
        after = datetime.now(ZoneInfo(zone))
        value = (tmp_path / "vault" / path).read_text(encoding="utf-8").splitlines()[1].removeprefix("updated: ")
        if path == "bare.md":
            assert before.date().isoformat() <= value <= after.date().isoformat()
        else:
            at = datetime.fromisoformat(value)
            assert (at.tzinfo is None) == (path != "offset.md")
            assert before <= (at if at.tzinfo else at.replace(tzinfo=ZoneInfo(zone))) <= after
    assert workspace.imports.plan_folder(tmp_path / "vault", "vault").is_empty


def test_the_hour_that_a_clock_has_twice_keeps_its_offset(travel: Travel) -> None:
    travel("Europe/Berlin")
    for hour in (0, 1):
        at = datetime(2026, 10, 25, hour, 30, tzinfo=UTC)
        text = file_writing.front_with_fields("---\nupdated: 2026-10-25T01:00:00\n---\n", {"updated_at": at}, "")
        assert file_writing.read_front(text).value("updated_at") == at
