"""The end of the app: it comes at once, also while the workspace is being opened."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from core.doors.cli.serving import free_port
from core.workspace import Workspace
from tests.waiting import PATIENCE, wait_until

OPENING = """
import threading
from pathlib import Path
from core import store

def migrate(self, *values, **more):
    Path("opening").touch()
    threading.Event().wait()

store.Store.__init__ = migrate
from core.doors.cli import main
main()
"""
"""The commands, with a database that is migrated for hours."""


@pytest.mark.skipif(os.name == "nt", reason="Windows sends no signals")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_app_ends_while_it_opens_the_workspace(tmp_path: Path, number: int) -> None:
    with Workspace(tmp_path / "workspace") as workspace:
        workspace.bases.add("birds", embed_at_once=False)
    root = str(Path(__file__).parents[2])
    command = ["app", "--no-browser", "--port", str(free_port(None)), "--workspace", str(tmp_path / "workspace")]
    process = subprocess.Popen(
        [sys.executable, "-c", OPENING, *command],
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": os.pathsep.join([root, os.environ["PYTHONPATH"]])},
    )
    wait_until(lambda: (tmp_path / "opening").exists() or process.poll() is not None)
    process.send_signal(number)
    _, told = process.communicate(timeout=PATIENCE)
    assert b"Traceback" not in told
    assert process.returncode == -number
    with Workspace(tmp_path / "workspace") as workspace:
        assert workspace.bases.get("birds")
