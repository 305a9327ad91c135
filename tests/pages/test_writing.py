import threading
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.model import Note
from core.workspace import Workspace
from pages.ui.notes import composer
from pages.ui.notes.session import SITTING, Action, EditorSession, State, draft_about
from tests.pages.conftest import Screen


def writing(app: AppTest) -> EditorSession:
    now = app.session_state["writing"]
    assert isinstance(now, EditorSession)
    return now


def typed(screen: Screen, text: str) -> Screen:
    """Type a text: the component doesn't run here, so what it would send is taken over."""
    now = writing(screen.app)
    now.take_text(text, now.number + 1, len(text))
    composer.keep_draft(now)
    screen.app.run()
    return screen


def paused(screen: Screen) -> Screen:
    """Pause, as the component tells it."""
    return _requested(screen, "rest")


def saved(screen: Screen) -> Screen:
    """Press Ctrl+S."""
    return _requested(screen, "save")


def _requested(screen: Screen, action: Action) -> Screen:
    writing(screen.app).request(action)
    screen.app.run()
    return screen


def field(screen: Screen, name: str) -> str:
    """The key of a field's widget."""
    now = writing(screen.app)
    return f"note_{name}_{now.token}_{now.redraws}"


def beside(screen: Screen, view: str) -> Screen:
    sides = ("writing_side", "reading_side")
    next(group for group in screen.app.button_group if group.key in sides).set_value(view).run()
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
    now.take_text("Water the mint.", 1, 15, "save", 1)
    now.take_text("Water the mint, too.", 2, 20, "save", 1)
    screen.app.run()
    assert "Saved\n" in screen.text
    assert screen.workspace.notes.get(garden.id).body == "Water the mint, too."
    now.take_text("Water the mint, too. And", 3, 24, "save", 1)
    screen.app.run()
    assert "Saving…" in screen.text
    assert screen.workspace.notes.get(garden.id).version == 2


def test_a_save_that_takes_long_adds_its_note_once_though_a_box_is_ticked_meanwhile(
    garden: Note, monkeypatch: pytest.MonkeyPatch
) -> None:
    screen = Screen().open("notes").press("new_note")
    typed(screen, "- [ ] sow")
    now, notes = writing(screen.app), screen.workspace.notes
    add, began, twice = notes.add, threading.Event(), threading.Event()

    def slow(*place: Any, **about: Any) -> Note:
        (twice if began.is_set() else began).set()
        twice.wait(1)
        return add(*place, **about)

    monkeypatch.setattr(notes, "add", slow)
    runs = [threading.Thread(target=composer.save, args=(now,), kwargs={"automatic": True}) for _ in range(2)]
    runs[0].start()
    began.wait(60)
    now.take_text("- [x] sow", now.number + 1, 9)
    runs[1].start()
    for run in runs:
        run.join()
    assert not twice.is_set()
    assert [notes.get(card.id).body for card in notes.all() if card.id != garden.id] == ["- [x] sow"]
    assert (now.state, now.conflict) == (State.SAVED, None)


def test_letters_that_arrive_while_a_new_note_is_saved_leave_no_draft_of_it(
    garden: Note, monkeypatch: pytest.MonkeyPatch
) -> None:
    screen = typed(Screen().open("notes").press("new_note"), "See")
    now, drop = writing(screen.app), composer.drop_draft
    late = threading.Thread(target=composer.keep_draft, args=(now,))

    def dropped(session: EditorSession) -> None:
        drop(session)
        if late.ident is None:
            now.take_text("See the shelf", now.number + 1, 13)
            late.start()
            late.join(1)

    monkeypatch.setattr(composer, "drop_draft", dropped)
    composer.save(now, automatic=True)
    late.join()
    composer.save(now, automatic=True)
    assert screen.workspace.notes.get(now.note_id).body == "See the shelf"
    assert screen.workspace.drafts.all() == []


def test_a_new_note_is_written_classified_and_saved(garden: Note) -> None:
    screen = typed(Screen().open("notes").press("new_note"), "Feed the hens. #farm\n")
    token = writing(screen.app).token
    assert f"new_base_{token}" not in {box.key for box in screen.app.selectbox}  # there is one base only
    screen.app.text_input(field(screen, "title")).input("Hens").run()
    beside(screen, "fields")
    screen.app.selectbox(field(screen, "type")).set_value("reference").run()
    screen.app.number_input(field(screen, "priority")).set_value(3).run()
    assert "Saved\n" in screen.text
    card = screen.workspace.notes.find("Hens")
    assert (card.path, card.type, card.priority, card.tags) == ("Hens.md", "reference", 3, ("farm",))
    assert [hit.note.id for hit in screen.workspace.search("hens", mode="keyword").hits] == [card.id]
    assert [(one.kind, one.author) for one in screen.workspace.versions.all(card.id)] == [("create", "person")]
    assert screen.workspace.drafts.all() == []


