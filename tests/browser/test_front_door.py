"""The front door: what every answer carries, whom the app answers, and that any address can be the first."""

import http.client
import json
import os
import shutil
import socket
import threading
import tomllib
import urllib.error
import urllib.request
from collections.abc import Iterator
from email.message import Message
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from core.base.errors import WorkspaceLocked
from core.settings.access import RUN
from core.workspace import Workspace
from pages.ui.shared.server import HEADERS
from tests.browser.conftest import ROOT, Tab, browsing, light_workspace, serving, tessera
from tests.waiting import wait_until

pytestmark = pytest.mark.browser


@pytest.fixture
def filled(tmp_path: Path) -> Iterator[Path]:
    """A workspace with one note, which no server has opened yet, and an embedder that needs no model."""
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "door.md").write_text("# Door\n\nIt stands open.\n", encoding="utf-8")
    with light_workspace(tmp_path) as place:
        tessera("import", str(tmp_path / "notes"))
        yield place


def answer(url: str, **headers: str) -> tuple[int, Message]:
    """Ask without a browser; return the status and the headers."""
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers=headers)) as response:
            return response.status, response.headers
    except urllib.error.HTTPError as error:
        return error.code, error.headers


@pytest.mark.parametrize(
    "path", ["/", "/notes", "/favicon.png", "/_stcore/health", "/media/none", "/component/none/x.js", "/..%2fapp.py"]
)
def test_every_answer_carries_the_policy(server: str, path: str) -> None:
    _, headers = answer(server + path)
    assert {name: headers[name] for name in HEADERS} == HEADERS


def test_the_app_answers_to_its_own_names_only(server: str) -> None:
    port = server.rpartition(":")[2]
    assert answer(server, Host=f"localhost:{port}")[0] == 200
    status, headers = answer(server, Host="evil.example")
    assert status == 400
    assert headers["Content-Security-Policy"] == HEADERS["Content-Security-Policy"]


FOREIGN = ("http://evil.example", "http://localhost:3000", "http://127.0.0.1:9", "http://localhost:{port}", "null", "")
"""Origins of pages that aren't the app's own at 127.0.0.1: of the network, of other servers here, of a file."""


@pytest.mark.parametrize("origin", FOREIGN)
@pytest.mark.parametrize(
    "path", ["/", "/_stcore/metrics", "/_stcore/health", "/_stcore/host-config", "/media/none", "/api/v1/notes"]
)
def test_a_page_of_another_origin_gets_nothing(server: str, path: str, origin: str) -> None:
    status, headers = answer(server + path, Origin=origin.format(port=server.rpartition(":")[2]))
    assert status == 403
    assert {name: headers[name] for name in HEADERS} == HEADERS


@pytest.mark.parametrize("method", ["PUT", "POST", "DELETE", "OPTIONS"])
def test_a_page_of_another_origin_changes_nothing(server: str, method: str) -> None:
    status, headers = asked(server, method, "/_stcore/upload_file/a/b", Origin="http://localhost:3000")
    assert status == 403
    assert not any(name.lower().startswith("access-control") for name in headers)


@pytest.mark.parametrize("mode", ["no-cors", "cors", "navigate"])
def test_a_page_of_another_origin_embeds_nothing(server: str, mode: str) -> None:
    """A browser names no origin for a picture, a script or a frame, but says that another site asks."""
    said = {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": mode, "Sec-Fetch-Dest": "iframe"}
    assert answer(f"{server}/favicon.png", **said)[0] == 403
    assert answer(server, **said | {"Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"})[0] == 200


def test_sockets_are_for_the_pages_of_the_app_only(server: str) -> None:
    def handshake(host: str = "", **headers: str) -> int:
        """Ask for the app's WebSocket; 101 is a yes."""
        upgrade = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13"}
        key = {"Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ=="}
        return asked(server, "GET", "/_stcore/stream", **upgrade, **key, **headers, **{"Host": host} if host else {})[0]

    port = server.rpartition(":")[2]
    assert handshake(Origin=server) == 101
    assert handshake(Origin=f"http://localhost:{port}", host=f"localhost:{port}") == 101
    assert {handshake(Origin=origin.format(port=port)) for origin in FOREIGN} == {403}
    assert handshake(Origin=f"http://evil.example:{port}", host=f"evil.example:{port}") == 400


@pytest.mark.parametrize("path", ["/", "/notes", "/favicon.png", "/media/none", "/_stcore/metrics", "/api/v1/notes"])
def test_no_path_answers_to_another_name(server: str, path: str) -> None:
    for host in ("evil.example", "127.0.0.1.evil.example", "localhost@evil.example", "0.0.0.0", "www.localhost"):
        assert answer(server + path, Host=host)[0] == 400


def asked(url: str, method: str, path: str, **headers: str) -> tuple[int, Message]:
    """Ask in any method, without a browser; return the status and the headers."""
    connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=10)
    try:
        connection.request(method, path, headers=headers)
        response = connection.getresponse()
        return response.status, response.headers
    finally:
        connection.close()


