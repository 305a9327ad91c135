"""Help in a real browser: the guide, the tour by keyboard, keys that lead to a page, and pages in a wide window."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.conftest import Tab, light_workspace, tessera

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with light_workspace(tmp_path_factory.mktemp("help")) as place:
        tessera("packs", "install", "sample")
        yield place


def test_each_page_leads_to_its_chapter_and_chapters_to_each_other(tab: Tab) -> None:
    page = tab.page
    tab.open("/review")
    page.get_by_role("link", name="Help on this page").click()
    expect(page.get_by_role("heading", name="What waits for your decision", level=1)).to_be_visible()

    tab.open("/help")
    page.get_by_role("textbox", name="Find in the guide").fill("assistant reads")
    found = page.locator("mark").first
    expect(found).to_be_visible()
    page.get_by_role("link", name="Assistants", exact=True).first.click()
    expect(page.get_by_role("heading", name="Assistants", level=1)).to_be_visible()
    page.get_by_role("link", name="waits on the Review page").click()
    expect(page.get_by_role("heading", name="What programs write", level=1)).to_be_visible()
    tab.settle()
    page.go_back()
    expect(page.get_by_role("heading", name="Assistants", level=1)).to_be_visible()


def test_the_tour_marks_the_control_of_its_step_and_leaves_the_keyboard_free(tab: Tab) -> None:
    page = tab.page
    tab.open("/")
    tab.reach(page.get_by_role("button", name="Take the tour"))
    page.keyboard.press("Enter")
    expect(page.get_by_text("Tour, step 1 of 5")).to_be_visible()
    tab.settle()
    expect(page.locator(".st-key-ask_row > div").first).to_have_css("outline-style", "solid")
    tab.reach(page.get_by_role("textbox", name="Ask a question"))
    page.get_by_role("button", name="Next").click()
    expect(page.get_by_text("Tour, step 2 of 5")).to_be_visible()
    tab.settle()
    page.get_by_role("button", name="Next").click()
    expect(page.get_by_text("Tour, step 3 of 5")).to_be_visible()
    expect(page.locator('[class*="st-key-bands_"]:not(.st-key-bands_view)')).to_have_css("outline-style", "solid")
    tab.settle()
    page.get_by_role("button", name="End the tour").click()
    expect(page.get_by_text("Tour, step")).to_have_count(0)


def test_keys_begin_a_note_and_lead_to_a_page(tab: Tab) -> None:
    page = tab.page
    tab.open("/settings")
    tab.await_keys()
    page.keyboard.press("Alt+n")
    expect(page.locator(".cm-content")).to_be_visible()
    tab.settle()

    page.keyboard.press("Control+o")
    page.get_by_role("textbox", name="Title, alias, path").fill("evalu")
    page.get_by_role("dialog").get_by_role("button", name="Evaluation").click()
    expect(page.get_by_role("heading", name="Evaluation")).to_be_visible()
    tab.settle()

    page.keyboard.press("Control+o")
    page.get_by_role("textbox", name="Title, alias, path").fill("Bread of May")
    page.get_by_role("button", name="New note: Bread of May").click()
    expect(page.locator(".cm-content")).to_be_visible()
    expect(page.get_by_role("textbox", name="Title").first).to_have_value("Bread of May")


def test_a_wide_window_has_two_columns_and_a_narrower_one_has_one(tab: Tab) -> None:
    page = tab.page
    for path, first, second in (
        ("/", ".st-key-recent_notes", ".st-key-more_notes"),
        ("/settings", ".st-key-settings_look", ".st-key-note_types"),
    ):
        page.set_viewport_size({"width": 1920, "height": 1080})
        tab.open(path)
        left, right = page.locator(first), page.locator(second)
        expect(right).to_be_visible()
        assert _x(left) + 500 < _x(right)
        page.set_viewport_size({"width": 1280, "height": 1080})
        expect(right).to_be_visible()
        assert abs(_x(left) - _x(right)) < 2


def _x(element: Locator) -> float:
    box = element.bounding_box()
    assert box is not None
    return box["x"]