def test_a_field_of_one_word_is_emptied_and_stays_empty(place: Path) -> None:
    with Workspace(place) as workspace:
        note = workspace.notes.add("home", "Sow in May.\n", category="peas", embed=False)
        workspace.notes.add("home", "Dig in April.\n", category="beds", embed=False)
    screen = beside(edited(note), "fields")
    box = screen.app.selectbox(field(screen, "category"))
    assert (box.value, box.proto.HasField("default")) == ("peas", False)  # so it has a cross
    box.set_value(None).run()
    assert paused(screen).workspace.notes.get(note.id).category == ""
    screen.press("writing_leave").press("edit_note")
    assert screen.app.selectbox(field(screen, "category")).value is None
    screen.app.selectbox(field(screen, "category")).set_value("beds").run()
    assert paused(screen).workspace.notes.get(note.id).category == "beds"


@pytest.mark.parametrize(("begun_on", "folder"), [("notes", "kitchen"), ("home", "")])
def test_a_new_note_goes_into_the_folder_of_a_note_only_where_that_is_shown(
    filled: Screen, begun_on: str, folder: str
) -> None:
    read = next(card.id for card in filled.workspace.notes.all() if str(card.path).startswith("kitchen/"))
    filled.open("notes", note=read).open(begun_on)
    filled.app.session_state["switching"] = True
    filled.app.run()
    filled.app.text_input("switch_text").input("Spoons").run()
    filled.press("switch_to_new")
    now = writing(filled.app)
    assert (now.value("title"), now.folder) == ("Spoons", folder)


def test_a_new_note_goes_into_one_of_the_bases_and_makes_none(garden: Note) -> None:
    screen = Screen()
    screen.workspace.bases.add("work")
    screen = typed(screen.open("notes").press("new_note"), "Feed the hens.\n")
    box = screen.app.selectbox(f"new_base_{writing(screen.app).token}")
    assert (box.value, box.options, box.proto.accept_new_options) == ("home", ["home", "work"], False)
    box.set_value("work").run()
    (note,) = paused(screen).workspace.notes.all(screen.workspace.searching.filters(bases=["work"]))
    assert note.title == "Feed the hens."
    assert {base.name for base in screen.workspace.bases.all()} == {"home", "work"}


def test_an_edit_is_a_new_version_that_is_indexed_in_the_background(garden: Note) -> None:
    screen = paused(typed(edited(garden), "Water the basil and the thyme.\n")).finish("embed")
    note = screen.workspace.notes.get(garden.id)
    assert (note.body, note.version) == ("Water the basil and the thyme.\n", 2)
    assert not screen.workspace.pending.any()
    screen.press("writing_leave")
    assert "Water the basil and the thyme." in screen.document


def test_what_isnt_saved_is_offered_at_the_next_opening(garden: Note) -> None:
    typed(edited(garden), "Water the basil at six.\n")
    again = Screen().open("notes", note=garden.id)
    assert "You changed this note" in again.text
    again.press("resume_")
    assert again.workspace.notes.get(garden.id).body == "Water the basil at six.\n"  # who goes on has it saved
    assert again.workspace.drafts.all() == []


def test_pauses_of_one_sitting_make_one_version(garden: Note) -> None:
    screen = edited(garden)
    for text in ("Water", "Water the mint", "Water the mint."):
        paused(typed(screen, text))
    assert [(one.number, one.kind) for one in screen.workspace.versions.all(garden.id)] == [
        (4, "update"),
        (1, "create"),
    ]
    now = writing(screen.app)
    assert now.autosaved_at is not None
    now.autosaved_at -= SITTING
    paused(typed(screen, "Water the"))
    saved(typed(screen, "Water the sage."))  # by hand: it takes the place of the pause before, and stays
    paused(typed(screen, "Water the thyme."))
    assert [
        screen.workspace.versions.get(garden.id, one.number).body for one in screen.workspace.versions.all(garden.id)
    ] == [*("Water the thyme.", "Water the sage.", "Water the mint.", "Water the basil.\n")]


