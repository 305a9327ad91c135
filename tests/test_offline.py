"""After the install nothing reaches for the network: every socket but this machine's is refused (tests/conftest.py)."""

import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from core.embedding import Embedder
from tests import samples


def test_importing_and_searching_ask_no_network(bundled: Embedder, tmp_path: Path) -> None:
    folder = samples.write(tmp_path / "vault")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("HF_")}

    def run(*arguments: str) -> dict[str, object]:
        command = [sys.executable, "-m", "core.cli", *arguments, "--workspace", str(tmp_path / "workspace"), "--json"]
        done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
        assert done.returncode == 0, done.stderr
        printed: dict[str, object] = json.loads(done.stdout)
        return printed

    assert run("import", str(folder))["added"] == 3
    assert run("search", "restore a backup")["mode"] == "hybrid"
    assert run("rebuild") == {"windows": 3, "index": "chroma"}


@pytest.mark.parametrize(
    "ask",
    [
        lambda: socket.create_connection(("example.org", 443)),
        lambda: socket.create_connection(("192.0.2.1", 80)),
        lambda: socket.gethostbyname("example.org"),
    ],
)
def test_the_network_is_refused(ask: Callable[[], object], refused: Path) -> None:
    with pytest.raises(AssertionError, match=r"the network was asked for (example\.org|192\.0\.2\.1)"):
        ask()
    assert refused.read_text() in ("example.org\n", "192.0.2.1\n")
    refused.write_text("")


def test_a_process_that_a_test_starts_is_refused_it_too(refused: Path) -> None:
    code = "import urllib.request; urllib.request.urlopen('http://192.0.2.1')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "the network was asked for 192.0.2.1" in done.stderr
    assert refused.read_text() == "192.0.2.1\n"
    refused.write_text("")
