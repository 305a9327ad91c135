"""Response times of clicks and questions in the app: python -m benchmarks.clicks [WORKSPACE]

Chromium operates the app on an existing workspace, or else on a new one with `--notes` made-up notes and word vectors.
A time runs from the click or key until the last change of the page, by the browser's clock. The questions come from a
file (JSON lines with `question`), or else are the titles of the notes.
"""

import argparse
import json
import os
import statistics
import tempfile
from collections.abc import Callable
from pathlib import Path
from random import Random

from playwright.sync_api import Page, sync_playwright

from core.workspace import Workspace
from tests.browser.conftest import chromium_path, serving

PAGES = ("Search", "Notes", "Map", "Review", "Bases", "Chunks", "Evaluation", "Settings", "Home")
QUIET = 600
"""Milliseconds without a change after which a page counts as complete."""
_SYLLABLES = "ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo zu".split()
_WATCH = """() => {
  const clock = window.clock = { start: 0, last: 0 };
  const begin = () => { clock.start = clock.last = performance.now(); };
  for (const act of ["keydown", "pointerdown"]) addEventListener(act, begin, true);
  new MutationObserver((changes) => {
    const main = document.querySelector("[data-testid=stMain]");
    if (changes.some((change) => main?.contains(change.target))) clock.last = performance.now();
  }).observe(document.body, { subtree: true, childList: true, characterData: true, attributeFilter: ["data-stale"] });
}"""

Timed = Callable[[str, Callable[[], object]], None]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("workspace", type=Path, nargs="?")
    parser.add_argument("--notes", type=int, default=1000)
    parser.add_argument("--questions", type=Path)
    parser.add_argument("--times", type=int, default=20)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        place = given.workspace
        if place is None:
            os.environ |= {"TESSERA_EMBEDDER": "tfidf", "TESSERA_SEARCH__RERANKER": "none"}
            fill(Path(scratch), given.notes)
            place = Path(scratch) / "workspace"
        with Workspace(place, readonly=True) as workspace:
            questions = [note.title for note in workspace.notes.all()]
        if given.questions:
            lines = given.questions.read_text("utf-8").splitlines()
            questions = [json.loads(line)["question"] for line in lines if line.strip()]
        for what, times in measured(place, questions[: given.times]).items():
            row = sorted(times)
            late = row[min(len(row) - 1, round(0.95 * len(row)))]
            print(
                f"{what:<28}{len(row):>4} times   p50 {statistics.median(row):>5.0f} ms   p95 {late:>5.0f} ms"
                f"   first {times[0]:>5.0f} ms"
            )


def fill(folder: Path, count: int) -> None:
    """Import made-up notes, fifty per folder, each with a link to another."""
    random = Random(20261123)
    words = ["".join(random.choices(_SYLLABLES, k=random.randint(1, 4))) for _ in range(20_000)]
    for number in range(count):
        file = folder / "vault" / f"topic {number // 50}" / f"note {number}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        text = "\n\n".join(" ".join(random.choices(words, k=40)) + "." for _ in range(random.randint(1, 6)))
        link = f"[[note {number * 7 % count}]]"
        file.write_text(f"---\ntags: [tag{number % 30}]\n---\n# Note {number} {words[number]}\n\n{text}\n\n{link}\n")
    with Workspace(folder / "workspace") as workspace:
        workspace.bases.add("many", embedder="tfidf", embed_at_once=False)
        workspace.imports.apply(workspace.imports.plan_folder(folder / "vault", "many"), embed=False)


def measured(place: Path, questions: list[str]) -> dict[str, list[float]]:
    """Return the milliseconds of each kind of action, in the order of the actions."""
    took: dict[str, list[float]] = {}
    with serving(place) as url, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1440, "height": 900}, locale="en-US")
        page.goto(url)
        page.get_by_text("Ready to search").wait_for(timeout=300_000)
        bar = page.get_by_test_id("stSidebar")
        if not bar.get_by_role("link").filter(has_text="Map").is_visible():
            bar.get_by_text("Workbench").click()
        page.evaluate(_WATCH)

        def timed(what: str, act: Callable[[], object]) -> None:
            act()
            quiet(page)
            took.setdefault(what, []).append(page.evaluate("clock.last - clock.start"))

        for _ in range(max(2, len(questions) // 4)):
            for name in PAGES:
                timed(f"page {name}", lambda name=name: to(page, name))  # type: ignore[misc]
        for question in questions:
            to(page, "Search")
            quiet(page)
            ask(page, question, timed)
            _read(page, timed)
    return took


def to(page: Page, name: str) -> None:
    page.get_by_test_id("stSidebar").get_by_role("link").filter(has_text=name).click()


def ask(page: Page, question: str, timed: Timed) -> None:
    box = page.get_by_role("textbox", name="Ask a question")
    box.fill(question)
    timed("a question, Enter", lambda: box.press("Enter"))


def _read(page: Page, timed: Timed) -> None:
    """Open the first hit, another note in the tree, and its tabs."""
    hit = page.locator("[class*='st-key-head_1'] a").first
    if not hit.count():
        return
    timed("a hit opened in its note", hit.click)
    notes = page.locator(".tree").get_by_role("button").filter(visible=True)
    timed("a note of the tree", notes.nth(notes.count() // 2).click)
    for tab in page.get_by_test_id("stMain").get_by_role("tab").all()[1:3]:
        timed("a tab of the note", tab.click)


def settle(page: Page) -> None:
    """Wait until the script has finished."""
    page.wait_for_selector('[data-testid="stApp"][data-test-script-state="notRunning"]')


def quiet(page: Page) -> None:
    """Wait until the page stops changing."""
    page.wait_for_timeout(QUIET)
    settle(page)
    while (left := page.evaluate(f"{QUIET} - (performance.now() - clock.last)")) > 0:
        page.wait_for_timeout(left)


if __name__ == "__main__":
    main()
