"""History, trash and changes of several notes on the Notes page."""

from datetime import date
from pathlib import Path

import pytest

from core.workspace import Workspace
from pages.ui.notes.history import words
from tests.pages.conftest import Screen

XSS = "<img src=x onerror=alert(1)>"


@pytest.fixture
def written(place: Path) -> Screen:
    """A base of three notes that were written here, one of them changed twice."""
    with Workspace(place) as workspace:
        notes = workspace.notes
        note = notes.add("desk", "the first words\nstay", title="Plan", author="person")
        notes.update(note.id, body=f"the second words\nstay {XSS}", author="person")
        notes.update(note.id, tags=["new"], author="program")
        notes.add("desk", "other", title="Other", author="person")
        notes.add("desk", "third", title="Third", author="person")
    return Screen().finish("warm")


def note_of(screen: Screen, title: str) -> str:
    return screen.workspace.notes.find(title).id


def chosen(screen: Screen, note_id: str, act: str) -> Screen:
    screen.app.menu_button(f"note_menu_{note_id}").click(act).run()
    assert not screen.app.exception
    return screen


def marked(screen: Screen, *note_ids: str) -> Screen:
    screen.open("notes").app.session_state["chosen"] = list(note_ids)
    screen.app.session_state["notes_view"] = "list"
    screen.app.run()
    return screen


def test_a_line_break_that_is_gone_splits_no_line(written: Screen) -> None:
    notes, versions = written.workspace.notes, written.workspace.versions
    note = notes.add("desk", "One line.\n\nTwo line.\n\nEnd\ngone\n", author="person")
    notes.update(note.id, body="One line. more from one.\n\nEnd\n", author="person")
    shown = words(versions.difference(note.id, 1, 2))
    assert "One line.<del>↵↵Two line</del><ins> more from one</ins>." in shown
    assert "<del>gone\n</del>" in shown


def test_the_history_of_an_imported_note_begins_with_the_import(filled: Screen) -> None:
    note_id = filled.workspace.notes.all()[0].id
    chosen(filled.open("notes", note=note_id), note_id, "history")
    (first,) = filled.app.radio(f"history_{note_id}").options
    assert "1 · imported · " in first.replace("\\", "")


def test_the_history_says_what_was_done_and_goes_back(written: Screen) -> None:
    note_id = note_of(written, "Plan")
    chosen(written.open("notes", note=note_id), note_id, "history")
    versions = written.app.radio(f"history_{note_id}")
    assert [option.rpartition(" · ")[0] for option in versions.options] == [
        "3 · changed by a program", "2 · changed by you", "1 · written by you",
    ]  # fmt: skip
    assert "<ins>new</ins>" in written.text
    assert "removed: only in version 2" in written.text
    assert "The text is the same." in written.text
    versions.set_value(2).run()
    assert "<ins>new</ins>" in written.text, "against now first"
    versions = written.app.radio(f"history_{note_id}")
    versions.set_value(1).run()
    assert "the <del>first</del><ins>second</ins> words" in written.text
    assert not any(XSS in element.proto.body for element in written.app.get("html"))
    written.app.segmented_control(key="history_view").set_value("alone").run()
    assert "<div class='t-words'>the first words\nstay</div>" in written.text
    assert "<ins>" not in written.text
    written.app.segmented_control(key="history_view").set_value("sides").run()
    assert "<b>Version 1</b><b>Version 3</b>" in written.text
    assert "<div>the <del>first</del> words\n</div><div>the <ins>second</ins> words\n</div>" in written.text
    written.press("history_revert")
    now = written.workspace.notes.get(note_id)
    assert (now.body, now.tags, now.version) == ("the first words\nstay", (), 4)
    written.press("notes_undo")
    now = written.workspace.notes.get(note_id)
    assert (now.tags, now.version) == (("new",), 5)


