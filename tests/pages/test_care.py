"""Backups, the doctor and the space on the settings page, and what is warned of before anything fails."""

import shutil
from pathlib import Path

import pytest

from tests.pages.conftest import Screen


def test_a_backup_is_made_checked_and_brought_back_by_a_click(filled: Screen) -> None:
    screen = filled.open("settings").tab("Backups and health")
    assert "There is no backup yet" in screen.text
    screen.press("backup_make").finish("backup")
    assert "manual" in screen.text
    screen.press("verify_").finish("verify")
    assert screen.toasts == ["The backup was made", "The backup is intact"]
    (kept, *_) = screen.workspace.notes.all()
    screen.workspace.trash.put(kept.id)
    screen.open("settings").tab("Backups and health").press("restore_tessera-")
    assert "kept in a folder next to the workspace" in screen.text
    screen.press("backup_restore_yes")
    assert not screen.workspace.readonly
    assert not screen.errors
    assert kept.id in {card.id for card in screen.workspace.notes.all()}


def test_the_choices_are_stored(filled: Screen, tmp_path: Path) -> None:
    screen = filled.open("settings").tab("Backups and health")
    screen.app.toggle(key="backup_daily").set_value(False).run()
    assert not screen.workspace.backups.enabled
    screen.app.text_input(key="backup_folder").set_value(str(tmp_path / "disk")).run()
    screen.press("backup_folder_save")
    assert screen.workspace.backups.place == tmp_path / "disk"
    pytest.importorskip("pyrage")
    screen.app.text_input(key="backup_passphrase").set_value("short").run()
    screen.press("backup_protect")
    assert "at least" in screen.errors
    screen.app.text_input(key="backup_passphrase").set_value("a long passphrase").run()
    screen.press("backup_protect")
    assert screen.workspace.backups.encrypted
    assert not screen.app.text_input(key="backup_passphrase").value


def test_the_doctor_and_the_space_are_a_click_away(
    filled: Screen, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled.workspace.store.database.execute("DELETE FROM words WHERE rowid = (SELECT min(rowid) FROM chunks)")
    screen = filled.open("settings").tab("Backups and health").press("doctor").finish("doctor")
    assert "found by keyword\\: 1" in screen.errors
    screen.press("doctor_fix").finish("doctor")
    assert not screen.errors
    assert "Repaired: Every passage can be found by keyword" in screen.text.replace("\\", "")
    screen.app.session_state["space"] = True
    assert "free on the disk" in screen.open("settings").tab("Backups and health").text
    screen.press("compact").finish("compact").tab("Backups and health", "jobs_ended")
    (ended,) = (table.value for table in screen.app.dataframe if "what" in table.value)
    assert list(ended["what"][:2]) == ["Free space", "Check everything"]
    usage = shutil.disk_usage(place)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=300_000_000))
    assert "The disk is nearly full, with only 300.0 MB left" in screen.open("settings").text.replace("\\", "")
