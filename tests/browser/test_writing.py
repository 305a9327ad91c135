import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from core.workspace import Workspace
from tests.browser.conftest import Tab, app_of, browsing, light_workspace, running
from tests.browser.wire import Wire

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("writing") / "workspace"
    with Workspace(folder) as workspace:
        for number in range(40):
            workspace.notes.add("home", f"Shelf {number}\n", title=f"Shelf {number}", embed=False)
        workspace.notes.add("home", "Rules #kitchen\n", title="Rules of the house", embed=False)
        workspace.notes.add("home", "One.\n\nTwo.\n\nThree.", title="Counting", embed=False)
    return folder


def bodies(folder: Path) -> list[str]:
    """Return the texts that are stored."""
    with Workspace(folder, readonly=True) as workspace:
        return [workspace.notes.get(note.id).body for note in workspace.notes.all()]


def state(tab: Tab, text: str) -> None:
    """Wait for what the editor says of the text."""
    expect(tab.page.locator(".st-key-writing_state").get_by_text(text, exact=True)).to_be_visible()


def test_a_note_is_written_and_saved_by_one_click_and_typing_and_found(tab: Tab) -> None:
    page = tab.page
    tab.open("/notes")
    clicks = page.evaluate_handle(
        "() => { const seen = []; addEventListener('click', one => seen.push(one)); return seen; }"
    )
    page.get_by_role("button", name="New note").click()
    text = page.get_by_role("textbox", name="Text of the note")
    expect(text).to_be_focused()
    page.keyboard.type("Umbrellas hang behind the coats")
    state(tab, "Saved")
    assert clicks.evaluate("seen => seen.length") == 1
    page.keyboard.type(", and dry there")
    state(tab, "Saving…")
    page.get_by_role("link", name="Search").click()  # leaving saves too
    page.get_by_role("textbox", name="Ask a question").fill('"coats, and dry there"')
    page.keyboard.press("Enter")
    expect(page.locator(".t-hit, .t-answer").filter(has_text="Umbrellas hang behind").first).to_be_visible()


def test_a_note_is_completed_and_saved_and_its_draft_outlives_a_reload(tab: Tab) -> None:
    page = tab.page
    tab.open("/notes")
    expect(page.get_by_text("Ready to search")).to_be_visible(timeout=120_000)
    page.get_by_role("button", name="New note").click()
    text = page.get_by_role("textbox", name="Text of the note")
    expect(text).to_be_focused()

    # What is there is offered: notes after [[, tags after #.
    page.keyboard.type("Boots belong to the door, see [[house")
    expect(page.get_by_role("option", name="Rules of the house")).to_be_visible()
    page.wait_for_timeout(200)
    page.keyboard.press("Enter")
    page.keyboard.type(" #kit")
    expect(page.get_by_role("option", name="kitchen")).to_be_visible()
    page.wait_for_timeout(200)
    page.keyboard.press("Enter")
    expect(text).to_have_text("Boots belong to the door, see [[Rules of the house]] #kitchen")
    page.locator(".st-key-writing_side").get_by_text("Rendered").click()
    beside = page.locator(".st-key-writing_beside")
    expect(beside).to_contain_text("Boots belong to the door")
    expect(beside.locator("a.note")).to_have_text("Rules of the house")

    # Text that a Chinese keyboard composes arrives whole.
    text.focus()
    page.keyboard.insert_text(" 靴子放在门口")
    page.keyboard.press("Control+s")
    state(tab, "Saved")
    expect(page).to_have_url(re.compile("note="))
    tab.settle()

    # What isn't saved outlives a reload, also what was typed a moment ago.
    page.keyboard.press("Control+End")
    page.keyboard.type(" Slippers too")
    state(tab, "Saving…")
    page.keyboard.type(", quickly")
    page.reload()
    # It was saved on the way out, or is a draft. Tests before this one left drafts of other notes.
    note = page.url.partition("note=")[2].partition("&")[0]
    go_on = page.locator(f"[class*=st-key-resume_{note}]").get_by_role("button", name="Continue writing")
    saved = page.locator(".st-key-reader .document").get_by_text("Slippers too, quickly")
    expect(go_on.or_(saved).first).to_be_visible()
    tab.settle()
    (go_on if go_on.count() else page.get_by_role("button", name="Edit", exact=True)).click()
    expect(text).to_contain_text("靴子放在门口 Slippers too, quickly")
    tab.settle()
    page.get_by_role("button", name="Done").click()
    expect(page.locator(".st-key-reader")).to_contain_text("Slippers too, quickly")
    expect(go_on).to_have_count(0)