def test_a_note_is_called_as_its_first_line_is_in_the_end(garden: Note) -> None:
    screen = Screen().open("notes").press("new_note")
    paused(typed(screen, "# Feed the"))
    paused(typed(screen, "# Feed the hens\n\nAt six."))
    card = screen.workspace.notes.find("Feed the hens")
    assert (card.path, len(screen.workspace.versions.all(card.id))) == ("Feed the hens.md", 1)
    screen.app.text_input(field(screen, "title")).input("Hens").run()
    screen.press("writing_leave").press("edit_note")
    paused(typed(screen, "# Feed the geese\n"))
    assert screen.workspace.notes.get(card.id).title == "Hens"


def test_a_new_note_is_a_file_where_its_base_writes_files(filled: Screen, vault: Path) -> None:
    [base] = filled.workspace.bases.all()
    filled.workspace.bases.update(base.name, write_files=True)
    before = {*vault.rglob("*")}

    def made() -> list[str]:
        return sorted(str(file.relative_to(vault)) for file in {*vault.rglob("*")} - before if file.is_file())

    screen = filled.open("notes").press("new_note")
    paused(typed(screen, "Feed the"))
    assert made() == ["Feed the.md"]
    paused(typed(screen, "Feed the hens. At six?"))
    assert made() == ["Feed the hens. At six.md"]
    token = writing(screen.app).token
    assert screen.app.text_input(field(screen, "title")).value == ""
    screen.app.selectbox(f"new_folder_{token}").set_value("kitchen").run()
    assert made() == ["kitchen/Feed the hens. At six.md"]
    typed(screen, "Feed the hens. At six?\nAnd the geese.").press("writing_leave")
    assert (vault / made()[0]).read_text() == "Feed the hens. At six?\nAnd the geese."
    assert screen.workspace.imports.plan_folder(vault).is_empty
    screen.press("edit_note")
    paused(typed(screen, "")).press("writing_leave")
    assert made(), "an older note is not taken back"
    screen = Screen().open("notes").press("new_note")
    paused(typed(screen, "Water the basil"))
    assert len(made()) == 2
    typed(screen, "\n")
    assert "Close and keep draft" not in screen.text
    screen.press("writing_leave")
    assert made() == ["kitchen/Feed the hens. At six.md"]
    assert [one.version.title for one in screen.workspace.trash.all()] == ["Water the basil"]
    assert len(screen.workspace.drafts.all()) == 1, "that of the older note"


def test_a_new_note_that_was_emptied_again_is_in_the_trash_unless_it_has_a_title(garden: Note) -> None:
    screen = Screen().open("notes").press("new_note")
    paused(typed(paused(typed(screen, "Water the mint")), "")).press("writing_leave")
    assert [card.title for card in screen.workspace.notes.all()] == ["Garden"]
    assert len(screen.workspace.trash.all()) == 1
    screen.press("new_note")
    paused(typed(screen, "Water"))
    screen.app.text_input(field(screen, "title")).input("Mint").run()
    paused(typed(screen, "")).press("writing_leave")
    assert {card.title for card in screen.workspace.notes.all()} == {"Garden", "Mint"}


def test_what_was_typed_is_saved_when_the_editor_is_left(garden: Note) -> None:
    typed(edited(garden), "Water the mint.\n").press("writing_leave")
    screen = typed(edited(garden), "Water the mint, too.\n").open("home")
    assert screen.workspace.notes.get(garden.id).body == "Water the mint, too.\n"
    assert screen.workspace.drafts.all() == []
    assert len(screen.workspace.versions.all(garden.id)) == 3


def test_a_text_that_cant_be_saved_says_why_and_stays_a_draft(filled: Screen, vault: Path) -> None:
    note = next(card for card in filled.workspace.notes.all() if card.path == "backups.md")
    filled.workspace.bases.update(note.base, write_files=True)
    typed(filled.open("notes", note=note.id).press("edit_note"), "")
    paused(filled)
    assert "A file without any text isn't a note" in filled.text.replace("\\", "")
    assert "Not saved yet." in filled.text
    filled.press("writing_leave")
    assert "You changed this note" in filled.text


def test_a_draft_is_discarded(garden: Note) -> None:
    typed(edited(garden), "Other\n")
    screen = Screen().open("notes", note=garden.id).press("discard_")
    assert screen.workspace.drafts.all() == []
    assert "You changed this note" not in screen.text


