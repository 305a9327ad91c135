"""What the system tells of folders that are made, removed and linked while they are followed."""

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.intake.watching import FileEvents
from tests.waiting import wait_until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the events of other systems come later")


@pytest.fixture
def events() -> Iterator[FileEvents]:
    made = FileEvents()
    yield made
    made.close()


@pytest.fixture
def place(tmp_path: Path, events: FileEvents) -> Path:
    place = tmp_path / "followed"
    (place / "sub" / "deep").mkdir(parents=True)
    (place / "sub" / "deep" / "a.md").write_text("A")
    events.follow([str(place)])
    return place


def told(events: FileEvents, place: Path) -> set[str]:
    """Return what is told of a folder before the next change."""
    paths: set[str] = set()
    last = f"{len([*place.iterdir()])}-last.md"
    (place / last).write_text("last")

    def is_told() -> bool:
        paths.update(events.take().get(str(place), ()))
        return last in paths or "" in paths  # "": all of the folder

    wait_until(is_told)
    return {path for path in paths if not path.endswith("-last.md")}


def test_a_folder_that_is_made_anew_is_followed_still(
    events: FileEvents, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = place.stat()
    monkeypatch.setattr("core.intake.watching.identity", lambda _: (state.st_dev, state.st_ino))  # as often happens
    shutil.rmtree(place)
    place.mkdir()
    events.follow([str(place)])
    assert "" in told(events, place)
    (place / "b.md").write_text("B")
    assert told(events, place) == {"b.md"}


def test_a_folder_that_takes_the_place_of_another_has_changed_as_a_whole(events: FileEvents, place: Path) -> None:
    place.rename(place.with_name("before"))
    place.mkdir()
    (place / "b.md").write_text("B")
    events.follow([str(place)])
    assert "" in told(events, place)


def test_folders_that_are_made_renamed_and_made_again_are_followed(events: FileEvents, place: Path) -> None:
    (place / "one" / "two" / "three").mkdir(parents=True)
    (place / "one" / "two" / "three" / "a.md").write_text("A")
    assert "one" in told(events, place)
    (place / "one" / "two" / "three" / "a.md").write_text("B")
    assert told(events, place) == {"one/two/three/a.md"}
    (place / "one").rename(place / "uno")
    assert told(events, place) == {"one", "uno"}
    (place / "uno" / "two" / "three" / "a.md").write_text("C")
    assert told(events, place) == {"uno/two/three/a.md"}
    shutil.rmtree(place / "sub" / "deep")
    (place / "sub" / "deep").mkdir()
    assert "sub/deep" in told(events, place)
    (place / "sub" / "deep" / "b.md").write_text("B")
    assert told(events, place) == {"sub/deep/b.md"}


def test_where_links_lead_nothing_is_followed(events: FileEvents, place: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    (outside / "far").mkdir(parents=True)
    (place / "link").symlink_to(outside)
    (place / "new").mkdir()
    (place / "new" / "link").symlink_to(outside)
    assert "new" in told(events, place)
    (outside / "a.md").write_text("A")
    (outside / "far" / "a.md").write_text("A")
    assert told(events, place) == set()
    other = tmp_path / "other"
    (other / "sub").mkdir(parents=True)
    (other / "sub" / "link").symlink_to(outside)
    (other / "root").symlink_to("/")
    events.follow([str(place), str(other)])
    (outside / "far" / "a.md").write_text("B")
    assert told(events, other) == set()
    (other / "sub" / "b.md").write_text("B")
    assert told(events, other) == {"sub/b.md"}


def test_of_hidden_folders_only_the_rules_of_a_vault_are_told(events: FileEvents, place: Path) -> None:
    (place / ".git").mkdir()
    (place / ".git" / "a.md").write_text("A")
    assert told(events, place) == set()
    (place / ".obsidian").mkdir()
    (place / ".obsidian" / "app.json").write_text("{}")
    assert told(events, place) == {".obsidian/app.json"}
    (place / ".obsidian" / "app.json").write_text('{"a": 1}')
    assert told(events, place) == {".obsidian/app.json"}


def test_files_that_come_by_the_thousand_and_go_at_once_are_all_told(events: FileEvents, place: Path) -> None:
    for number in range(5_000):
        (place / f"{number}.md").write_text("A")
    for number in range(0, 5_000, 2):
        (place / f"{number}.md").unlink()
    assert told(events, place) >= {f"{number}.md" for number in range(5_000)}


def test_a_placeholder_tells_of_its_file(events: FileEvents, place: Path) -> None:
    (place / "sub" / ".b.md.icloud").write_text("bplist00")
    (place / ".hidden.md").write_text("B")
    assert told(events, place) == {"sub/b.md"}
