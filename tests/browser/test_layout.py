"""What stands in a row keeps together, and what narrow screens leave out has a way in its place."""

import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, expect

from core.workspace import Workspace
from tests.browser.conftest import Tab, light_workspace, serving

pytestmark = pytest.mark.browser

PLACES = """row => [...row.querySelectorAll("button, a")].filter(one => one.offsetWidth).map(one => {
  const { left, right, top, height } = one.getBoundingClientRect();
  return [left, right, top + height / 2].map(Math.round);
})"""
"""Where each button and link of a row begins, ends and has its middle."""

CUT = """main => [...main.querySelectorAll("button, a, label, input, summary")].filter(one => {
  const { width, right } = one.getBoundingClientRect();
  const column = one.closest("[data-testid=stColumn], [data-testid=stMainBlockContainer]");
  return width > 2 && !one.closest("[role=tablist]") && right > column.getBoundingClientRect().right + 2;
}).map(one => one.textContent)"""
"""The controls that end beyond their column, where they are cut."""
PAGES = ("search?q=swept", "notes", "chunks?note=1", "evaluation", "bases")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with light_workspace(tmp_path_factory.mktemp("layout")) as place:
        with Workspace(place) as workspace:
            for base in ("kitchen", "garden"):
                workspace.bases.add(base)
                workspace.notes.add(base, f"The {base} is swept on Fridays.", author="person", title=f"The {base}")
            asked = json.dumps({"id": "q1", "question": "When is it swept?", "gold": []}).encode()
            workspace.question_sets.add_file("kitchen", "mine", asked, "mine.jsonl")
        yield place


@pytest.fixture(scope="module")
def server(place: Path, chromium: Browser) -> Iterator[str]:
    with serving(place) as url:
        yield url


def places(tab: Tab, row: Locator, width: int) -> list[tuple[int, int, int]]:
    tab.page.set_viewport_size({"width": width, "height": 800})
    expect(row).to_be_visible()
    tab.settle()
    return [tuple(one) for one in row.evaluate(PLACES)]


def test_rows_of_buttons_keep_together(tab: Tab) -> None:
    page = tab.page
    tab.open("/bases")
    row = page.locator("[class*='st-key-card_actions_']").first
    wide = places(tab, row, 1280)
    assert {after[0] - before[1] for before, after in pairwise(wide)} == {16}
    assert len({middle for _, _, middle in wide}) == 1
    *_, export, trash = narrow = places(tab, row, 390)
    assert len(narrow) == 5
    assert (trash[0] - export[1], trash[2]) == (16, export[2])

    tab.open("/evaluation?base=kitchen&view=questions")
    row = page.locator(".st-key-question_sets")
    expect(row.get_by_role("button", name="Export")).to_be_visible()
    assert len({middle for _, _, middle in places(tab, row, 1120)}) == 1


def test_one_box_narrows_the_notes_that_chunks_offers(tab: Tab) -> None:
    page = tab.page
    page.set_viewport_size({"width": 390, "height": 800})
    tab.open("/chunks")
    offered = page.locator("[class*='st-key-offer_']")
    expect(offered).to_have_count(2)
    page.get_by_role("textbox", name="Title or path").fill("garden")
    page.keyboard.press("Enter")
    expect(offered).to_have_count(1)
    expect(page.locator(".st-key-tree")).to_be_hidden()
    page.set_viewport_size({"width": 1280, "height": 800})
    expect(page.locator(".st-key-tree")).to_be_visible()
    expect(offered).to_contain_text("The garden")


def test_no_control_ends_beyond_its_column(tab: Tab, place: Path) -> None:
    main = tab.page.get_by_test_id("stMain")
    with Workspace(place, readonly=True) as workspace:
        note = workspace.notes.all()[0].id
    for path in PAGES:
        tab.open(f"/{path.replace('note=1', f'note={note}')}")
        expect(main.locator("h1").first).to_be_attached()
        tab.settle()
        for width in (390, 641, 900, 1280):
            tab.page.set_viewport_size({"width": width, "height": 800})
            tab.wait_until(lambda: main.evaluate(CUT) == [])  # tables take their new width a moment later
            tab.wait_until(lambda: main.evaluate("main => main.scrollWidth - main.clientWidth") <= 0)
