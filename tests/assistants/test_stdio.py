"""The process that an assistant starts: what it prints, what it locks, who writes its notes."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.client.client import Client

from core.access import Access
from core.assistants import server, write_calls
from core.assistants.write_calls import WriteCalls
from core.workspace import Workspace
from tests.assistants.conftest import Assistant, by_http, connected, tessera
from tests.browser.conftest import serving

NOISY = """
import ctypes, os, sys
from core.workspace import Workspace

def noisy(method):
    def call(*values, **named):
        print("a library's print")
        os.write(1, b"a raw write\\n")
        ctypes.CDLL(None).puts(b"a native line")
        return method(*values, **named)
    return call

Workspace.__init__ = noisy(Workspace.__init__)
Workspace.search = noisy(Workspace.search)
from core.cli import main
main(["mcp", "--workspace", sys.argv[1]])
"""
"""A Tessera whose libraries print while they load and while they search, also into C's own buffer."""


@pytest.fixture(autouse=True)
def _without_the_builtin_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TESSERA_SEARCH__RERANKER", "none")


def written(assistant: Assistant, text: str) -> Any:
    return assistant.items("note_add", text=text, base="kitchen")


def test_nothing_but_the_protocol_reaches_standard_output(folder: Path) -> None:
    asked = {"knowledge_base": "kitchen", "query": "烤箱 oven"}
    requests: list[dict[str, Any]] = [
        {"id": 1, "method": "tools/call", "params": {"name": "knowledge_query", "arguments": asked}},
        {"id": 2, "method": "tools/call", "params": {"name": "knowledge_query", "arguments": asked | {"limit": 0}}},
    ]
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    messages = [
        {"id": 0, "method": "initialize", "params": hello},
        {"method": "notifications/initialized"},
        *requests,
    ]
    process = subprocess.Popen(
        [sys.executable, "-c", NOISY, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    for message in messages:
        process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
    process.stdin.flush()
    answers = [json.loads(process.stdout.readline()) for _ in range(3)]
    rest, printed = process.communicate(timeout=60)  # its input ends, and so does it
    assert {answer["id"] for answer in answers} == {0, 1, 2}
    assert rest == b""
    assert process.returncode == 0
    for line in (b"a library's print", b"a raw write", b"a native line"):
        assert line in printed


def test_a_folder_without_a_workspace_is_an_error_until_there_is_one(tmp_path: Path) -> None:
    place = tmp_path / "later"
    with connected(tessera(place)) as assistant:
        for tool, arguments in (("knowledge_list", {}), ("note_add", {"text": "a", "base": "kitchen"})):
            assert "There is no workspace" in assistant.refused(tool, **arguments)
        assert not place.exists()
        with Workspace(place) as workspace:
            workspace.bases.add("late", embedder="tfidf", keep_tokens=False)
        assert assistant.items("knowledge_list") == ["late"]


def test_notes_are_written_by_itself_or_by_the_app_whoever_comes_and_goes(folder: Path) -> None:
    with connected(tessera(folder)) as assistant:
        first = written(assistant, "# One\n\nBefore the app.")
        with serving(folder) as url, connected(by_http(f"{url}/mcp", Access(folder).token)) as beside:
            second = written(beside, "# Two\n\nOver HTTP.")  # the app has the workspace open from now on
            third = written(assistant, "# Three\n\nHanded to the app.")
            assert beside.items("note_read", note=third["id"])["title"] == "Three"
        fourth = written(assistant, "# Four\n\nAfter the app.")
        notes = assistant.items("note_list", bases=["kitchen"], filters=["status:pending"])
        assert {note["id"] for note in notes} == {one["id"] for one in (first, second, third, fourth)}
        with Workspace(folder) as workspace:  # no lock is held between two calls
            assert not workspace.readonly


def test_a_command_that_writes_is_waited_for_and_then_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(write_calls, "_PATIENCE", 0.3)
    with Workspace(folder, readonly=True) as reading:
        write = WriteCalls(folder, lambda: reading)
        with Workspace(folder):
            refused = write("note_add", {"text": "a", "base": "kitchen"})
        assert refused.is_error
        assert "is in use by another Tessera" in refused.content[0].text
        assert not write("note_add", {"text": "a", "base": "kitchen"}).is_error


def test_calls_of_one_process_that_write_wait_for_each_other(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(write_calls, "_PATIENCE", 0.1)

    async def add(client: Client, number: int, results: list[Any]) -> None:
        results.append(await client.call_tool("note_add", {"text": f"# {number}", "base": "kitchen"}))

    async def at_once(count: int) -> list[Any]:
        results: list[Any] = []
        made = server.make(lambda: reading, WriteCalls(folder, lambda: reading))
        async with Client(made) as client, anyio.create_task_group() as calls:
            for number in range(count):
                calls.start_soon(add, client, number, results)
        return results

    with Workspace(folder, readonly=True) as reading:
        assert [result.content[0].text for result in anyio.run(at_once, 20) if result.is_error] == []
        pending = reading.notes.all(reading.searching.filters(terms=["status:pending"]))
    assert {card.title for card in pending} == {str(number) for number in range(20)}


def test_an_app_that_starts_waits_for_a_note_that_is_being_written(folder: Path) -> None:
    code = "import sys, time; from pathlib import Path; from core.workspace import Workspace\n"
    code += "with Workspace(Path(sys.argv[1])): print('open', flush=True); time.sleep(1)"
    process = subprocess.Popen([sys.executable, "-c", code, str(folder)], stdout=subprocess.PIPE)
    with process:
        assert process.stdout is not None
        process.stdout.readline()
        with Workspace(folder, patience=30) as workspace:
            assert not workspace.readonly
