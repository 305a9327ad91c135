"""How quick the Notes page is with many notes: python -m benchmarks.notes_page [--notes 10000] [--waiting 60]

Chromium drives the app on a workspace of its own, in folders of fifty notes. A figure is the median of `--times`
clicks, from the click until what it leads to is drawn; of ten notes first, to see what the many add.
"""

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from functools import partial
from itertools import islice
from pathlib import Path
from random import Random

from playwright.sync_api import Page, expect, sync_playwright

from benchmarks.adding import notes
from core.workspace import Workspace
from tests.browser.conftest import chromium_path, serving

_BASE = "many"
_IN_FOLDER, _FOLDERS = 50, 20


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--notes", type=int, default=10_000)
    parser.add_argument("--waiting", type=int, default=60, help="notes of a program that wait for the person")
    parser.add_argument("--times", type=int, default=9)
    given = parser.parse_args()
    os.environ |= {"TESSERA_EMBEDDER": "tfidf", "TESSERA_SEARCH__RERANKER": "none"}
    rows = {}
    for count, waiting in ((10, 0), (given.notes, 0), (given.notes, given.waiting)):
        with tempfile.TemporaryDirectory() as scratch:
            fill(Path(scratch), count, waiting)
            rows[f"{count:,} notes, {waiting} waiting"] = measure(Path(scratch) / "workspace", count, given.times)
    for row, times in rows.items():
        print(f"{row:<28}" + "  ".join(f"{what} {seconds:.2f} s" for what, seconds in times.items()))


def fill(folder: Path, count: int, waiting: int) -> None:
    """Import notes in folders, each with a link to another, and let some of a program wait."""
    for number, note in enumerate(islice(notes(count), count)):
        file = folder / "vault" / place(number)
        file.parent.mkdir(parents=True, exist_ok=True)
        link = f"[[{place(number * 7 % count).stem}]]"
        file.write_text(f"---\ntags: [tag{number % 30}]\n---\n# {note['title']}\n\n{note['body']}\n\n{link}\n")
    with Workspace(folder / "workspace") as workspace:
        workspace.bases.add(_BASE, embedder="tfidf", embed_at_once=False)
        workspace.notes.apply(workspace.notes.plan_folder(folder / "vault", _BASE), embed=False)
        for number in range(waiting):
            workspace.proposals.add(_BASE, f"# Waiting {number}\n\nWhat a program wrote.\n")


def place(number: int) -> Path:
    """Return the path of a note."""
    folder = number // _IN_FOLDER
    return Path(f"area {folder % _FOLDERS}") / f"topic {folder // _FOLDERS}" / f"note {number}.md"


def measure(workspace: Path, count: int, times: int) -> dict[str, float]:
    """Return the median seconds of each click on the page."""
    took: dict[str, list[float]] = {}

    def timed(what: str, act: Callable[[], object], seen: Callable[[], None]) -> None:
        started = time.perf_counter()
        act()
        seen()
        took.setdefault(what, []).append(time.perf_counter() - started)

    with serving(workspace) as url, sync_playwright() as playwright:
        expect.set_options(timeout=60_000)
        page = playwright.chromium.launch(executable_path=chromium_path(), args=["--no-sandbox"]).new_page()
        tree, title = page.locator(".tree"), page.locator(".st-key-reader .t-title")
        random = Random(1)
        for _ in range(times):
            number = random.randrange(count)
            area, topic, file = place(number).parts
            name = f"Note {number} "
            folder = tree.locator(f"details[data-name='{area}']")
            inner = folder.locator(f"details[data-name='{topic}']")
            note = inner.get_by_role("button", name=name)
            timed("page opened", partial(page.goto, f"{url}/notes"), expect(folder).to_be_visible)
            settle(page)
            timed("folder", folder.locator("summary").first.click, expect(inner).to_be_visible)
            timed("folder in it", inner.locator("summary").click, expect(note).to_be_visible)
            settle(page)
            timed("note", note.click, partial(expect(title).to_contain_text, name))
            settle(page)
            box = page.get_by_role("textbox", name="Title or path")
            box.fill(Path(file).stem)
            only = expect(tree.get_by_role("button", name=name))
            timed("filter", partial(box.press, "Enter"), only.to_be_visible)
            settle(page)
    return {what: statistics.median(each) for what, each in took.items()}


def settle(page: Page) -> None:
    """Wait until the script has run."""
    page.wait_for_selector('[data-testid="stApp"][data-test-script-state="notRunning"]')


if __name__ == "__main__":
    main()