def test_home_leads_to_what_isnt_saved(garden: Note) -> None:
    typed(edited(garden), "Other\n")
    links = {link.proto.label: link.proto.query_string for link in Screen().open("home").app.get("page_link")}
    assert [query for label, query in links.items() if "Unsaved draft" in label] == [f"note={garden.id}"]
    screen = Screen().open("notes", note=garden.id).press("discard_").open("home")
    assert not [link for link in screen.app.get("page_link") if "Unsaved draft" in link.proto.label]


def test_a_note_that_changed_meanwhile_is_shown_and_nothing_is_lost(garden: Note) -> None:
    screen = typed(edited(garden), "Water the basil daily.\n")
    screen.workspace.notes.update(garden.id, body="Sell the basil.\n", embed=False)
    paused(screen)
    assert "was changed while you were writing" in screen.text
    typed(screen, "Water the basil twice a day.\n")
    assert screen.workspace.notes.get(garden.id).body == "Sell the basil.\n"
    screen.press("conflict_mine")
    assert screen.workspace.notes.get(garden.id).body == "Water the basil twice a day.\n"
    assert screen.workspace.versions.get(garden.id, 2).body == "Sell the basil.\n"


def test_changes_of_other_lines_are_merged_and_undone_by_a_click(place: Path) -> None:
    before, theirs = "One.\n\nTwo.\n\nThree.\n", "Nought.\nOne.\n\nTwo.\n\nThree.\n"
    with Workspace(place) as workspace:
        note = workspace.notes.add("home", before, title="Numbers", embed=False)
    screen = typed(edited(note), mine := "One.\n\nTwo.\n\nThree 🙂, and four.\n")
    notes = screen.workspace.notes
    notes.update(note.id, body=theirs, tags=["numbers"], embed=False)
    paused(screen)
    now = writing(screen.app)
    both = "Nought.\nOne.\n\nTwo.\n\nThree 🙂, and four.\n"
    assert (notes.get(note.id).body, now.body, notes.get(note.id).tags) == (both, both, ("numbers",))
    assert now.caret == len(mine) + len("Nought.\n")
    assert "Both changes were kept" in screen.text
    assert screen.workspace.drafts.all() == []
    screen.press("notes_undo")
    assert (notes.get(note.id).body, writing(screen.app).body) == (mine, mine)
    assert theirs in [
        screen.workspace.versions.get(note.id, one.number).body for one in screen.workspace.versions.all(note.id)
    ]
    paused(typed(screen, f"{mine}Five.\n"))
    assert notes.get(note.id).body == f"{mine}Five.\n"


def test_a_field_that_both_changed_is_for_the_user_to_choose(garden: Note) -> None:
    screen = edited(garden)
    screen.workspace.notes.update(garden.id, priority=2, embed=False)
    beside(screen, "fields")
    screen.app.number_input(field(screen, "priority")).set_value(3).run()
    assert "was changed while you were writing" in paused(screen).text
    assert screen.workspace.notes.get(garden.id).priority == 2


def test_a_text_that_is_kept_over_another_takes_no_version_away(garden: Note) -> None:
    """Also where the version before the other one came by itself a moment ago."""
    screen = paused(typed(edited(garden), "Water the basil daily.\n"))
    notes = screen.workspace.notes
    notes.update(garden.id, body="Sell the basil.\n", embed=False)
    paused(typed(screen, "Water the basil twice a day.\n"))
    assert "was changed while you were writing" in screen.text
    screen.press("conflict_mine")
    assert [
        screen.workspace.versions.get(garden.id, one.number).body for one in screen.workspace.versions.all(garden.id)
    ] == [*("Water the basil twice a day.\n", "Sell the basil.\n", "Water the basil daily.\n", "Water the basil.\n")]


def test_two_windows_that_go_on_with_one_draft_write_two(garden: Note) -> None:
    first = typed(edited(garden), "First")
    second = Screen().open("notes", note=garden.id)
    screen = typed(first, "First again")
    second.press("resume_")  # as the draft is at the click
    assert writing(second.app).body == "First again"
    assert second.workspace.notes.get(garden.id).body == "First again"
    typed(second, "Second")
    paused(typed(screen, "First once more"))
    assert "was changed while you were writing" in screen.text
    assert {draft.body for draft in first.workspace.drafts.all()} == {"First once more", "Second"}
    paused(second)
    assert [draft.body for draft in first.workspace.drafts.all()] == ["First once more"]


