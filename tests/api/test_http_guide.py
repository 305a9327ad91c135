"""docs/http.md: every example runs with curl against `tessera serve`, and every operation has one."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from core.base import log
from core.settings.access import TOKEN
from tests import samples
from tests.model_server import ModelServer
from tests.waiting import wait_until

PAGE = (Path(__file__).parents[2] / "docs" / "http.md").read_text(encoding="utf-8")
EXAMPLES = "\n".join(re.findall(r"```bash\n(.*?)```", PAGE, re.DOTALL))
RECORDED = """
set -uo pipefail
curl() { command curl -w '%{stderr}%{http_code} %{method} %{url_effective}\\n' "$@" && echo; }
"""
"""Before the examples: each request says on standard error how it was answered."""


@pytest.fixture(scope="module")
def model() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, model: ModelServer) -> Iterator[dict[str, str]]:
    """`tessera serve` on a new workspace; the variables of the examples."""
    tmp_path = tmp_path_factory.mktemp("serve")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = os.environ | {"TESSERA_EMBEDDER": "tfidf", "TESSERA_SEARCH__RERANKER": "none"}
    environment |= {"TESSERA_ENABLE_LEARNING": "true", "TESSERA_LLM__BASE_URL": model.url, "TESSERA_LLM__MODEL": "m"}
    environment |= {
        "TESSERA_SEARCH__DECOMPOSE": "rules",
        "TESSERA_SEARCH__CHOOSE": "never",
        "TESSERA_SEARCH__USE_CLICKS": "true",
    }
    environment["TESSERA_INDEX__KIND"] = "none"
    environment["TESSERA_PICTURES__MODEL"] = str(clip := tmp_path / "clip")  # which no note with a picture loads
    clip.mkdir()
    for name in ("config.json", "model.safetensors"):
        (clip / name).write_text("{}")
    command = [sys.executable, "-m", "core.doors.cli", "serve", "--port", str(port), "--json", "--workspace"]
    process = subprocess.Popen(
        [*command, str(tmp_path / "workspace")], env=environment, stdout=subprocess.PIPE, text=True, cwd=tmp_path
    )
    assert process.stdout is not None
    try:
        said = json.loads(process.stdout.readline())
        yield environment | {
            "API": said["url"],
            "TOKEN": (tmp_path / "workspace" / TOKEN).read_text(),
            "WORKSPACE": str(tmp_path / "workspace"),
            "NOTES": str(samples.write(tmp_path / "vault")),
        }
    finally:
        process.terminate()
        process.wait(30)
        process.stdout.close()


@pytest.mark.skipif(not (shutil.which("curl") and shutil.which("bash")), reason="needs curl and bash")
def test_every_example_runs_and_every_operation_has_one(server: dict[str, str], tmp_path: Path) -> None:
    waits = f"for i in $(seq 150); do command curl -s -o {tmp_path}/up $API/status && break; sleep 0.2; done\n"
    done = subprocess.run(
        ["bash", "-c", RECORDED + waits + EXAMPLES],
        env=server,
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )
    answers = re.findall(r"^(\d{3}) ([A-Z]+) http://[^/]+/api(\S*?)(?:\?\S*)?$", done.stderr, re.MULTILINE)
    operations = {
        (method.upper(), place) for place, methods in _schema(done.stdout)["paths"].items() for method in methods
    }
    shown = {(status, method, _operation(operations, method, place)) for status, method, place in answers}
    refused = {one for one in shown if one[0] >= "400"}
    known = {("404", "GET", "/v1/notes/{note}"), ("412", "PATCH", "/v1/notes/{note}")}
    assert refused == known, done.stdout
    assert operations <= {(method, place) for status, method, place in shown if status < "400"}
    assert '"state": "failed"' not in done.stdout


def test_commands_and_assistants_come_in_beside_it(server: dict[str, str]) -> None:
    command = [
        sys.executable,
        "-m",
        "core.doors.cli",
        "base",
        "new",
        "beside",
        "--json",
        "--workspace",
        server["WORKSPACE"],
    ]
    made = json.loads(subprocess.run(command, env=server, capture_output=True, check=True, text=True).stdout)
    assert made["name"] == "beside"
    host = server["API"].removesuffix("/api/v1")
    shown = {"Authorization": f"Bearer {server['TOKEN']}", "Accept": "application/json"}
    listing = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "knowledge_list", "arguments": {}}}
    assert "beside" in httpx.post(f"{host}/mcp", headers=shown, json=listing, timeout=60).text
    assert httpx.post(f"{host}/mcp", json=listing, timeout=60).status_code == 401
    asked = {"query": "heron", "bases": ["beside"]}
    found = httpx.post(f"{server['API']}/search", headers=shown, json=asked, timeout=60)
    assert found.status_code == 200
    written = Path(server["WORKSPACE"]) / log.FILE
    wait_until(lambda: "http: method=POST" in written.read_text())  # the line is written after the answer
    logged = written.read_text()
    for line in ("base.new: by=person base=beside", "tool knowledge_list:", "http: method=POST work=search.find by="):
        assert line in logged


def _schema(printed: str) -> dict[str, dict[str, dict[str, object]]]:
    line = next(line for line in printed.splitlines() if line.startswith('{"openapi"'))
    return dict(json.loads(line))


def _operation(operations: set[tuple[str, str]], method: str, place: str) -> str:
    """Return the place of the schema that an address is of, one without parameters before others."""
    fitting = [
        known
        for verb, known in operations
        if verb == method and re.fullmatch(re.sub(r"\{[^}]*\}", "[^/]+", known), place)
    ]
    return min(fitting, key=lambda known: known.count("{"), default=place)
