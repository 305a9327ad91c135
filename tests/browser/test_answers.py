"""Asking in a real browser: the answer above the hits, its number, and the marked place in the note."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Tab, import_folder

pytestmark = pytest.mark.browser

FILLING = "\n\n".join(f"The {word} room of the mill has a floor of stone and a low door." for word in "abcdefghijkl")
OPENING = "## Opening\n\nThe mill opens at nine on Sundays. It is closed in winter."
NOTE = f"# The mill\n\n{FILLING}\n\n{OPENING}\n\n{FILLING}\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("mills")
    (folder / "mill.md").write_text(NOTE, encoding="utf-8")
    (folder / "barn.md").write_text("# The barn\n\nThe barn holds apples and hay until spring.\n", encoding="utf-8")
    return folder


def test_an_answer_leads_to_its_marked_place(tab: Tab, folder: Path) -> None:
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
    assert not {"Search", "Options", "Legend", "Show more", "The barn"} & {question, *lines}
    quote = answer.locator("[class*='st-key-quote_']").filter(has_text="opens at nine")
    tab.settle()
    quote.get_by_role("link").click()
    marked = page.locator("#passage")
    expect(marked).to_contain_text("The mill opens at nine on Sundays.")
    expect(marked).to_be_in_viewport()
    expect(marked).not_to_contain_text("low door")


def test_a_follow_up_is_asked_by_keyboard_and_the_question_before_is_one_step_back(tab: Tab, folder: Path) -> None:
    import_folder(tab, folder)
    first, both = "when does the mill open on Sundays?", "when does the mill open on Sundays, and in winter?"
    tab.open("/search?q=when+does+the+mill+open+on+Sundays%3F")
    page = tab.page
    further = page.get_by_role("textbox", name="Ask a follow-up")
    tab.reach(further)
    page.keyboard.type("and in winter?")
    page.keyboard.press("Enter")
    question = page.locator(".st-key-q input")
    expect(question).to_have_value(both)
    expect(page.locator("[class*='st-key-answer']").filter(has_text="closed in winter").first).to_be_visible()
    back = page.locator(".st-key-earlier_questions").get_by_role("link")
    expect(back).to_have_text(re.compile(re.escape(first)))
    page.reload()
    expect(question).to_have_value(both)
    expect(further).to_be_visible()
    tab.settle()
    page.go_back()
    expect(question).to_have_value(first)
    expect(back).to_have_count(0)
    page.go_forward()
    expect(back).to_have_count(1)
    tab.settle()
    tab.reach(back)
    page.keyboard.press("Enter")
    expect(question).to_have_value(first)
    expect(back).to_have_count(0)
