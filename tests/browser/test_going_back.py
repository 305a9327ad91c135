"""Going back in a real browser: the list that is come back to is as it was left."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from streamlit.proto.BackMsg_pb2 import BackMsg

from tests.browser.conftest import Tab, vault_workspace
from tests.browser.wire import Wire

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
def wire(tab: Tab) -> Wire:
    return Wire(tab)


@pytest.fixture
def hits(tab: Tab) -> Page:
    """The page of a question, with more hits, one of them unfolded, scrolled to that."""
    page = tab.page
    tab.open("/search?q=apple")
    expect(page.get_by_text("Ready to search")).to_be_visible()  # the page is drawn anew then
    tab.settle()
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


@pytest.mark.parametrize("at_once", [False, True], ids=["as they come", "at once"])
def test_a_link_is_one_step_of_the_history(tab: Tab, wire: Wire, hits: Page, at_once: bool) -> None:
    hits.locator(".st-key-hit_11").get_by_role("link").click()
    expect(hits.locator(".passage").first).to_be_visible()
    tab.settle()
    note, before = hits.url, len(wire.heard())
    if at_once:  # the page then adds its query to the address before Streamlit has changed the path
        wire.hold("heard")
    hits.get_by_test_id("stSidebar").get_by_role("link", name="Search").click()
    tab.wait_until(lambda: any(said.HasField("page_info_changed") for said in wire.heard()[before:]))
    wire.release()
    expect(hits.locator(".st-key-hit_1")).to_be_visible()  # the page adds the last question to its address
    hits.wait_for_url("**/search?q=apple")
    tab.settle()
    hits.go_back()
    expect(hits.locator(".passage").first).to_be_visible()
    assert hits.url == note
    hits.go_back()
    expect(hits.locator(".st-key-hit_1")).to_be_visible()


def test_another_page_begins_at_its_top(tab: Tab, hits: Page) -> None:
    hits.get_by_test_id("stSidebar").get_by_role("link", name="Notes").click()
    expect(hits.get_by_role("heading", name="Notes")).to_be_in_viewport()
    tab.settle()
    hits.get_by_test_id("stSidebar").get_by_text("Workbench").click()
    hits.get_by_test_id("stSidebar").get_by_role("link", name="Bases").click()
    expect(hits.get_by_role("heading", name="Bases")).to_be_in_viewport()


def drawn_page(wire: Wire) -> str:
    """The page that the server has drawn last."""
    return [said.navigation.page_script_hash for said in wire.heard() if said.HasField("navigation")][-1]


def parts(wire: Wire) -> list[str]:
    """The pages for which a run of a part has begun, not of a whole page."""
    begun = [said for said in wire.heard() if said.HasField("new_session") and said.metadata.run.fragment_ids]
    return [said.new_session.page_script_hash for said in begun]


def tick(wire: Wire, page: str) -> None:
    """Ask for a part of the side bar, which is on each page, as the timer of a page does."""
    in_sidebar = [said.delta.fragment_id for said in wire.heard() if said.metadata.delta_path[:1] == [1]]
    asked = BackMsg()
    asked.rerun_script.fragment_id = next(filter(None, in_sidebar))
    asked.rerun_script.page_script_hash = page
    asked.rerun_script.is_auto_rerun = True
    wire.say(asked.SerializeToString())


def test_a_timer_of_the_page_that_was_left_leaves_the_new_page_as_it_is(tab: Tab) -> None:
    page, wire = tab.page, Wire(tab)
    tab.open("/search")
    expect(page.get_by_role("textbox", name="Ask a question")).to_be_visible()
    left = drawn_page(wire)
    page.get_by_test_id("stSidebar").get_by_role("link", name="Notes").click()
    expect(page.get_by_role("button", name="New note")).to_be_visible()
    tab.settle()
    before = len(parts(wire))
    tick(wire, left)
    page.request.get(tab.url + "/_stcore/health")  # two that wait at once would be taken for one
    tick(wire, drawn_page(wire))
    tab.wait_until(lambda: drawn_page(wire) in parts(wire)[before:])
    tab.settle()
    expect(page.get_by_role("button", name="New note")).to_be_visible()
    assert left not in parts(wire)[before:]


def test_a_window_that_went_blank_is_loaded_anew(tab: Tab) -> None:
    page = tab.page
    tab.open("/search")
    expect(page.get_by_role("textbox", name="Ask a question")).to_be_visible()
    tab.wait_until(lambda: page.evaluate("Boolean(window.tesseraBlank)"))  # nobody watches the window before
    page.evaluate("document.getElementById('root').replaceChildren()")
    expect(page.get_by_role("textbox", name="Ask a question")).to_be_visible()