def test_a_pasted_picture_is_stored_shown_and_found_again_and_what_is_none_is_refused(tab: Tab) -> None:
    page = tab.page
    paste = """(box, [name, type]) => {
      const canvas = Object.assign(document.createElement('canvas'), { width: 40, height: 30 });
      return new Promise(done => canvas.toBlob(blob => {
        const clipboardData = new DataTransfer();
        clipboardData.items.add(new File([type === 'image/png' ? blob : 'text'], name, { type }));
        const about = { clipboardData, bubbles: true, cancelable: true, composed: true };
        done(box.dispatchEvent(new ClipboardEvent('paste', about)));
      }));
    }"""
    tab.open("/notes")
    page.get_by_role("button", name="New note").click()
    text = page.get_by_role("textbox", name="Text of the note")
    expect(text).to_be_focused()
    page.keyboard.type("A plan: ")
    text.evaluate(paste, ["plan.png", "image/png"])
    expect(text).to_contain_text(re.compile(r"A plan: !\[plan\]\(attachments/plan-[0-9a-f]{8}\.png\)"))
    text.evaluate(paste, ["plan.docx", "application/msword"])
    expect(page.get_by_text("Only pictures (")).to_be_visible()
    page.get_by_role("button", name="Done").click()
    picture = page.locator(".st-key-reader .document img")
    expect(picture).to_be_visible()
    assert picture.evaluate("one => one.decode().then(() => [one.naturalWidth, one.naturalHeight])") == [40, 30]


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
    state(tab, "Saving…")
    tab.settle()
    page.keyboard.press("Escape")
    page.keyboard.type(" at home")
    expect(text).to_have_text("See [[shelf of the kitchen at home]]")
    page.keyboard.press("Enter")  # ends the link to a note that isn't there
    page.keyboard.type(" now")
    page.keyboard.press("Control+k")  # in the text it is no search
    expect(text).to_have_text("See [[shelf of the kitchen at home]] [now]()")
    expect(text).to_be_focused()
    state(tab, "Saved")  # a page that is left before that offers the draft in the tests that follow


def test_letters_that_are_typed_while_the_page_is_drawn_anew_come_into_the_text(tab: Tab) -> None:
    page = tab.page
    tab.open("/notes")
    page.get_by_role("button", name="New note").click()
    text = page.get_by_role("textbox", name="Text of the note")
    text.click()
    page.keyboard.type("one ")
    state(tab, "Saved")  # a new note is made by that, and drawn
    tab.settle()
    expect(text).to_be_focused()
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
    state(tab, "Saving…")
    tab.settle()
    editor = page.evaluate_handle("[...tesseraShelf.editors.values()][0]")
    page.get_by_role("button", name="Done").click()
    expect(text).to_have_count(0)
    tab.settle()
    editor.evaluate("own => own.trigger('typed', { text: 'one two', number: 99, at: 7, actions: 0 })")
    page.wait_for_timeout(500)
    tab.settle()
    expect(page.get_by_test_id("stException")).to_have_count(0)
    expect(page.locator(".st-key-reader .document")).to_have_text(re.compile(r"one\s*$"))
    page.get_by_role("button", name="Edit", exact=True).click()
    expect(text).to_have_text("one")


def test_what_is_typed_without_a_server_is_called_unsaved_and_saved_by_the_next_one(
    tmp_path: Path, chromium: Browser
) -> None:
    with light_workspace(tmp_path) as folder, running(app_of(folder)) as server, browsing(chromium, server.url) as tab:
        page = tab.page
        tab.open("/notes")
        page.get_by_role("button", name="New note").click()
        text = page.get_by_role("textbox", name="Text of the note")
        text.click()
        page.keyboard.type("before")
        state(tab, "Saved")
        tab.settle()
        session = page.evaluate("tesseraShelf.session")
        server.kill()
        expect(page.get_by_text("Tessera isn't responding")).to_be_visible()
        expect(page.get_by_text("No connection to Tessera")).to_be_visible()
        expect(page.get_by_text("Ready to search")).to_be_hidden()
        state(tab, "Saved")  # what is there is
        page.keyboard.type(" and after")
        state(tab, "Not saved yet (no connection)")
        expect(page.locator(".st-key-writing_state").get_by_text("Saved", exact=True)).to_be_hidden()
        server.start()
        expect(page.get_by_text("Tessera isn't responding")).to_be_hidden()
        page.keyboard.type(".")  # a save that is refused just after the start is made up for by the next one
        state(tab, "Saved")
        assert page.evaluate("tesseraShelf.session") != session
        expect(text).to_have_text("before and after.")
        tab.wait_until(lambda: bodies(folder) == ["before and after."])  # "Saved" may be said before the last letter
        expect(page.get_by_text("Ready to search")).to_be_visible()
        expect(page.get_by_text("No connection to Tessera")).to_be_hidden()


