"""`tessera watch`: folders are brought up to date without the app, a line for each sync, until Ctrl+C."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from core.base import log
from core.doors.cli import main
from core.intake import watching
from core.settings.access import RUN
from core.workspace import Workspace
from tests import samples
from tests.waiting import wait_until


def test_watching_without_the_app(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TESSERA_EMBEDDER", "tfidf")
    monkeypatch.setattr(watching, "_FIRST", 0.5)
    monkeypatch.setattr(watching, "_TICK", 0.1)
    vault, place = samples.write(tmp_path / "vault"), tmp_path / "w"
    with Workspace(place) as workspace:
        workspace.imports.apply(workspace.imports.plan_folder(vault), embed=False)
    (vault / "while off.md").write_text("Written while nothing ran.")

    def wait_for(path: str, text: str) -> None:
        with Workspace(place, readonly=True) as reading:
            bodies = lambda: [reading.notes.get(card.id).body for card in reading.notes.all() if card.path == path]  # noqa: E731
            wait_until(lambda: any(text in body for body in bodies()))

    said: list[str] = []

    def edit_and_end() -> None:
        wait_for("while off.md", "Written")
        added = subprocess.run(
            [sys.executable, "-m", "core.doors.cli", "base", "new", "beside", "--workspace", str(place)],
            capture_output=True,
            text=True,
            check=False,
        )
        said.append(added.stderr or "added")
        (vault / "backups.md").write_text("Another text.")
        wait_for("backups.md", "Another")
        wait_until(lambda: sys.stdout.getvalue().count("\n") > 1)  # type: ignore[attr-defined]  # it is that of capsys
        os.kill(os.getpid(), signal.SIGINT)

    before = signal.getsignal(signal.SIGINT)
    editing = threading.Thread(target=edit_and_end)
    editing.start()
    try:
        with pytest.raises(SystemExit, match=r"^0$"):
            main(["watch", "--workspace", str(place)])
    finally:
        editing.join()
        signal.signal(signal.SIGINT, before)
    assert said == ["added"]
    with Workspace(place, readonly=True) as reading:
        assert {base.name for base in reading.bases.all()} == {"vault", "beside"}
    assert not (place / RUN).exists()
    logged = (place / log.FILE).read_text()
    assert "base.new: by=person base=beside model=tfidf" in logged
    assert " sync: base=vault model=tfidf added=0 changed=1" in logged
    assert logged.rstrip().endswith("Closed")
    printed, told = capsys.readouterr()
    assert told.startswith("1 base is being watched. Press Ctrl+C to stop.")
    first, second = printed.splitlines()
    assert "vault: 1 added, 0 changed, 0 renamed, 0 removed, 3 unchanged" in first
    assert "vault: 0 added, 1 changed, 0 renamed, 0 removed, 3 unchanged" in second
