"""Documents that no converter may follow: whether each is refused or converted within its limits."""

import resource
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

from benchmarks.documents.making import hostile
from core.base.errors import TesseraError
from core.documents import converting

_SECRETS = ("root:x:0:0", "localhost")
_PLACES = (Path("/etc/passwd"), Path("/etc/hosts"))
_WRITTEN = Path("/tmp/tessera-written")


class _Requests(BaseHTTPRequestHandler):
    count = 0

    def do_GET(self) -> None:
        type(self).count += 1
        self.send_response(200)
        self.end_headers()


def measure() -> None:
    """Print what became of each, and how many asked a server or gave a file away."""
    server = HTTPServer(("127.0.0.1", 0), _Requests)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    port = str(server.server_port).encode()
    refused = converted = leaks = 0
    slowest = ("", 0.0)
    for name, data in hostile().items():
        started = time.perf_counter()
        try:
            text = converting.convert(data.replace(b"127.0.0.1:9/", b"127.0.0.1:" + port + b"/"), name)[0].text
            converted += 1
            said = f"converted, {len(text):,} characters"
        except TesseraError as error:
            text = said = str(error)
            refused += 1
        seconds = time.perf_counter() - started
        slowest = max(slowest, (name, seconds), key=lambda one: one[1])
        leaks += any(secret in text for secret in _SECRETS)
        print(f"  {name:22} {seconds:6.1f} s  {said[:110]}")
    server.shutdown()
    most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"{refused + converted} hostile documents: {refused} refused, {converted} converted; slowest {slowest[0]}")
    print(
        f"{_Requests.count} requests, {leaks} files given away, {int(_WRITTEN.exists())} written; "
        f"{slowest[1]:.1f} s at most, {most:.0f} MB"
    )
