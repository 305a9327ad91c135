"""The end of an import: a toast, a line with what needs a decision, and a row in the list of what ran."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Route, expect

from tests.browser.conftest import Tab, importing, tessera, vault_workspace

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("imports")
    for name in ("vault", "kites", "punts"):
        (folder / name).mkdir()
        (folder / name / "one.md").write_text("# One\n\nA kite flies over the shed.\n", encoding="utf-8")
    (folder / "kites" / "photo.md").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(64))
    with vault_workspace(folder) as place:
        yield place


def test_a_finished_import_is_a_line_above_the_note_that_is_written_next(tab: Tab, place: Path) -> None:
    page = tab.page
    page.set_viewport_size({"width": 1280, "height": 800})
    tab.open("/")
    page.get_by_role("link", name="Import more notes").click()
    page.get_by_role("textbox", name="Folder path").fill(str(place.parent / "kites"))
    page.keyboard.press("Enter")
    expect(page.get_by_text("What will change")).to_be_visible()
    tab.settle()
    with importing(tab):
        page.get_by_role("button", name="Apply").click()
        expect(page.get_by_test_id("stToast").get_by_text("1 added")).to_be_visible()
    panel = page.locator(".st-key-job_import")
    expect(panel.locator(".t-list")).to_contain_text("photo.md")
    expect(page.get_by_role("textbox", name="Folder path")).to_have_count(0)
    side = page.get_by_test_id("stSidebar")
    expect(side.get_by_text("1 file could not be read")).to_be_visible()
    tab.settle()
    expect(side.locator("a[href$='bases']")).to_have_count(1)  # two would be marked at once
    side.get_by_role("button", name="See details").click()
    expect(page.get_by_role("heading", name="Knowledge bases")).to_be_visible()
    tab.settle()
    side.get_by_role("link", name="Notes").click()
    expect(page.get_by_role("button", name="New note")).to_be_visible()
    tab.settle()
    panel.get_by_role("button", name="Ignore this file").click()
    expect(panel.locator(".t-list")).to_have_count(0)
    expect(side.get_by_text("Up to date")).to_be_visible()
    tab.settle()

    page.get_by_role("button", name="New note").click()
    page.get_by_role("textbox", name="Title", exact=True).fill("Zanzibar")
    text = page.get_by_role("textbox", name="Text of the note")
    expect(text).to_be_visible()
    tab.settle()
    text.click()
    page.keyboard.type("The keel is blue.")
    page.keyboard.press("Control+s")
    expect(page.locator(".st-key-writing_state").get_by_text("Saved", exact=True)).to_be_visible()
    tab.settle()
    page.get_by_role("button", name="Done").click()
    expect(page.locator(".st-key-reader .document").get_by_text("The keel is blue.")).to_be_in_viewport()


def test_apply_is_shown_where_it_stays(tab: Tab, place: Path) -> None:
    """The browser loads the choice above the button late, which moves the button away from a click."""
    page, late = tab.page, list[Route]()
    tessera("base", "new", "fens")
    page.route(re.compile(r"/Radio\.[^/]+\.js$"), lambda route: late.append(route))
    tab.open("/notes?base=fens&import=1")
    page.get_by_role("textbox", name="Folder path").fill(str(place.parent / "punts"))
    page.keyboard.press("Enter")
    expect(page.get_by_text("What will change in 'fens'")).to_be_visible()
    apply = page.locator(".st-key-plan_apply button")
    expect(apply).to_have_count(1)
    tab.settle()
    expect(page.locator(".st-key-plan").get_by_test_id("stSkeleton")).to_be_visible()
    expect(apply).to_be_hidden()
    for route in late:
        route.continue_()
    with importing(tab):
        apply.click()
