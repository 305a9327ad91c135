"""The extension that saves a page from the browser: what it sends to the app, and what a page can't make it do."""

import base64
import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, ClassVar

import httpx
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from core.model import Note
from core.settings.access import TOKEN
from core.workspace import Workspace
from tests.browser.conftest import ROOT, app_of, chromium_path, light_workspace, running
from tests.waiting import wait_until

pytestmark = pytest.mark.browser

EXTENSION = ROOT / "data" / "extension"
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAIAAAAlC+aJAAAAT0lEQVR42u3PAQkAAAgDsGuG8K8UwBpMYRMDG2w+"
    "AgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgKvFhYAeM8sAAAAAElFTkSuQmCC"
)
TINY = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
ARTICLE = """<html><head><title>Boots &amp; rain</title><meta property='article:published_time' content='2024-03-04'>
</head><body><nav><a href='/menu'>Menu</a><img src='/boots.png'></nav><article><h1>Boots</h1>
<p>Keep them <b>dry</b>, see <a href='care#part'>care</a>.</p><p id='chosen'>Never near the <i>stove</i>.</p>
<p><img src='/boots.png' alt='A *pair*'> <img src='/tiny.png' alt='dot'> <img src='OTHER/boots.png' alt='far'></p>
<p>Last.</p></article><footer>About us</footer></body></html>"""
HOSTILE = """<html><head><title>Trap</title><meta http-equiv='refresh' content='600'></head><body>
<form name='querySelectorAll'></form><form name='createElement'><input name='cloneNode'></form>
<img name='createTreeWalker' src='/none'><iframe src='/'></iframe><iframe srcdoc='<p>framed</p>'></iframe>
<article><p>Text of the trap.</p><p onclick='steal()'><a href='javascript:steal()'>run</a></p>
<script>
  const seen = [];
  for (const name of ['chrome', 'browser']) if (window[name]?.storage || window[name]?.runtime?.id) seen.push(name);
  Document.prototype.importNode = Range.prototype.cloneContents = () => { throw new Error('mine'); };
  HTMLCanvasElement.prototype.toDataURL = () => 'data:,stolen';
  const all = { subtree: true, childList: true, attributes: true };
  new MutationObserver(() => seen.push('changed')).observe(document, all);
  setInterval(() => { document.querySelector('article p').append(' again'); }, 50);
  customElements.define('my-trap', class extends HTMLElement { constructor() { super(); seen.push('made'); } });
  window.seen = seen;
</script><my-trap>element</my-trap></article></body></html>"""


class Pages(BaseHTTPRequestHandler):
    """A site on this machine, which writes down what is asked of it."""

    asked: ClassVar[list[str]] = []
    pages: ClassVar[dict[str, str]] = {}

    def do_GET(self) -> None:
        self.asked.append(self.path)
        path = self.path.partition("?")[0]
        is_picture = path.endswith(".png")
        self.send_response(200 if is_picture or path in self.pages else 404)
        self.send_header("Content-Type", "image/png" if is_picture else "text/html; charset=utf-8")
        self.end_headers()
        picture = TINY if "tiny" in path else PNG
        self.wfile.write(picture if is_picture else self.pages.get(path, "").encode())

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    servers = [ThreadingHTTPServer(("127.0.0.1", 0), Pages) for _ in range(2)]
    for server in servers:
        Thread(target=server.serve_forever, daemon=True).start()
    first, other = (f"http://127.0.0.1:{server.server_address[1]}" for server in servers)
    Pages.pages = {
        "/boots": ARTICLE.replace("OTHER", other),
        "/trap": HOSTILE,
        "/deep": "<div>" * 3000 + "deep" + "<p>x</p>" * 3000,
        "/long": "<p hidden>" + "long " * 4_500_000,
        "/empty": "<html><body><script>1</script></body></html>",
    }
    yield first
    for server in servers:
        server.shutdown()
        server.server_close()


