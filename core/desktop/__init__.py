"""The app's window and menu entry on this computer, and the dialog for choosing a folder.

The window is a local browser without toolbars, with its own profile. A browser that reads commands from a pipe
(Chrome's `--remote-debugging-pipe`) can be brought to the front and closed through the pipe. Such a browser reports
when its last page is closed, and ends along with this process. No other process can access the pipe.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

from platformdirs import user_cache_path

from core.base import files
from core.base.app_paths import PROGRAM, START
from core.base.errors import ConfigError
from core.base.frozen import AnyMap, Values
from core.base.text import digest, find_half_character
from core.settings.config import settings

# Commands of browsers that support `--app`.
NAMES = (
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "microsoft-edge",
    "microsoft-edge-stable",
    "msedge",
    "brave-browser",
    "brave",
    "chromium",
    "chromium-browser",
)
_APPLICATIONS = ("Google Chrome", "Microsoft Edge", "Brave Browser", "Chromium")
_WINDOWS = (
    r"Google\Chrome\Application\chrome.exe",
    r"Microsoft\Edge\Application\msedge.exe",
    r"BraveSoftware\Brave-Browser\Application\brave.exe",
)
_ROOTS = ("PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA")
_FLAGS = ("--no-first-run", "--no-default-browser-check", "--disable-sync", "--disable-extensions")
_CHUNK = 1 << 16
# Smallest file descriptor for duplicates, above all descriptors that are reassigned.
_ABOVE = 10

# URL of the pages served by this process, including their token if they need one.
address = ""
# This process's window, or None if it isn't open.
window: "AppWindow | None" = None


def browser() -> str | None:
    """Return the path of the first installed browser that can open an app window, or None if there is none."""
    places: Iterator[str | None]
    if sys.platform == "darwin":
        places = (f"/Applications/{name}.app/Contents/MacOS/{name}" for name in _APPLICATIONS)
    elif sys.platform == "win32":
        places = (str(Path(os.environ.get(root, ""), name)) for name in _WINDOWS for root in _ROOTS)
    else:
        places = map(shutil.which, NAMES)
    return next((place for place in places if place and Path(place).is_file()), None)


def has_screen() -> bool:
    """Return whether there is a display. Without one, `webbrowser` would start a browser in the terminal."""
    return sys.platform in ("win32", "darwin") or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def keeps_running() -> bool:
    """Return whether the settings say to keep the app running after its window is closed."""
    return settings().app.keep_running


def profile(workspace: Path) -> Path:
    """Return the browser profile folder for a workspace's window. The folder contains no notes."""
    return user_cache_path("tessera", appauthor=False) / f"window-{digest(os.path.realpath(workspace)).hex()[:12]}"


