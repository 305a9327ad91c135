"""A browser that visits every page of a workspace whose every text and name is hostile.

An attempt is a page, opened in either language, light or dark, with some of what it hides unfolded. `told`: the page
showed the hostile text as text; `lost`: something of it was run, fetched, followed, drawn or taken for Markdown.
"""

import os
import random
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote, urlsplit

from playwright.sync_api import Browser, BrowserContext, Error, Page, sync_playwright

from benchmarks.drills import hostile
from benchmarks.drills.given import Given
from benchmarks.drills.hostile import WORD, Hostile
from benchmarks.drills.tally import Tally
from tests.browser.conftest import chromium_path, serving

EVIL = "http://127.0.0.1:9"
"""An address at which nobody answers; that it is asked is the fault."""
ENVIRONMENT = {"TESSERA_EMBEDDER": "tfidf", "TESSERA_SEARCH__RERANKER": "none"}
PATIENCE = 30_000
"""Milliseconds until a page counts as hung."""
_UNFOLDED = 6
_READY = (
    '[data-testid="stApp"][data-test-connection-state="CONNECTED"][data-test-script-state="notRunning"]'
    ':not(:has([data-stale="true"]))'
)
_FOLDS = ", ".join(
    (
        "summary",
        "[role=tab]",
        "[data-testid=stPopover] button",
        "[data-testid=stButtonGroup] button",
        "[data-testid=stSelectbox] input",
    )
)
"""What unfolds on a page, or chooses another view of it."""
_TEXT = """
  const roots = [document];
  for (const root of roots)
    for (const one of root.querySelectorAll('*')) if (one.shadowRoot) roots.push(one.shadowRoot);
  const all = css => roots.flatMap(root => [...root.querySelectorAll(css)]);
  const shown = [document.body, ...roots.slice(1).flatMap(root => [...root.children])];
  const drawn = [...all('input').map(one => one.value), ...all('[role=gridcell]').map(one => one.textContent)];
  const text = [...shown.map(one => one.innerText), ...drawn].join(' ');
"""
_LOOK = (
    f"""() => {{{_TEXT}"""
    + r"""
  const faults = [];
  const fault = (name, is) => is && faults.push(name);
  fault('a payload ran', localStorage.ran !== undefined || /^ran/.test(document.title));
  fault('an element of a note is in the page',
    all('iframe, base, object, embed, body meta, body link, form[action], .evil').length);
  const foreign = ':is(script, style, link, svg, button, form, [style], img:not([src^="/attachment/"]))';
  fault('an element of a note is in its document', all(`.document ${foreign}`).length);
  fault('a picture of a note is in the page', all('img[src^=http], image, video, picture').length);
  fault('a style of a note holds', getComputedStyle(document.body).outlineWidth === '9px');
  const scheme = link => link.getAttribute('href').match(/^\s*([a-z][\w+.-]*):/i)?.[1].toLowerCase() ?? 'http';
  fault('a link of another scheme', all('a[href], area[href]').some(link => !/^(https?|mailto)$/.test(scheme(link))));
  fault('a diagram is drawn', all('[aria-label^=Mermaid], .mermaid').length || /Mermaid diagram error/.test(text));
  fault('colours of Streamlit', /(^|[^[])HOSTILERED/.test(text));
  const icon = all('[data-testid=stIconMaterial]').some(one => one.innerText === 'skull');
  fault('icons of Streamlit', text.includes('💀') || icon);
  const labels = css => all(css).filter(one => !one.closest('.st-key-reader_body, .document article'));
  const bold = labels('strong').some(one => one.innerText === 'HOSTILEBOLD');
  fault('Markdown in a label', bold || labels('.katex').length);
  fault('an error is on the page', all('[data-testid=stException]').length || /RangeError|Traceback/.test(text));
  return faults;
}"""
)


class Watch:
    """What happens in a tab beside what is drawn."""

    def __init__(self, context: BrowserContext, page: Page, url: str) -> None:
        self.faults: list[str] = []
        own = (url, url.replace("http", "ws"), "data:", "blob:")

        def asked(address: str) -> None:
            if not address.startswith(own):
                self.faults.append(f"asked {address[:80]}")

        page.on("request", lambda request: asked(request.url))
        page.on("websocket", lambda socket: asked(socket.url))
        page.on("dialog", lambda dialog: (self.faults.append(f"a dialog: {dialog.message}"), dialog.dismiss()))
        page.on("download", lambda download: self.faults.append(f"a download: {download.url[:80]}"))
        page.on("pageerror", lambda error: self.faults.append(f"an error: {str(error)[:200]}"))
        page.on("crash", lambda _: self.faults.append("the page crashed"))
        page.on("console", lambda line: self._said(line.type, line.text))
        context.on("page", lambda _: self.faults.append("another page was opened"))

    def _said(self, kind: str, text: str) -> None:
        # On a page with an address of its own Streamlit looks for its files beside it first.
        if kind == "error" and "status of 404" not in text:
            self.faults.append(f"the console: {text[:200]}")


