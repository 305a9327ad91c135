from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.model import Note
from core.workspace import Workspace
from pages.ui.notes.written_text import Writing
from tests.pages.conftest import Screen


def writing(app: AppTest) -> Writing:
    now = app.session_state["writing"]
    assert isinstance(now, Writing)
    return now


def typed(screen: Screen, text: str) -> Screen:
    """Type a text: the component doesn't run here, so what it would send is taken over."""
    now = writing(screen.app)
    now.typed(text, now.number + 1, len(text))
    screen.app.run()
    return screen


def field(screen: Screen, name: str) -> str:
    """The key of a field's widget."""
    now = writing(screen.app)
    return f"note_{name}_{now.token}_{now.drawn}"


def beside(screen: Screen, view: str) -> Screen:
    next(group for group in screen.app.button_group if group.key == "writing_side").set_value(view).run()
    return screen


@pytest.fixture
def garden(place: Path) -> Note:
    """A note that lives in the workspace."""
    with Workspace(place) as workspace:
        return workspace.notes.add("home", "Water the basil.\n", title="Garden", tags=["green"], embed=False)


def edited(note: Note) -> Screen:
    return Screen().open("notes", note=note.id).press("edit_note")


def test_a_save_is_made_once_though_it_is_sent_again_and_a_later_text_comes_in_its_place(garden: Note) -> None:
    screen = edited(garden)
    now = writing(screen.app)
    now.typed("Water the mint.", 1, 15, "save", 1)
    now.typed("Water the mint, too.", 2, 20, "save", 1)
    screen.app.run()
    assert "Saved as version 2." in screen.text
    assert screen.workspace.notes.get(garden.id).body == "Water the mint, too."
    now.typed("Water the mint, too. And", 3, 24, "save", 1)
    screen.app.run()
    assert "Not saved." in screen.text
    assert screen.workspace.notes.get(garden.id).version == 2


def test_a_new_note_is_written_classified_and_saved(garden: Note) -> None:
    screen = typed(Screen().open("notes").press("new_note"), "Feed the hens. #farm\n")
    token = writing(screen.app).token
    assert screen.app.selectbox(f"new_base_{token}").value == "home"  # the only one
    screen.app.text_input(field(screen, "title")).input("Hens").run()
    beside(screen, "fields")
    screen.app.selectbox(field(screen, "type")).set_value("business_rule").run()
    screen.app.number_input(field(screen, "priority")).set_value(3).run()
    screen.press("writing_save")
    assert "Saved as version 1." in screen.text
    card = screen.workspace.notes.find("Hens")
    assert (card.path, card.type, card.priority, card.tags) == ("Hens.md", "business_rule", 3, ("farm",))
    assert [hit.note.id for hit in screen.workspace.search("hens", mode="keyword").hits] == [card.id]
    assert screen.workspace.notes.history(card.id)[0].author == "person"
    assert screen.workspace.drafts.all() == []


def test_an_edit_is_a_new_version_that_is_indexed_in_the_background(garden: Note) -> None:
    screen = typed(edited(garden), "Water the basil and the thyme.\n").press("writing_save").finish("embed")
    note = screen.workspace.notes.get(garden.id)
    assert (note.body, note.version) == ("Water the basil and the thyme.\n", 2)
    assert not screen.workspace.chunks.unfinished()
    screen.press("writing_leave")
    assert "Water the basil and the thyme." in screen.document


def test_what_isnt_saved_is_offered_at_the_next_opening(garden: Note) -> None:
    screen = edited(garden)
    screen.app.text_input(field(screen, "title")).input("Garden in spring").run()
    again = Screen().open("notes", note=garden.id)
    assert "You changed this note" in again.text
    again.press("resume_")
    assert again.app.text_input(field(again, "title")).value == "Garden in spring"
    again.press("writing_save")
    assert again.workspace.notes.get(garden.id).title == "Garden in spring"
    assert again.workspace.drafts.all() == []


def test_a_draft_is_discarded(garden: Note) -> None:
    screen = edited(garden)
    screen.app.text_input(field(screen, "title")).input("Other").run()
    screen.press("writing_leave").press("discard_")
    assert screen.workspace.drafts.all() == []
    assert "You changed this note" not in screen.text


def test_a_note_that_changed_meanwhile_is_shown_and_nothing_is_lost(garden: Note) -> None:
    screen = typed(edited(garden), "Water the basil daily.\n")
    screen.workspace.notes.update(garden.id, body="Sell the basil.\n", embed=False)
    screen.press("writing_save")
    assert "was changed while you wrote" in screen.text
    assert screen.workspace.notes.get(garden.id).body == "Sell the basil.\n"
    screen.press("conflict_on").press("writing_save").press("conflict_mine")
    assert screen.workspace.notes.get(garden.id).body == "Water the basil daily.\n"
    assert screen.workspace.notes.at(garden.id, 2).body == "Sell the basil.\n"


