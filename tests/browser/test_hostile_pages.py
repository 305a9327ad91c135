"""A workspace whose every text and name is hostile does nothing but be shown; and a visit notices what it looks for."""

import random
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from urllib.parse import quote, urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Error, Page

from tests.browser import hostile
from tests.browser.conftest import light_workspace
from tests.browser.hostile import WORD, Hostile

pytestmark = pytest.mark.browser

EVIL = "http://127.0.0.1:9"
"""An address at which nobody answers; that it is asked is the fault."""
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
  const ours = ':not(.graph > svg)', img = 'img:not([src^="/attachment/"])';
  const foreign = `:is(script, style, link, svg${ours}, button, form, [style], ${img})`;
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
    """What happens in a tab in addition to what is drawn."""

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
    views = {name: (f"/evaluation?view={name}", None) for name in ("questions", "compare", "history")}
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


def visit(browser: Browser, url: str, made: Hostile, name: str, seed: str) -> list[str]:
    """Open a page, unfold some of what it hides, and return what ran, was fetched, followed, drawn or read as Markdown.

    The seed decides the language, the look, the note, the question and what is unfolded. Raises Error of Playwright
    where the page doesn't show the hostile text as text.
    """
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
    try:
        page.goto(url + address)
        # A page is at rest before its first run too.
        page.wait_for_function(f"() => {{{_TEXT} return text.includes({WORD!r}) }}")
        _settle(page)
        if act:
            act(page)
            _settle(page)
        _unfold(page, chance)
        watch.faults += page.evaluate(_LOOK)
        if urlsplit(page.url).path != urlsplit(address).path:
            watch.faults.append(f"the page is now {page.url[:80]}")
    finally:
        context.close()
    return watch.faults


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


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with light_workspace(tmp_path_factory.mktemp("hostile")) as folder:
        yield folder


@pytest.fixture(scope="module")
def made(place: Path) -> Hostile:
    return hostile.workspace(place, 1, EVIL, notes=3)


def test_a_hostile_workspace_does_nothing_but_be_shown(made: Hostile, server: str, chromium: Browser) -> None:
    assert [visit(chromium, server, made, name, "1") for name in ("reader", "search")] == [[], []]


def test_a_visit_notices_what_a_note_does(chromium: Browser) -> None:
    with chromium.new_context() as context:
        page = context.new_page()
        page.goto("about:blank")
        page.set_content(
            "<title>ran</title><body style='outline: 9px solid red'><main data-testid=stMain><iframe></iframe>"
            "<a href='data:x'>x</a><img src='http://127.0.0.1:9/x'><p aria-label='Mermaid flowchart'>HOSTILERED"
            "\N{SKULL}<strong>HOSTILEBOLD</strong><p data-testid=stException>RangeError"
        )
        look = _LOOK.replace("localStorage.ran", "undefined")  # an empty page has no storage
        assert len(page.evaluate(look)) == 10
        page.evaluate(
            "document.body.innerHTML = '<p>'; document.body.attachShadow({mode: 'open'}).innerHTML = '<object>'"
        )
        assert "an element of a note is in the page" in page.evaluate(look)