class AppWindow:
    """A window that shows a URL until it is closed or this process ends."""

    _number = 0
    _commands: int | None = None

    def __init__(self, browser: str, url: str, profile: Path) -> None:
        """Open the window. Raises OSError if the browser can't be started."""
        flags = [f"--user-data-dir={profile}", "--class=Tessera", *_FLAGS]
        self._pages: set[str] = set()
        # Whether the window was ever visible. A browser that can't start exits immediately.
        self.seen = sys.platform == "win32"
        self._sending = threading.Lock()
        # Function that waits until the window is closed. Only one thread may call it, and only once.
        self.wait: Callable[[], object]
        if sys.platform == "win32":
            self.wait = subprocess.Popen([browser, f"--app={url}", *flags]).wait
        else:
            # Other users of this machine can see the command line, so a URL with a token is sent through the pipe.
            open_part, _, secret = url.partition("?")
            self._address = url if secret else ""
            pid, self._commands, answers = _piped([browser, "--remote-debugging-pipe", f"--app={open_part}", *flags])
            self.wait = partial(os.waitpid, pid, 0)
            threading.Thread(target=self._read, args=(answers,), name="window", daemon=True).start()
            self._send("Target.setDiscoverTargets", discover=True)

    def bring_to_front(self) -> bool:
        """Bring the window to the front, or return False if its browser doesn't accept commands."""
        return any(self._send("Target.activateTarget", targetId=page) for page in tuple(self._pages))

    def _send(self, method: str, session: str = "", **parameters: object) -> bool:
        with self._sending, suppress(OSError):
            if self._commands is not None:
                self._number += 1
                call: Values = {"id": self._number, "method": method, "params": parameters}
                call |= {"sessionId": session} if session else {}
                os.write(self._commands, json.dumps(call).encode() + b"\0")
                return True
        return False

    def _read(self, answers: int) -> None:
        """Track the open pages, and close the browser once the last one is closed.

        On macOS, the browser would otherwise keep running without a window. When the browser has ended, close our ends
        of the pipes.
        """
        rest = b""
        with suppress(OSError):
            while part := os.read(answers, _CHUNK):
                *messages, rest = (rest + part).split(b"\0")
                for message in messages:
                    self._follow(json.loads(message))
                if self.seen and not self._pages:
                    self._send("Browser.close")
        os.close(answers)
        with self._sending:
            if self._commands is not None:
                os.close(self._commands)
            self._commands = None

    def _follow(self, message: AnyMap) -> None:
        parameters = message.get("params", {})
        match message.get("method"):
            case "Target.targetCreated" if parameters["targetInfo"]["type"] == "page":
                page = parameters["targetInfo"]["targetId"]
                if self._address and not self.seen:
                    self._send("Target.attachToTarget", targetId=page, flatten=True)
                self.seen = True
                self._pages.add(page)
            case "Target.attachedToTarget":
                self._send("Page.navigate", session=parameters["sessionId"], url=self._address)
            case "Target.targetDestroyed":
                self._pages.discard(parameters["targetId"])


def _piped(command: list[str]) -> tuple[int, int, int]:
    """Start a browser with pipes for commands (its fd 3) and responses (its fd 4).

    Return the browser's PID and our ends of the pipes.
    """
    import fcntl  # not available on Windows

    (read, commands), (answers, write) = os.pipe(), os.pipe()
    # Use descriptors above all those that are reassigned below.
    ends = [fcntl.fcntl(item, fcntl.F_DUPFD_CLOEXEC, _ABOVE) for item in (read, write)]
    nothing = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) for number in range(3)]
    given = [(os.POSIX_SPAWN_DUP2, end, number) for end, number in zip(ends, (3, 4), strict=True)]
    try:
        pid = os.posix_spawn(command[0], command, os.environ, file_actions=nothing + given)
    except OSError:
        os.close(commands)
        os.close(answers)
        raise
    finally:
        for end in (read, write, *ends):
            os.close(end)
    return pid, commands, answers


# Maximum number of seconds a dialog stays open.
PATIENCE = 600.0
# Maximum number of subfolders to list.
MOST = 500
_WINDOWS_DIALOG = (
    "Add-Type -AssemblyName System.Windows.Forms; $box = New-Object System.Windows.Forms.FolderBrowserDialog; "
    "if ($box.ShowDialog() -eq 'OK') { [Console]::OutputEncoding = [Text.Encoding]::UTF8; $box.SelectedPath }"
)


def command() -> Sequence[str] | None:
    """Return the command that shows the system's folder dialog and prints the choice, or None if there is no dialog."""
    if sys.platform == "darwin":
        return ("osascript", "-e", 'POSIX path of (choose folder with prompt "Tessera")')
    if sys.platform == "win32":
        return ("powershell", "-NoProfile", "-STA", "-Command", _WINDOWS_DIALOG)
    if not has_screen():
        return None
    if zenity := shutil.which("zenity"):
        return (zenity, "--file-selection", "--directory", "--title=Tessera")
    if kdialog := shutil.which("kdialog"):
        return (kdialog, "--getexistingdirectory", str(Path.home()))
    return None


