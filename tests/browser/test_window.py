"""`tessera app` has a window of its own, which a second one brings to the front, and goes with it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.browser.conftest import NAMES, ROOT, chromium_path
from tests.waiting import PATIENCE, wait_until

pytestmark = pytest.mark.browser


@pytest.mark.skipif(os.name != "posix" or chromium_path() is None, reason="a script stands for the browser")
def test_one_window_ends_the_app_and_its_command_line_holds_no_token(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    fake, pid, arguments = tmp_path / "bin" / NAMES[0], tmp_path / "pid", tmp_path / "arguments"
    starts = f'exec {chromium_path()} --no-sandbox --headless=new "$@"'
    fake.write_text(f'#!/bin/sh\necho "$@" >> {arguments}\necho "$$" >> {pid}\n{starts}\n')
    fake.chmod(0o755)
    environment = os.environ | {
        "PATH": f"{fake.parent}:{os.environ['PATH']}",
        "DISPLAY": ":99",
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "TESSERA_CONFIG_DIR": str(tmp_path / "config"),
        "TESSERA_WORKSPACE": str(tmp_path / "workspace"),
        "TESSERA_AUTO_INSTALL": "[]",
    }
    command = [sys.executable, "-m", "core.doors.cli", "app", "--token"]
    with subprocess.Popen(command, cwd=ROOT, env=environment) as app:
        try:
            wait_until(lambda: pid.exists() and (tmp_path / "workspace" / "run.json").exists())
            again = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=PATIENCE)
            assert (again.returncode, "is already running" in again.stdout) == (0, True), again.stderr
            (window,) = map(int, pid.read_text().split())
            assert app.poll() is None
            assert "--app=http" in arguments.read_text()
            assert "token" not in arguments.read_text()
            os.kill(window, 15)
            wait_until(lambda: app.poll() is not None)
            assert app.returncode == 0
        finally:
            app.terminate()
