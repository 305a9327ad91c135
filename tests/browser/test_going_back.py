"""Going back in a real browser: the list that is come back to is as it was left."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Tab, tessera, vault_workspace

pytestmark = pytest.mark.browser

SCROLL = "area => area.scrollTop"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("back")
    (folder / "vault").mkdir()
    for number in range(25):
        text = f"# Apple {number}\n\nThe apple of tree {number} keeps until spring.\n\n## Storing\n\nA dry cellar.\n"
        (folder / "vault" / f"{number:02d}.md").write_text(text * 3, encoding="utf-8")
    with vault_workspace(folder) as place:
        question = '{"id": "1", "question": "How long do apples keep?", "gold": []}'
        tessera("questions", "add", "Fruit", "--base", "vault", "--questions", question)
        yield place


@pytest.fixture
def hits(tab: Tab) -> Page:
    """The page of a question, with more hits, one of them unfolded, scrolled to that."""
    page = tab.page
    tab.open("/search?q=apple")
    page.get_by_role("button", name="More hits").click()
    expect(page.locator(".st-key-hit_11")).to_be_visible()
    tab.settle()
    page.locator(".st-key-hit_11").hover()
    page.mouse.wheel(0, 20)
    return page


@pytest.mark.parametrize("way", ["the browser's back", "the link"])
def test_the_hits_are_where_they_were_left(tab: Tab, hits: Page, way: str) -> None:
    card = hits.locator(".st-key-hit_11")
    card.get_by_role("button", name="Show more").first.click()
    expect(card.get_by_role("button", name="Copy")).to_be_visible()
    card.get_by_role("link").hover()
    left = hits.get_by_test_id("stMain").evaluate(SCROLL)
    assert left
    card.get_by_role("link").click()
    expect(hits.locator(".passage").first).to_be_visible()
    tab.settle()
    if way == "the link":
        hits.get_by_role("link", name="Back to the hits").click()
    else:
        hits.go_back()
    expect(card.get_by_role("button", name="Copy")).to_be_visible()
    expect(card.get_by_role("link")).to_be_in_viewport()
    assert hits.get_by_test_id("stMain").evaluate(SCROLL) == pytest.approx(left, abs=2)


def test_another_page_begins_at_its_top(tab: Tab, hits: Page) -> None:
    hits.get_by_test_id("stSidebar").get_by_role("link", name="Notes").click()
    expect(hits.get_by_role("heading", name="Notes")).to_be_in_viewport()
    tab.settle()
    hits.get_by_test_id("stSidebar").get_by_role("link", name="Bases").click()
    expect(hits.get_by_role("heading", name="Bases")).to_be_in_viewport()


def test_one_step_back_undoes_one_step(tab: Tab) -> None:
    page, side = tab.page, tab.page.get_by_test_id("stSidebar")
    tab.open("/")
    side.get_by_role("link", name="Evaluation").click()
    expect(page).to_have_url(re.compile("set=Fruit"))  # the page completes its address
    tab.settle()
    side.get_by_role("link", name="Notes").click()
    title = page.locator(".st-key-reader .t-title")
    for number in (0, 1):
        page.locator(".tree button", has_text=f"Apple {number}").first.click()
        expect(title).to_have_text(f"Apple {number}")
        tab.settle()
    page.go_back()
    expect(title).to_have_text("Apple 0")
    tab.settle()
    page.go_back()
    expect(page.get_by_text("Choose a note to read it")).to_be_visible()
    tab.settle()
    page.go_back()
    expect(page.get_by_role("heading", name="Evaluation")).to_be_visible()
    tab.settle()
    page.go_back()
    expect(page.get_by_role("button", name="Search")).to_be_visible()
    tab.settle()
    side.get_by_role("link", name="Search").click()
    box = page.get_by_role("textbox", name="Ask a question or type a few words")
    box.fill("apple")
    page.keyboard.press("Enter")
    expect(page.locator(".st-key-hit_1")).to_be_visible()
    tab.settle()
    page.go_back()
    expect(box).to_have_value("")
    expect(page.locator(".st-key-hit_1")).to_have_count(0)
