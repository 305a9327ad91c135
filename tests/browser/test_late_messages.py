"""Messages of the server that arrive late: a timer of the page, which doesn't know them yet, undoes no click."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import WebSocketRoute, expect
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from tests.browser.conftest import Tab, tessera, vault_workspace

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("late")
    (folder / "vault").mkdir()
    (folder / "vault" / "apple.md").write_text("# Apple\n\nThe apple keeps until spring.\n", encoding="utf-8")
    with vault_workspace(folder) as place:
        tessera("base", "set", "--base", "vault", "--watch", "--yes")
        yield place


class HeldBack:
    """The messages to a tab, which reach it only once they are let through."""

    def __init__(self, tab: Tab) -> None:
        self.questions: list[str] = []
        """The questions that the server has put into the box since the messages are held back."""
        self.holds = False
        self._held: list[bytes] = []
        tab.page.route_web_socket("**/_stcore/stream", self._connect)

    def _connect(self, client: WebSocketRoute) -> None:
        self._client = client
        client.connect_to_server().on_message(self._hear)

    def _hear(self, said: str | bytes) -> None:
        assert isinstance(said, bytes)
        heard = ForwardMsg.FromString(said)
        box = heard.delta.new_element.text_input
        if self.holds and box.set_value:
            self.questions.append(box.value)
        if self.holds:
            self._held.append(said)
        else:
            self._client.send(said)

    def let_through(self) -> None:
        self.holds = False
        for said in self._held:
            self._client.send(said)


def test_a_timer_undoes_no_click_whose_answer_is_on_its_way(tab: Tab, place: Path) -> None:
    page, messages = tab.page, HeldBack(tab)
    tab.open("/search?q=apple+-pear")
    chip = page.locator(".st-key-chips").get_by_role("button", name="without pear")
    expect(chip).to_be_visible()
    tab.settle()
    messages.holds = True
    chip.click()
    tab.wait_until(lambda: messages.questions)
    (place.parent / "vault" / "plum.md").write_text("# Plum\n\nThe plum doesn't keep.\n", encoding="utf-8")
    tab.wait_until(lambda: len(messages.questions) > 1)  # the page is drawn again because it follows its folder
    assert {*messages.questions} == {"apple"}
    messages.let_through()
    expect(page.get_by_role("textbox", name="Ask a question")).to_have_value("apple")
    tab.settle()
    expect(page).to_have_url(f"{tab.url}/search?q=apple")
    expect(page.get_by_role("textbox", name="Ask a question")).to_have_value("apple")


def test_a_press_counts_that_reaches_the_server_together_with_a_save(tab: Tab, place: Path) -> None:
    page, held = tab.page, list[bytes]()
    holds = False

    def connect(client: WebSocketRoute) -> None:
        nonlocal server
        server = client.connect_to_server()
        client.on_message(say)

    def say(said: str | bytes) -> None:
        assert isinstance(said, bytes)
        if holds:
            held.append(said)
        else:
            server.send(said)

    def triggers() -> str:
        """Return what the messages that are held back say to components and buttons."""
        widgets = [widget for said in held for widget in BackMsg.FromString(said).rerun_script.widget_states.widgets]
        return " ".join("press" if widget.trigger_value else widget.json_trigger_value for widget in widgets)

    server: WebSocketRoute
    page.route_web_socket("**/_stcore/stream", connect)
    tab.open("/notes")
    page.get_by_role("button", name="New note").click()
    expect(page.get_by_role("textbox", name="Text of the note")).to_be_focused()
    page.keyboard.type("Bake the apples")
    saving = page.locator(".st-key-writing_state").get_by_text("Saving…", exact=True)
    expect(saving).to_be_visible()
    holds = True
    page.keyboard.type(" with #cinnamon")
    tab.wait_until(lambda: "rest" in triggers())
    page.get_by_role("button", name="Done").click()
    tab.wait_until(lambda: "press" in triggers())
    for said in held:  # what the browser says meanwhile is sent after it
        server.send(said)
    holds = False
    expect(page.locator(".st-key-reader .document")).to_contain_text("Bake the apples with #cinnamon")
    expect(page).to_have_url(re.compile("note="))
