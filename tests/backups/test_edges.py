"""Backups at their edges: clocks, names, programs, keys, damaged and hostile files."""

import os
import time
from pathlib import Path

import pytest

from core.workspace import Workspace


@pytest.mark.parametrize("now", [0.0, 4.5e9])
def test_a_clock_out_of_the_years_of_a_zip_stops_no_backup(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, now: float
) -> None:
    monkeypatch.setattr(time, "time", lambda: now)
    made = workspace.backups.make()
    assert workspace.backups.verify(made.name) == made


@pytest.mark.skipif(os.name != "posix", reason="other systems have no such names")
@pytest.mark.parametrize("name", [b"a\\b.zip", b"\xff.zip"])
def test_a_name_that_no_zip_holds_is_left_out(workspace: Workspace, name: bytes) -> None:
    """A program that unpacks into the trash may leave one there."""
    (workspace.store.folder / "trash" / os.fsdecode(name)).write_bytes(b"x")
    made = workspace.backups.make()
    assert workspace.backups.verify(made.name) == made


@pytest.mark.skipif(os.name != "posix", reason="other systems have no such names")
def test_a_folder_whose_name_is_no_text_is_backed_up(tmp_path: Path) -> None:
    with Workspace(tmp_path / os.fsdecode(b"\xff")) as workspace:
        made = workspace.backups.make()
        assert workspace.backups.verify(made.name).workspace == str(workspace.store.folder)
