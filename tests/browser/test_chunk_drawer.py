"""Editing chunks in a real browser: what the bands do with mouse and keyboard."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Tab

pytestmark = pytest.mark.browser
IMPORT = 120_000

SECTION = "The {name} of the house is described here in a sentence that is long enough to fill a line. " * 24


def vault(folder: Path) -> Path:
    (folder / "rooms").mkdir(parents=True)
    sections = [f"## {name}\n\n{SECTION.format(name=name)}" for name in ("Kitchen", "Cellar", "Attic", "Garden")]
    (folder / "rooms" / "house.md").write_text("# House\n\n" + "\n\n".join(sections), encoding="utf-8")
    (folder / "other.md").write_text("# Other\n\nSomething else.\n", encoding="utf-8")
    return folder


def test_a_band_is_opened_edited_and_found(tab: Tab, tmp_path: Path) -> None:
    page = tab.page
    tab.open("/notes")
    page.get_by_role("textbox", name="Folder path").fill(str(vault(tmp_path / "vault")))
    page.keyboard.press("Enter")
    expect(page.get_by_text("What this sync would do")).to_be_visible()
    tab.settle()
    page.get_by_role("button", name="Apply").click()
    expect(page.get_by_text("Import finished")).to_be_visible(timeout=IMPORT)
    expect(page.get_by_text("Model ready")).to_be_visible(timeout=IMPORT)

    # The tree in the sidebar: a folder, its note.
    tab.open("/chunks")
    page.locator(".tree summary", has_text="rooms").click()
    page.locator(".tree button", has_text="House").click()
    expect(page.locator(".own")).to_have_count(4)
    assert "note=" in page.url

    # A double click opens the drawer, Ctrl+Enter saves.
    page.locator(".own").nth(1).dblclick()
    dialog = page.get_by_role("dialog")
    box = dialog.get_by_role("textbox", name="Text of the chunk")
    expect(box).to_have_value(re.compile("Cellar"))
    box.fill("The cellar hides a periwinkle lantern.")
    page.keyboard.press("Control+Enter")
    expect(dialog).to_have_count(0)
    band = page.locator(".own").nth(1)
    expect(band).to_contain_text("periwinkle lantern")
    expect(band.locator(".badge")).to_have_text("edited")

    # Enter opens the chosen one, Escape closes, arrows choose the next.
    tab.settle()
    page.locator(".own").nth(2).click()
    expect(page).to_have_url(re.compile("chunk=2"))
    tab.settle()
    page.locator(".note").focus()
    page.keyboard.press("Enter")
    expect(dialog.get_by_role("textbox", name="Text of the chunk")).to_have_value(re.compile("Attic"))
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    tab.settle()
    page.locator(".note").focus()
    page.keyboard.press("ArrowDown")
    expect(page).to_have_url(re.compile("chunk=3"))
    expect(page.locator(".own.on")).to_contain_text("Garden")

    tab.open("/search?q=periwinkle")
    card = page.locator(".st-key-hit_1")
    expect(card).to_contain_text("periwinkle lantern")
    expect(card.locator(".t-edited")).to_have_text("edited")

    # Two cuts side by side: what one of them has alone is marked.
    card.get_by_role("link", name="Open in Chunks").click()
    expect(page.locator(".own.on")).to_contain_text("periwinkle lantern")
    page.get_by_test_id("stMain").get_by_text("Compare", exact=True).click()
    expect(page.locator(".only .badge").first).to_have_text("only here")
