"""Asking in a real browser: the answer above the hits, its number, and the marked place in the note."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Tab, import_folder

pytestmark = pytest.mark.browser

FILLING = "\n\n".join(f"The {word} room of the mill has a floor of stone and a low door." for word in "abcdefghijkl")
OPENING = "## Opening\n\nThe mill opens at nine on Sundays. It is closed in winter."
NOTE = f"# The mill\n\n{FILLING}\n\n{OPENING}\n\n{FILLING}\n"


def test_an_answer_leads_to_its_marked_place(tab: Tab, tmp_path: Path) -> None:
    folder = tmp_path / "mills"
    folder.mkdir()
    (folder / "mill.md").write_text(NOTE, encoding="utf-8")
    (folder / "barn.md").write_text("# The barn\n\nThe barn holds apples and hay until spring.\n", encoding="utf-8")
    import_folder(tab, folder)
    tab.open("/search?q=when+does+the+mill+open+on+Sundays%3F")
    page = tab.page
    answer = page.locator(".st-key-answer")
    expect(answer).to_contain_text("The mill opens at nine on Sundays.")
    expect(page.locator(".st-key-hit_1")).to_be_visible()
    # Printed: the question, the answer and its source, and nothing to click.
    expect(page.get_by_test_id("stSidebar").get_by_text("Up to date")).to_be_visible()  # nothing draws the page anew
    tab.settle()
    question, *lines = tab.printed().splitlines()
    assert question == "when does the mill open on Sundays?"
    assert lines[-1].startswith("[1] The mill")
    assert "The mill opens at nine on Sundays." in " ".join(lines[:-1])
    assert not {"Search", "Options", "Marks", "Show more", "The barn"} & {question, *lines}
    quote = answer.locator("[class*='st-key-quote_']").filter(has_text="opens at nine")
    tab.settle()
    quote.get_by_role("link").click()
    marked = page.locator("#passage")
    expect(marked).to_contain_text("The mill opens at nine on Sundays.")
    expect(marked).to_be_in_viewport()
    expect(marked).not_to_contain_text("low door")