def test_late_letters_go_to_the_editor_that_was_opened_last(garden: Note) -> None:
    """Not to one that was closed."""
    screen = typed(edited(garden), "Water")
    first = writing(screen.app)
    (draft,) = screen.workspace.drafts.all()
    closed, opened = (
        EditorSession(token, first.note, "home", "Water", number=1, draft_id=first.draft_id)
        for token in ("closed", "opened")
    )
    letter = {"token": first.token, "number": 2, "text": "Water daily", "at": 11, "about": draft_about(draft)}
    app = AppTest.from_function(_take_letters)
    app.session_state["writings"] = {session.token: session for session in (closed, opened)}
    app.session_state["letters"] = {"typed": {"resume": "", "items": [letter]}}
    app.run()
    assert not app.exception
    assert (closed.body, opened.body) == ("Water", "Water daily")


@pytest.mark.parametrize("is_new", [False, True])
def test_a_window_that_heard_of_no_save_continues_the_note_that_it_saved(garden: Note, is_new: bool) -> None:
    """In another session of the same server: its connection broke, so it knows the note as it was before."""
    screen = Screen().open("notes").press("new_note") if is_new else edited(garden)
    typed(screen, "Water")
    (draft,) = screen.workspace.drafts.all()
    paused(typed(screen, "Water daily"))
    first = writing(screen.app)
    letter = {"token": first.token, "number": 3, "text": "Water twice", "at": 11, "about": draft_about(draft)}
    app = AppTest.from_function(_take_letters)
    app.session_state["page"] = "notes"
    app.session_state["letters"] = {"typed": {"resume": first.token, "items": [letter]}}
    app.run()
    assert not app.exception
    composer.save(now := writing(app))
    assert (now.state, now.note and now.note.id) == (State.SAVED, first.note and first.note.id)
    assert now.note
    assert screen.workspace.notes.get(now.note.id).body == "Water twice"


def _take_letters() -> None:  # the source runs alone, as a page
    from pages.ui.notes import composer

    composer._take_sent()


def test_half_a_character_is_no_reason_to_lose_the_others(garden: Note) -> None:
    paused(typed(edited(garden), "Water the \ud83e basil.\n"))
    with Workspace(readonly=True) as workspace:
        assert workspace.notes.get(garden.id).body == "Water the \ufffd basil.\n"


def test_taking_the_other_text_leaves_mine_in_the_history_and_no_draft(garden: Note) -> None:
    screen = edited(garden)
    notes = screen.workspace.notes
    notes.update(garden.id, title="Theirs", embed=False)
    screen.app.text_input(field(screen, "title")).input("Mine").run()
    screen.press("conflict_theirs")
    assert [
        screen.workspace.versions.get(garden.id, one.number).title for one in screen.workspace.versions.all(garden.id)
    ][:3] == [
        "Theirs",
        "Mine",
        "Theirs",
    ]
    assert screen.workspace.drafts.all() == []
    assert "You changed this note" not in screen.text
    screen.press("notes_undo")
    assert notes.get(garden.id).title == "Mine"


def test_keeping_both_texts_makes_a_note_of_the_other_one(garden: Note) -> None:
    screen = typed(edited(garden), "Water the basil daily.\n")
    notes = screen.workspace.notes
    notes.update(garden.id, title="Theirs", tags=["herbs"], body="Sell the basil.\n", embed=False)
    paused(screen).press("conflict_both")
    other = next(card for card in notes.all() if card.id != garden.id)
    assert (other.title, other.tags, other.base) == ("Theirs (other version)", ("herbs",), "home")
    assert notes.get(other.id).body == "Sell the basil.\n"
    assert notes.get(garden.id).body == "Water the basil daily.\n"
    assert screen.workspace.drafts.all() == []


def test_a_files_note_is_copied_where_its_base_only_reads_files(filled: Screen) -> None:
    note = next(card for card in filled.workspace.notes.all() if card.path == "backups.md")
    filled.open("notes", note=note.id).press("edit_note")
    assert "This note is the file" in filled.text
    assert "pg_restore" in filled.document, "its text is next to the fields"
    filled.press("writing_copy")
    copy = writing(filled.app).note
    assert copy is not None
    assert (copy.id != note.id, copy.in_file, copy.title) == (True, False, f"{note.title} (copy)")
    filled.press("writing_leave")
    filled.workspace.bases.update(note.base, write_files=True)
    filled.open("notes", note=note.id).press("edit_note")
    assert "This note is the file" not in filled.text


