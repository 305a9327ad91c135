"""The Notes page as a place to read: what links here, the notes that are open, undo, and what the menu does."""

from pathlib import Path

import pytest

from core.workspace import Workspace
from tests.pages.conftest import Screen


@pytest.fixture
def desk(place: Path) -> Screen:
    """Two notes that were written here; one links to the other."""
    with Workspace(place) as workspace:
        workspace.notes.add("desk", "- [ ] call\n- [x] write\n", title="Plan", author="person")
        text = "Nothing. * The [[Plan]] is **old**. Later more."
        workspace.notes.add("desk", text, title="Diary", path="work/diary.md", author="person")
    return Screen().finish("warm")


def opened(screen: Screen, title: str) -> str:
    note_id = screen.workspace.notes.find(title).id
    screen.open("notes", note=note_id)
    return str(note_id)


def test_a_link_from_another_note_stands_there_with_its_sentence_and_a_beginning(desk: Screen) -> None:
    opened(desk, "Plan")
    assert "<p>The Plan is old.</p>" in desk.document
    assert 'title="Diary Nothing. * The' in desk.document


def test_notes_close_in_meaning_are_drawn_among_the_neighbours_once_that_is_in_memory(desk: Screen) -> None:
    for number in range(8):
        desk.workspace.notes.add("desk", "A much longer sentence about something else.", title=f"Other {number}")
    desk.workspace.notes.add("desk", "- [ ] call\n- [x] write\n", title="Plan again")
    plan = opened(desk, "Plan")
    assert "Diary" in desk.document.partition("<svg")[2].partition("</svg")[0]
    assert "Plan again" not in desk.document
    desk.workspace.related.of(plan)
    desk.app.run()
    drawn, _, legend = desk.document.partition("<svg")[2].partition("</svg")
    assert "Plan again" in drawn
    assert "dashed line: close in meaning" in legend


def test_notes_of_one_title_are_told_apart_where_one_is_chosen(desk: Screen) -> None:
    same = [desk.workspace.notes.add("desk", f"Fox {number}.", title="Fox", embed=False).id for number in range(3)]
    for note_id in same:
        desk.open("notes", note=note_id)
    tabs = next(group for group in desk.app.button_group if group.key == "open_notes")
    assert list(tabs.options) == ["Fox", "Fox (2)", "Fox (3)"]
    for note_id in same:
        next(group for group in desk.app.button_group if group.key == "open_notes").set_value(note_id).run()
        assert not desk.app.exception
        assert desk.app.session_state["open_note"] == note_id


def test_notes_linked_from_and_to_the_open_one_can_be_opened_beside_it(desk: Screen) -> None:
    desk.workspace.notes.add("desk", "Alone.", title="Alone", embed=False)
    plan, diary = (desk.workspace.notes.find(title).id for title in ("Plan", "Diary"))
    for note_id, other, title in ((plan, diary, "Diary"), (diary, plan, "Plan")):
        screen = Screen().open("notes", note=note_id)
        assert not [group for group in screen.app.button_group if group.key == "open_notes"]
        menu = screen.app.menu_button("open_second")
        assert list(menu.options) == [title]
        menu.click(other).run()
        assert screen.app.query_params["second"] == other
    alone = Screen().open("notes", note=desk.workspace.notes.find("Alone").id)
    assert "open_second" not in [menu.key for menu in alone.app.menu_button]


def test_what_a_person_hid_is_in_no_sentence(desk: Screen) -> None:
    note_id = desk.workspace.notes.find("Diary").id
    desk.workspace.chunks.delete(desk.workspace.chunks.all(note_id)[0].id)
    opened(desk, "Plan")
    assert "is old" not in desk.document
    assert "Nothing" not in desk.document


