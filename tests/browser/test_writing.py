import re
import time
from pathlib import Path

import pytest
from playwright.sync_api import Browser, WebSocketRoute, expect

from core.workspace import Workspace
from tests.browser.conftest import Tab, app_of, browsing, running

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("writing") / "workspace"
    with Workspace(folder) as workspace:
        for number in range(40):
            workspace.notes.add("home", f"Shelf {number}\n", title=f"Shelf {number}", embed=False)
        workspace.notes.add("home", "Rules #kitchen\n", title="Rules of the house", embed=False)
    return folder


def test_a_note_is_written_completed_saved_and_its_draft_outlives_a_reload(tab: Tab) -> None:
    page = tab.page
    tab.open("/notes")
    expect(page.get_by_text("Model ready")).to_be_visible(timeout=120_000)
    page.get_by_role("button", name="New note").click()
    text = page.get_by_role("textbox", name="Text of the note")
    expect(text).to_be_visible()
    tab.settle()

    # What is there is offered: notes after [[, tags after #.
    text.click()
    page.keyboard.type("Boots belong to the door, see [[house")
    expect(page.get_by_role("option", name="Rules of the house")).to_be_visible()
    page.wait_for_timeout(200)
    page.keyboard.press("Enter")
    page.keyboard.type(" #kit")
    expect(page.get_by_role("option", name="kitchen")).to_be_visible()
    page.wait_for_timeout(200)
    page.keyboard.press("Enter")
    expect(text).to_have_text("Boots belong to the door, see [[Rules of the house]] #kitchen")
    beside = page.locator(".st-key-writing_beside")
    expect(beside).to_contain_text("Boots belong to the door")
    expect(beside.locator("a.note")).to_have_text("Rules of the house")

    # Text that a Chinese keyboard composes arrives whole.
    page.keyboard.insert_text(" 靴子放在门口")
    page.keyboard.press("Control+s")
    expect(page.get_by_text("Saved as version 1.")).to_be_visible()
    expect(page).to_have_url(re.compile("note="))
    tab.settle()

    # What isn't saved outlives a reload, also what was typed a moment ago.
    text.click()
    page.keyboard.press("Control+End")
    page.keyboard.type(" Slippers too")
    expect(page.get_by_text("Not saved")).to_be_visible()
    page.keyboard.type(", quickly")
    page.reload()
    # Tests before this one left drafts of other notes.
    note = page.url.partition("note=")[2].partition("&")[0]
    go_on = page.locator(f"[class*=st-key-resume_{note}]").get_by_role("button", name="Go on writing")
    go_on.click()
    expect(text).to_contain_text("靴子放在门口 Slippers too, quickly")
    tab.settle()
    text.click()
    page.keyboard.press("Control+Enter")
    expect(page.get_by_text("Saved as version 2.")).to_be_visible()
    tab.settle()
    page.get_by_role("button", name="Done").click()
    expect(page.locator(".st-key-reader")).to_contain_text("Slippers too, quickly")
    expect(go_on).to_have_count(0)


def test_escape_closes_the_list_that_is_open_and_nothing_else(tab: Tab) -> None:
    page = tab.page
    tab.open("/notes")
    page.get_by_role("button", name="New note").click()
    text = page.get_by_role("textbox", name="Text of the note")
    text.click()
    page.keyboard.type("See [[shelf")
    expect(page.get_by_role("option").first).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("option")).to_have_count(0)
    page.keyboard.press("Escape")
    page.keyboard.type(" of the kitchen")
    expect(page.get_by_text("Not saved")).to_be_visible()
    tab.settle()
    page.keyboard.press("Escape")
    page.keyboard.type(" at home")
    expect(text).to_have_text("See [[shelf of the kitchen at home]]")


def test_letters_that_are_typed_while_the_page_is_drawn_anew_come_into_the_text(tab: Tab) -> None:
    page = tab.page
    tab.open("/notes")
    page.get_by_role("button", name="New note").click()
    text = page.get_by_role("textbox", name="Text of the note")
    text.click()
    page.keyboard.type("one ")
    expect(page.get_by_text("Not saved")).to_be_visible()
    tab.settle()
    gone = page.locator(".st-key-note_editor").evaluate_handle(
        "place => { const gone = place.firstElementChild; gone.remove(); return gone; }"
    )
    page.keyboard.type("two ")
    page.keyboard.insert_text("三 ")
    page.locator(".st-key-note_editor").evaluate("(place, gone) => place.append(gone)", gone)
    page.keyboard.type("four")
    page.locator(".st-key-writing_side button").nth(1).evaluate("button => button.click()")  # the page is drawn
    expect(text).to_have_text("one two 三 four")


def test_what_an_editor_sends_after_it_was_left_ends_nothing(tab: Tab) -> None:
    page = tab.page
    tab.open("/notes")
    page.get_by_role("button", name="New note").click()
    text = page.get_by_role("textbox", name="Text of the note")
    text.click()
    page.keyboard.type("one")
    expect(page.get_by_text("Not saved")).to_be_visible()
    tab.settle()
    editor = page.evaluate_handle("[...tesseraShelf.editors.values()][0]")
    page.get_by_role("button", name="Done").click()
    expect(text).to_have_count(0)
    tab.settle()
    editor.evaluate("own => own.trigger('typed', { text: 'one two', number: 99, at: 7, wishes: 0 })")
    page.wait_for_timeout(500)
    tab.settle()
    expect(page.get_by_test_id("stException")).to_have_count(0)
    page.get_by_role("button", name="Go on writing").first.click()
    expect(text).to_have_text("one")


def test_a_page_that_was_idle_goes_on_after_the_server_was_started_again(tmp_path: Path, chromium: Browser) -> None:
    with Workspace(tmp_path / "workspace") as workspace:
        workspace.notes.add("home", "Rules\n", title="Rules of the house", embed=False)
    with running(app_of(tmp_path / "workspace")) as server, browsing(chromium, server.url) as tab:
        page = tab.page
        tab.open("/notes")
        page.get_by_role("button", name="New note").click()
        text = page.get_by_role("textbox", name="Text of the note")
        text.click()
        page.keyboard.type("before")
        expect(page.get_by_text("Not saved")).to_be_visible()
        expect(page.get_by_text("Model ready")).to_be_visible(timeout=120_000)
        expect(page.get_by_text("Indexing")).to_have_count(0, timeout=120_000)
        tab.settle()
        session = page.evaluate("tesseraShelf.session")
        server.kill()
        expect(page.locator("[data-testid=stApp][data-test-connection-state=CONNECTED]")).to_have_count(0)
        server.start()
        end = time.monotonic() + 30
        while page.evaluate("tesseraShelf.session") == session:
            assert time.monotonic() < end, "nobody has the page drawn"
            page.wait_for_timeout(100)
        tab.settle()


def test_a_page_that_takes_no_message_any_more_is_loaded_anew_with_what_was_typed(tab: Tab) -> None:
    page = tab.page
    sockets = []

    def between(socket: WebSocketRoute) -> None:
        socket.connect_to_server()
        sockets.append(socket)

    page.route_web_socket(re.compile("_stcore/stream"), between)
    tab.open("/notes")
    page.get_by_role("button", name="New note").click()
    text = page.get_by_role("textbox", name="Text of the note")
    text.click()
    page.keyboard.type("one two three four")
    expect(page.get_by_text("Not saved")).to_be_visible()
    tab.settle()
    sockets[-1].send(b"\xff\xff")
    page.get_by_role("button", name="Go on writing").first.click(timeout=30_000)
    expect(text).to_have_text("one two three four")