class Saver:
    """A browser with the extension, and the app to which it sends pages."""

    def __init__(self, context: BrowserContext, url: str, place: Path) -> None:
        self.context, self.url, self.place = context, url, place
        self.worker = context.service_workers[0] if context.service_workers else context.wait_for_event("serviceworker")
        first = context.pages[0]  # where the settings of the extension may open, which they do once
        wait_until(
            lambda: any("options.html" in page.url for page in context.pages),
            lambda seconds: first.wait_for_timeout(1000 * seconds),
        )
        self.page = context.new_page()

    @property
    def token(self) -> str:
        return (self.place / TOKEN).read_text()

    def set(self, **values: str) -> None:
        self.worker.evaluate("values => chrome.storage.local.set(values)", values)

    def open(self, address: str) -> Page:
        self.page.goto(address)
        self.page.bring_to_front()
        return self.page

    def save(self) -> str:
        """Press the button on the open page; return what it says then."""
        said = self.worker.evaluate(
            """async address => {
                const all = await chrome.tabs.query({}), [tab] = all.filter(one => one.url === address || one.active);
                await save(tab);
                return chrome.action.getTitle({ tabId: tab.id });
            }""",
            self.page.url,
        )
        for page in self.context.pages:
            if page is not self.page:
                page.close()
        return str(said)

    def notes(self) -> dict[str, Note]:
        """Return the notes by the addresses of their pages."""
        with Workspace(self.place, readonly=True) as workspace:
            notes = [workspace.notes.get(card.id) for card in workspace.notes.all()]
        return {note.source_url: note for note in notes}


@pytest.fixture(scope="module")
def saver(chromium: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Saver]:
    folder = tmp_path_factory.mktemp("saving")
    with pytest.MonkeyPatch.context() as settings, light_workspace(folder) as place:
        settings.setenv("TESSERA_HTTP__ENABLED", "true")
        with Workspace(place) as workspace:
            workspace.access.renew()
        with running(app_of(place)) as server:
            context = chromium.browser_type.launch_persistent_context(
                folder / "profile",
                executable_path=chromium_path(),
                locale="en-US",
                args=[
                    "--headless=new",
                    "--no-sandbox",
                    f"--disable-extensions-except={EXTENSION}",
                    f"--load-extension={EXTENSION}",
                ],
            )
            asked: list[str] = []
            context.on("request", lambda request: asked.append(request.url))
            yield Saver(context, server.url, place)
            context.close()
            own = ("http://127.0.0.1:", "chrome-extension://", "chrome://", "data:", "blob:", "about:")
            assert [address for address in asked if not address.startswith(own)] == []


@pytest.fixture
def connected(saver: Saver) -> Saver:
    saver.set(address=saver.url, token=saver.token, problem="")
    return saver


def test_it_wants_the_address_and_the_token_and_sends_pages_to_this_machine_only(saver: Saver, site: str) -> None:
    saver.open(f"{site}/boots")
    assert saver.save().startswith("Enter the address and the token")
    saver.set(address="http://evil.test", token="t")
    assert saver.save().startswith("Enter the address and the token")
    saver.set(address=saver.url, token="wrong")
    assert "no valid token" in saver.save()
    saver.set(address="http://127.0.0.1:9", token="t")
    assert "doesn't answer at http://127.0.0.1:9" in saver.save()
    options = saver.context.new_page()
    options.goto(saver.worker.url.replace("background.js", "options.html"))
    expect(options.get_by_role("alert")).to_contain_text("doesn't answer")
    options.get_by_label("Address").fill("http://127.0.0.1.evil.test/")
    options.get_by_label("Token").fill(saver.token)
    options.get_by_role("button", name="Store").click()
    expect(options.get_by_role("alert")).to_contain_text("this computer only")
    options.get_by_label("Address").fill(f"{saver.url}/api/v1")
    options.get_by_role("button", name="Store").click()
    expect(options.get_by_role("status")).to_have_text("Stored.")
    options.close()
    assert saver.save().startswith("Saved.")


