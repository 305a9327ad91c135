"""What programs wrote waits on the Notes page until it is accepted."""

from pathlib import Path

import pytest

from core.model import Note
from core.workspace import Workspace
from tests.pages.conftest import Screen
from tests.pages.test_writing import field, typed, writing

TEXT = "The basil wants water.\n\nAnd sun.\n"


@pytest.fixture
def basil(place: Path) -> Note:
    """A note for which a program proposes another text, beside a note that the program wrote."""
    with Workspace(place) as workspace:
        note = workspace.notes.add("garden", TEXT, title="Basil", author="person", embed=False)
        workspace.proposals.update(note.id, body=TEXT.replace("water", "<b>shade</b>"), tags=["herb"])
        workspace.proposals.add("garden", "Thyme is fine.", title="Thyme")
        return note


def waiting() -> Screen:
    return Screen().open("notes", view="waiting")


def titles(screen: Screen) -> list[str]:
    return [one.note.title for one in screen.workspace.proposals.all()]


def test_what_waits_is_named_at_home_and_read_one_after_another(basil: Note) -> None:
    home = Screen()
    assert "2 notes wait for you" in home.text
    screen = waiting()
    assert "A program proposes a change of this note." in screen.text  # the oldest one is open
    assert "<del>water</del><ins>&lt;b&gt;shade&lt;/b&gt;</ins>" in screen.text
    assert "<ins>herb</ins>" in screen.text
    assert "change by a program" in screen.text
    screen.press("accept_box").finish("embed")
    note = screen.workspace.notes.get(basil.id)
    assert (note.version, note.tags, "shade" in note.body) == (2, ("herb",), True)
    assert "The change of 'Basil' is made." in screen.text.replace("\\", "")
    assert "This note waits for you: searches leave it out" in screen.text
    screen.press("accept_box")
    assert [hit.note.title for hit in screen.workspace.search("thyme", mode="keyword").hits] == ["Thyme"]
    assert "Nothing waits for you." in screen.text
    assert "wait for you" not in Screen().text


def test_what_was_accepted_or_rejected_can_be_undone(basil: Note) -> None:
    for verb in ("accept", "reject"):
        screen = waiting().press(f"{verb}_all")
        assert (titles(screen), f"2 notes are {verb}ed." in screen.text) == ([], True)
        screen.press("notes_undo")
        assert sorted(titles(screen)) == ["Basil", "Thyme"]
        assert screen.workspace.notes.get(basil.id).body == TEXT
    screen.press("reject_box")
    assert titles(screen) == ["Thyme"]
    screen.press("reject_row")
    assert "'Thyme' is in the trash." in screen.text.replace("\\", "")
    assert [one.version.title for one in screen.workspace.notes.trash()] == ["Thyme"]


def test_what_waits_is_edited_before_it_is_accepted(basil: Note) -> None:
    screen = waiting().press("waiting_edit")
    assert "<b>shade</b>" in writing(screen.app).body
    typed(screen, "The basil wants shade.\n")
    screen.app.text_input(field(screen, "title")).input("Basil in spring").run()
    again = Screen().open("notes", note=basil.id).press("resume_")  # the draft still settles the change
    again.press("writing_save").press("writing_leave")
    assert titles(again) == ["Thyme"]
    note = again.workspace.notes.get(basil.id)
    assert (note.title, note.body, note.tags) == ("Basil in spring", "The basil wants shade.\n", ("herb",))
    assert again.workspace.notes.history(basil.id)[0].kind == "propose"
    again = waiting().press("waiting_edit").press("writing_save")
    assert titles(again) == []
    assert again.workspace.notes.find("Thyme").status == "active"


def test_a_change_of_a_note_that_was_changed_since_shows_both(basil: Note) -> None:
    screen = waiting()
    screen.workspace.notes.update(basil.id, body="The basil is dead.\n", author="person")
    screen.press("accept_box")  # what the person saw is no longer so
    assert "was changed since you looked at it" in screen.errors
    assert "which was changed since. Accepting it puts" in screen.text
    assert "<del>is dead</del>" in screen.text
    assert not any((button.key or "") == f"accept_row_{basil.id}" for button in screen.app.button)
    screen.press("accept_all")
    assert titles(screen) == ["Basil"]
    screen.press("accept_box")
    assert titles(screen) == []
    assert "shade" in screen.workspace.notes.get(basil.id).body
