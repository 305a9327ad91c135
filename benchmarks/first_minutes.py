"""How long a first-time user takes from an empty machine to a cited answer: `python -m benchmarks.first_minutes`.

A script at human pace: it looks for `_LOOK` seconds before each click, and types `_TYPING` milliseconds a character. It
writes a note, imports a PDF, asks, and waits for an answer whose source is the PDF.
"""

import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Locator, expect, sync_playwright

from benchmarks.documents.pdfs import PdfPage, pdf
from tests.browser.conftest import IMPORT, Tab, chromium_path, serving

_LOOK, _TYPING = 2.0, 180
_NOTE = "The spare key of the boat house hangs behind the oars."
_PDF = "The ferry to the island leaves at twenty past nine from the north pier."
_QUESTION = "When does the ferry to the island leave?"


def _click(tab: Tab, control: Locator) -> None:
    expect(control).to_be_visible(timeout=IMPORT)
    tab.settle()
    time.sleep(_LOOK)
    control.click()


def _write(tab: Tab) -> None:
    page = tab.page
    tab.open("/notes")
    _click(tab, page.get_by_role("button", name="New note"))
    text = page.get_by_role("textbox", name="Text of the note")
    _click(tab, text)
    page.keyboard.type(_NOTE, delay=_TYPING)
    page.keyboard.press("Control+s")
    expect(page.get_by_text("Saved").first).to_be_visible(timeout=IMPORT)


def _import(tab: Tab, file: Path) -> None:
    page = tab.page
    tab.open("/notes?import=1")
    _click(tab, page.get_by_role("tab", name="Upload files"))
    page.locator(".st-key-by_files input[type=file]").set_input_files(file)
    expect(page.locator(".st-key-by_files")).to_contain_text(file.name)
    _click(tab, page.locator(".st-key-look_files button"))
    _click(tab, page.get_by_role("button", name="Apply"))
    expect(page.locator(".t-done b", has_text="Import finished")).to_be_visible(timeout=IMPORT)


def _ask(tab: Tab) -> None:
    page = tab.page
    tab.open("/search")
    box = page.get_by_role("textbox", name="Ask a question")
    _click(tab, box)
    box.press_sequentially(_QUESTION, delay=_TYPING)
    box.press("Enter")
    expect(page.locator(".t-answer").first).to_contain_text("twenty past nine", timeout=IMPORT)


def main() -> None:
    """Print the seconds of each step, and of all."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "timetable.pdf"
        page = PdfPage()
        page.text(72, 100, "Timetable", 18, "bold")
        page.text(72, 140, _PDF)
        file.write_bytes(pdf([page]))
        begun = time.monotonic()
        with serving(Path(folder) / "workspace") as url, sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium_path(), args=["--no-sandbox"])
            tab = Tab(browser.new_context(locale="en-US").new_page(), url)
            tab.page.set_default_timeout(IMPORT)
            steps: dict[str, Callable[[], None]] = {
                "written": lambda: _write(tab),
                "imported": lambda: _import(tab, file),
                "answered": lambda: _ask(tab),
            }
            print(f"started after {time.monotonic() - begun:.0f} s", flush=True)
            for name, step in steps.items():
                step()
                print(f"{name} after {time.monotonic() - begun:.0f} s", flush=True)
            browser.close()


if __name__ == "__main__":
    main()