def test_undoing_that_both_texts_are_kept_leads_back_to_the_conflict(garden: Note) -> None:
    screen = typed(edited(garden), "Water the basil daily.\n")
    notes = screen.workspace.notes
    notes.update(garden.id, title="Theirs", body="Sell the basil.\n", embed=False)
    paused(screen).press("conflict_both").press("notes_undo")
    assert [card.title for card in notes.all()] == ["Theirs"]
    assert notes.get(garden.id).body == "Sell the basil.\n"
    assert "Which version do you want to keep?" in screen.text.replace("\\", "")
    now = writing(screen.app)
    assert (now.state, now.body) == (State.CONFLICT, "Water the basil daily.\n")
    screen.press("conflict_mine")
    assert (notes.get(garden.id).title, notes.get(garden.id).body) == ("Theirs", "Water the basil daily.\n")
    assert screen.workspace.drafts.all() == []


def test_the_text_of_a_document_is_edited_in_a_copy_which_takes_what_was_typed(place: Path, tmp_path: Path) -> None:
    (tmp_path / "garden").mkdir()
    (tmp_path / "garden" / "peas.rst").write_text("Peas\n====\n\nPeas climb.\n")
    with Workspace(place) as workspace:
        workspace.imports.apply(workspace.imports.plan_folder(tmp_path / "garden"))
        (card,) = workspace.notes.all()
        workspace.bases.update(card.base, write_files=True)
        note = workspace.notes.get(card.id)
    assert note.document
    screen = edited(note)
    assert "it was converted from a document" in screen.text
    paused(typed(screen, "Peas climb high.\n"))  # as an earlier version let them type
    assert [draft.body for draft in screen.workspace.drafts.all()] == ["Peas climb high.\n"]
    screen.press("writing_copy")
    copy = writing(screen.app).note
    assert copy is not None
    assert (copy.title, copy.body, copy.document) == ("Peas (copy)", "Peas climb high.\n", None)
    assert screen.workspace.notes.get(note.id).body == note.body
    assert screen.workspace.drafts.all() == []


def test_a_tag_that_the_text_has_is_not_removed_from_its_field_in_silence(garden: Note) -> None:
    screen = saved(typed(edited(garden), "Water the basil. #herbs\n"))
    box = screen.app.multiselect(field(screen, "tags"))
    box.set_value([]).run()
    (said,) = (toast.value for toast in screen.app.toast)
    assert said.replace("\\", "") == "Tags in the text are kept. To remove them, delete them from the text: #herbs"
    assert screen.app.multiselect(field(screen, "tags")).value == ["herbs"]
    assert screen.workspace.notes.get(garden.id).tags == ("herbs",)


@pytest.mark.parametrize("address", [{"import": "open"}, {"base": "home"}])
def test_a_link_to_the_import_or_to_a_base_leads_out_of_the_editor(garden: Note, address: dict[str, str]) -> None:
    screen = typed(Screen().open("notes", base="home").press("new_note"), "Feed the hens.\n")
    screen.open("home").app.query_params.clear()
    screen.open("notes", **address)
    assert "writing" not in screen.app.session_state
    assert ("Import and update" in screen.text) == ("import" in address)
    assert screen.workspace.notes.find("Feed the hens.").id != garden.id


def test_a_press_counts_though_a_pause_in_typing_is_reported_after_it(garden: Note) -> None:
    screen = edited(garden)
    now = writing(screen.app)
    now.request("leave")
    now.take_text("Water the mint.", 1, 15, "rest", 1)
    screen.app.run()
    assert "writing" not in screen.app.session_state
    assert screen.workspace.notes.get(garden.id).body == "Water the mint."


def test_a_file_that_another_program_changed_is_shown_and_not_lost(filled: Screen, vault: Path) -> None:
    note = next(card for card in filled.workspace.notes.all() if card.path == "backups.md")
    filled.workspace.bases.update(note.base, write_files=True)
    typed(filled.open("notes", note=note.id).press("edit_note"), "Mine\n")
    (vault / "backups.md").write_text("Theirs\n")
    paused(filled)
    assert "was changed while you were writing" in filled.text
    assert "<del>Theirs" in filled.text
    filled.press("conflict_mine")
    assert "Mine" in (vault / "backups.md").read_text()
    assert filled.workspace.versions.get(note.id, 2).body == "Theirs\n"