def choose() -> Path | None:
    """Show the folder dialog and return the chosen folder.

    Return None if no folder was chosen or the folder's name isn't valid Unicode.
    """
    arguments = command()
    if arguments is None:
        return None
    try:
        done = subprocess.run(arguments, capture_output=True, timeout=PATIENCE, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    chosen = os.fsdecode(done.stdout).rstrip("\r\n")
    return Path(chosen) if chosen and find_half_character(chosen) is None else None


def inside(folder: Path) -> list[Path]:
    """Return a folder's first MOST subfolders, sorted by name, or [] if the folder can't be read.

    Hidden folders and names that aren't valid Unicode are left out.
    """
    found = []
    with suppress(OSError):
        for path in folder.iterdir():
            with suppress(OSError):
                if path.name[0] != "." and find_half_character(path.name) is None and path.is_dir():
                    found.append(path)
    return sorted(found, key=lambda path: path.name.casefold())[:MOST]


_NAME = "Tessera"
_ICON = PROGRAM / "data" / "icon" / "tessera.png"
_RUN = (sys.executable, "-m", "core.doors.cli", "app")


def add() -> Path:
    """Write the current user's shortcut and return its path. Raises ConfigError if it can't be written."""
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
            "{file} can't be written ({why}). Make its folder writable.",
            file=place,
            why=getattr(error, "strerror", type(error).__name__),
        ) from error
    return place


def remove() -> Path:
    """Remove the shortcut if it exists, and return its path."""
    place = _place()
    files.delete(place)
    return place


def _place() -> Path:
    if sys.platform == "darwin":
        return Path.home() / "Applications" / f"{_NAME}.app"
    if sys.platform == "win32":
        return Path(os.environ["APPDATA"], "Microsoft", "Windows", "Start Menu", "Programs", f"{_NAME}.lnk")
    return Path(
        os.environ.get("XDG_DATA_HOME", "") or Path.home() / ".local" / "share", "applications", "tessera.desktop"
    )


def _entry() -> str:
    """Return a desktop entry (freedesktop.org, Desktop Entry Specification 1.5)."""
    values = {
        "Type": "Application",
        "Name": _NAME,
        "Comment": "Your notes, found by meaning and by word",
        "Comment[zh_CN]": "按意思和字词查找你的笔记",
        "Exec": " ".join(f'"{word.translate(_QUOTED)}"' for word in _RUN).replace("\\", "\\\\"),
        "Path": str(START),
        "Icon": str(_ICON),
        "StartupWMClass": _NAME,
        "Categories": "Office;Utility;",
        "Terminal": "false",
    }
    return "[Desktop Entry]\n" + "".join(f"{name}={value}\n" for name, value in values.items())


_QUOTED = str.maketrans({sign: f"\\{sign}" for sign in '"`$\\'} | {"%": "%%"})


def _bundle(place: Path) -> None:
    """Write a macOS application bundle: a folder with a property list, a script and the icon."""
    import plistlib

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
    shutil.copy(_ICON.with_suffix(".icns"), inside / "Resources" / f"{_NAME}.icns")
    script = inside / "MacOS" / _NAME
    script.write_text(f"#!/bin/sh\ncd {shlex.quote(str(START))} && exec {shlex.join(_RUN)}\n", "utf-8")
    script.chmod(0o755)


def _link(place: Path) -> None:
    """Write a Windows shortcut, using PowerShell."""
    python = Path(sys.executable).with_name("pythonw.exe")
    values = {
        "TargetPath": str(python if python.is_file() else sys.executable),
        "Arguments": subprocess.list2cmdline(_RUN[1:]),
        "WorkingDirectory": str(START),
        "IconLocation": str(_ICON.with_suffix(".ico")),
    }
    lines = [f"$link.{name} = {_quote(value)}" for name, value in values.items()]
    made = f"$link = (New-Object -ComObject WScript.Shell).CreateShortcut({_quote(str(place))})"
    script = "; ".join([made, *lines, "$link.Save()"])
    subprocess.run(["powershell", "-NoProfile", "-Command", script], check=True, capture_output=True, timeout=60)


def _quote(text: str) -> str:
    """Return a PowerShell string literal. In PowerShell, curly quotation marks end a string too."""
    return "'" + re.sub("(['‘’‚‛])", r"\1\1", text) + "'"
