"""The process that an assistant starts: what it prints, what it locks, who writes its notes."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.client.client import Client

from core.doors.assistants import server, stdio
from core.doors.assistants.stdio import _MOST_BYTES, WriteCalls
from core.settings.access import AccessTokens
from core.workspace import Workspace
from tests.assistants.conftest import Assistant, by_http, connected, tessera
from tests.browser.conftest import serving
from tests.waiting import wait_until

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
from core.doors.cli import main
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


def spoken(folder: Path, *lines: str, cwd: Path | None = None) -> tuple[list[dict[str, Any]], str]:
    """What the process answers to lines, one to each that isn't empty, and what it prints in addition."""
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    first = [{"id": 0, "method": "initialize", "params": hello}, {"method": "notifications/initialized"}]
    process = subprocess.Popen(
        [sys.executable, "-m", "core.doors.cli", "mcp", "--workspace", str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=cwd,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])},
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("".join(f"{json.dumps({'jsonrpc': '2.0', **one})}\n" for one in first))
    process.stdin.write("".join(f"{line}\n" for line in lines))
    process.stdin.flush()
    answers = [json.loads(process.stdout.readline()) for _ in ("initialize", *filter(str.strip, lines))]
    rest, printed = process.communicate(timeout=60)
    return [*answers, *map(json.loads, rest.splitlines())], printed


@pytest.mark.parametrize("texts", [False, True])
def test_a_folder_without_a_workspace_becomes_one(tmp_path: Path, texts: bool) -> None:
    if texts:
        (tmp_path / "tessera.toml").write_text("[knowledge]\nenabled = true\n", "utf-8")
    call = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"knowledge_list","arguments":{}}}'
    answers, printed = spoken(tmp_path / "workspace", call, cwd=tmp_path)
    (listed,) = (answer["result"] for answer in answers if answer["id"] == 1)
    assert not listed.get("isError")
    assert listed["structuredContent"]["result"] == []
    assert printed == ""
    with Workspace(tmp_path / "workspace", readonly=True) as workspace:
        assert not workspace.bases.all()


def test_text_folders_are_scanned_as_by_the_app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TESSERA_EMBEDDER", "tfidf")
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    (tmp_path / "tessera.toml").write_text("[knowledge]\nenabled = true\n", "utf-8")
    texts = tmp_path / "knowledge/recipes/texts"
    texts.mkdir(parents=True)
    (texts / "soup.txt").write_text("Leek soup wants an hour.\n", "utf-8")
    for more in ("", "Barley soup wants two.\n"):  # the second time there is a workspace, and a file that changed
        with (texts / "soup.txt").open("a", encoding="utf-8") as file:
            file.write(more)
        with connected(tessera(tmp_path / "workspace")) as assistant:
            asked = {"knowledge_base": "recipes", "keyword": "soup"}
            wait_until(
                lambda assistant=assistant, asked=asked, count=1 + bool(more): (
                    "recipes" in assistant.items("knowledge_list")
                    and len(assistant.items("knowledge_text_search", **asked)) == count
                )
            )


@pytest.mark.parametrize("what", ["file", "damaged"])
def test_what_a_person_can_mend_is_told_without_a_traceback(tmp_path: Path, what: str) -> None:
    place = tmp_path / "workspace"
    if what == "file":
        place.write_text("not a folder", "utf-8")
    else:
        (place / "chroma").mkdir(parents=True)
        (place / "chroma/index").write_text("x", "utf-8")
    call = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"knowledge_list","arguments":{}}}'
    answers, printed = spoken(place, call)
    (refused,) = (answer["result"] for answer in answers if answer["id"] == 1)
    assert refused["isError"]
    assert str(place) in refused["content"][0]["text"]
    assert str(place) in printed
    assert "Traceback" not in printed
    assert "errors." not in printed


