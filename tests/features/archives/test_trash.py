"""The trash: what leaves it by its age, by clocks that may be wrong, and whatever else lies in it."""

import json
import os
import shutil
import sqlite3
import zipfile
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from core.base.errors import ArchiveError, SourceError
from core.doors import cli
from core.features.archives import trash_expiry, zip_archive
from core.features.archives.trash_expiry import LOG
from core.workspace import Workspace

TODAY = datetime.now(UTC).date()
SECRET = "Zaubernuss"


@pytest.fixture(autouse=True)
def _place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TESSERA_EMBEDDER", "tfidf")
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A workspace with a note and a base in the trash, and a note and a base in use."""
    with Workspace(tmp_path / "w") as workspace:
        workspace.bases.add("gone")
        for base in ("desk", "gone"):
            workspace.notes.add(base, f"{SECRET} text", title=f"Kept in {base}", embed=False)
        note = workspace.notes.add("desk", "first words", title=SECRET, tags=["herb"], embed=False)
        workspace.notes.update(note.id, body="last words", embed=False)
        workspace.trash.put(note.id)
        workspace.bases.delete("gone")
    return tmp_path / "w"


def test_an_archive_in_the_trash_is_read_once_until_it_changes(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read = list[str]()
    base_of = zip_archive.base_of
    monkeypatch.setattr(zip_archive, "base_of", lambda file: read.append(file.name) or base_of(file))
    with Workspace(folder) as workspace:
        (first,) = workspace.archives.trash()
        read.clear()
        assert (workspace.archives.trash(), read) == ([first], [])
        file = folder / "trash" / first.key
        file.write_bytes(file.read_bytes()[:-30])
        assert workspace.archives.trash()[0].problem
        assert read == [first.key]


def test_an_archive_that_could_not_be_read_for_a_moment_is_read_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(file: Path) -> object:
        raise SourceError(str(file), "Another program uses this file.")

    with Workspace(folder) as workspace:
        trash_expiry._contents.cache_clear()
        with monkeypatch.context() as busy:
            busy.setattr(zip_archive, "base_of", refuse)
            assert workspace.archives.trash()[0].problem
        (first,) = workspace.archives.trash()
        assert (first.name, first.problem) == ("gone", None)


@pytest.fixture
def opened_on(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[int], list[bool]]:
    """Open the workspace when the clock is days ahead; return which of the two are in the trash, not expired."""

    def open_on(days: int) -> list[bool]:
        monkeypatch.setattr(trash_expiry, "today", lambda: TODAY + timedelta(days=days))
        with Workspace(folder) as workspace:
            gone = [one for one in workspace.archives.trash() if one.name == "gone"]
            return [bool(workspace.trash.all()), bool(gone) and not gone[0].expired]

    return open_on


@pytest.mark.parametrize(
    ("days", "stays"),
    [
        ([0, 31], True),
        ([0, 31, 1, 2], True),
        ([0, 31, 31, 31], True),
        ([0, 4000, 1, 4000, 1, 2], True),
        ([0, 30, 31], True),
        ([0, -20000, 31, -20000, 31], True),
        ([31], True),
        ([0, 31, 32], False),
        ([0, 31, 30, 33], True),
        ([0, 40, 50], False),
        ([0, 2_900_000, 2_900_000], True),
    ],
)
def test_nothing_leaves_the_trash_before_two_days_say_that_its_time_is_over(
    opened_on: Callable[[int], list[bool]], days: list[int], stays: bool
) -> None:
    """The fixture opens the workspace once, on day 0."""
    states = [opened_on(day) for day in days]
    assert all(all(state) for state in states[:-1])
    assert states[-1] == [stays, stays]


def test_what_was_deleted_by_a_clock_in_the_past_counts_from_its_first_opening(
    folder: Path, opened_on: Callable[[int], list[bool]]
) -> None:
    with closing(sqlite3.connect(folder / "notes.db")) as database, database:
        database.execute("UPDATE versions SET at = '1970-01-01T00:00:00+00:00' WHERE kind = 'delete'")
    (archive,) = (folder / "trash").glob("*.zip")
    archive.rename(archive.with_name(f"19700101T000000000000{archive.name[21:]}"))
    assert [opened_on(day) for day in (1, 2, 20, 31)] == [[True, True]] * 4
    assert [opened_on(day) for day in (32, 33)] == [[True, True], [False, False]]


def test_what_leaves_is_listed_with_its_title_and_comes_back_for_a_week(
    folder: Path, opened_on: Callable[[int], list[bool]], capsys: pytest.CaptureFixture[str]
) -> None:
    for day in (31, 32, 39):
        opened_on(day)
    listed = (folder / "trash" / LOG).read_text()
    assert f"note '{SECRET}' of base 'desk' left the trash" in listed
    assert "base 'gone' left the trash" in listed
    assert SECRET not in (folder / "logs" / "tessera.log").read_text()
    with pytest.raises(SystemExit, match="0"):
        cli.main(["restore", "--workspace", str(folder), "--json"])
    trash = {one["base"]: one for one in json.loads(capsys.readouterr().out)["trash"]}
    assert (trash["desk"]["notes"], trash["desk"]["expired"], trash["gone"]["expired"]) == ([SECRET], True, True)
    back = ["restore", str(folder / "backups" / "trash" / trash["desk"]["key"]), "--base", "back"]
    for command in (back, ["restore", "--deleted", "gone"]):
        with pytest.raises(SystemExit, match="0"):
            cli.main([*command, "--workspace", str(folder)])
    with Workspace(folder) as workspace:
        (card,) = [card for card in workspace.notes.all() if card.base == "back"]
        assert (card.title, card.tags) == (SECRET, ("herb",))
        assert [workspace.versions.get(card.id, one.number).body for one in workspace.versions.all(card.id)] == [
            "last words",
            "first words",
        ]
        assert [card.title for card in workspace.notes.all() if card.base == "gone"] == ["Kept in gone"]
        assert not workspace.trash.all()


def test_a_long_note_that_leaves_is_listed_with_its_title(folder: Path, opened_on: Callable[[int], list[bool]]) -> None:
    with Workspace(folder) as workspace:
        note = workspace.notes.add("desk", "ab\n" * 500_000, title="Long", embed=False)
        workspace.trash.put(note.id)
    for day in (31, 32):
        opened_on(day)
    with Workspace(folder, readonly=True) as workspace:
        (notes,) = [one for one in workspace.archives.trash() if one.name == "desk"]
    assert (set(notes.titles), notes.problem) == ({SECRET, "Long"}, None)


def test_the_archives_of_that_week_go_after_two_days_that_say_it_is_over(
    folder: Path, opened_on: Callable[[int], list[bool]]
) -> None:
    last = folder / "backups" / "trash"
    left = {}
    for day in (31, 32, 33, 100, 33, 41, 42):
        opened_on(day)
        left[day] = len(list(last.glob("*.zip")))
    assert left == {31: 0, 32: 2, 33: 2, 100: 2, 41: 2, 42: 0}
    assert "is deleted for good" in (folder / "trash" / LOG).read_text()


def test_notes_stay_in_the_trash_where_no_archive_of_them_can_be_written(
    folder: Path, opened_on: Callable[[int], list[bool]], monkeypatch: pytest.MonkeyPatch
) -> None:
    opened_on(31)
    monkeypatch.setattr("core.features.archives.trash_expiry.BaseTrash.write", _full)
    assert opened_on(32) == [True, True]
    monkeypatch.undo()
    monkeypatch.setenv("TESSERA_EMBEDDER", "tfidf")
    with Workspace(folder, readonly=True) as workspace:
        assert len(workspace.trash.all()) == 1


def _full(*_: object) -> None:
    raise OSError(28, "No space left on device")


def a_cut_archive(place: Path, good: Path) -> None:
    place.write_bytes(good.read_bytes()[:100])


def a_folder(place: Path, _: Path) -> None:
    place.mkdir()
    (place / "inside").write_text("text")


def a_pipe(place: Path, _: Path) -> None:
    os.mkfifo(place)


def a_loop(place: Path, _: Path) -> None:
    place.symlink_to(place)


def an_unreadable_file(place: Path, _: Path) -> None:
    place.write_bytes(b"x")
    place.chmod(0)


def nested(place: Path, _: Path) -> None:
    with zipfile.ZipFile(place, "w") as archive:
        archive.writestr("base.json", "[" * 100_000)


def another_record(place: Path, _: Path) -> None:
    with zipfile.ZipFile(place, "w") as archive:
        archive.writestr("base.json", '{"id": 5}')


BAD = [a_cut_archive, a_folder, a_pipe, a_loop, an_unreadable_file, nested, another_record]


@pytest.mark.parametrize("name", ["my-copy.zip", "20200101T000000000000-abc.zip", "99999999T999999999999-abc.zip"])
def test_whatever_lies_in_the_trash_is_named_and_stops_nothing(
    folder: Path, name: str, opened_on: Callable[[int], list[bool]], capsys: pytest.CaptureFixture[str]
) -> None:
    (good,) = (folder / "trash").glob("*.zip")
    places = [good.with_name(f"{number}{name[1:]}") for number in range(len(BAD))]
    for damage, place in zip(BAD, places, strict=True):
        damage(place, good)
    (folder / "trash" / "copy of mine.zip").write_bytes(good.read_bytes())
    assert opened_on(0) == [True, True]
    with Workspace(folder) as workspace:
        workspace.notes.add("desk", "written beside it", embed=False)
        problems = {one.key: one.problem for one in workspace.archives.trash()}
        assert {key for key, problem in problems.items() if problem} == {place.name for place in places}
        for key in problems.keys() - {good.name, "copy of mine.zip"}:
            with pytest.raises((SourceError, ArchiveError)):
                workspace.archives.restore_deleted(key)
    with pytest.raises(SystemExit, match="0"):
        cli.main(["restore", "--workspace", str(folder)])
    said = capsys.readouterr().out
    assert all(f"tessera base empty-trash {place.name}" in said for place in places)
    for place in places:
        with pytest.raises(SystemExit, match="0"):
            cli.main(["base", "empty-trash", place.name, "--yes", "--workspace", str(folder)])
        assert not os.path.lexists(place)
    with Workspace(folder) as workspace:
        assert workspace.archives.restore_deleted(good.name).base.name == "gone"


def test_a_file_in_the_place_of_the_trash_is_set_aside(folder: Path) -> None:
    shutil.rmtree(folder / "trash")
    (folder / "trash").write_text("a file")
    with Workspace(folder) as workspace:
        assert workspace.archives.trash() == []
        workspace.bases.delete("desk")
        assert [one.name for one in workspace.archives.trash()] == ["desk"]
        assert workspace.status().set_aside == ("trash.broken",)