def test_a_field_over_that_of_a_file_is_marked_and_given_back(filled: Screen) -> None:
    note = next(card for card in filled.workspace.notes.all() if card.path == "backups.md")
    filled.open("notes", note=note.id).press("edit_note")
    beside(filled, "fields")
    filled.app.number_input(field(filled, "priority")).set_value(5).run()
    assert filled.workspace.notes.get(note.id).overridden == {"priority": 0}
    assert "Set only in Tessera, not in the file" in filled.text
    filled.press("give_back_priority")
    assert filled.workspace.notes.get(note.id).priority == 0
    assert "Set only in Tessera" not in filled.text
    filled.app.selectbox(field(filled, "status")).set_value("archived").run()
    assert "Set only in Tessera. The file says: active" in filled.text.replace("\\", "")


def test_lines_end_as_they_did(place: Path) -> None:
    with Workspace(place) as workspace:
        note = workspace.notes.add("home", "one\r\ntwo\r\n", title="Lines", embed=False)
    screen = typed(edited(note), "one\ntwo\n")
    assert "Saving…" not in screen.text
    paused(typed(screen, "one\nnew\ntwo\n"))
    assert screen.workspace.notes.get(note.id).body == "one\r\nnew\r\ntwo\r\n"


def test_where_todays_note_goes_is_asked_once_and_again_where_its_base_or_template_is_gone(
    garden: Note, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # where the settings are written
    screen = Screen().open("notes").press("today")
    assert "Choose where to save today's note. You only need to do this once." in screen.text.replace("\\", "")
    assert "today_base" not in {box.key for box in screen.app.selectbox}
    screen.press("today_yes")
    note = writing(screen.app).note
    assert note
    assert (note.path, note.body) == (f"{note.title}.md", f"# {note.title}\n\n")
    screen.press("writing_leave").press("today")
    assert writing(screen.app).note == screen.workspace.notes.get(note.id)
    screen.press("writing_leave").open("settings").tab("General", "daily")
    assert f"Today's note: {note.title}.md" in screen.text.replace("\\", "")
    screen.app.text_input("setting_daily.format").set_value("YYYY/[Day] DDDD").run()
    screen.app.selectbox("setting_daily.template").set_value("Garden.md").run()
    screen.open("notes").press("today")
    again = writing(screen.app).note
    assert again
    assert again.body == "Water the basil.\n"
    assert "/Day " in str(again.path)
    screen.press("writing_leave")
    screen.workspace.trash.put([again.id, garden.id])
    screen.press("today")
    assert "The template for today's note, 'Garden.md', no longer exists." in screen.text.replace("\\", "")
    screen.press("today_yes").press("writing_leave")
    for base in ("desk", "shelf"):
        screen.workspace.bases.add(base)
    screen.workspace.bases.delete("home")
    screen.press("today")
    assert "Today's note goes to the base 'home', which doesn't exist here." in screen.text.replace("\\", "")


def test_a_title_that_was_changed_in_the_editor_offers_once_that_links_follow(garden: Note) -> None:
    with Workspace() as workspace:
        plan = workspace.notes.add("home", "First the [[Garden]].\n", title="Plan", embed=False)
    screen = edited(garden)
    screen.app.text_input(field(screen, "title")).input("Kitchen garden").run()
    paused(screen).press("writing_leave")
    assert "1 note links to the old title." in screen.text.replace("\\", "")
    screen.press("edit_note")
    screen.app.text_input(field(screen, "title")).input("Kitchen").run()
    paused(screen).press("writing_leave")
    assert "1 note links to the old title." in screen.text.replace("\\", "")  # which is still the first one
    screen.workspace.notes.update(garden.id, body="Changed meanwhile.", author="person", embed=False)
    screen.press("retitled_yes")
    assert screen.errors
    screen.press("retitled_yes")
    assert screen.workspace.notes.get(plan.id).body == "First the [[Kitchen]].\n"
    assert "old title" not in screen.text
    screen.press("notes_undo")
    assert screen.workspace.notes.get(plan.id).body == "First the [[Garden]].\n"
    screen.press("edit_note")
    screen.app.text_input(field(screen, "title")).input("Herbs").run()
    paused(screen).press("writing_leave").press("retitled_no")
    assert "old title" not in screen.text
    assert "old title" not in screen.open("notes", note=garden.id).text
