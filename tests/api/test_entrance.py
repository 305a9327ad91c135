"""Where the pages need a token, only a browser that came by its address is answered."""

from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.testclient import TestClient, WebSocketDenialResponse
from starlette.websockets import WebSocket

from core.doors.api.guard import Entrance, address
from core.settings import access

TOKEN = "token-of-this-run"


async def page(_: Request) -> Response:
    return PlainTextResponse("a page")


async def stream(socket: WebSocket) -> None:
    await socket.accept()
    await socket.close()


PROGRAMS = [Route("/remote", page), Route("/mcp", page), Mount("/api", PlainTextResponse("a page"))]


@pytest.fixture
def browser() -> TestClient:
    pages = [WebSocketRoute("/_stcore/stream", stream), Mount("/", PlainTextResponse("a page"))]
    entrance = Middleware(Entrance, token=TOKEN, others=PROGRAMS)
    return TestClient(Starlette(routes=[*PROGRAMS, *pages], middleware=[entrance]), follow_redirects=False)


PATHS = ("/", "/notes", "/_stcore/health", "/_stcore/upload_file/a/b", "/media/x", "/attachment/a/b/c", "/editor/x.js")


def test_without_the_cookie_every_page_is_refused_with_what_to_do(browser: TestClient) -> None:
    for path in (*PATHS, "/api", "/apis/x", "/remote/", "/remote/x", "/mcp/x", "//", "/?token=wrong", "/?token="):
        for method in ("GET", "POST", "PUT", "DELETE", "OPTIONS"):
            answer = browser.request(method, path)
            assert (answer.status_code, answer.headers["Cache-Control"]) == (403, "no-store"), (method, path)
            assert "a page" not in answer.text
    assert "?token=…" in answer.text
    assert ('lang="en"' in answer.text, 'lang="zh-CN"' in answer.text) == (True, True)
    with pytest.raises(WebSocketDenialResponse) as refused, browser.websocket_connect("/_stcore/stream"):
        pass
    assert refused.value.status_code == 403


def test_the_address_with_the_token_lets_a_browser_in(browser: TestClient) -> None:
    answer = browser.get(address("", TOKEN))
    assert (answer.status_code, answer.headers["Location"]) == (303, "/")
    cookie = answer.headers["Set-Cookie"]
    assert cookie.startswith("tessera-80=")
    assert {"HttpOnly", "SameSite=strict", "Path=/"} <= {*cookie.split("; ")}
    assert {browser.get(path).text for path in PATHS} == {"a page"}
    with browser.websocket_connect("/_stcore/stream"):
        pass
    assert browser.get(address("", TOKEN)).status_code == 303  # once more: the token leaves the address


@pytest.mark.parametrize(
    "cookie",
    [
        "",
        "tessera-80=",
        "tessera-80=wrong",
        f"tessera-81={TOKEN}",
        f"token={TOKEN}",
        f"tessera-80={TOKEN}x",
        "\xff=\xff;;;=",
    ],
)
def test_another_cookie_lets_nobody_in(browser: TestClient, cookie: str) -> None:
    assert browser.get("/notes", headers=[(b"cookie", cookie.encode())]).status_code == 403


def test_the_token_is_taken_at_the_start_page_only(browser: TestClient) -> None:
    for path in ("/notes", "/%2fevil.example", "/\\evil.example"):
        answer = browser.get(f"{path}?token={TOKEN}")
        assert (answer.status_code, "Location" in answer.headers) == (403, False)
    assert browser.get(f"/?token={TOKEN}&next=//evil.example").headers["Location"] == "/"


def test_programs_show_tokens_of_their_own(browser: TestClient) -> None:
    assert {browser.get(path).text for path in ("/remote", "/mcp", "/api/v1/notes")} == {"a page"}
    assert browser.put("/remote").status_code == 403  # the route takes no such method, and the pages are asked next
    assert browser.get("/api/%0ax").status_code == 403


def test_the_settings_say_whether_the_pages_need_a_token(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert not access.pages_need_token()
    (tmp_path / "tessera.toml").write_text("[app]\ntoken = true\n")
    assert access.pages_need_token()
    monkeypatch.setenv("TESSERA_APP__TOKEN", "false")
    assert not access.pages_need_token()
    (tmp_path / "tessera.toml").write_text("[app\n")
    assert access.pages_need_token()  # nobody can tell what the file would say
