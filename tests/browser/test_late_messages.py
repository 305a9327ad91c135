"""Messages of the server that arrive late: a timer of the page, which doesn't know them yet, undoes no click."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Tab, tessera, vault_workspace
from tests.browser.wire import Wire

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("late")
    (folder / "vault").mkdir()
    (folder / "vault" / "apple.md").write_text("# Apple\n\nThe apple keeps until spring.\n", encoding="utf-8")
    with vault_workspace(folder) as place:
        tessera("base", "set", "--base", "vault", "--watch", "--yes")
        yield place


def questions(wire: Wire) -> list[str]:
    """The questions that the server has put into the box."""
    boxes = [said.delta.new_element.text_input for said in wire.heard()]
    return [box.value for box in boxes if box.set_value]


def test_a_timer_undoes_no_click_whose_answer_is_on_its_way(tab: Tab, place: Path) -> None:
    page, wire = tab.page, Wire(tab)
    tab.open("/search?q=apple+-pear")
    chip = page.locator(".st-key-chips").get_by_role("button", name="without pear")
    expect(chip).to_be_visible()
    tab.settle()
    wire.hold("heard")
    before = len(questions(wire))
    chip.click()
    tab.wait_until(lambda: "apple" in questions(wire)[before:])
    before += questions(wire)[before:].index("apple")
    (place.parent / "vault" / "plum.md").write_text("# Plum\n\nThe plum doesn't keep.\n", encoding="utf-8")
    # The page is drawn again because it follows its folder.
    tab.wait_until(lambda: len(questions(wire)) > before + 1)
    assert {*questions(wire)[before:]} == {"apple"}
    wire.release()
    expect(page.get_by_role("textbox", name="Ask a question")).to_have_value("apple")
    tab.settle()
    expect(page).to_have_url(f"{tab.url}/search?q=apple")
    expect(page.get_by_role("textbox", name="Ask a question")).to_have_value("apple")


def test_a_press_counts_that_reaches_the_server_together_with_a_save(tab: Tab, place: Path) -> None:
    page, wire = tab.page, Wire(tab)

    def triggers() -> str:
        """Return what the messages that are held back say to components and buttons."""
        widgets = [widget for said in wire.held_back() for widget in said.rerun_script.widget_states.widgets]
        return " ".join("press" if widget.trigger_value else widget.json_trigger_value for widget in widgets)

    tab.open("/notes")
    page.get_by_role("button", name="New note").click()
    expect(page.get_by_role("textbox", name="Text of the note")).to_be_focused()
    page.keyboard.type("Bake the apples")
    saving = page.locator(".st-key-writing_state").get_by_text("Saving…", exact=True)
    expect(saving).to_be_visible()
    wire.hold("sent")
    page.keyboard.type(" with #cinnamon")
    tab.wait_until(lambda: "rest" in triggers())
    page.get_by_role("button", name="Done").click()
    tab.wait_until(lambda: "press" in triggers())
    wire.release()
    expect(page.locator(".st-key-reader .document")).to_contain_text("Bake the apples with #cinnamon")
    expect(page).to_have_url(re.compile("note="))
