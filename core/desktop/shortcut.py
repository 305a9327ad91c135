"""`tessera app --install`: Tessera in the menu of programs of Linux, of a Mac, of Windows."""

import os
import plistlib
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from struct import pack

from core.base import files
from core.base.errors import ConfigError
from core.base.places import PROGRAM, START

_NAME = "Tessera"
_ICON = PROGRAM / "data" / "icon" / "tessera.png"
_SIDE = 256
"""Pixels of the icon's side."""
_RUN = (sys.executable, "-m", "core.doors.cli", "app")


def add() -> Path:
    """Write the shortcut for this user, and return its place; raises ConfigError where that can't be written."""
    place = _place()
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        if sys.platform == "darwin":
            _bundle(place)
        elif sys.platform == "win32":
            _link(place)
        else:
            files.replace(place, _entry())
    except (OSError, subprocess.SubprocessError) as error:
        raise ConfigError(
            "{file} can't be written ({why}). Allow writing to its folder.", file=str(place), why=_why(error)
        ) from error
    return place


def remove() -> Path:
    """Delete the shortcut, if there is one, and return its place."""
    place = _place()
    if place.is_dir():
        shutil.rmtree(place)
    else:
        place.unlink(missing_ok=True)
    return place


def _place() -> Path:
    if sys.platform == "darwin":
        return Path.home() / "Applications" / f"{_NAME}.app"
    if sys.platform == "win32":
        return Path(os.environ["APPDATA"], "Microsoft", "Windows", "Start Menu", "Programs", f"{_NAME}.lnk")
    data = os.environ.get("XDG_DATA_HOME", "") or Path.home() / ".local" / "share"
    return Path(data, "applications", "tessera.desktop")


def _entry() -> str:
    """Return a desktop entry (freedesktop.org, Desktop Entry Specification 1.5)."""
    words = " ".join(f'"{word.translate(_QUOTED)}"' for word in _RUN)
    values = {
        "Type": "Application",
        "Name": _NAME,
        "Comment": "Your notes, found by meaning and by word",
        "Comment[zh_CN]": "按意思和字词查找你的笔记",
        "Exec": words.replace("\\", "\\\\"),
        "Path": str(START),
        "Icon": str(_ICON),
        "StartupWMClass": _NAME,
        "Categories": "Office;Utility;",
        "Terminal": "false",
    }
    return "[Desktop Entry]\n" + "".join(f"{name}={value}\n" for name, value in values.items())


_QUOTED = str.maketrans({sign: f"\\{sign}" for sign in '"`$\\'} | {"%": "%%"})


def _bundle(place: Path) -> None:
    """Write an application of a Mac: a folder with its description, a script and the icon."""
    inside = place / "Contents"
    for folder in ("MacOS", "Resources"):
        (inside / folder).mkdir(parents=True, exist_ok=True)
    values = {
        "CFBundleName": _NAME,
        "CFBundleIdentifier": "app.tessera.notes",
        "CFBundleExecutable": _NAME,
        "CFBundleIconFile": _NAME,
        "CFBundlePackageType": "APPL",
    }
    (inside / "Info.plist").write_bytes(plistlib.dumps(values))
    (inside / "Resources" / f"{_NAME}.icns").write_bytes(icns(_ICON.read_bytes()))
    script = inside / "MacOS" / _NAME
    script.write_text(f"#!/bin/sh\ncd {shlex.quote(str(START))} && exec {shlex.join(_RUN)}\n", encoding="utf-8")
    script.chmod(0o755)


def _link(place: Path) -> None:
    """Write a shortcut of Windows, by its own shell."""
    icon = place.with_suffix(".ico")
    icon.write_bytes(ico(_ICON.read_bytes()))
    python = Path(sys.executable).with_name("pythonw.exe")
    values = {
        "TargetPath": str(python if python.is_file() else sys.executable),
        "Arguments": subprocess.list2cmdline(_RUN[1:]),
        "WorkingDirectory": str(START),
        "IconLocation": str(icon),
    }
    lines = [f"$link.{name} = {_quoted(value)}" for name, value in values.items()]
    made = f"$link = (New-Object -ComObject WScript.Shell).CreateShortcut({_quoted(str(place))})"
    script = "; ".join([made, *lines, "$link.Save()"])
    subprocess.run(["powershell", "-NoProfile", "-Command", script], check=True, capture_output=True, timeout=60)


def _quoted(text: str) -> str:
    """Return a text of PowerShell, to which curly marks are quotation marks too."""
    return "'" + re.sub("(['‘’‚‛])", r"\1\1", text) + "'"


def icns(png: bytes) -> bytes:
    """Return an icon of a Mac with one picture of 256 pixels (type `ic08`)."""
    return b"icns" + pack(">I", len(png) + 16) + b"ic08" + pack(">I", len(png) + 8) + png


def ico(png: bytes) -> bytes:
    """Return an icon of Windows with one picture of 256 pixels, a width that is stored as 0."""
    return pack("<HHHBBBBHHII", 0, 1, 1, _SIDE % 256, _SIDE % 256, 0, 0, 1, 32, len(png), 22) + png


def _why(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or type(error).__name__
