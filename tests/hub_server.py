"""A model hub on 127.0.0.1: the few answers that its client asks for when it downloads a model."""

import hashlib
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from urllib.parse import urlsplit

COMMIT = "0123456789abcdef0123456789abcdef01234567"
PIECE = 1 << 14


class HubServer:
    """Serves the files of folders as models, by name, while its `with` lasts.

    A piece of a file is sent every `delay` seconds. `asked` are the requests it got, as METHOD PATH.
    """

    def __init__(self, models: dict[str, Path], *, delay: float = 0.0) -> None:
        self.models = models
        self.delay = delay
        self.asked: list[str] = []

    def __enter__(self) -> "HubServer":
        hub = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                hub._answer(self, body=True)

            def do_HEAD(self) -> None:
                hub._answer(self, body=False)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def _answer(self, request: BaseHTTPRequestHandler, *, body: bool) -> None:
        path = urlsplit(request.path).path
        self.asked.append(f"{request.command} {path}")
        for name, folder in self.models.items():
            if path == f"/api/models/{name}/revision/main":
                return self._send(request, json.dumps({"id": name, "sha": COMMIT, "siblings": []}).encode(), body=body)
            if path.startswith(f"/api/models/{name}/tree/"):
                return self._send(request, json.dumps(self._tree(folder)).encode(), body=body)
            if path.startswith(f"/{name}/resolve/{COMMIT}/"):
                file = folder / path.removeprefix(f"/{name}/resolve/{COMMIT}/")
                if file.is_file():
                    return self._send(request, file.read_bytes(), body=body)
        missing = {"X-Error-Code": "RepoNotFound" if path.startswith("/api/") else "EntryNotFound"}
        return self._send(request, b"", status=404, headers=missing, body=body)

    def _tree(self, folder: Path) -> list[dict[str, object]]:
        return [
            {
                "type": "file",
                "path": file.relative_to(folder).as_posix(),
                "size": file.stat().st_size,
                "oid": hashlib.sha1(file.read_bytes()).hexdigest(),
            }
            for file in sorted(folder.rglob("*"))
            if file.is_file()
        ]

    def _send(
        self,
        request: BaseHTTPRequestHandler,
        content: bytes,
        *,
        body: bool,
        status: int = 200,
        headers: dict[str, str] | None = None,
    ) -> None:
        request.send_response(status)
        request.send_header("Content-Length", str(len(content)))
        request.send_header("X-Repo-Commit", COMMIT)
        request.send_header("ETag", f'"{hashlib.sha1(content).hexdigest()}"')
        for name, value in (headers or {}).items():
            request.send_header(name, value)
        request.end_headers()
        for start in range(0, len(content) if body else 0, PIECE):
            time.sleep(self.delay)
            try:
                request.wfile.write(content[start : start + PIECE])
            except OSError:
                return  # the client went