def test_a_deleted_note_comes_back_from_the_trash(written: Screen) -> None:
    note_id = note_of(written, "Plan")
    chosen(written.open("notes", note=note_id), note_id, "delete")
    assert "for 30 days" in written.text
    assert "files on disk" not in written.text
    written.press("delete_yes").press("notes_undo")
    chosen(written.open("notes", note=note_id), note_id, "delete").press("delete_yes")
    written.app.session_state["notes_view"] = "trash"
    written.app.run()
    assert "deleted by you" in written.text
    written.press(f"restore_{note_id}")
    assert written.workspace.notes.get(note_id).title == "Plan"
    assert "There are no deleted notes here." in written.text


def test_the_trash_is_emptied_after_a_yes(written: Screen) -> None:
    written.workspace.trash.put([note_of(written, "Plan"), note_of(written, "Other")])
    written.open("notes").app.session_state["notes_view"] = "trash"
    written.app.run()
    written.press("trash_empty").press("forget_no")
    assert len(written.workspace.trash.all()) == 2
    written.press("trash_empty").press("forget_yes")
    assert written.workspace.trash.all() == []


def test_several_notes_get_fields_and_are_archived(written: Screen) -> None:
    ids = [note_of(written, "Plan"), note_of(written, "Other")]
    marked(written, *ids).press("set_fields")
    written.app.multiselect("several_remove").set_value(["new"])
    written.app.number_input("several_priority").set_value(7)
    written.app.date_input("several_expires_at").set_value(date(2030, 1, 31)).run()
    written.press("several_set")
    cards = {card.title: card for card in written.workspace.notes.all()}
    assert (cards["Plan"].priority, cards["Plan"].tags) == (7, ())
    assert str(cards["Other"].expires_at)[:10] == "2030-01-31"
    assert (cards["Other"].priority, cards["Third"].priority) == (7, 0)
    marked(written, *ids).press("archive_notes")
    assert {card.title for card in written.workspace.notes.all() if card.status == "archived"} == {"Plan", "Other"}
    written.press("notes_undo")
    assert {card.status for card in written.workspace.notes.all()} == {"active"}
    chosen(written.open("notes", note=ids[0]), ids[0], "archive")
    chosen(written.open("notes", note=ids[0]), ids[0], "restore")
    assert written.workspace.notes.get(ids[0]).status == "active"


def test_the_dialog_says_what_becomes_of_files_and_several_notes_move(
    written: Screen, tmp_path: Path, trash: Path
) -> None:
    (tmp_path / "vault" / "kitchen").mkdir(parents=True)
    for name in ("tea", "cups", "kitchen/pan"):
        (tmp_path / "vault" / f"{name}.md").write_text(f"# {name}\n\nOf the kitchen.\n")
    written.workspace.imports.apply(written.workspace.imports.plan_folder(tmp_path / "vault", "vault"), embed=False)
    both = [note_of(written, "tea"), note_of(written, "cups")]
    chosen(written.open("notes", note=both[0]), both[0], "delete")
    assert "Files that Tessera only reads stay on disk" in written.text
    written.workspace.bases.update("vault", write_files=True)
    chosen(written.open("notes", note=both[0]), both[0], "delete")
    assert "The file will be moved to the system's trash" in written.text
    assert "to what you delete" not in written.text
    written.press("delete_no")
    written.workspace.notes.add("vault", "See [[tea]].", title="Cellar", embed=False)
    chosen(written.open("notes", note=both[0]), both[0], "delete")
    assert "1 other note links to what you're deleting." in written.text
    written.press("delete_yes")
    assert not (tmp_path / "vault" / "tea.md").exists()
    written.press("notes_undo")
    assert (tmp_path / "vault" / "tea.md").exists()
    written.app.session_state["moving"] = both
    written.app.session_state[f"move_{'_'.join(both)}"] = "kitchen"
    written.app.run()
    written.press("move_yes")
    assert sorted(file.name for file in (tmp_path / "vault" / "kitchen").iterdir()) == ["cups.md", "pan.md", "tea.md"]
    written.press("notes_undo")
    assert (tmp_path / "vault" / "cups.md").exists()
