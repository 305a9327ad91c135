"""A web page by its address: one request, and what is refused."""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from core.base.errors import SourceError
from core.intake import webpage
from core.workspace import Workspace
from tests.waiting import within_patience

PAGE = b"<title>Herons</title><nav>Menu</nav><main><h1>Grey heron</h1><p>It waits.<img src='/a.png'></p></main>"


class Pages(BaseHTTPRequestHandler):
    asked: list[str]

    def do_GET(self) -> None:
        self.asked.append(self.path)
        if self.path in ("/drip", "/chunks"):
            self._drip(
                b""
                if self.path == "/drip"
                else b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: text/html\r\n\r\n"
            )
            return
        if self.path == "/moved":
            self.send_response(302)
            self.send_header("Location", "http://169.254.169.254/")
        elif self.path == "/picture":
            self.send_response(200)
            self.send_header("Content-Type", "image/png")
        else:
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(PAGE if self.path != "/large" else b"x" * 2_000_000)

    def _drip(self, head: bytes) -> None:
        try:
            self.wfile.write(head)
            while True:
                self.wfile.write(b"0")
                time.sleep(0.05)
        except OSError:
            pass

    def log_message(self, *_: object) -> None: ...


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of a server, which counts as public here."""
    Pages.asked = []
    made = HTTPServer(("127.0.0.1", 0), Pages)
    threading.Thread(target=made.serve_forever, daemon=True).start()
    monkeypatch.setattr(webpage, "_is_public", lambda _: True)
    yield f"http://127.0.0.1:{made.server_port}"
    made.shutdown()
    made.server_close()


def test_a_page_becomes_a_note_with_its_address_by_one_request(server: str, tmp_path: Path) -> None:
    with Workspace(tmp_path / "workspace") as workspace:
        for added in (1, 0):
            page = workspace.documents.page(f"{server}/birds/heron?x=1")
            assert workspace.imports.apply(workspace.imports.plan_page(page, "web")).added == added
        (card,) = workspace.notes.all()
        note = workspace.notes.get(card.id)
    assert Pages.asked == ["/birds/heron?x=1"] * 2
    assert str(note.path).startswith("127.0.0.1/birds-heron-x-1-")
    assert note.title == "Herons"
    assert note.source_url == f"{server}/birds/heron?x=1"
    assert note.body == "# Grey heron\n\nIt waits.\n"


@pytest.mark.parametrize(
    ("path", "reason"),
    [("/moved", "redirects to http://169"), ("/picture", "has the type image/png"), ("/large", "larger than")],
)
def test_redirects_other_kinds_and_large_pages_are_refused(
    server: str, monkeypatch: pytest.MonkeyPatch, path: str, reason: str
) -> None:
    monkeypatch.setattr(webpage, "MAX_BYTES", 1_000_000)
    with pytest.raises(SourceError, match=reason):
        webpage.fetch(server + path)
    assert Pages.asked == [path]


@pytest.mark.parametrize(
    "address",
    [
        "http://127.0.0.1:1/",
        "http://[::1]/",
        "http://10.1.2.3/",
        "http://169.254.169.254/",
        "http://[::ffff:10.0.0.1]/",
    ],
)
def test_addresses_of_this_network_are_refused_before_anything_is_asked(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket, "create_connection", None)
    monkeypatch.setattr(socket, "getaddrinfo", lambda host, port, **_: [(0, 0, 0, "", (host, port))])
    with pytest.raises(SourceError, match="its local network"):
        webpage.fetch(address)


@pytest.mark.parametrize(
    "address", ["file:///etc/passwd", "https://", "https://a:b@example.org/", "ftp://example.org/"]
)
def test_what_is_no_address_of_a_page_is_refused(address: str) -> None:
    with pytest.raises(SourceError, match="the address of a web page"):
        webpage.fetch(address)


@pytest.mark.parametrize(
    "address", ["http://[abc", "http://a\u2100b/", "http://example.org:x/", "http://example.org:99999/"]
)
def test_an_address_that_cannot_be_read_is_refused_with_a_sentence(address: str) -> None:
    with pytest.raises(SourceError, match="the address of a web page"):
        webpage.fetch(address)


@pytest.mark.parametrize(
    ("number", "public"),
    [
        ("64:ff9b::10.0.0.1", False),
        ("64:ff9b::8.8.8.8", True),
        ("::127.0.0.1", False),
        ("::ffff:0:127.0.0.1", False),
        ("::ffff:8.8.8.8", True),
        ("2002:7f00:1::", False),
        ("fec0::1", False),
        ("2606:4700::1111", True),
    ],
)
def test_what_leads_to_ipv4_or_to_a_site_within_ipv6_counts_as_that(number: str, public: bool) -> None:
    assert webpage._is_public(number) is public


@pytest.mark.parametrize("path", ["/drip", "/chunks"])
def test_an_answer_that_comes_byte_by_byte_ends_when_its_time_is_over(
    server: str, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    monkeypatch.setattr(webpage, "SECONDS", 1.0)
    with pytest.raises(SourceError, match="takes longer than 1 seconds"):
        within_patience(lambda: webpage.fetch(server + path))


def test_the_next_address_of_a_host_is_tried_where_one_cannot_be_reached(
    server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    port = int(server.rpartition(":")[2])
    found = [(0, 0, 0, "", (number, port)) for number in ("127.0.0.77", "127.0.0.1")]
    monkeypatch.setattr(webpage.socket, "getaddrinfo", _once(found, socket.getaddrinfo))
    assert webpage.fetch(server + "/").data == PAGE


def test_an_address_in_any_script_is_asked_for(server: str) -> None:
    webpage.fetch(f"{server}/鸟?q=苍鹭&n=1")
    assert Pages.asked == ["/%E9%B8%9F?q=%E8%8B%8D%E9%B9%AD&n=1"]


def test_pages_never_share_a_note() -> None:
    paths = ["/a/b", "/a-b", "/a?b", "/C", "/C++", "/C#x", "/" + "a" * 130, "/" + "a" * 130 + "b", "/../x", "/x"]
    names = [webpage._name(f"https://example.org{path}", ".html") for path in paths]
    assert len({*names}) == len(paths) - 1, "/C and /C#x are one page"
    assert names[0] == "example.org/a-b.html"
    assert not any(part.strip(".") == "" for name in names for part in name.split("/"))


def _once(first: list[Any], then: Callable[..., Any]) -> Callable[..., Any]:
    answers = [first]
    return lambda *given, **named: answers.pop() if answers else then(*given, **named)