def test_a_page_becomes_a_waiting_note_with_its_address_its_day_and_its_pictures(connected: Saver, site: str) -> None:
    connected.open(f"{site}/boots?a=1#part")
    Pages.asked.clear()
    assert connected.save().startswith("Saved.")
    assert Pages.asked == [], "nothing is asked of the page's server again"
    note = connected.notes()[f"{site}/boots?a=1"]
    assert (note.status, note.title) == ("pending", "Boots & rain")
    assert note.created_at
    assert note.created_at.date().isoformat() == "2024-03-04"
    with Workspace(connected.place, readonly=True) as workspace:
        assert workspace.bases.by_id(note.base_id).name == "web"
        path = note.body.partition("](attachments/")[2].partition(")")[0]
        picture = workspace.attachments.find(note.id, f"attachments/{path}")
    assert picture
    assert picture.type == "image/webp"
    assert note.body == (
        f"# Boots\n\nKeep them **dry**, see [care]({site}/care#part).\n\nNever near the *stove*.\n\n"
        f"![A \\*pair\\*](attachments/{path}) dot far\n\nLast.\n"
    )


def test_of_a_selection_only_that_is_saved(connected: Saver, site: str) -> None:
    page = connected.open(f"{site}/boots?chosen")
    page.evaluate("getSelection().selectAllChildren(document.querySelector('#chosen'))")
    assert connected.save().startswith("Saved.")
    assert connected.notes()[f"{site}/boots?chosen"].body == "Never near the *stove*.\n"


def test_a_hostile_page_is_text_and_notices_nothing(connected: Saver, site: str) -> None:
    page = connected.open(f"{site}/trap")
    page.evaluate("window.seen.length = 0; clearInterval(1); for (let n = 0; n < 99; n++) clearInterval(n)")
    Pages.asked.clear()
    assert connected.save().startswith("Saved.")
    assert page.evaluate("window.seen") == []
    assert Pages.asked == []
    body = connected.notes()[f"{site}/trap"].body
    assert body.startswith("Text of the trap.")
    assert not any(word in body for word in ("steal", "framed", "Observer", "stolen", "javascript"))


@pytest.mark.parametrize(
    ("path", "said"),
    [("/deep", "Saved."), ("/long", "This page is too long."), ("/empty", "contains no readable text")],
)
def test_pages_of_any_size_are_answered(connected: Saver, site: str, path: str, said: str) -> None:
    connected.open(f"{site}{path}")
    assert said in connected.save()


def test_pages_of_the_browser_itself_are_not_read(connected: Saver) -> None:
    connected.open("chrome://version")
    assert connected.save().startswith("This page can't be saved")


@pytest.mark.parametrize(
    ("origin", "path", "token", "status"),
    [
        ("chrome-extension://abcdefghijklmnop", "/api/v1/status", True, 200),
        ("moz-extension://12ab-34cd", "/api/v1/status", True, 200),
        ("chrome-extension://abcdefghijklmnop", "/api/v1/status", False, 401),
        ("chrome-extension://abcdefghijklmnop", "/notes", True, 403),
        ("chrome-extension://abcdefghijklmnop", "/_stcore/health", False, 403),
        ("chrome-extension://a/b", "/api/v1/status", True, 403),
        ("https://evil.test", "/api/v1/status", True, 403),
        ("null", "/api/v1/status", True, 403),
    ],
)
def test_an_extension_reaches_the_api_with_the_token_only(
    connected: Saver, origin: str, path: str, token: bool, status: int
) -> None:
    headers = {"Origin": origin} | ({"Authorization": f"Bearer {connected.token}"} if token else {})
    answer = httpx.get(connected.url + path, headers={**headers})
    assert answer.status_code == status
    assert "Access-Control-Allow-Origin" not in answer.headers


def test_its_texts_are_the_same_in_all_languages_and_it_may_do_nothing_else() -> None:
    texts: dict[str, dict[str, Any]] = {
        folder.name: json.loads((folder / "messages.json").read_text("utf-8"))
        for folder in (EXTENSION / "_locales").iterdir()
    }
    assert {*texts} == {"en", "zh_CN"}
    assert {*texts["en"]} == {*texts["zh_CN"]}
    manifest = json.loads((EXTENSION / "manifest.json").read_text("utf-8"))
    assert manifest["permissions"] == ["activeTab", "scripting", "storage"]
    assert manifest["host_permissions"] == ["http://127.0.0.1/*", "http://localhost/*"]
    assert not {"content_scripts", "externally_connectable", "web_accessible_resources"} & {*manifest}
