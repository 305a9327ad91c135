"""The shortcut in the menu of programs, and where an installed program keeps its workspace."""

import configparser
import os
import plistlib
import stat
from pathlib import Path

import pytest

from core import desktop as window
from core.base import app_paths
from core.doors import cli


@pytest.mark.skipif(os.name != "posix", reason="a menu of Linux")
def test_the_menu_has_the_program_and_loses_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setattr(window, "_RUN", ("/opt/my $py/100%/python", "-m", "core.doors.cli", "app"))
    file = tmp_path / "applications" / "tessera.desktop"
    for _ in range(2):
        with pytest.raises(SystemExit) as ended:
            cli.main(["app", "--install"])
        assert not ended.value.code
        assert str(file) in capsys.readouterr().out
    entry = configparser.RawConfigParser()
    entry.optionxform = str  # type: ignore[assignment,method-assign]
    entry.read(file, encoding="utf-8")
    values = entry["Desktop Entry"]
    assert (values["Name"], values["Terminal"]) == ("Tessera", "false")
    assert values["Exec"] == r'"/opt/my \\$py/100%%/python" "-m" "core.doors.cli" "app"'
    assert Path(values["Icon"]).read_bytes().startswith(b"\x89PNG")
    for _ in range(2):
        with pytest.raises(SystemExit):
            cli.main(["app", "--uninstall"])
        assert not file.exists()
    (tmp_path / "applications").rmdir()
    (tmp_path / "applications").write_text("in the way")
    with pytest.raises(SystemExit) as ended:
        cli.main(["app", "--install"])
    assert ended.value.code


@pytest.mark.skipif(os.name != "posix", reason="a Mac runs the script")
def test_a_mac_has_a_bundle(tmp_path: Path) -> None:
    window._bundle(tmp_path / "Tessera.app")
    inside = tmp_path / "Tessera.app" / "Contents"
    values = plistlib.loads((inside / "Info.plist").read_bytes())
    script = inside / "MacOS" / values["CFBundleExecutable"]
    assert script.stat().st_mode & stat.S_IXUSR
    assert "core.doors.cli app" in script.read_text(encoding="utf-8")
    icon = (inside / "Resources" / f"{values['CFBundleIconFile']}.icns").read_bytes()
    assert (icon[:4], int.from_bytes(icon[4:8], "big")) == (b"icns", len(icon))


def test_an_icon_of_windows_names_its_picture() -> None:
    png = window._ICON.read_bytes()
    icon = window._ICON.with_suffix(".ico").read_bytes()
    size, start = (int.from_bytes(icon[at : at + 4], "little") for at in (14, 18))
    assert icon[start : start + size] == png


def test_a_text_of_powershell_ends_where_it_ends() -> None:
    assert window._quote(r"C:\Users\Jane’s 'PC' 1") == r"'C:\Users\Jane’’s ''PC'' 1'"


def test_an_installed_program_keeps_its_workspace_with_the_persons_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert app_paths.workspace() == Path("data/workspace")
    monkeypatch.setattr(app_paths, "PROGRAM", app_paths._INSTALLED)
    monkeypatch.setattr("core.base.app_paths.user_data_path", lambda name, **_: tmp_path / "person" / name)
    assert app_paths.workspace() == tmp_path / "person" / "tessera" / "workspace"
    old = tmp_path / "data" / "workspace"
    old.mkdir(parents=True)
    (old / "notes.db").touch()
    assert app_paths.workspace() == Path("data/workspace")