REACH = """async ([url, token]) => {
  const shown = { Authorization: `Bearer ${token}` };
  const note = JSON.stringify({ base: 'notes', body: '# Not yours' });
  const ways = [
    { headers: shown },
    { method: 'POST', headers: { ...shown, 'Content-Type': 'application/json' }, body: note },
    { method: 'POST', mode: 'no-cors', headers: { 'Content-Type': 'text/plain' }, body: note },
    { mode: 'no-cors' },
  ];
  const read = [];
  for (const way of ways) {
    try { read.push(await (await fetch(`${url}/api/v1/notes`, way)).text()); } catch { read.push(''); }
  }
  return read;
}"""
"""Ask the API in each way that a page may, and return what it could read."""


def test_a_page_of_another_server_here_reaches_no_api(
    filled: Path, chromium: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TESSERA_HTTP__ENABLED", "true")
    other = ThreadingHTTPServer(("127.0.0.1", 0), SimpleHTTPRequestHandler)
    threading.Thread(target=other.serve_forever, daemon=True).start()
    with serving(filled) as url, chromium.new_context() as context:
        assert answer(f"{url}/api/v1/notes")[0] == 401
        token = (filled / "token").read_text(encoding="ascii")
        page = context.new_page()
        page.goto(f"http://127.0.0.1:{other.server_port}/")
        assert page.evaluate(REACH, [url, token]) == ["", "", "", ""]
        assert answer(f"{url}/api/v1/notes", Authorization=f"Bearer {token}")[0] == 200
    other.shutdown()
    other.server_close()
    assert [note["title"] for note in tessera("note", "list")["notes"]] == ["Door"]


def test_the_chosen_look_is_there_from_the_first_paint(tab: Tab) -> None:
    page = tab.page
    body = page.get_by_test_id("stApp")
    dark = "getComputedStyle(document.querySelector('.stApp')).backgroundColor.match(/\\d+/g).every(part => part < 64)"
    tab.open("/settings")
    expect(page.get_by_test_id("stMainMenu")).to_be_hidden()
    for look, colour in (("Dark", "rgb(20, 24, 26)"), ("System", "rgb(253, 252, 250)"), ("Dark", "rgb(20, 24, 26)")):
        page.get_by_text(look, exact=True).click()
        expect(body).to_have_css("background-color", colour)
    tab.settle()
    page.goto(f"{tab.url}/notes")
    page.wait_for_selector(".stApp")
    assert page.evaluate(dark)
    expect(body).to_have_css("background-color", "rgb(20, 24, 26)")
    tab.settle()
    tab.open("/settings")
    page.locator(".st-key-settings_look").get_by_text("System", exact=True).click()
    expect(body).to_have_css("background-color", "rgb(253, 252, 250)")


@pytest.mark.parametrize(("page", "content"), [("chunks", ".own"), ("notes", ".document")])
def test_a_link_into_a_new_server_is_followed_and_back_returns(
    filled: Path, chromium: Browser, page: str, content: str
) -> None:
    note = tessera("search", "door")["hits"][0]["note_id"]
    with serving(filled) as url, browsing(chromium, url) as tab:
        shown = tab.page
        tab.open(f"/{page}?note={note}")
        expect(shown.locator(content).first).to_contain_text("It stands open")
        expect(shown).to_have_title(f"{page.capitalize()} · Tessera")
        menu = shown.get_by_test_id("stSidebar")
        if page == "notes":
            menu.get_by_text("Workbench").click()
        for name in ("Home", "Notes", "Chunks", "Search", "Evaluation", "Settings"):
            expect(menu.get_by_role("link", name=name)).to_be_visible()
        expect(shown.get_by_role("dialog")).to_have_count(0)
        tab.settle()
        menu.get_by_role("link", name="Search").click()
        expect(shown.get_by_role("textbox", name="Ask a question")).to_be_visible()
        tab.settle()
        shown.go_back()
        expect(shown.locator(content).first).to_contain_text("It stands open")
        expect(shown).to_have_url(f"{url}/{page}?note={note}")


def test_files_go_up_and_come_down(filled: Path, chromium: Browser) -> None:
    with serving(filled) as url, browsing(chromium, url) as tab:
        page = tab.page
        tab.open("/notes?import=1")
        page.get_by_role("tab", name="Upload files").click()
        expect(page.get_by_text("Ready to search")).to_be_visible()
        with page.expect_response("**/_stcore/upload_file/**") as upload:
            page.locator(".st-key-by_files input[type=file]").set_input_files(filled.parent / "notes" / "door.md")
        assert upload.value.ok
        expect(page.locator(".st-key-by_files")).to_contain_text("door.md")
        tab.settle()
        page.locator(".st-key-look_files button").click()
        expect(page.get_by_text("What will change")).to_be_visible()
        tab.open("/search?q=door")
        page.get_by_role("button", name="For an assistant").click()
        with page.expect_download() as download:
            page.get_by_role("button", name="Download").click()
        assert "It stands open" in download.value.path().read_text(encoding="utf-8")


def test_the_app_is_started_as_a_wheel_installs_it(
    filled: Path, chromium: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed, elsewhere = tmp_path / "site-packages", tmp_path / "elsewhere"
    elsewhere.mkdir()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]
    for source, target in [*wheel["force-include"].items(), *((name, name) for name in wheel["packages"])]:
        (installed / target).parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if (ROOT / source).is_dir() else shutil.copyfile)(ROOT / source, installed / target)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(installed), os.environ["PYTHONPATH"]]))
    monkeypatch.setenv("STREAMLIT_SERVER_ADDRESS", "0.0.0.0")
    with serving(filled, elsewhere) as url, browsing(chromium, url) as tab:
        tab.open("/settings")
        expect(tab.page.get_by_role("heading", name="Settings")).to_be_visible()
        colour = tab.page.evaluate("getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor")
        assert colour == "rgb(253, 252, 250)"  # of .streamlit/config.toml
        tab.open("/")
        expect(tab.page.get_by_role("link", name="Search").first).to_be_visible()
        assert answer(url, Host="evil.example")[0] == 400
        with pytest.raises(OSError):
            socket.create_connection(("127.0.0.2", int(url.rpartition(":")[2])), timeout=5)
    assert not any(elsewhere.iterdir())


