"""`tessera watch`: folders are brought up to date without the app, a line for each sync, until Ctrl+C."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

from core.workspace import Workspace
from tests import samples


def test_watching_without_the_app(tmp_path: Path) -> None:
    vault = samples.write(tmp_path / "vault")
    environment = os.environ | {"TESSERA_EMBEDDER": "tfidf", "TESSERA_SCAN_INTERVAL": "1"}
    with Workspace(tmp_path / "w") as workspace:
        workspace.notes.apply(workspace.notes.plan_folder(vault), embed=False)
    (vault / "while off.md").write_text("Written while nothing ran.")
    command = [sys.executable, "-m", "core.cli", "watch", "--json", "--workspace", str(tmp_path / "w")]
    watching = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    late = threading.Timer(90, watching.kill)
    try:
        assert watching.stdout is not None
        late.start()
        first = json.loads(watching.stdout.readline())
        assert (first["base"], first["added"]) == ("vault", 1)
        (vault / "backups.md").write_text("Another text.")
        second = json.loads(watching.stdout.readline())
        assert (second["changed"], second["added"]) == (1, 0)
        began = time.monotonic()
    finally:
        watching.send_signal(signal.SIGINT)
        _, said = watching.communicate(timeout=60)
        late.cancel()
    assert watching.returncode == 0
    assert said.startswith("1 base is watched. Ctrl+C ends it.")
    assert time.monotonic() - began < 30
    with Workspace(tmp_path / "w") as workspace:
        assert workspace.notes.plan_folder(vault).is_empty
