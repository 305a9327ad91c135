"""What helps to go between notes: today's note, the look beside the source, neighbours."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from core.workspace import Workspace
from tests.browser.conftest import Tab, light_workspace, serving

pytestmark = pytest.mark.browser

ON_TOP = """one => {
  const { x, y } = one.getBoundingClientRect();
  return one.contains(document.elementFromPoint(x + 9, y + 2));
}"""
"""Whether nothing is drawn over the upper left corner of an element."""
FIRST_STEP = """one => [...one.querySelectorAll('.cm-line')].find(line =>
  line.textContent.startsWith('Step ') && line.getBoundingClientRect().top > one.getBoundingClientRect().top
)?.textContent ?? ''"""
"""The first line of steps that an editor shows, empty before it has drawn them."""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with light_workspace(tmp_path_factory.mktemp("notes-page")) as place:
        vault = place.parent / "vault"
        vault.mkdir()
        steps = "".join(f"## Step {number}\n\n{'Mow, rake and water. ' * 12}\n\n" for number in range(40))
        (vault / "Garden.md").write_text(f"# Garden\n\n{steps}", encoding="utf-8")
        (vault / "Beds.md").write_text("Two beds in the [[Garden]].\n", encoding="utf-8")
        (vault / "yard").mkdir()
        (vault / "yard" / "Shed.md").write_text("Rakes.\n", encoding="utf-8")
        (vault / "Day.md").write_text("# {{title}}\n\nWeather: ", encoding="utf-8")
        with Workspace(place) as workspace:
            workspace.imports.apply(workspace.imports.plan_folder(vault), embed=False)
            workspace.bases.update("vault", write_files=True)
        (place.parent / "tessera.toml").write_text('[daily]\ntemplate = "Day.md"\n', encoding="utf-8")
        yield place


@pytest.fixture(scope="module")
def server(place: Path, chromium: Browser) -> Iterator[str]:
    with serving(place, place.parent) as url:  # its settings are written there
        yield url


def test_todays_note_is_opened_by_one_key_from_any_page_and_is_a_file(tab: Tab, place: Path) -> None:
    page = tab.page
    text = page.get_by_role("textbox", name="Text of the note")
    tab.open("/settings")
    expect(page.get_by_role("heading", name="Settings")).to_be_visible()
    tab.await_keys()
    page.keyboard.press("Control+d")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Choose where to save today's note. You only need to do this once.")
    dialog.get_by_role("button", name="Open today's note").click()
    expect(text).to_be_focused()
    page.keyboard.type("rain.")  # the caret is at the end
    expect(text).to_contain_text("Weather: rain.")
    page.locator(".st-key-writing_side").get_by_text("Rendered").click()
    expect(page.locator(".st-key-writing_beside")).to_contain_text("rain.")
    tab.settle()
    address = page.url

    # From another page, and from another note in the editor, the key opens the same note.
    page.get_by_role("link", name="Search").click()
    expect(page.get_by_role("textbox", name="Ask a question")).to_be_visible()
    tab.settle()
    page.keyboard.press("Control+d")
    expect(text).to_contain_text("Weather: rain.")
    assert page.url == address
    files = [file for file in (place.parent / "vault").iterdir() if re.fullmatch(r"\d{4}-\d\d-\d\d\.md", file.name)]
    assert [file.read_text("utf-8") for file in files] == [f"# {files[0].stem}\n\nWeather: rain."]


def test_a_note_is_dragged_into_a_folder_with_its_file_and_taken_back(tab: Tab, place: Path) -> None:
    page, vault = tab.page, place.parent / "vault"
    tab.open("/notes")
    tab.settle()
    page.locator(".tree button", has_text="Beds").drag_to(page.locator(".tree summary", has_text="yard"))
    expect(page.get_by_text("The note is now at 'yard/Beds.md'.")).to_be_visible()
    assert (vault / "yard" / "Beds.md").exists()
    tab.settle()
    page.locator(".st-key-notes_undo button").click()
    expect(page.locator(".tree > button", has_text="Beds")).to_be_visible()
    assert (vault / "Beds.md").exists()


def test_the_head_of_the_page_is_seen_without_the_side_bar(tab: Tab) -> None:
    page = tab.page
    tab.open("/notes")
    page.get_by_test_id("stSidebar").hover()
    page.get_by_test_id("stSidebarCollapseButton").get_by_role("button").click()
    expect(page.get_by_test_id("stExpandSidebarButton")).to_be_visible()
    for one in (page.get_by_role("heading", name="Notes"), page.get_by_role("button", name="New note")):
        expect(one).to_be_visible()
        tab.settle()
        assert one.evaluate(ON_TOP)


def test_the_look_beside_the_source_scrolls_with_it(tab: Tab) -> None:
    page = tab.page
    tab.open("/notes")
    page.get_by_text("Garden", exact=True).first.click()
    page.get_by_role("button", name="Edit", exact=True).click()
    beside, source = page.locator(".st-key-writing_beside"), page.locator(".st-key-note_editor .cm-scroller")
    page.locator(".st-key-writing_side").get_by_text("Rendered").click()
    expect(beside.get_by_role("heading", name="Step 39")).not_to_be_in_viewport()

    source.click()  # who touched it last leads
    source.evaluate("one => one.scrollTop = one.scrollHeight / 2")
    tab.wait_until(lambda: re.fullmatch(r"Step [12]\d", source.evaluate(FIRST_STEP)))
    seen = source.evaluate(FIRST_STEP)
    expect(beside.get_by_role("heading", name=seen)).to_be_in_viewport()
    beside.hover()
    page.mouse.wheel(0, -100_000)
    expect(source.get_by_text("Garden", exact=True)).to_be_in_viewport()


def test_the_neighbours_of_a_note_are_drawn_below_it_and_opened_by_keyboard(tab: Tab) -> None:
    page = tab.page
    page.set_viewport_size({"width": 390, "height": 800})
    tab.open("/notes")
    page.get_by_text("Beds", exact=True).first.click()
    graph = page.get_by_role("group", name="Notes linked to this note or similar to it")
    neighbour = graph.get_by_role("link", name="Garden")
    expect(neighbour).to_be_visible()
    tab.settle()
    text = page.locator(".st-key-reader_body article").bounding_box()
    box = graph.bounding_box()
    assert text
    assert box
    assert box["y"] >= text["y"] + text["height"]
    assert box["x"] + box["width"] <= 390
    neighbour.focus()
    page.keyboard.press("Enter")
    expect(page.locator(".t-title")).to_have_text("Garden")
    expect(graph.get_by_role("link", name="Beds")).to_be_visible()


def test_two_notes_are_read_side_by_side_where_there_is_room(tab: Tab) -> None:
    page = tab.page
    first, second = page.locator(".st-key-reader .t-title"), page.locator(".st-key-second .t-title")
    tab.open("/notes")
    for title in ("Beds", "Garden"):
        page.locator(".st-key-notes_tree").get_by_text(title, exact=True).click()
        expect(first).to_have_text(title)
        tab.settle()
    beside = page.get_by_role("button", name="Open side by side")
    beside.click()
    page.get_by_role("menuitem", name="Beds").click()
    expect(second).to_have_text("Beds")
    expect(page.locator(".st-key-second").get_by_text("Two beds in the")).to_be_in_viewport()
    expect(page).to_have_url(re.compile("second="))
    for reload in (False, True):
        if reload:
            page.reload()
        expect(first).to_have_text("Garden")
        expect(second).to_have_text("Beds")
        tab.settle()
    page.get_by_role("button", name="Swap").click()
    expect(first).to_have_text("Beds")
    expect(second).to_have_text("Garden")
    tab.settle()
    page.go_back()
    expect(first).to_have_text("Garden")
    expect(second).to_have_text("Beds")
    tab.settle()
    page.set_viewport_size({"width": 1280, "height": 900})
    expect(second).to_be_hidden()
    expect(beside).to_be_hidden()
    expect(first).to_be_visible()
    page.set_viewport_size({"width": 1440, "height": 900})
    page.locator(".st-key-second_close button").locator("visible=true").click()
    expect(second).to_have_count(0)
    expect(page).not_to_have_url(re.compile("second="))
