"""From a folder to a comparison in a real browser: import, edit a chunk, search, mark what is right, ask."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Tab, import_folder

pytestmark = pytest.mark.browser

SECTION = "The {name} of the house is described here in a sentence that is long enough to fill a line. " * 24
RUN = 120_000


def vault(folder: Path) -> Path:
    folder.mkdir(parents=True)
    sections = [f"## {name}\n\n{SECTION.format(name=name)}" for name in ("Kitchen", "Cellar", "Attic", "Garden")]
    (folder / "house.md").write_text("# House\n\n" + "\n\n".join(sections), encoding="utf-8")
    (folder / "boats.md").write_text("# Boats\n\nA punt is pushed along with a long pole.\n", encoding="utf-8")
    return folder


def test_from_a_folder_to_a_comparison(tab: Tab, tmp_path: Path) -> None:
    page = tab.page
    import_folder(tab, vault(tmp_path / "house"))

    # Look at the chunks, and change one.
    tab.open("/chunks")
    page.locator(".tree button", has_text="House").click()
    expect(page.locator(".own")).to_have_count(4)
    page.locator(".own").nth(1).dblclick()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("textbox", name="Text of the chunk").fill("The cellar is where the cider is kept.")
    tab.settle()
    page.keyboard.press("Control+Enter")
    expect(dialog).to_have_count(0)
    expect(page.locator(".own").nth(1)).to_contain_text("cider")
    tab.settle()

    # Search, and mark what is right.
    for question, right in (("how is a punt moved", "Boats"), ("where do herbs grow, the garden", "Garden")):
        tab.open(f"/search?q={question}")
        card = page.locator("[class*='st-key-hit_']").filter(has_text=right).first
        expect(card).to_be_visible()
        tab.settle()
        card.get_by_role("button", name="Why this?").first.click()
        card.get_by_role("button", name="Correct passage").click()
        expect(page.get_by_text("Added to 'My questions'")).to_be_visible()
        tab.settle()

    # Run two setups.
    page.get_by_test_id("stSidebar").get_by_role("link", name="Evaluation").click()
    expect(page.get_by_role("heading", name="Evaluation")).to_be_visible()
    tab.settle()
    page.locator(".st-key-way_1").get_by_role("radio", name="Keywords only").click()
    expect(page.locator(".st-key-way_1 .t-name")).to_have_text("By keyword only")
    tab.settle()
    page.get_by_role("button", name="Run these 2 setups").click()
    expect(page.locator(".t-verdict")).to_contain_text("too few questions", timeout=RUN)
    expect(page.locator(".t-figures").first).to_contain_text("First hit is correct")
    expect(page).to_have_url(re.compile("runs=.+question="))

    # Left the questions, right what was recalled, the right characters marked.
    expect(page.locator(".t-gold").first).to_contain_text("A punt is pushed along")
    expect(page.locator("[class*='st-key-recalled_0_'] mark").first).to_contain_text("A punt is pushed along")
    table = page.locator(".st-key-rows_list").get_by_test_id("stDataFrame")
    expect(table.locator("[role=gridcell]", has_text="where do herbs grow").first).to_be_attached()
    table.scroll_into_view_if_needed()
    box = tab.still(table)
    page.mouse.click(box["x"] + 15, box["y"] + 35 + 35 + 17)
    expect(page.locator(".t-gold").first).to_contain_text("The Garden of the house")
    tab.settle()
    page.reload()
    expect(page.locator(".t-gold").first).to_contain_text("The Garden of the house")

    # The runs there were.
    page.locator(".st-key-eval_view").get_by_role("radio", name="History").click()
    expect(page.get_by_role("button", name="View")).to_be_visible()
    expect(page.locator("[role=gridcell]", has_text="By keyword only").first).to_be_attached()
