"""By keyboard alone: ask, open a hit, write and save; what is read aloud; a page at twice its size."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Tab, vault_workspace

pytestmark = pytest.mark.browser

PAGES = ("", "notes", "search?q=punt", "bases?base=vault", "settings")
CLIPPED = """() => [...document.querySelectorAll('[data-testid=stMain] :is(a, button, input)')].filter(one => {
  const box = one.getBoundingClientRect();
  return one.checkVisibility() && box.width > 1 && box.right > innerWidth && !one.closest('[role=tablist], table');
}).map(one => one.outerHTML.slice(0, 200))"""
"""Return the controls that reach over the right edge; a list of tabs scrolls."""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("keyboard")
    (folder / "vault").mkdir()
    for number in range(3):
        text = f"# Boats {number}\n\nA punt is pushed along with a long pole. It lies in shed {number}.\n"
        (folder / "vault" / f"boats {number}.md").write_text(text, encoding="utf-8")
    with vault_workspace(folder) as place:
        yield place


def test_a_question_leads_to_the_marked_place_and_its_hits_are_read_aloud(tab: Tab) -> None:
    page = tab.page
    tab.open("/")
    tab.await_keys()
    page.keyboard.press("/")
    expect(page.get_by_role("textbox", name="Ask a question")).to_be_focused()
    tab.settle()
    page.keyboard.type("which shed holds the punt")
    page.keyboard.press("Enter")
    first = page.locator(".st-key-head_1 a")
    expect(first).to_be_visible()
    expect(page.locator("#tessera-aloud")).to_contain_text("hits in 3 notes")
    tab.settle()
    page.keyboard.press("ArrowDown")
    expect(first).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".document .passage").first).to_be_in_viewport()


def test_a_note_is_written_and_saved(tab: Tab) -> None:
    page = tab.page
    tab.open("/notes")
    tab.reach(page.get_by_role("button", name="New note"))
    page.keyboard.press("Enter")
    text = page.get_by_role("textbox", name="Text of the note")
    expect(text).to_be_visible()
    tab.settle()
    tab.reach(text)
    page.keyboard.type("Written without a mouse.")
    page.keyboard.press("Control+s")
    expect(page.locator(".st-key-writing_state").get_by_text("Saved", exact=True)).to_be_visible()
    expect(page.get_by_role("textbox", name="Text of the note")).to_contain_text("Written without a mouse.")
    tab.settle()

    # An edit of it is undone.
    def press(name: str) -> None:
        tab.settle()
        tab.reach(page.get_by_role("button", name=name, exact=True))
        page.keyboard.press("Enter")

    press("Done")
    expect(page.get_by_role("button", name="Edit", exact=True)).to_be_visible()
    tab.settle()
    page.keyboard.press("e")
    expect(text).to_contain_text("Written without a mouse.")
    tab.settle()
    tab.reach(text)
    page.keyboard.press("Control+End")
    page.keyboard.type(" Twice.")
    page.keyboard.press("Control+s")
    expect(page.locator(".st-key-writing_state").get_by_text("Saved", exact=True)).to_be_visible()
    press("Done")
    document = page.locator(".st-key-reader .document")
    expect(document).to_contain_text("Twice")
    press("Undo")
    expect(document).not_to_contain_text("Twice")
    expect(document).to_contain_text("Written without a mouse.")


def test_an_error_is_an_alert(tab: Tab) -> None:
    tab.open("/search?q=priority:x")
    expect(tab.page.get_by_role("alert")).to_contain_text("priority")


def test_at_twice_the_size_no_control_is_cut_off(tab: Tab) -> None:
    tab.page.set_viewport_size({"width": 720, "height": 450})
    clipped = []
    for name in PAGES:
        tab.open(f"/{name}")
        clipped += [f"{name}: {one}" for one in tab.page.evaluate(CLIPPED)]
    assert not clipped, "\n".join(clipped)