def test_a_note_that_was_changed_in_two_tabs_is_settled_once(tab: Tab, place: Path) -> None:
    other = Tab(tab.page.context.new_page(), tab.url)
    with Workspace(place, readonly=True) as workspace:
        note = next(card for card in workspace.notes.all() if card.title == "Shelf 7")

    def edit(tab: Tab) -> None:
        tab.open(f"/notes?note={note.id}")
        tab.page.get_by_role("button", name="Edit", exact=True).click()
        tab.page.get_by_role("textbox", name="Text of the note").click()
        tab.settle()

    def type_in_both(theirs: str, mine: str) -> None:
        edit(tab)
        edit(other)
        other.page.keyboard.type(theirs)
        state(other, "Saved")
        tab.page.keyboard.type(mine)
        expect(tab.page.get_by_text("was changed while you were writing")).to_be_visible()
        tab.settle()

    page = tab.page
    document = page.locator(".st-key-reader .document")
    type_in_both("theirs ", "mine ")
    page.get_by_role("button", name="Keep the other").click()
    expect(document).to_contain_text("theirs")
    expect(page.get_by_text("Your version is in the history")).to_be_visible()
    tab.open(f"/notes?note={note.id}")
    expect(document).to_contain_text("theirs")
    expect(page.get_by_role("button", name="Continue writing")).to_have_count(0)

    type_in_both("again ", "also ")
    page.get_by_role("button", name="Keep both").click()
    expect(page.get_by_text("The other version is now the note 'Shelf 7 (other version)'.")).to_be_visible()
    expect(document).to_contain_text("theirs also")
    with Workspace(place, readonly=True) as workspace:
        texts = {card.title: workspace.notes.get(card.id).body for card in workspace.notes.all(text="Shelf 7")}
        assert texts == {"Shelf 7": "Shelf 7\ntheirs also ", "Shelf 7 (other version)": "Shelf 7\ntheirs again "}


def test_changes_of_two_tabs_in_other_lines_are_merged_and_writing_goes_on(tab: Tab, place: Path) -> None:
    other = Tab(tab.page.context.new_page(), tab.url)
    with Workspace(place, readonly=True) as workspace:
        note = next(card for card in workspace.notes.all() if card.title == "Counting")
    for one, key in ((tab, "Control+End"), (other, "Control+Home")):
        one.open(f"/notes?note={note.id}")
        one.page.get_by_role("button", name="Edit", exact=True).click()
        one.page.get_by_role("textbox", name="Text of the note").click()
        one.settle()
        one.page.keyboard.press(key)
    other.page.keyboard.type("Nought, ")
    state(other, "Saved")
    tab.page.keyboard.type(" Four.")
    expect(tab.page.get_by_text("Both changes were kept")).to_be_visible()
    tab.settle()
    tab.page.keyboard.type(" Five.")  # where the caret was
    state(tab, "Saved")
    tab.wait_until(lambda: "Five" in stored(place, note.id))
    assert stored(place, note.id) == "Nought, One.\n\nTwo.\n\nThree. Four. Five."


def stored(place: Path, note_id: str) -> str:
    with Workspace(place, readonly=True) as workspace:
        return workspace.notes.get(note_id).body


def test_a_page_that_takes_no_message_any_more_is_loaded_anew_with_what_was_typed(tab: Tab) -> None:
    page, wire = tab.page, Wire(tab)
    tab.open("/notes")
    page.get_by_role("button", name="New note").click()
    text = page.get_by_role("textbox", name="Text of the note")
    text.click()
    page.keyboard.type("one two three four")
    state(tab, "Saving…")
    tab.settle()
    wire.hear(b"\xff\xff")
    page.get_by_role("button", name="Continue writing").first.click(timeout=30_000)
    expect(text).to_have_text("one two three four")


def test_a_draft_is_opened_with_the_letters_that_the_browser_still_holds(tab: Tab) -> None:
    page = tab.page
    tab.open("/notes")
    page.get_by_role("button", name="New note").click()
    text = page.get_by_role("textbox", name="Text of the note")
    text.click()
    page.keyboard.type("left and")
    state(tab, "Saving…")
    held = page.evaluate(
        """() => {
          const own = [...tesseraShelf.editors.values()][0];
          clearTimeout(own.quiet);
          own.quiet = null;
          return [own.data.place, { ...own.item(), number: own.number + 1, text: 'left and right' }];
        }"""
    )
    tab.settle()
    page.reload()
    resume = page.locator("[class*=st-key-draft_new]").filter(has_text="left and").get_by_role("button").first
    expect(resume).to_be_visible()
    tab.settle()
    resume.evaluate(
        "(button, [place, item]) => { tesseraShelf.put(place, item); tesseraShelf.deliver(); button.click(); }", held
    )
    expect(text).to_have_text("left and right")
    state(tab, "Saved")
