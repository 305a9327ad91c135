"""A server of Chroma that tests start, end and start again on its files."""

import socket
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

_SECONDS = 60


class ChromaServerProcess:
    """`chroma run` on a free port of this machine; `url` stays the same over its starts."""

    def __init__(self, folder: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port = free.getsockname()[1]
        self._folder = folder
        self._running: subprocess.Popen[bytes] | None = None
        self.url = f"http://127.0.0.1:{self._port}"

    def start(self) -> None:
        """Start the server, and wait until it answers."""
        chroma = Path(sys.executable).with_name("chroma")
        place = ["--path", str(self._folder), "--host", "127.0.0.1", "--port", str(self._port)]
        self._running = subprocess.Popen(
            [chroma, "run", *place], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=self._folder.parent
        )
        until = time.monotonic() + _SECONDS
        while time.monotonic() < until:
            with suppress(OSError), socket.create_connection(("127.0.0.1", self._port), 1):
                return
            time.sleep(0.05)
        raise TimeoutError("the server of Chroma didn't start")

    def kill(self) -> None:
        """End the server at once."""
        if self._running is not None:
            self._running.kill()
            self._running.wait()
            self._running = None
