"""Conversions that are ended: nothing of them goes on, and nothing of the document stays behind."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.documents.making import hostile
from core.documents import converting
from core.errors import SourceError

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no ps")

_CONVERT = """
from benchmarks.documents.making import hostile
from core.documents.converting import convert
convert(hostile()["deep-list.html"], "deep-list.html")
"""


def _running(place: Path) -> list[str]:
    """Return the commands that name a place."""
    shown = subprocess.run(["ps", "-ww", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    return [line for line in shown.splitlines() if str(place) in line]


def _until(holds: Callable[[], bool], seconds: float = 30.0) -> None:
    ends = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < ends
        time.sleep(0.05)


def test_a_conversion_ends_with_the_process_that_wants_it(tmp_path: Path) -> None:
    parent = subprocess.Popen([sys.executable, "-c", _CONVERT], env={**os.environ, "TMPDIR": str(tmp_path)})
    _until(lambda: any("+RTS" in line for line in _running(tmp_path)))
    parent.kill()
    parent.wait()
    _until(lambda: not _running(tmp_path))
    assert [*tmp_path.iterdir()] == []


def test_a_conversion_that_takes_too_long_leaves_no_copy_of_the_document(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(converting.tempfile, "tempdir", None)
    monkeypatch.setattr(converting, "SECONDS", 4)
    with pytest.raises(SourceError, match="longer than 4 seconds"):
        converting.convert(hostile()["deep-list.html"], "deep-list.html")
    _until(lambda: not _running(tmp_path), 3.0)  # the system takes a killed one away a moment later
    assert [*tmp_path.iterdir()] == []
