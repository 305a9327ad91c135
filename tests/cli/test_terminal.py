"""What commands print reaches a terminal as text, and nobody has to read it."""

import json
import os
import re
import subprocess
import sys
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest

from core import cli
from core.cli import output, terminal
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
    streams = [TextIOWrapper(BytesIO()) for _ in range(2)]
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
    at = ("--workspace", workspace)
    for command, expected in {
        ("note", "list", *at): SHOWN,
        ("note", "show", "n.md", *at): f"one\ntwo\nthree {SHOWN}\n",
        ("search", "three", *at): SHOWN,
        ("note", "show", HOSTILE + "?", *at): SHOWN + "?",
        ("note", HOSTILE): SHOWN.replace("\ufffd", ""),
        ("--help" + HOSTILE,): "--help",
        ("search", "three", "--limit", HOSTILE): "--limit",
    }.items():
        _, out, err = run(*command, capture=monkeypatch)
        assert not OBEYED.search(out + err), command
        if command[-1] is not HOSTILE:
            assert expected in out + err, command


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
    output.progress(1, 2, f"{HOSTILE}\nnext")
    output.progress(2, 2, "done")
    steps = stream.buffer.getvalue().decode().split("\r\x1b[K")  # type: ignore[attr-defined]
    assert steps[0] == steps[2] == ""
    assert steps[1].startswith(" 50% a ]52;c;aGk= b 31mc")
    assert not re.search(r"[\x00-\x1f]", steps[1])


COMMANDS = {
    "note list": "n.md",
    "note list --json": '"n.md"',
    "--help": "Usage",
    "note show missing": "missing",
}


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_an_output_that_is_closed_or_full_or_no_longer_read_ends_in_no_traceback(workspace: Path) -> None:
    def ended(command: str, how: str) -> tuple[int, str]:
        at = f" --workspace {workspace}" if command.startswith("note") else ""
        line = f"set -o pipefail; {sys.executable} -m core.cli {command}{at} {how}"
        done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=False, env={**os.environ})
        return done.returncode, done.stdout + done.stderr

    def full(command: str) -> str:
        code, said = ended(command, ">/dev/full")
        assert code == 1
        assert said.count("\n") == 1
        return said

    assert "can't be written" in full("note list")
    assert "can't be written" in json.loads(full("note list --json"))["error"]
    assert "can't be written" in full("--help")
    assert ended("note list", ">&- <&-") == (0, "")
    assert ended("note list", "2>&- >&-") == (0, "")
    assert ended("note list", "| true") == (0, "")
    assert ended("note show missing", "2>/dev/full") == (1, "")
    assert ended("note show missing", "2>&-") == (1, "")
    code, said = ended("note new b", "<&-")
    assert code == 1
    assert said.startswith("tessera: The note has no text")
    before = ended("note list", "| wc -l")[1]
    assert ended("note new b --body more", ">/dev/full 2>/dev/full") == (1, "")
    assert int(ended("note list", "| wc -l")[1]) == int(before) + 1, "what was done stays"