def test_two_windows_that_go_on_with_one_draft_write_two(garden: Note) -> None:
    typed(edited(garden), "Water the basil at six.\n").app.run()
    first = edited(garden)
    first.app.text_input(field(first, "title")).input("First").run()
    second = Screen().open("notes", note=garden.id).press("resume_")
    second.app.text_input(field(second, "title")).input("Second").run()
    first.app.text_input(field(first, "title")).input("First again").run()
    assert {draft.title for draft in first.workspace.drafts.all()} == {"First again", "Second"}
    first.press("writing_save")
    assert [draft.title for draft in first.workspace.drafts.all()] == ["Second"]


def test_a_draft_that_is_offered_is_gone_on_with_as_it_is_at_the_click(garden: Note) -> None:
    first = edited(garden)
    first.app.text_input(field(first, "title")).input("Early").run()
    second = Screen().open("notes", note=garden.id)
    first.app.text_input(field(first, "title")).input("Late").run()
    second.press("resume_")
    assert second.app.text_input(field(second, "title")).value == "Late"


def test_half_a_character_is_no_reason_to_lose_the_others(garden: Note) -> None:
    typed(edited(garden), "Water the \ud83e basil.\n").press("writing_save")
    with Workspace(readonly=True) as workspace:
        assert workspace.notes.get(garden.id).body == "Water the \ufffd basil.\n"


def test_taking_the_other_text_leaves_a_draft(garden: Note) -> None:
    screen = edited(garden)
    screen.app.text_input(field(screen, "title")).input("Mine").run()
    screen.workspace.notes.update(garden.id, title="Theirs", embed=False)
    screen.press("writing_save").press("conflict_theirs")
    assert screen.workspace.notes.get(garden.id).title == "Theirs"
    assert [draft.title for draft in screen.workspace.drafts.all()] == ["Mine"]


def test_a_files_note_is_copied_or_its_base_writes_files(filled: Screen) -> None:
    note = next(card for card in filled.workspace.notes.all() if card.path == "backups.md")
    filled.open("notes", note=note.id).press("edit_note")
    assert "This note is the file" in filled.text
    filled.press("writing_copy")
    copy = writing(filled.app).note
    assert copy is not None
    assert (copy.id != note.id, copy.in_file, copy.title) == (True, False, note.title)
    filled.press("writing_leave").open("notes", note=note.id).press("edit_note").press("write_files_on")
    assert filled.workspace.bases.all()[0].write_files
    assert "This note is the file" not in filled.text


def test_a_file_that_another_program_changed_is_shown_and_not_lost(filled: Screen, vault: Path) -> None:
    note = next(card for card in filled.workspace.notes.all() if card.path == "backups.md")
    filled.workspace.bases.update(note.base, write_files=True)
    typed(filled.open("notes", note=note.id).press("edit_note"), "Mine\n")
    (vault / "backups.md").write_text("Theirs\n")
    filled.press("writing_save")
    assert "was changed while you wrote" in filled.text
    assert "<del>Theirs" in filled.text
    filled.press("conflict_mine")
    assert "Mine" in (vault / "backups.md").read_text()
    assert filled.workspace.notes.at(note.id, 2).body == "Theirs\n"


def test_a_field_over_that_of_a_file_is_marked_and_given_back(filled: Screen) -> None:
    note = next(card for card in filled.workspace.notes.all() if card.path == "backups.md")
    filled.open("notes", note=note.id).press("edit_note")
    beside(filled, "fields")
    filled.app.number_input(field(filled, "priority")).set_value(5).run()
    filled.press("writing_save")
    assert filled.workspace.notes.get(note.id).overridden == {"priority": 0}
    assert "Yours" in filled.text
    filled.press("give_back_priority")
    assert filled.workspace.notes.get(note.id).priority == 0
    assert "Yours" not in filled.text


def test_lines_end_as_they_did(place: Path) -> None:
    with Workspace(place) as workspace:
        note = workspace.notes.add("home", "one\r\ntwo\r\n", title="Lines", embed=False)
    screen = typed(edited(note), "one\ntwo\n")
    assert "Nothing to save." in screen.text
    typed(screen, "one\nnew\ntwo\n").press("writing_save")
    assert screen.workspace.notes.get(note.id).body == "one\r\nnew\r\ntwo\r\n"
