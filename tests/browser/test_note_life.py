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
        yield place


def test_a_note_is_written_searched_edited_reverted_deleted_and_restored(tab: Tab) -> None:
    page = tab.page
    text = page.get_by_role("textbox", name="Text of the note")
    document = page.locator(".st-key-reader .document")
    hit = page.locator(".st-key-head_1 a")

    tab.open("/notes")
    page.get_by_role("button", name="New note").click()
    page.get_by_role("textbox", name="Title", exact=True).fill("Beehive")
    expect(text).to_be_visible()
    tab.settle()
    text.click()
    page.keyboard.type("The queen moved into the zanzibar hive.")
    page.keyboard.press("Control+s")
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
    history.get_by_role("button", name=f"Go back to version {number}").click()
    expect(document).to_contain_text("The queen moved into the zanzibar hive.")
    expect(page.get_by_text(f"is as in version {number} again.")).to_be_visible()
    tab.settle()

    page.get_by_role("button", name="More").click()
    page.get_by_text("Delete this note", exact=True).click()
    page.get_by_role("dialog").get_by_role("button", name="Delete", exact=True).click()
    expect(page.locator(".tree button", has_text="Beehive")).to_have_count(0)
    tab.open("/search?q=zanzibar")
    expect(page.locator(".st-key-head_1 a", has_text="Beehive")).to_have_count(0)

    tab.open("/notes")
    page.get_by_text("Trash", exact=True).click()
    page.get_by_role("button", name="Restore", exact=True).click()
    expect(document).to_contain_text("The queen moved into the zanzibar hive.")
    tab.open("/search?q=zanzibar")
    expect(hit).to_contain_text("Beehive")


def test_a_box_is_ticked_with_a_click_and_a_saved_edit_is_undone_with_two(tab: Tab) -> None:
    page = tab.page
    text = page.get_by_role("textbox", name="Text of the note")
    box = page.get_by_role("checkbox", name="water the ferns")
    saved = page.locator(".st-key-writing_state").get_by_text("Saved", exact=True)
    tab.open("/notes")
    page.get_by_role("button", name="New note").click()
    page.get_by_role("textbox", name="Title", exact=True).fill("Tasks")
    expect(text).to_be_visible()
    tab.settle()
    text.click()
    page.keyboard.type("- [ ] water the ferns")
    page.keyboard.press("Control+s")
    expect(saved).to_be_visible()

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
    clicks = [page.get_by_role("button", name="Done"), page.get_by_role("button", name="Undo")]
    for click in clicks:
        click.click()
        tab.settle()
    expect(page.get_by_role("checkbox", name="water the ferns", exact=True)).to_be_checked()
    assert len(clicks) == 2