def test_the_notes_that_are_open_are_one_click_away(desk: Screen) -> None:
    plan = opened(desk, "Plan")
    diary = opened(desk, "Diary")
    tabs = desk.app.segmented_control(key="open_notes")
    assert tabs.options == ["Plan", "Diary"]
    tabs.set_value(plan).run()
    assert "call" in desk.document
    desk.workspace.trash.put([diary])
    desk.app.run()
    assert not any(one.key == "open_notes" for one in desk.app.segmented_control)


def test_a_saved_edit_can_be_undone_where_the_note_is_read(desk: Screen) -> None:
    plan = opened(desk, "Plan")
    notes = desk.workspace.notes
    notes.update(plan, body="first", author="person")
    notes.update(plan, body="second", author="person")
    desk.app.run()
    assert "'Plan' was saved as version 3." in desk.text.replace("\\", "")
    desk.press("notes_undo")
    assert notes.get(plan).body == "- [ ] call\n- [x] write\n"
    assert not [one for one in desk.app.button if one.key == "notes_undo"], "the undo itself offers none"


def test_a_note_is_renamed_moved_copied_and_saved_from_its_menu(desk: Screen) -> None:
    plan = opened(desk, "Plan")
    menu, notes = f"note_menu_{plan}", desk.workspace.notes
    desk.app.menu_button(menu).click("rename").run()
    desk.app.text_input(f"rename_{plan}").set_value("Plans")
    desk.press("rename_yes")
    assert notes.get(plan).title == "Plans"
    desk.app.menu_button(menu).click("move").run()
    desk.app.selectbox(f"move_{plan}").set_value("work").run()
    desk.press("move_yes")
    assert notes.get(plan).path == "work/Plans.md"
    desk.app.menu_button(menu).click("export").run()
    assert desk.app.get("download_button")[0].proto.label == r"Plans\.md"
    assert desk.workspace.files.text(plan).endswith("---\n- [ ] call\n- [x] write\n")
    desk.app.session_state["changing_note"] = None
    for title in ("Plans (copy)", "Plans (copy) 2"):
        desk.app.menu_button(menu).click("copy").run()
        copy = notes.get(desk.app.session_state["open_note"])
        assert (copy.id != plan, copy.title, copy.path) == (True, title, f"work/{title}.md")
        assert f"The copy is at 'work/{title}.md'." in desk.text.replace("\\", "")
        opened(desk, "Plans")
    desk.app.menu_button(menu).click("copy").run()
    desk.press("notes_undo").open("notes")
    assert len([card for card in notes.all() if "copy" in card.title]) == 2


def test_a_box_is_ticked_for_the_version_that_is_read_and_in_files_only_where_they_are_written(
    desk: Screen, vault: Path
) -> None:
    plan = opened(desk, "Plan")
    assert 'data-line="0"' in desk.document
    (vault / "todo.md").write_text("- [ ] one\n", encoding="utf-8")
    notes = desk.workspace.notes
    desk.workspace.imports.apply(desk.workspace.imports.plan_folder(vault, "files"))
    todo = opened(desk, "todo")
    assert "data-line" not in desk.document
    desk.workspace.bases.update("files", write_files=True)
    desk.app.run()
    assert "data-line" in desk.document
    notes.tick(todo, 0, expected_version=1)
    assert (vault / "todo.md").read_text(encoding="utf-8") == "- [x] one\n"
    assert notes.get(plan).version == 1


def test_a_map_among_the_properties_is_written_a_line_for_each_part(desk: Screen, tmp_path: Path) -> None:
    (tmp_path / "book.md").write_text(
        "---\nauthor:\n  name: Ann\n  homes: [Ely, Ayr]\n  dead:\n---\nText.\n", encoding="utf-8"
    )
    desk.workspace.imports.apply(desk.workspace.imports.plan_folder(tmp_path, "books"), embed=False)
    opened(desk, "book")
    parts = "<div><b>name</b>: Ann</div><div><b>homes</b>: Ely, Ayr</div>"
    assert f"<b>author</b>: <div class='t-nested'>{parts}</div>" in desk.text
