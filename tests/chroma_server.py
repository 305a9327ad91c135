"""A server of Chroma that tests start, end and start again on its files; and a guard before it, who wants a key."""

import socket
import subprocess
import sys
import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx

from tests.waiting import wait_until


class ChromaServerProcess:
    """`chroma run` on a free port of this machine; `url` stays the same over its starts."""

    def __init__(self, folder: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port = free.getsockname()[1]
        self.folder = folder
        self._running: subprocess.Popen[bytes] | None = None
        self.url = f"http://127.0.0.1:{self._port}"

    @property
    def pid(self) -> int | None:
        """The id of the process, None while there is none."""
        return self._running and self._running.pid

    def start(self) -> None:
        """Start the server, and wait until it answers."""
        chroma = Path(sys.executable).with_name("chroma")
        place = ["--path", str(self.folder), "--host", "127.0.0.1", "--port", str(self._port)]
        self._running = subprocess.Popen(
            [chroma, "run", *place], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=self.folder.parent
        )
        wait_until(self._answers)

    def _answers(self) -> bool:
        with suppress(OSError), socket.create_connection(("127.0.0.1", self._port), 1):
            return True
        return False

    def kill(self) -> None:
        """End the server at once."""
        if self._running is not None:
            self._running.kill()
            self._running.wait()
            self._running = None


class Guard:
    """Passes requests with a key on to a server, as a proxy does; answers `status` instead where it is set."""

    def __init__(self, url: str, key: str) -> None:
        self.status = 0
        guard = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_any(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                refused = 0 if self.headers.get("Authorization") == f"Bearer {key}" else 401
                if status := guard.status or refused:
                    self._answer(status, b"a proxy says no")
                    return
                type_of = {"Content-Type": "application/json"}
                passed = httpx.request(self.command, url + self.path, content=body, headers=type_of)
                self._answer(passed.status_code, passed.content)

            do_GET = do_POST = do_PUT = do_DELETE = handle_any  # noqa: N815 names of the library

            def _answer(self, status: int, body: bytes) -> None:
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        """Stop answering."""
        self._server.shutdown()
        self._server.server_close()
