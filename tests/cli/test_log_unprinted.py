"""What stands in the log isn't printed: a terminal and an assistant's log get a sentence."""

import logging
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from core.base import log
from core.base.errors import ModelError
from core.base.registry import Entry
from core.doors.assistants import stdio
from core.embedding import EMBEDDERS
from core.workspace import Workspace
from tests.waiting import PATIENCE, wait_until

LOUD = Entry("tests.fakes:Loud")
RUN = f"""
from core.embedding import EMBEDDERS
from core.base.registry import Entry
EMBEDDERS["loud"] = {LOUD!r}
from core.doors.cli import main
main()
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setitem(EMBEDDERS, "loud", LOUD)
    monkeypatch.setenv("TESSERA_INDEX__KIND", "none")
    with Workspace(tmp_path / "workspace") as workspace:
        workspace.bases.add("birds", embedder="loud", embed_at_once=False)
        workspace.notes.add("birds", "A heron stands at the pond.", author="person", title="pond")
    return tmp_path / "workspace"


@pytest.mark.parametrize("command", ["search", "serve", "watch", "mcp"])
def test_a_model_that_fails_leaves_no_trace_on_stderr(place: Path, command: str) -> None:
    words = {"search": ["search", "heron", "--mode", "semantic"]}
    process = subprocess.Popen(
        [sys.executable, "-c", RUN, *words.get(command, [command]), "--workspace", str(place)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(Path(__file__).parents[2]), os.environ["PYTHONPATH"]])},
    )
    wanted = "error=ModelError" if command == "search" else "ModelError: The weights are damaged"
    wait_until(lambda: wanted in (place / log.FILE).read_text() or process.poll() is not None)
    if command in ("serve", "watch"):
        process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=PATIENCE)
    assert wanted in (place / log.FILE).read_text()
    assert "Traceback" not in told
    assert "tests/fakes.py" not in told
    said = {
        "search": "tessera: The weights are damaged. Install them again.",
        "mcp": "failed: The weights are damaged.",
    }
    assert said.get(command, "") in told
    assert ("The job 'warm'" in told) == (command == "mcp")


def test_an_assistants_log_gets_no_text_of_an_unknown_error() -> None:
    def line(error: Exception) -> str:
        record = logging.LogRecord("core.x", logging.ERROR, "x.py", 1, "The tool %s failed", ("a",), None)
        record.exc_info = (type(error), error, error.__traceback__)
        return stdio._Plain().format(record)

    assert line(ValueError("Zaubernuss")) == "The tool a failed: ValueError"
    assert line(ModelError("The weights are damaged.")) == "The tool a failed: The weights are damaged."
