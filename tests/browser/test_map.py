"""The map in the browser: it is drawn, coloured anew, and a click on a point opens the note."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Tab, vault_workspace

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("map")
    (folder / "vault").mkdir()
    for number in range(9):
        (folder / "vault" / f"n{number}.md").write_text(
            f"# Note {number}\n\nThe {'cat dog cow'.split()[number % 3]} sleeps.\n"
        )
    with vault_workspace(folder) as place:
        yield place


def test_a_point_of_the_map_opens_its_note(tab: Tab) -> None:
    page = tab.page
    tab.open("/map")
    drawn = page.locator(".map[data-drawn]")
    expect(drawn).to_have_attribute("data-named", "titles")  # few points are in sight
    title, left, top = drawn.evaluate(
        "({ view }) => { const unit = view.size * view.scale, [x, y] = view.data.points[4];"
        " return [view.data.titles[4], view.x + x * unit, view.y + y * unit]; }"
    )
    drawn.locator("canvas").click(position={"x": left, "y": top})
    expect(page.locator(".st-key-reader .t-title")).to_contain_text(title)


def test_in_chinese_no_text_of_the_map_is_english(tab: Tab) -> None:
    page = tab.page
    tab.open("/settings")
    page.get_by_role("radio", name="中文").click()
    expect(page.get_by_role("heading", name="设置")).to_be_visible()
    tab.open("/map")
    expect(page.locator(".map[data-drawn]")).to_be_visible()
    expect(page.get_by_role("heading", name="地图")).to_be_visible()
    expect(page.locator("canvas")).to_have_attribute("aria-label", re.compile("9 篇笔记的地图 · 拖动"))
    tab.settle()
    texts = page.get_by_test_id("stMain").evaluate(
        "main => ['aria-label', 'title', 'placeholder'].flatMap(name =>"
        " [...main.querySelectorAll(`[${name}]`)].map(one => one.getAttribute(name)))"
    )
    # A button of Streamlit's own lists, which has no setting.
    assert [text for text in texts if re.search("[A-Za-z]{2}", text)] in ([], ["Open"])
