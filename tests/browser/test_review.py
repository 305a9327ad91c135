"""What waits is corrected from the page Review, and its number in the side bar follows."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from core.workspace import Workspace
from tests.browser.conftest import Tab, light_workspace

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with light_workspace(tmp_path_factory.mktemp("review")) as place:
        with Workspace(place) as workspace:
            for name, heat in (("Rye", 220), ("Wheat", 240)):
                text = f"{name}.\n\nThe oven bakes the bread at {heat} degrees.\n"
                workspace.notes.add("home", text, title=name, author="person")
        yield place


def test_a_pair_is_counted_at_the_first_visit_corrected_and_gone(tab: Tab) -> None:
    page = tab.page
    link = page.locator("[data-testid=stSidebar] a[href$='review']")
    tab.open("/review")
    expect(link).to_contain_text("Review · 1")
    page.locator(".st-key-edit_side_0 button").click()
    text = page.get_by_role("textbox", name="Text of the note")
    expect(text).to_be_focused()
    page.keyboard.press("End")
    page.keyboard.type(" Or not.")
    expect(text).to_contain_text("degrees. Or not.")
    page.keyboard.press("Shift+Home")
    page.keyboard.type("The oven is broken.")
    expect(text).to_contain_text("The oven is broken.")
    page.locator(".st-key-writing_leave button").click()
    expect(page.get_by_text("There is nothing to review.")).to_be_visible()
    expect(link).not_to_contain_text("·")
    expect(page.locator(".st-key-notes_done")).to_contain_text("was saved")
    page.locator(".st-key-notes_undo button").click()
    expect(page.locator(".st-key-review_matter mark")).to_have_count(2)
    tab.settle()
    page.locator(".st-key-right_0 button").click()
    expect(page.get_by_text("The choice was applied to 1 note.")).to_be_visible()
    expect(page.get_by_text("There is nothing to review.")).to_be_visible()
