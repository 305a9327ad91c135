"""The system's dialog for choosing a folder, and the folders of this machine where there is no dialog."""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from core.base.text import find_half_character

PATIENCE = 600.0
"""Seconds that a dialog may stay open."""
MOST = 500
"""Most subfolders that are listed."""
_MAC = 'POSIX path of (choose folder with prompt "Tessera")'
_WINDOWS = (
    "Add-Type -AssemblyName System.Windows.Forms; $box = New-Object System.Windows.Forms.FolderBrowserDialog; "
    "if ($box.ShowDialog() -eq 'OK') { [Console]::OutputEncoding = [Text.Encoding]::UTF8; $box.SelectedPath }"
)


def command() -> Sequence[str] | None:
    """Return the command that shows the system's dialog and prints the folder, None where there is none."""
    if sys.platform == "darwin":
        return ("osascript", "-e", _MAC)
    if sys.platform == "win32":
        return ("powershell", "-NoProfile", "-STA", "-Command", _WINDOWS)
    if not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        return None
    if zenity := shutil.which("zenity"):
        return (zenity, "--file-selection", "--directory", "--title=Tessera")
    if kdialog := shutil.which("kdialog"):
        return (kdialog, "--getexistingdirectory", str(Path.home()))
    return None


def choose() -> Path | None:
    """Show the dialog, and return the folder once it is chosen; None without one, or for a name that isn't text."""
    shown = command()
    if shown is None:
        return None
    try:
        done = subprocess.run(shown, capture_output=True, timeout=PATIENCE, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    chosen = os.fsdecode(done.stdout).rstrip("\r\n")
    return Path(chosen) if chosen and find_half_character(chosen) is None else None


def inside(folder: Path) -> list[Path]:
    """Return the subfolders by name, without hidden ones and names that aren't text; none of an unreadable folder."""
    try:
        seen = [path for path in folder.iterdir() if path.name[0] != "." and find_half_character(path.name) is None]
    except OSError:
        return []
    return sorted(filter(_is_folder, seen), key=lambda path: path.name.casefold())[:MOST]


def _is_folder(place: Path) -> bool:
    try:
        return place.is_dir()
    except OSError:
        return False
