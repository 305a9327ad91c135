"""A note in the browser: links open notes, pictures come from its folder, a hit is marked, a missing note is made."""

import struct
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Tab, vault_workspace

pytestmark = pytest.mark.browser

START = """# Start

To [[Target]], [its part](deep/Target.md#the-part), [[Nowhere]] and [the web](https://example.invalid/).

![[dot.png]] ![out](../outside.png) ![far](https://example.invalid/x.png)
"""
TARGET = (
    "# Target\n\n"
    + "Filling words.\n\n" * 60
    + "## The part\n\nThe zanzibar sentence stands here.\n\n"
    + "More.\n\n" * 40
)
KILN = "# Kiln\n\n" + "".join(
    f"## {title}\n\n" + "The kiln is fired slowly.\n\n" * lines
    for title, lines in (("Loading", 30), ("Glazing", 30), ("Firing", 30), ("Resting", 2), ("Cooling", 2))
)


def png() -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", 7, 7, 8, 0, 0, 0, 0)
    pixels = zlib.compress((b"\0" + b"\x80" * 7) * 7)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("reader")
    (folder / "vault" / "deep").mkdir(parents=True)
    (folder / "vault" / "Start.md").write_text(START, encoding="utf-8")
    (folder / "vault" / "Kiln.md").write_text(KILN, encoding="utf-8")
    (folder / "vault" / "deep" / "Target.md").write_text(TARGET, encoding="utf-8")
    (folder / "vault" / "deep" / "dot.png").write_bytes(png())
    (folder / "vault" / "deep" / "lease.html").write_text("<h1>Lease</h1><p>For the flat.</p>", encoding="utf-8")
    (folder / "outside.png").write_bytes(png())
    with vault_workspace(folder) as place:
        yield place


def test_links_open_notes_at_their_places_and_pictures_are_of_the_folder(tab: Tab) -> None:
    page = tab.page
    tab.open("/notes")
    page.locator(".tree button", has_text="Start").click()
    document = page.locator(".document")
    expect(document.get_by_text("To Target")).to_be_visible()
    expect(document.locator("img")).to_have_js_property("naturalWidth", 7)
    expect(document.locator("a.picture")).to_have_attribute("href", "https://example.invalid/x.png")
    tab.settle()
    printed = tab.printed().splitlines()
    assert printed[0] == "Start"
    assert "(https://example.invalid/)" in " ".join(printed)
    assert not {"Notes", "Tree", "deep", "Edit", "More", "Open in Obsidian", "Links in this note · 4"} & {*printed}
    document.get_by_role("link", name="its part").click()
    expect(document.get_by_role("heading", name="The part")).to_be_in_viewport()
    expect(page.locator(".st-key-reader .t-title")).to_have_text("Target")
    tab.settle()
    expect(document.locator("section.links")).to_contain_text("Start")
    page.get_by_role("button", name="Back").click()
    expect(document.get_by_text("To Target")).to_be_visible()


def test_a_hit_opens_at_its_passage_and_back_returns_to_the_hits(tab: Tab) -> None:
    page = tab.page
    tab.open("/search?q=zanzibar")
    page.locator(".st-key-head_1 a").click()
    expect(page.locator(".document .passage", has_text="zanzibar")).to_be_in_viewport()
    tab.settle()
    page.get_by_role("link", name="Back to the hits").click()
    expect(page.locator(".st-key-hit_1")).to_contain_text("zanzibar")


def test_a_note_that_is_not_there_is_made_from_its_link(tab: Tab) -> None:
    page = tab.page
    tab.open("/notes")
    page.locator(".tree button", has_text="Start").click()
    missing = page.locator(".document article a.missing", has_text="Nowhere")
    missing.click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Cancel").click()
    expect(dialog).to_have_count(0)
    tab.settle()
    missing.click()
    dialog.get_by_role("button", name="New note").click()
    expect(page.get_by_role("textbox", name="Title", exact=True)).to_have_value("Nowhere")
    expect(page.get_by_role("textbox", name="Text of the note")).to_be_focused()
    page.keyboard.type("Here")
    expect(page.locator(".st-key-writing_state").get_by_text("Saved", exact=True)).to_be_visible()
    tab.settle()
    page.get_by_role("button", name="Done").click()
    expect(page.locator(".st-key-reader .t-title")).to_have_text("Nowhere")
    tab.settle()
    page.get_by_role("button", name="Back", exact=True).click()
    expect(page.locator(".document article a.note", has_text="Nowhere")).to_be_visible()


def test_a_document_is_linked_by_the_editor_and_opened(tab: Tab) -> None:
    page = tab.page
    tab.open("/notes")
    page.get_by_role("button", name="New note").click()
    expect(page.get_by_role("textbox", name="Text of the note")).to_be_focused()
    page.keyboard.type("Signed: [[leas")
    page.locator(".cm-tooltip-autocomplete li", has_text="lease").click()
    expect(page.get_by_role("textbox", name="Text of the note")).to_have_text("Signed: [[lease.html|Lease]]")
    expect(page.locator(".st-key-writing_state").get_by_text("Saved", exact=True)).to_be_visible()
    tab.settle()
    page.get_by_role("button", name="Done").click()
    link = page.locator(".document article a.note", has_text="lease")
    expect(link).to_be_visible()
    expect(page.get_by_text("is missing")).to_have_count(0)
    expect(page.get_by_test_id("stSidebar").get_by_text("Up to date")).to_be_visible()  # nothing draws the note anew
    tab.settle()
    link.click()
    expect(page.locator(".st-key-reader .t-title")).to_have_text("Lease")
    tab.settle()  # until then both texts can be there
    text = page.locator(".document")
    expect(text).to_contain_text("For the flat.")
    text.evaluate("one => one.dataset.same = 'yes'")
    page.get_by_role("button", name="Back", exact=True).click()
    expect(text).to_contain_text("Signed")
    expect(text).to_have_attribute("data-same", "yes")  # no second one beside it, though fewer remarks stand above


