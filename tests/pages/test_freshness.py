"""The side bar says whether the notes are what their folders hold; the editor says that a file was changed."""

import shutil
import threading
from pathlib import Path

from core.model import Progress
from tests.pages.conftest import Screen
from tests.pages.test_writing import writing
from tests.waiting import wait_until


def test_the_side_bar_says_up_to_date_what_goes_on_and_what_needs_a_look(filled: Screen, vault: Path) -> None:
    workspace = filled.workspace
    filled.app.run()
    assert "Up to date" in filled.text
    started, go_on = threading.Event(), threading.Event()

    def work(_: Progress) -> None:
        started.set()
        go_on.wait(60)

    workspace.jobs.start("import", work, quiet=True)
    started.wait(60)
    filled.app.run()
    assert "Up to date" not in filled.text
    assert [bar.proto.text for bar in filled.app.sidebar.get("progress")] == ["Importing 0%"]
    go_on.set()
    workspace.jobs.wait("import")
    workspace.jobs.forget("import")
    shutil.move(vault, vault.with_name("away"))
    workspace.watching.look()
    filled.app.run()
    assert "1 watched folder can&#x27;t be read" in filled.text or "1 watched folder can't be read" in filled.text
    assert workspace.freshness_of().state == "attention"
    shutil.move(vault.with_name("away"), vault)
    (vault / "bad.md").write_bytes(b"\0\1" * 99)
    workspace.watching.look()
    wait_until(lambda: [str(one) for one in workspace.freshness_of().messages] == ["1 file could not be read"])
    assert workspace.freshness_of().state == "notice"
    (vault / "bad.md").unlink()
    workspace.watching.look()
    assert workspace.freshness_of().state == "current"


def test_notes_that_wait_for_their_index_are_told_alike_by_the_side_bar_and_the_map(filled: Screen) -> None:
    workspace = filled.workspace
    workspace.bases.update("vault", embed_at_once=False)
    workspace.notes.add("vault", "Herons wait.", title="Heron", author="person", embed=False)
    filled.open("map")
    assert "1 note isn&#x27;t indexed yet" in filled.text
    assert "1 note isn't on the map: 1 not indexed yet" in filled.text
    assert "Up to date" not in filled.text
    workspace.pending.embed("vault")
    filled.open("map")
    assert "Up to date" in filled.text
    assert "isn't on the map" not in filled.text


def test_a_file_that_cannot_be_read_is_ignored_alone_or_with_its_kind_until_it_can(filled: Screen, vault: Path) -> None:
    workspace, unread = filled.workspace, b"\0\1" * 99
    (vault / "bad.md").write_bytes(unread)
    (vault / "worse.txt").write_bytes(unread)
    workspace.watching.look()
    filled.app.run()
    assert "2 files could not be read" in filled.text
    filled.press("ignore_")
    assert "1 file could not be read" in filled.text
    filled.press("ignore_all_")
    assert workspace.freshness_of().state == "current"
    assert "could not be read" not in filled.text
    (base,) = workspace.bases.all()
    assert workspace.folders.ignored(base) == ["*.txt", "bad.md"]

    (vault / "backups.md").write_bytes(unread)
    (vault / "third.txt").write_bytes(unread)
    (vault / "bad.md").write_text("Good now")
    workspace.watching.look()
    filled.finish("embed")
    assert workspace.freshness_of().state == "attention"
    assert [str(one) for one in workspace.freshness_of().messages] == [
        "1 note is older than its file, which could not be read"
    ]
    assert "bad.md" in [card.path for card in workspace.notes.all()]
    filled.open("bases", base="vault").press("report_")
    assert "2 files could not be read" in filled.text


def test_without_bases_there_is_nothing_to_be_up_to_date() -> None:
    assert "Up to date" not in Screen().text


def test_a_file_that_changes_under_the_editor_is_told_and_overwrites_nothing(filled: Screen, vault: Path) -> None:
    workspace = filled.workspace
    note = next(card for card in workspace.notes.all() if card.path == "backups.md")
    workspace.bases.update(note.base, write_files=True)
    screen = filled.open("notes", note=note.id).press("edit_note")
    assert "was changed since you opened it" not in screen.text
    (vault / "backups.md").write_text("Theirs\n")
    workspace.watching.look()
    screen.app.run()
    assert "was changed since you opened it" in screen.text
    screen.press("take_newer")
    assert "was changed since you opened it" not in screen.text
    (vault / "backups.md").write_text("Theirs again\n")
    workspace.watching.look()
    now = writing(screen.app)
    now.take_text("Mine\n", now.number + 1, 4, "save", 1)
    screen.app.run()
    assert "was changed while you were writing" in screen.text
    assert (vault / "backups.md").read_text() == "Theirs again\n"
    screen.press("conflict_theirs")
    assert workspace.notes.get(note.id).body == "Theirs again\n"
    assert (vault / "backups.md").read_text().endswith("Theirs again\n")
    assert workspace.drafts.all() == []
    versions = [workspace.versions.get(note.id, one.number) for one in workspace.versions.all(note.id)]
    assert "Mine\n" in [one.body for one in versions]
