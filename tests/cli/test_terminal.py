"""What commands print reaches a terminal as text, and nobody has to read it."""

import json
import re
import subprocess
import sys
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest

from core.base.text import one_line
from core.doors import cli
from core.doors.cli import terminal
from core.workspace import Workspace

HOSTILE = "a\x1b]52;c;aGk=\x07b\x9b31mc\x08\x7fd\u202ee"
SHOWN = "a␛]52;c;aGk=␇b\ufffd31mc␈␡d\ufffde"
OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("terminal") / "workspace"
    with Workspace(place) as opened:
        opened.bases.add("b", embedder="tfidf", keep_tokens=False)
        opened.notes.add("b", f"one\r\ntwo\rthree {HOSTILE}", title=HOSTILE, path="n.md", tags=[HOSTILE])
    return place


def run(*arguments: object, capture: pytest.MonkeyPatch) -> tuple[int, str, str]:
    """What a command ends with, and prints on both streams."""
    streams = [TextIOWrapper(BytesIO(), line_buffering=True) for _ in range(2)]
    code: object = 0
    with capture.context() as patch:
        patch.setattr(sys, "stdout", streams[0])
        patch.setattr(sys, "stderr", streams[1])
        try:
            cli.main([*map(str, arguments)])
        except SystemExit as end:
            code = end.code or 0
    out, err = (stream.buffer.getvalue().decode() for stream in streams)  # type: ignore[attr-defined]
    assert isinstance(code, int)
    return code, out, err


def test_titles_tags_texts_and_errors_control_no_terminal(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for command, expected in {
        ("note", "list"): one_line(HOSTILE),
        ("note", "show", "n.md"): f"one\ntwo\nthree {SHOWN}\n",
        ("search", "three"): SHOWN,
        ("note", "show", f"{HOSTILE}?"): f"{SHOWN}?",
        ("note", HOSTILE): "31m",  # a usage error, which the framework words
        ("note", "list", f"--{HOSTILE}"): "52;c",
        ("search", "three", "--limit", HOSTILE): "--limit",
    }.items():
        _, out, err = run(*command, "--workspace", workspace, capture=monkeypatch)
        assert expected in out + err, command
        assert not OBEYED.search(out + err), command


def test_json_holds_the_same_values_in_bytes_that_control_no_terminal(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, out, _ = run("note", "show", "n.md", "--workspace", workspace, "--json", capture=monkeypatch)
    assert not OBEYED.search(out)
    assert json.loads(out)["title"] == HOSTILE
    assert json.loads(out)["body"] == f"one\r\ntwo\rthree {HOSTILE}"
    code, _, err = run("note", "show", HOSTILE + "?", "--workspace", workspace, "--json", capture=monkeypatch)
    assert code == 1
    assert not OBEYED.search(err)
    assert json.loads(err)["message"]["fields"]["note"] == HOSTILE + "?"


def test_a_step_of_progress_takes_one_line_and_controls_only_that(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(TextIOWrapper):
        def isatty(self) -> bool:
            return True

    stream = Terminal(BytesIO())
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(sys, "stdout", TextIOWrapper(BytesIO()))
    terminal.take()
    terminal.progress(1, 2, f"{HOSTILE}\nnext")
    terminal.progress(2, 2, "done")
    steps = stream.buffer.getvalue().decode().split("\r\x1b[K")  # type: ignore[attr-defined]
    assert steps[0] == steps[2] == ""
    assert steps[1].startswith(" 50% a ]52;c;aGk= b 31mc")
    assert not re.search(r"[\x00-\x1f]", steps[1])


ENDING = """
import json, os, sys, tempfile
from core.doors import cli
from core import workspace
import core.query, core.doors.remote.client, core.retrieval.engine  # once for all, not by each command
cli._build_commands()

def led(number, how):
    if how == "closed":
        os.close(number)
        return None
    mode = os.O_RDWR
    if how == "unread":
        read, to = os.pipe()
        os.close(read)
    else:
        to = os.open(how, mode) if how else file.fileno()
    os.dup2(to, number)
    return open(number, "r" if number == 0 else "w")

for arguments, ways in json.loads(sys.argv[1]):
    with tempfile.TemporaryFile() as file:
        child = os.fork()
        if not child:
            sys.stdin, sys.stdout, sys.stderr = map(led, range(3), ways)
            cli.main(arguments)
            sys.exit()
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        file.seek(0)
        print(json.dumps([code, file.read().decode()]))
"""
"""Runs commands, each in a process of its own with standard streams that lead to files, nowhere, or are closed."""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_an_output_that_is_closed_or_full_or_no_longer_read_ends_in_no_traceback(workspace: Path) -> None:
    null, full, kept, closed, unread = "/dev/null", "/dev/full", "", "closed", "unread"
    at = ["--workspace", str(workspace)]
    listing, adding = ["note", "list", *at], ["note", "new", "b", "--body", "more", *at]
    cases = [
        (listing, (null, kept, kept)),
        (listing, (closed, closed, kept)),
        (listing, (null, closed, closed)),
        (listing, (null, unread, kept)),
        (listing, (null, kept, unread)),
        (["--help"], (null, unread, kept)),
        (["note", "show", "missing", *at], (null, null, full)),
        (["note", "show", "missing", *at], (null, null, closed)),
        (["note", "new", "b", *at], (closed, null, kept)),
        (listing, (null, full, kept)),
        (["--help"], (null, full, kept)),
        ([*listing, "--json"], (null, full, kept)),
        (adding, (closed, full, full)),
        (listing, (null, kept, kept)),
    ]
    done = subprocess.run(
        [sys.executable, "-c", ENDING, json.dumps(cases)], capture_output=True, text=True, check=False
    )
    assert not done.stderr
    ends = [tuple(json.loads(line)) for line in done.stdout.splitlines()]
    listed = ends[0][1]
    assert "n.md" in listed
    assert ends[:8] == [(0, listed), (0, ""), (0, ""), (0, ""), (0, listed), (0, ""), (1, ""), (1, "")]
    assert ends[8] == (1, "tessera: The note has no text and no title, so it wasn't saved.\n")
    lost = "stdout: The output can't be written (No space left on device). Everything done so far was kept."
    assert ends[9] == ends[10] == (1, f"tessera: {lost}\n")
    assert ends[11][0] == 1
    assert json.loads(ends[11][1])["error"] == lost
    assert ends[12] == (1, "")
    assert ends[13][1].count("\n") == listed.count("\n") + 1, "everything done so far was kept"


def test_an_assistant_that_is_gone_gets_no_traceback_and_loses_no_note(workspace: Path) -> None:
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    note = {"name": "note_add", "arguments": {"text": "# Gone", "base": "b"}}
    messages = [
        {"id": 0, "method": "initialize", "params": hello},
        {"method": "notifications/initialized"},
        {"id": 1, "method": "tools/call", "params": note},
    ]
    process = subprocess.Popen(
        [sys.executable, "-m", "core.doors.cli", "mcp", "--workspace", str(workspace)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdout.close()
    _, printed = process.communicate(
        b"".join(json.dumps({"jsonrpc": "2.0", **one}).encode() + b"\n" for one in messages)
    )
    assert (process.returncode, printed) == (0, b"")
    with Workspace(workspace, readonly=True) as opened:
        assert "Gone" in {card.title for card in opened.notes.all(opened.searching.filters(terms=["status:pending"]))}
