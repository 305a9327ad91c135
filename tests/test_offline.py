"""After the install nothing reaches for the network: every socket but loopback is refused here."""

import json
import os
import subprocess
import sys
from pathlib import Path

from core.embedding import Embedder
from tests import notes

GUARD = """
import socket, sys

def loopback(address):
    return not isinstance(address, tuple) or address[0] in ("127.0.0.1", "::1", "localhost")

connect, lookup = socket.socket.connect, socket.getaddrinfo

def guarded_connect(self, address):
    if not loopback(address):
        raise AssertionError(f"the network was asked for {address}")
    return connect(self, address)

def guarded_lookup(host, *rest, **more):
    if host not in ("127.0.0.1", "::1", "localhost", None):
        raise AssertionError(f"the network was asked for {host}")
    return lookup(host, *rest, **more)

socket.socket.connect, socket.getaddrinfo = guarded_connect, guarded_lookup
from core.cli import main
main(sys.argv[1:])
"""


def test_importing_and_searching_ask_no_network(bundled: Embedder, tmp_path: Path) -> None:
    folder = notes.write(tmp_path / "vault")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("HF_")}

    def run(*arguments: str) -> dict[str, object]:
        command = [sys.executable, "-c", GUARD, *arguments, "--workspace", str(tmp_path / "workspace"), "--json"]
        done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
        assert done.returncode == 0, done.stderr
        printed: dict[str, object] = json.loads(done.stdout)
        return printed

    assert run("import", str(folder))["added"] == 3
    assert run("search", "restore a backup")["mode"] == "hybrid"
    assert run("rebuild") == {"windows": 3}