def test_the_reader_stays_where_tabs_appear_above_it(tab: Tab) -> None:
    page, text = tab.page, tab.page.locator(".document")
    tab.open("/notes")
    page.locator(".tree button", has_text="Kiln").click()
    expect(text).to_contain_text("fired slowly")
    tab.settle()
    expect(page.locator(".st-key-reader_tabs")).to_have_count(0)
    text.evaluate("one => one.dataset.same = 'yes'")
    page.locator(".tree button", has_text="Start").click()
    expect(page.locator(".st-key-reader_tabs")).to_be_visible()
    expect(text).to_contain_text("the web")
    expect(text).to_have_attribute("data-same", "yes")


def test_the_switcher_opens_a_note_by_a_few_letters_from_any_page(tab: Tab) -> None:
    page = tab.page
    tab.open("/search")
    tab.await_keys()
    page.keyboard.press("Control+o")
    box = page.locator(".st-key-switch_text input")
    expect(box).to_be_focused()
    tab.settle()
    page.keyboard.type("targ")
    # The note, and the offer of a new one.
    expect(page.locator("[class*=st-key-switch_to_]")).to_have_count(2)
    tab.settle()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.locator(".st-key-reader .t-title")).to_have_text("Target")
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_enter_right_after_typing_opens_the_note_of_the_typed_text(tab: Tab) -> None:
    page = tab.page
    tab.open("/search")
    tab.await_keys()
    page.keyboard.press("Control+o")
    expect(page.locator(".st-key-switch_text input")).to_be_focused()
    tab.settle()
    page.keyboard.type("kiln")
    page.keyboard.press("Enter")
    expect(page.locator(".st-key-reader .t-title")).to_have_text("Kiln")


def test_the_tree_and_the_outline_stay_in_view_beside_a_long_note(tab: Tab) -> None:
    page = tab.page
    page.set_viewport_size({"width": 1700, "height": 800})
    tab.open("/notes")
    page.locator(".tree details[data-name=deep] summary").click()
    page.locator(".tree button", has_text="Target").click()
    document = page.locator(".document")
    expect(document.get_by_role("heading", name="The part")).to_have_count(1)
    tab.settle()
    document.locator("nav").get_by_role("link", name="The part").click()
    expect(document.get_by_role("heading", name="The part")).to_be_in_viewport()
    expect(page.get_by_role("heading", name="Notes", exact=True)).not_to_be_in_viewport()
    for pinned in (page.locator(".tree button.on"), document.locator("nav a").first, page.locator(".t-title")):
        expect(pinned).to_be_in_viewport(ratio=0.9)
    top = page.locator("[data-testid=stLayoutWrapper]:has(> .st-key-reader_top)").bounding_box()
    assert top
    assert top["y"] == 0, "no text is seen above the row"


def test_the_outline_marks_the_section_in_view_from_1280_pixels(tab: Tab) -> None:
    page = tab.page
    page.set_viewport_size({"width": 1280, "height": 800})
    tab.open("/notes")
    page.locator(".tree button", has_text="Kiln").click()
    nav, article = page.locator(".document nav"), page.locator(".document article")
    current = nav.locator("a[aria-current]")
    expect(current).to_have_text("Kiln")
    tab.settle()
    for link, heading in (("Glazing", "Glazing"), ("Cooling", "Cooling")):  # the last section is too short to get up
        tab.reach(nav.get_by_role("link", name=link))
        page.keyboard.press("Enter")
        expect(article.get_by_role("heading", name=heading)).to_be_in_viewport()
        expect(current).to_have_text(link)
        expect(nav).to_be_in_viewport(ratio=0.99)
    page.mouse.move(760, 400)
    for way, heading in ((-9000, "Kiln"), (9000, "Cooling")):
        page.mouse.wheel(0, way)
        expect(current).to_have_text(heading)
    outline, text = nav.bounding_box(), article.bounding_box()
    assert outline
    assert text
    assert text["x"] + text["width"] < outline["x"]
    assert text["width"] > 400
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert "Outline" not in tab.printed()
    page.set_viewport_size({"width": 1279, "height": 800})
    expect(nav.locator("a").first).not_to_be_visible()  # folded above the text
    expect(nav.locator("summary")).to_be_visible()
    page.set_viewport_size({"width": 1280, "height": 800})
    expect(current).to_be_visible()
    tab.settle()
    page.locator(".tree button", has_text="Start").click()
    expect(page.locator(".document").get_by_text("To Target")).to_be_visible()
    expect(nav).to_have_count(0)


def test_a_narrow_window_folds_the_tree_into_a_drawer(tab: Tab) -> None:
    page = tab.page
    page.set_viewport_size({"width": 1000, "height": 800})
    tab.open("/notes")
    page.locator(".tree button", has_text="Start").click()
    title, tree = page.locator(".st-key-reader .t-title"), page.locator(".tree")
    expect(title).to_have_text("Start")
    expect(tree).not_to_be_visible()
    tab.settle()
    page.get_by_text("All notes").click()
    expect(tree).to_be_visible()
    page.locator("body").press("Escape")
    expect(tree).not_to_be_visible()
    tab.settle()
    page.get_by_text("All notes").click()
    page.locator(".tree details[data-name=deep] summary").click()
    page.locator(".tree button", has_text="Target").click()
    expect(title).to_have_text("Target")
    expect(tree).not_to_be_visible()
