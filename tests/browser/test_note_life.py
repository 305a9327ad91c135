"""The life of a note through the pages: written, searched for, changed, reverted, deleted, restored."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from core.workspace import Workspace
from tests.browser.conftest import Tab, light_workspace

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with light_workspace(tmp_path_factory.mktemp("life")) as place:
        with Workspace(place) as workspace:
            for number in range(8):
                workspace.notes.add("home", f"Shelf {number} is in room {number}.\n", title=f"Shelf {number}")
            workspace.notes.add("home", "- [ ] sow\n- [ ] dig\n- [ ] mow\n" + "\nHoe.\n" * 60, title="Chores")
            folder = place.parent / "garden"
            folder.mkdir()
            (folder / "Beds.md").write_text("# Beds\n\nRows of beans.\n", encoding="utf-8")
            (folder / "Plan.md").write_text("First the [[Beds]].\n", encoding="utf-8")
            workspace.imports.apply(workspace.imports.plan_folder(folder, "home"))
            workspace.bases.update("home", write_files=True)
            workspace.notes.add("home", "Up the stairs.\n", title="Attic", path="house/upper/attic.md", tags=("loft",))
        yield place


def test_a_note_is_written_searched_edited_reverted_deleted_and_restored(tab: Tab, place: Path) -> None:
    page = tab.page
    text = page.get_by_role("textbox", name="Text of the note")
    document = page.locator(".st-key-reader .document")
    hit = page.locator(".st-key-head_1 a")

    tab.open("/notes")
    page.get_by_role("button", name="New note").click()
    expect(text).to_be_visible()
    tab.settle()
    title = page.get_by_role("textbox", name="Title", exact=True)
    title.fill("Beehive")
    title.press("Enter")  # goes on to the text
    expect(text).to_be_focused()
    page.keyboard.type("The queen moved into the zanzibar hive.")
    # The title alone may have been saved before; what is rendered has reached the app.
    page.locator(".st-key-writing_side").get_by_text("Rendered").click()
    expect(page.get_by_role("article")).to_contain_text("zanzibar hive.")
    tab.settle()
    page.keyboard.press("Control+s")
    file = place.parent / "garden" / "Beehive.md"  # the title may have been saved before
    tab.wait_until(lambda: file.exists() and file.read_text("utf-8").endswith("moved into the zanzibar hive."))
    expect(page.locator(".st-key-writing_state").get_by_text("Saved", exact=True)).to_be_visible()

    tab.open("/search?q=zanzibar")
    expect(hit).to_contain_text("Beehive")
    hit.click()
    expect(document).to_contain_text("The queen moved into the zanzibar hive.")
    tab.settle()

    page.get_by_role("button", name="Edit").click()
    expect(text).to_contain_text("zanzibar")
    tab.settle()
    text.click()
    page.keyboard.press("Control+a")
    page.keyboard.type("The queen left for the madagascar hive.")
    page.keyboard.press("Control+Enter")
    expect(page.locator(".st-key-writing_state").get_by_text("Saved", exact=True)).to_be_visible()
    tab.settle()
    page.get_by_role("button", name="Done").click()
    expect(document).to_contain_text("madagascar")

    tab.open("/search?q=madagascar")
    expect(hit).to_contain_text("Beehive")
    tab.open("/search?q=zanzibar")
    expect(page.locator(".st-key-head_1 a", has_text="Beehive")).to_have_count(0)

    tab.open("/notes")
    page.locator(".tree button", has_text="Beehive").click()
    expect(document).to_contain_text("madagascar")
    tab.settle()
    page.get_by_role("button", name="More").click()
    page.get_by_text("History", exact=True).click()
    history = page.get_by_role("dialog")
    expect(history.locator("del")).to_contain_text(["zanzibar"])
    tab.settle()
    first = history.get_by_text(re.compile(r"^\d · ")).last
    number = first.inner_text()[0]
    first.click()
    expect(history.get_by_text(f"removed: only in version {number}")).to_be_visible()
    tab.settle()
    history.get_by_text("Side by side", exact=True).click()
    expect(history.locator(".t-sides > div").first).to_contain_text("zanzibar")
    expect(history.locator(".t-sides > div").last).to_contain_text("madagascar")
    tab.settle()
    history.get_by_text("This version", exact=True).click()
    expect(history.locator(".t-sides")).to_have_count(0)
    expect(history.locator(".st-key-history_text div.t-words")).to_have_text("The queen moved into the zanzibar hive.")
    tab.settle()
    history.get_by_role("button", name="Restore this version").click()
    expect(document).to_contain_text("The queen moved into the zanzibar hive.")
    expect(page.get_by_text(f"was restored to version {number}.")).to_be_visible()
    tab.settle()

    for undone in (True, False):
        page.get_by_role("button", name="More").click()
        page.get_by_text("Delete this note", exact=True).click()
        page.get_by_role("dialog").get_by_role("button", name="Delete", exact=True).click()
        expect(page.locator(".tree button", has_text="Beehive")).to_have_count(0)
        tab.settle()
        if undone:
            page.get_by_role("button", name="Undo").click()
            expect(document).to_contain_text("The queen moved into the zanzibar hive.")
            tab.settle()
    tab.open("/search?q=zanzibar")
    expect(page.locator(".st-key-head_1 a", has_text="Beehive")).to_have_count(0)

    tab.open("/notes")
    page.get_by_text("Trash", exact=True).click()
    page.get_by_role("button", name="Restore", exact=True).click()
    expect(document).to_contain_text("The queen moved into the zanzibar hive.")
    tab.open("/search?q=zanzibar")
    expect(hit).to_contain_text("Beehive")


def test_a_box_is_ticked_with_a_click_and_a_saved_edit_is_undone_with_two(tab: Tab, place: Path) -> None:
    page = tab.page
    task = "- [ ] water the ferns"

    def is_stored() -> bool:
        with Workspace(place, readonly=True) as workspace:
            cards = [card for card in workspace.notes.all() if card.title == "Tasks"]
            return any(workspace.notes.get(card.id).body.strip() == task for card in cards)

    text = page.get_by_role("textbox", name="Text of the note")
    box = page.get_by_role("checkbox", name="water the ferns")
    saved = page.locator(".st-key-writing_state").get_by_text("Saved", exact=True)
    tab.open("/notes")
    page.get_by_role("button", name="New note").click()
    page.get_by_role("textbox", name="Title", exact=True).fill("Tasks")
    expect(text).to_be_visible()
    tab.settle()
    text.click()
    page.keyboard.type(task)
    page.keyboard.press("Control+s")
    tab.wait_until(is_stored)  # "Saved" may still be of the title alone

    tab.open("/notes")
    page.locator(".tree button", has_text="Tasks").click()
    expect(box).not_to_be_checked()
    tab.settle()
    box.click()
    expect(box).to_be_checked()
    tab.settle()

    page.get_by_role("button", name="Edit").click()
    expect(text).to_contain_text("ferns")
    tab.settle()
    text.click()
    page.keyboard.press("Control+End")
    page.keyboard.type(" tomorrow")
    page.keyboard.press("Control+s")
    expect(saved).to_be_visible()
    tab.settle()
    # Two clicks.
    page.get_by_role("button", name="Done").click()
    expect(page.get_by_role("checkbox", name="water the ferns tomorrow")).to_be_visible()
    tab.settle()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("checkbox", name="water the ferns", exact=True)).to_be_checked()


def test_boxes_are_ticked_one_after_another_where_they_stand(tab: Tab, place: Path) -> None:
    with Workspace(place, readonly=True) as workspace:
        note = workspace.notes.resolve("Chores")
    page = tab.page
    boxes = [page.get_by_role("checkbox", name=name, exact=True) for name in ("sow", "dig", "mow")]
    tab.open(f"/notes?note={note.id}")
    expect(boxes[2]).to_be_visible()
    tab.settle()
    places = [box.bounding_box() for box in boxes]
    for box, area in zip(boxes, places, strict=True):
        assert area is not None
        page.mouse.click(area["x"] + area["width"] / 2, area["y"] + area["height"] / 2)
        expect(box).to_be_checked()
        expect(page.get_by_role("button", name="Undo")).to_be_in_viewport()
        tab.settle()
        assert [one.bounding_box() for one in boxes] == places
    # Nothing that stays in view is over the line that takes it back, wherever one reads.
    page.mouse.wheel(0, 600)
    page.get_by_role("button", name="Undo").click()
    expect(boxes[2]).not_to_be_checked()


def test_notes_are_ticked_in_the_list_one_after_another_where_they_stand(tab: Tab) -> None:
    page = tab.page
    tab.open("/notes")
    page.get_by_text("List", exact=True).click()
    table = page.locator(".st-key-notes_side").get_by_test_id("stDataFrame")
    expect(table).to_be_visible()
    tab.settle()
    area = table.bounding_box()
    assert area is not None
    expect(page.get_by_role("button", name="Archive", exact=True)).to_be_disabled()
    for row, label in enumerate(("Delete 1 note", "Delete 2 notes")):
        page.mouse.click(area["x"] + 15, area["y"] + 35 * (row + 1) + 18)
        expect(page.get_by_role("button", name=label, exact=True)).to_be_enabled()
        tab.settle()
        assert table.bounding_box() == area


def test_a_renamed_note_takes_its_file_and_links_along_and_the_tree_stays_at_a_moved_one(tab: Tab, place: Path) -> None:
    page, folder = tab.page, place.parent / "garden"
    dialog = page.get_by_role("dialog")
    beds, attic = (page.locator(".tree button", has_text=text) for text in ("Beds", "Attic"))

    def choose(action: str) -> None:
        tab.settle()
        page.get_by_role("button", name="More").click()
        page.get_by_text(action, exact=True).click()

    tab.open("/notes")
    beds.click()
    expect(page.locator(".st-key-reader .document")).to_contain_text("Rows of beans.")
    choose("Rename…")
    expect(dialog).to_contain_text("Links in 1 note will be updated too:")
    expect(dialog.get_by_role("checkbox", name="Rename the file too")).to_be_checked()
    expect(dialog.get_by_role("listitem")).to_have_text(["Plan"])
    title = dialog.get_by_role("textbox", name="Title")
    expect(title).to_be_focused()
    dialog.focus()
    page.keyboard.press("/")  # which searches outside of dialogs
    title.fill("Raised rows")
    page.keyboard.press("Enter")
    expect(page.get_by_text("'Beds' was renamed to 'Raised rows'. Links in 1 note were updated.")).to_be_visible()
    assert (folder / "Raised rows.md").read_text(encoding="utf-8") == "# Raised rows\n\nRows of beans.\n"
    assert (folder / "Plan.md").read_text(encoding="utf-8") == "First the [[Raised rows]].\n"
    tab.settle()
    page.get_by_role("button", name="Undo").click()
    expect(beds).to_be_visible()
    assert (folder / "Beds.md").read_text(encoding="utf-8") == "# Beds\n\nRows of beans.\n"
    assert (folder / "Plan.md").read_text(encoding="utf-8") == "First the [[Beds]].\n"

    page.locator(".tree summary", has_text="house").click()
    page.locator(".tree summary", has_text="upper").click()
    attic.click()
    expect(page.locator(".st-key-reader .document")).to_contain_text("Up the stairs.")
    choose("Move…")
    dialog.get_by_role("combobox", name="Folder").fill("roof")
    page.keyboard.press("Enter")
    tab.settle()
    dialog.get_by_role("button", name="Move").click()
    expect(page.get_by_text("The note is now at 'roof/attic.md'.")).to_be_visible()
    expect(page.locator(".tree details[data-name='roof']")).to_have_attribute("open", "")
    expect(attic).to_be_visible()

    tab.settle()
    page.get_by_role("combobox", name="Filter").click()
    page.keyboard.type("attic")
    page.keyboard.press("Enter")
    expect(page.locator(".tree button")).to_have_count(1)
    tab.settle()
    page.keyboard.type("tag:l")
    expect(page.get_by_role("option").first).to_have_text("tag:loft")
    page.keyboard.press("Enter")
    expect(page.locator(".tree button")).to_have_count(1)
