"""Editing chunks in a real browser: what the bands do with mouse and keyboard."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import IMPORT, Tab, import_folder

pytestmark = pytest.mark.browser

SECTION = "The {name} of the house is described here in a sentence that is long enough to fill a line. " * 24


def vault(folder: Path) -> Path:
    (folder / "rooms").mkdir(parents=True)
    sections = [f"## {name}\n\n{SECTION.format(name=name)}" for name in ("Kitchen", "Cellar", "Attic", "Garden")]
    (folder / "rooms" / "house.md").write_text("# House\n\n" + "\n\n".join(sections), encoding="utf-8")
    (folder / "other.md").write_text("# Other\n\nSomething else.\n", encoding="utf-8")
    return folder


def drawers(folder: Path) -> Path:
    """More notes than are sent at once, all of one text, and one with sections and signs of its own."""
    for number in range(520):
        note = folder / ("left" if number % 2 else "right") / f"{number:03d}.md"
        note.parent.mkdir(parents=True, exist_ok=True)
        note.write_text("# Sock\n\nA sock.\n", encoding="utf-8")
    sections = [f"## Shelf {number}\n\n{SECTION.format(name=f'shelf {number}')}" for number in range(5)]
    signs = ":label:`top` and :red[alarm] a -> b\n\n:::warning\n\n"
    (folder / "chest.md").write_text("# Chest\n\n" + signs + "\n\n".join(sections), encoding="utf-8")
    return folder


def test_a_band_is_opened_edited_and_found(tab: Tab, tmp_path: Path) -> None:
    page = tab.page
    import_folder(tab, vault(tmp_path / "vault"))

    # The tree at the left: a folder, its note.
    tab.open("/chunks")
    page.locator(".tree summary", has_text="rooms").click()
    page.locator(".tree button", has_text="House").click()
    expect(page.locator(".own")).to_have_count(4)
    assert "note=" in page.url

    # A double click opens the drawer, Ctrl+Enter saves.
    page.locator(".own").nth(1).dblclick()
    dialog = page.get_by_role("dialog")
    box = dialog.get_by_role("textbox", name="Text of the chunk")
    expect(box).to_have_value(re.compile("Cellar"))
    box.fill("The cellar hides a periwinkle lantern.")
    box.blur()  # the text has reached the app before the key that saves it
    tab.settle()
    page.keyboard.press("Control+Enter")
    expect(dialog).to_have_count(0)
    band = page.locator(".own").nth(1)
    expect(band).to_contain_text("periwinkle lantern")
    expect(band.locator(".badge")).to_have_text("edited")

    # Enter opens the chosen one, Escape closes, arrows choose the next.
    tab.settle()
    page.locator(".own").nth(2).click()
    expect(page).to_have_url(re.compile("chunk=2"))
    tab.settle()
    page.locator(".note").focus()
    page.keyboard.press("Enter")
    expect(dialog.get_by_role("textbox", name="Text of the chunk")).to_have_value(re.compile("Attic"))
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    tab.settle()
    page.locator(".note").focus()
    page.keyboard.press("ArrowDown")
    expect(page).to_have_url(re.compile("chunk=3"))
    expect(page.locator(".own.on")).to_contain_text("Garden")

    # What the drawer did is one click away from being undone.
    undo = page.get_by_role("button", name="Undo")
    for done, count in (("Split", 5), ("Hide", 4)):
        tab.settle()
        page.locator(".own").nth(3).click()
        expect(page).to_have_url(re.compile("chunk=3"))
        tab.settle()
        page.locator(".note").focus()
        page.keyboard.press("Enter")
        if done == "Split":
            dialog.get_by_text("Split", exact=True).click()
            primary = dialog.get_by_test_id("stBaseButton-primary")
            expect(primary).to_have_text(re.compile("Split"))
            tab.settle()
            primary.click()
            expect(page.get_by_text("The chunk was split.")).to_be_visible()
        else:
            dialog.get_by_role("button", name="Hide").click()
            expect(page.get_by_text("The chunk was hidden.")).to_be_visible()
            expect(page.locator(".own.deleted")).to_have_count(1)
        expect(dialog).to_have_count(0)
        expect(page.locator(".own")).to_have_count(count)
        tab.settle()
        undo.click()
        expect(page.locator(".own")).to_have_count(4)
        expect(page.locator(".own.deleted")).to_have_count(0)
        expect(page.locator(".own .badge")).to_have_text(["edited"])
    expect(page.get_by_text("The chunk was edited.")).to_be_visible()

    tab.open("/search?q=periwinkle")
    card = page.locator(".st-key-hit_1")
    expect(card).to_contain_text("periwinkle lantern")
    expect(card.locator(".t-edited")).to_have_text("edited")

    # Two cuts side by side: what one of them has alone is marked.
    card.get_by_role("button", name="Why this?").first.click()
    page.locator(".st-key-why_body_1").get_by_role("link", name="Open in Chunks").click()
    expect(page.locator(".own.on")).to_contain_text("periwinkle lantern")
    page.get_by_test_id("stMain").get_by_text("Compare", exact=True).click()
    expect(page.locator(".only .badge").first).to_have_text("only here")


def test_many_notes_are_unfolded_part_by_part_and_rows_marked_by_hand(tab: Tab, tmp_path: Path) -> None:
    page = tab.page
    import_folder(tab, drawers(tmp_path / "drawers"))
    tab.open("/chunks")
    notes = page.locator(".tree button[data-id]")
    expect(page.locator(".tree summary").first).to_be_visible()
    if (base := page.locator(".tree summary", has_text="drawers")).count():
        base.click()
    page.locator(".tree summary", has_text="left").click()
    expect(notes.filter(has_text="Sock")).to_have_count(200)
    tab.settle()
    page.locator(".tree .rest").click()
    expect(notes.filter(has_text="Sock")).to_have_count(260)
    page.locator(".tree button", has_text="Chest").click()
    expect(page.locator(".own")).to_have_count(5)
    expect(notes.filter(has_text="Sock")).to_have_count(260)
    expect(page.locator(".tree .on")).to_have_text(re.compile("Chest"))

    # The band that is shown is marked; rows marked by hand are those that are merged.
    page.locator(".own").nth(4).click()
    expect(page).to_have_url(re.compile("chunk=4"))
    tab.settle()
    table = page.get_by_test_id("stDataFrame")
    for row, label in ((1, "Merge"), (2, "Merge · 2"), (3, "Merge · 3")):
        box = table.bounding_box()
        assert box is not None
        page.mouse.click(box["x"] + 15, box["y"] + 35 + 35 * row + 17)
        expect(page).to_have_url(re.compile(f"chunk={row}"))
        tab.settle()
        expect(page.get_by_role("button", name=label, exact=True)).to_be_enabled()
    page.get_by_role("button", name="Merge · 3").click()
    expect(page.locator(".own")).to_have_count(3, timeout=IMPORT)
    expect(page.locator(".own.on .badge")).to_have_text("merged")
    tab.settle()
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".own")).to_have_count(5)
    page.locator(".own").nth(1).click()
    expect(page).to_have_url(re.compile("chunk=1"))
    tab.settle()
    page.locator(".note").focus()
    page.keyboard.press("Enter")
    page.get_by_role("dialog").get_by_role("button", name="Merge with the next chunk").click()
    expect(page.locator(".own .badge")).to_have_text(["merged"])

    # The note itself is read as it is written, and says that chunks of it were edited.
    tab.settle()
    page.get_by_role("link", name="Read the note").click()
    text = page.locator(".document")
    expect(text).to_contain_text("Shelf 4")
    shown = text.inner_text().replace("\ufeff", "").replace("\u2060", "")
    assert ":label:top and :red[alarm] a -> b" in shown
    assert ":::warning" in shown
    expect(page.locator(".st-key-reader .t-edited")).to_have_text("edited")
    page.get_by_role("link", name="See 1 edited passage").first.click()
    expect(page).to_have_url(re.compile("chunk=1"))
