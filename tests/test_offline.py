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

_COMMANDS = """
import json, sys
from core.doors import cli
for command in json.loads(sys.argv[1]):
    try:
        cli.main(command)
    except SystemExit as end:
        if end.code:
            raise
"""
"""In one process, for its start and the loading of the model take longer than all of them."""


def test_importing_and_searching_ask_no_network(bundled: Embedder, tmp_path: Path) -> None:
    folder = samples.write(tmp_path / "vault")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("HF_")}
    commands = [
        [*command, "--workspace", str(tmp_path / "workspace"), "--json"]
        for command in (["import", str(folder)], ["search", "restore a backup"], ["rebuild"])
    ]
    command = [sys.executable, "-c", _COMMANDS, json.dumps(commands)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    imported, answer, rebuilt = map(json.loads, done.stdout.splitlines())
    assert imported["added"] == 3
    assert answer["mode"] == "hybrid"
    assert rebuilt == {"windows": 3, "index": "chroma"}


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