def test_the_workspace_is_opened_before_a_page_asks_for_it(filled: Path) -> None:
    with serving(filled):
        wait_until(lambda: (filled / RUN).exists())  # its address, written when it is open
        with pytest.raises(WorkspaceLocked):
            Workspace(filled)


def test_a_server_that_is_ended_closes_its_workspace(filled: Path, chromium: Browser) -> None:
    with serving(filled) as url, browsing(chromium, url) as tab:
        tab.open("/")
        expect(tab.page.get_by_text("Ready to search")).to_be_visible()
        wait_until(lambda: not (filled / "chroma.seal").exists())  # the index opens after the model
    assert (filled / "chroma.seal").exists()


ROUTES = ("/", "/notes", "/_stcore/health", "/_stcore/metrics", "/static/js/index.js", "/media/x", "/attachment/a/b/c")


def test_with_a_token_only_the_browser_that_has_it_is_answered(
    filled: Path, chromium: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "printed"
    monkeypatch.setenv("TESSERA_HTTP__ENABLED", "true")
    with serving(filled, ROOT, "--token", "--json", out=out) as url:
        address = json.loads(out.read_text(encoding="utf-8"))["url"]
        assert address.startswith(f"{url}/?token=")
        for path in (*ROUTES, "/?token=wrong"):
            status, headers = answer(url + path)
            assert (status, headers["X-Frame-Options"]) == (403, "DENY"), path
        upgrade = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13", "Origin": url}
        upgrade |= {"Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ=="}
        assert asked(url, "GET", "/_stcore/stream", **upgrade)[0] == 403
        assert asked(url, "PUT", "/_stcore/upload_file/a/b")[0] == 403
        assert answer(f"{url}/api/v1/notes")[0] == 401  # the API has the person's token
        assert tessera("note", "new", "desk", "--body", "# Beside")["title"] == "Beside"  # commands that of the run
        with chromium.new_context() as stranger:
            page = stranger.new_page()
            for path in ("/", "/notes", "/?token=wrong"):
                page.goto(url + path)
                expect(page.locator("[lang=en]")).to_contain_text("which is printed in the terminal")
        with browsing(chromium, url) as tab:
            tab.page.goto(address)
            expect(tab.page.get_by_role("link", name="Search").first).to_be_visible()
            expect(tab.page).to_have_url(f"{url}/")
            [cookie] = [one for one in tab.page.context.cookies() if one["name"].startswith("tessera-")]
            assert (cookie["httpOnly"], cookie["sameSite"]) == (True, "Strict")
            assert "token" not in tab.page.evaluate("document.cookie")
            tab.open("/search?q=door")
            expect(tab.page.get_by_text("It stands open").first).to_be_visible()
            tab.settle()


def test_a_head_that_is_too_large_gets_no_answer_but_that(server: str) -> None:
    assert answer(f"{server}/notes", X="x" * 20_000)[0] == 200
    for path in ("/", "/notes", "/_stcore/health", "/api/v1/notes", "/remote"):
        assert answer(server + path, X="x" * 70_000)[0] == 431
    assert answer(f"{server}/attachment/{'a' * 40_000}")[0] == 431
