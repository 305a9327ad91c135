"""The pictures of the README, taken from the app with the sample notes: `python -m tests.pictures`."""

import io
import os
import tempfile
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.browser.conftest import IMPORT, ROOT, Tab, chromium_path, serving, tessera

FOLDER = ROOT / "docs" / "images"
SIZE = {"width": 1280, "height": 800}
QUESTIONS = {"en": "why did we decide against automatic failover?", "zh": "宫保鸡丁的碗汁怎么调？"}
NOTES = {"en": "Git rescue", "zh": "Redis"}
LOCALES = {"en": "en-US", "zh": "zh-CN"}
LOOKS = ("light", "dark")


def why(page: Page) -> None:
    page.locator(".st-key-hit_1 [class*='st-key-why_'] button").first.click()
    expect(page.locator(".st-key-why_body_1")).to_be_visible()


def home(page: Page) -> None:
    expect(page.locator(".st-key-digest")).to_be_visible()
    if (tour := page.locator(".st-key-tour_refuse button")).is_visible():
        tour.click()
        expect(tour).not_to_be_visible()


def compared(page: Page) -> None:
    expect(page.locator(".t-verdict")).to_be_visible()


def drawn(selector: str) -> Callable[[Page], None]:
    return lambda page: expect(page.locator(selector).first).to_be_visible()


def seed(folder: Path) -> None:
    """Write down what Home and Review show: tasks with a day, and a note suggested from a log."""
    day = datetime.now().astimezone().date() + timedelta(days=2)
    todo = f"- [ ] Return the library books by {day:%B} {day.day}\n- [ ] {day.month}月{day.day}日前交物业费\n"
    tessera("note", "new", "--base", "sample", "--body", f"# To do 待办\n\n{todo}")
    log = folder / "app.log"
    log.write_text(LOG, encoding="utf-8")
    tessera("learn", str(log), "--base", "sample")


LOG = """\
2026-11-27 09:14:02 ERROR api: connection to redis refused: maxclients reached
2026-11-27 09:15:40 ERROR api: connection to redis refused: maxclients reached
2026-11-27 09:21:10 INFO  api: restarted redis with maxclients 20000
2026-11-27 09:21:31 INFO  api: connected to redis
"""

PICTURES: dict[str, tuple[str, Callable[[Page], None]]] = {
    "answer": ("/search?q={question}", drawn(".t-answer")),
    "why": ("/search?q={question}", why),
    "home": ("/", home),
    "note": ("/notes?note={note}", drawn(".document")),
    "review": ("/review", drawn(".st-key-review_matter")),
    "chunks": ("/chunks?note={note}", drawn(".own")),
    "compare": ("/evaluation?view=compare", compared),
    "map": ("/map", drawn(".map[data-drawn]")),
    "bases": ("/bases?base=sample", drawn(".st-key-bases_body, [data-testid=stMain] h1")),
}
"""Name -> address, and what is done or awaited there; the first also in the dark look."""


def main() -> None:
    """Fill a workspace, and write every picture in each language."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "workspace"
        os.environ |= {"TESSERA_WORKSPACE": str(place), "TESSERA_EMBEDDER": "bundled", "OMP_NUM_THREADS": "1"}
        os.environ |= {"TESSERA_ENABLE_LEARNING": "true"}
        os.environ |= {"TESSERA_CONFIG_DIR": folder}  # no settings of the person who takes them
        FOLDER.mkdir(exist_ok=True)
        tessera("packs", "install", "sample")
        seed(Path(folder))
        questions = str(ROOT / "data" / "questions" / "sample.jsonl")
        tessera("evaluate", questions, "--base", "sample", "--save", "sample", "--compare", "mode=keyword")
        notes = {note["title"]: note["id"] for note in tessera("note", "list", "--base", "sample")["notes"]}
        with serving(place) as url, sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium_path(), args=["--no-sandbox"])
            expect.set_options(timeout=IMPORT)
            for language in LOCALES:
                note = next(key for title, key in notes.items() if title.startswith(NOTES[language]))
                _take(browser, url, language, note)
            browser.close()


def _take(browser: Browser, url: str, language: str, note: str) -> None:
    context = browser.new_context(locale=LOCALES[language], viewport=SIZE, reduced_motion="reduce")
    tab = Tab(context.new_page(), url)
    tab.page.set_default_timeout(IMPORT)
    for number, (name, (address, act)) in enumerate(PICTURES.items()):
        tab.open(address.format(question=QUESTIONS[language], note=note))
        expect(tab.page.locator(".t-dot.ready").first).to_be_visible(timeout=IMPORT)
        act(tab.page)
        tab.settle()
        for look in LOOKS if number == 0 else LOOKS[:1]:
            tab.page.emulate_media(color_scheme=look)
            tab.page.wait_for_timeout(1500)
            end = "" if look == "light" else f"-{look}"
            with Image.open(io.BytesIO(tab.page.screenshot())) as picture:
                picture.save(FOLDER / f"{name}-{language}{end}.webp", quality=80, method=6)
        tab.page.emulate_media(color_scheme="light")
    context.close()


if __name__ == "__main__":
    main()