def _addresses(made: Hostile, chance: random.Random) -> Mapping[str, tuple[str, Callable[[Page], None] | None]]:
    """Return each page's address, and what is done there."""
    note, question = chance.choice(made.notes), quote(chance.choice(made.questions), safe="")
    views = {name: (f"/evaluation?view={name}", None) for name in ("questions", "compare", "history", "advice")}
    return {
        "home": ("/", None),
        "notes": ("/notes", None),
        "reader": (f"/notes?note={note}", None),
        "raw text": (f"/notes?note={note}", lambda page: page.locator(".st-key-view button").nth(1).click()),
        "passage": (f"/notes?note={note}&chunk=0&q={question}", None),
        "chunks": (f"/chunks?note={note}", None),
        "chunk drawer": (f"/chunks?note={note}", lambda page: page.locator(".own").first.dblclick()),
        "search": (f"/search?q={question}", None),
        **views,
        "settings": ("/settings", None),
    }


PAGES = tuple(_addresses(Hostile(("",), ("",)), random.Random()))


def visit(tally: Tally, browser: Browser, url: str, made: Hostile, name: str, seed: str) -> None:
    """Visit a page, and count what came of it; the seed tells language, look, note, question and what is unfolded."""
    chance = random.Random(f"{seed} {name}")
    address, act = _addresses(made, chance)[name]
    context = browser.new_context(
        locale=chance.choice(("en-US", "zh-CN")),
        color_scheme=chance.choice(("light", "dark")),
        viewport={"width": 1440, "height": 2000},
        reduced_motion="reduce",
    )
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    watch = Watch(context, page, url)
    died, told = "", False
    try:
        page.goto(url + address)
        # A page is at rest before its first run too.
        page.wait_for_function(f"() => {{{_TEXT} return text.includes({WORD!r}) }}")
        told = True
        _settle(page)
        if act:
            act(page)
            _settle(page)
        _unfold(page, chance)
        watch.faults += page.evaluate(_LOOK)
        if urlsplit(page.url).path != urlsplit(address).path:
            watch.faults.append(f"the page is now {page.url[:80]}")
    except Error as error:
        died = f"seed {seed}: {error.message[:300]}"
    finally:
        context.close()
    lost = "; ".join(dict.fromkeys(watch.faults))
    tally.count(name, told=told, died=died, lost=f"seed {seed}, {address[:60]}: {lost}" if lost else "")


def _settle(page: Page) -> None:
    page.wait_for_timeout(150)
    page.wait_for_selector(_READY, state="attached")


def _unfold(page: Page, chance: random.Random) -> None:
    """Open some of what unfolds on the page, so that what it hides is drawn too."""
    for _ in range(_UNFOLDED):
        folds = page.locator("[data-testid=stMain], [role=dialog]").last.locator(_FOLDS)
        if not (count := folds.count()):
            return
        fold = folds.nth(chance.randrange(count))
        try:
            if not (fold.is_visible() and fold.is_enabled(timeout=2_000)):
                continue
            fold.click(timeout=2_000)
        except Error:
            continue  # Something took its place, or it is gone.
        _settle(page)
        if page.locator("[role=listbox], [data-testid=stPopoverBody]").count():
            page.keyboard.press("Escape")
            _settle(page)


@contextmanager
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=["--no-sandbox"])
        yield browser
        browser.close()


def drill(tally: Tally, given: Given) -> None:
    """Visit `count` pages, all pages of a workspace before the next workspace is made."""
    os.environ |= ENVIRONMENT
    with chromium() as browser:
        for number in range(0, given.count, len(PAGES)):
            seed, told = given.seed + number, len(tally.faults)
            with tempfile.TemporaryDirectory() as folder:
                place = Path(folder, "workspace")
                made = hostile.workspace(place, seed, EVIL)
                with serving(place) as url:
                    for name in PAGES[: given.count - number]:
                        if not given.goes_on:
                            return
                        visit(tally, browser, url, made, name, str(seed))
            print(f"seed {seed}:", *tally.faults[told:] or ["no fault"], sep="\n", flush=True)