LINES: dict[str, tuple[object, int]] = {
    "hello": (None, -32700),
    '{"jsonrpc":"2.0","id":10,"method":"ping"': (None, -32700),
    '{"jsonrpc":"2.0","id":11,"method":"tools/call","params":{"name":"x","arguments":{"query":"\\ud83d"}}}': (
        11,
        -32700,
    ),
    "[" * 5000: (None, -32700),
    "\x00": (None, -32700),
    '[{"jsonrpc":"2.0","id":12,"method":"ping"}]': (None, -32600),
    '"text"': (None, -32600),
    "17": (None, -32600),
    '{"jsonrpc":"2.0","id":13,"method":5}': (13, -32600),
    '{"jsonrpc":"2.0","id":true,"method":5}': (None, -32600),
    '{"jsonrpc":"2.0","id":"a-14"}': ("a-14", -32600),
    '{"id":15,"method":"ping","params":{"id":16}}': (15, -32600),
    '{"jsonrpc":"2.0","id":17,"method":"no/method"}': (17, -32601),
    '{"jsonrpc":"2.0","id":18,"method":"tools/call"}': (18, -32602),
    '{"jsonrpc":"2.0","id":19,"method":"tools/call","params":{"name":"no_tool","arguments":{}}}': (19, -32602),
}
"""Lines that are no requests -> the id and the code of their answers."""
IDS = ["1.5", "NaN", "1e400", "-1e2", "true", "false", "null", "[]", "{}", "[1]", '{"id":1}']
LINES |= {f'{{"jsonrpc":"2.0","id":{id_},"method":"ping","params":{{}}}}': (None, -32600) for id_ in IDS}
LINES |= {
    f'{{"jsonrpc":"2.0","id":{id_},"method":"ping","params":{{}}}}': (known, -32700)
    for id_, known in {"9" * 5000: None, '"\\ud800"': "\ud800"}.items()
}
PARTS = {
    '"\\ud800"': True,
    "[" * 300 + "]" * 300: True,
    "[" * 9000: False,
    "9" * 5000: False,
    "\0": False,
    "nul": False,
}
"""Parts of a line that can't be read -> whether its id can."""
for number, (part, known) in enumerate(PARTS.items(), 100):
    line = f'{{"jsonrpc":"2.0","id":{number},"method":"ping","params":{{"a":{part}}}}}'
    LINES[line] = (number if known else None, -32700)
LINES["x" * (_MOST_BYTES + 1)] = (None, -32600)


def test_every_line_that_is_no_request_gets_an_error(folder: Path) -> None:
    answers, _ = spoken(folder, *LINES, "", "  ")
    errors = [(answer["id"], answer["error"]["code"]) for answer in answers if "error" in answer]
    assert sorted(errors, key=str) == sorted(LINES.values(), key=str)


def test_notes_are_written_by_itself_or_by_the_app_whoever_comes_and_goes(folder: Path) -> None:
    with connected(tessera(folder)) as assistant:
        first = written(assistant, "# One\n\nBefore the app.")
        with serving(folder) as url, connected(by_http(f"{url}/mcp", AccessTokens(folder).token)) as beside:
            second = written(beside, "# Two\n\nOver HTTP.")  # the app has the workspace open from now on
            third = written(assistant, "# Three\n\nHanded to the app.")
            assert beside.items("note_read", note=third["id"])["title"] == "Three"
        fourth = written(assistant, "# Four\n\nAfter the app.")
        notes = assistant.items("note_list", bases=["kitchen"], filters=["status:pending"])
        assert {note["id"] for note in notes} == {one["id"] for one in (first, second, third, fourth)}
        with Workspace(folder) as workspace:  # no lock is held between two calls
            assert not workspace.readonly


def test_a_command_that_writes_is_waited_for_and_then_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stdio, "_WAIT", 0.3)
    with Workspace(folder, readonly=True) as reading:
        write = WriteCalls(folder, lambda: reading)
        with Workspace(folder):
            refused = write("note_add", {"text": "a", "base": "kitchen"})
        assert refused.is_error
        assert "is in use by another Tessera" in refused.content[0].text
        assert not write("note_add", {"text": "a", "base": "kitchen"}).is_error


def test_calls_of_one_process_that_write_wait_for_each_other(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stdio, "_WAIT", 0.1)

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
