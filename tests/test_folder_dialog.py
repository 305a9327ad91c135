"""A folder is chosen by the dialog of the system, where there is one."""

import os
from pathlib import Path

import pytest

from core import desktop as window

pytestmark = pytest.mark.skipif(os.name != "posix", reason="a script stands for the dialog")


def dialog(place: Path, script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    program = place / "zenity"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("PATH", f"{place}:/usr/bin:/bin")
    monkeypatch.setenv("DISPLAY", ":99")


@pytest.mark.parametrize(
    ("script", "chosen"),
    [
        ("printf '/home/ada/My notes 笔记 \\n'", Path("/home/ada/My notes 笔记 ")),
        ("exit 1", None),
        ("true", None),
        ("printf '/tmp/\\377\\n'", None),
    ],
)
def test_what_the_dialog_prints_is_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, chosen: Path | None
) -> None:
    dialog(tmp_path, script, monkeypatch)
    assert window.choose() == chosen


def test_without_a_screen_there_is_no_dialog(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dialog(tmp_path, "echo /tmp", monkeypatch)
    monkeypatch.delenv("DISPLAY")
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    assert window.command() is None
    assert window.choose() is None


def test_the_folders_in_one_are_listed_by_name(tmp_path: Path) -> None:
    for name in ("b", "A", ".hidden"):
        (tmp_path / name).mkdir()
    (tmp_path / "file").touch()
    assert [one.name for one in window.inside(tmp_path)] == ["A", "b"]
    assert window.inside(tmp_path / "gone") == []
