"""Going back in a real browser: the list that is come back to is as it was left."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Tab, vault_workspace

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
    tab.wait_until(lambda: hits.get_by_test_id("stMain").evaluate(SCROLL) == pytest.approx(left, abs=2))


def test_another_page_begins_at_its_top(tab: Tab, hits: Page) -> None:
    hits.get_by_test_id("stSidebar").get_by_role("link", name="Notes").click()
    expect(hits.get_by_role("heading", name="Notes")).to_be_in_viewport()
    tab.settle()
    hits.get_by_test_id("stSidebar").get_by_text("Workbench").click()
    hits.get_by_test_id("stSidebar").get_by_role("link", name="Bases").click()
    expect(hits.get_by_role("heading", name="Bases")).to_be_in_viewport()
