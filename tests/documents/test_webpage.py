"""A page of the web by its address: one request, and what is refused."""

import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from core.errors import SourceError
from core.intake import webpage
from core.workspace import Workspace

PAGE = b"<title>Herons</title><nav>Menu</nav><main><h1>Grey heron</h1><p>It waits.<img src='/a.png'></p></main>"


class Pages(BaseHTTPRequestHandler):
    asked: list[str]

    def do_GET(self) -> None:
        self.asked.append(self.path)
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
            assert workspace.notes.apply(workspace.notes.plan_page(page, "web")).added == added
        (card,) = workspace.notes.all()
        note = workspace.notes.get(card.id)
    assert Pages.asked == ["/birds/heron?x=1"] * 2
    assert (note.path, note.title) == ("127.0.0.1/birds-heron-x-1.html", "Herons")
    assert note.source_url == f"{server}/birds/heron?x=1"
    assert note.body == "# Grey heron\n\nIt waits.\n"


@pytest.mark.parametrize(
    ("path", "reason"),
    [("/moved", "leads to http://169"), ("/picture", "of the kind image/png"), ("/large", "more than")],
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
    with pytest.raises(SourceError, match="of its own network"):
        webpage.fetch(address)


@pytest.mark.parametrize(
    "address", ["file:///etc/passwd", "https://", "https://a:b@example.org/", "ftp://example.org/"]
)
def test_what_is_no_address_of_a_page_is_refused(address: str) -> None:
    with pytest.raises(SourceError, match="no address of a web page"):
        webpage.fetch(address)
