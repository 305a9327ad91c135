"""Backups at their edges: clocks, names, programs, keys, damaged and hostile files."""

import io
import os
import sys
import time
from datetime import datetime, timedelta, tzinfo
from pathlib import Path

import pytest

from core.backups import making
from core.cli import main
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


def test_the_newest_backup_stays_where_the_clock_went_back(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With seven of a later day there, the one of today was deleted as the oldest: none was ever made again."""

    class Ahead(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> datetime:
            return datetime.now(tz) + timedelta(days=2000)

    with monkeypatch.context() as patch:
        patch.setattr(making, "datetime", Ahead)
        for _ in range(making.KEPT["daily"]):
            workspace.backups.make("daily")
    first, second = workspace.backups.make("daily"), workspace.backups.make("daily")
    assert not first.file.exists()
    assert second.file.exists()
    assert len(workspace.backups.all()) == making.KEPT["daily"]


def test_an_empty_passphrase_does_not_end_encryption(
    workspace: Workspace, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A script whose variable is empty, and an input that is closed, left all later backups readable."""
    pytest.importorskip("pyrage")
    workspace.backups.protect("a long passphrase")
    workspace.close()
    for typed in ("", "\n"):
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        with pytest.raises(SystemExit) as ended:
            main(["backup", "encrypt", "--workspace", str(workspace.store.folder)])
        assert ended.value.code
        assert "at least" in capsys.readouterr().err
        assert workspace.backups.encrypted
    workspace.backups.unprotect()
    assert not workspace.backups.encrypted
