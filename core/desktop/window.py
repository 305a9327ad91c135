"""The window of the app: a browser of this machine without its bars, in a profile of its own.

A browser that reads commands from a pipe (Chrome's `--remote-debugging-pipe`) is brought to the front and closed by it,
reports when its last page is closed, and ends with this process. No other process can reach that pipe.
"""

import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from platformdirs import user_cache_path

from core.base.text import digest, find_half_character
from core.settings.config import settings

NAMES = (
    *("google-chrome", "google-chrome-stable", "chrome", "microsoft-edge", "microsoft-edge-stable", "msedge"),
    *("brave-browser", "brave", "chromium", "chromium-browser"),
)
"""Commands of browsers that know `--app`."""
_APPLICATIONS = ("Google Chrome", "Microsoft Edge", "Brave Browser", "Chromium")
_WINDOWS = (
    *(r"Google\Chrome\Application\chrome.exe", r"Microsoft\Edge\Application\msedge.exe"),
    r"BraveSoftware\Brave-Browser\Application\brave.exe",
)
_ROOTS = ("PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA")
_FLAGS = ("--no-first-run", "--no-default-browser-check", "--disable-sync", "--disable-extensions")
_CHUNK = 1 << 16
_ABOVE = 10
"""Least file descriptor during the renumbering of others."""

address = ""
"""The address of the pages of this process, with their token if they need one."""
window: "AppWindow | None" = None
"""The window of this process, while it is open."""


def browser() -> str | None:
    """Return the first browser of this machine that can open a window for an app."""
    places: Iterator[str | None]
    if sys.platform == "darwin":
        places = (f"/Applications/{name}.app/Contents/MacOS/{name}" for name in _APPLICATIONS)
    elif sys.platform == "win32":
        places = (str(Path(os.environ.get(root, ""), name)) for name in _WINDOWS for root in _ROOTS)
    else:
        places = map(shutil.which, NAMES)
    return next((place for place in places if place and Path(place).is_file()), None)


def keeps_running() -> bool:
    """Whether the settings say that the app goes on when its window is closed."""
    return settings().app.keep_running


def profile(workspace: Path) -> Path:
    """Return the folder of the browser's files for the window of a workspace; it holds no notes."""
    return user_cache_path("tessera", appauthor=False) / f"window-{digest(os.path.realpath(workspace)).hex()[:12]}"


class AppWindow:
    """A window that shows an address, from now on until it is closed or this process ends."""

    def __init__(self, browser: str, url: str, profile: Path) -> None:
        """Raise OSError where the browser can't be started."""
        flags = [f"--user-data-dir={profile}", "--class=Tessera", *_FLAGS]
        self._pages: set[str] = set()
        self.seen = sys.platform == "win32"
        """Whether a window was ever shown; a browser that can't start ends at once."""
        self._number = 0
        self._sending = threading.Lock()
        self._commands: int | None = None
        self.wait: Callable[[], object]
        """Waits until the window is closed; called once, by one thread."""
        if sys.platform == "win32":
            self.wait = subprocess.Popen([browser, f"--app={url}", *flags]).wait
        else:
            # Other users of this machine see the command line: an address with a token comes through the pipe.
            open_part, _, secret = url.partition("?")
            self._address = url if secret else ""
            pid, self._commands, answers = _piped([browser, "--remote-debugging-pipe", f"--app={open_part}", *flags])
            self.wait = partial(os.waitpid, pid, 0)
            threading.Thread(target=self._read, args=(answers,), name="window", daemon=True).start()
            self._send("Target.setDiscoverTargets", discover=True)

    def bring_to_front(self) -> bool:
        """Put the window before all others; return False where its browser takes no commands."""
        return any(self._send("Target.activateTarget", targetId=page) for page in tuple(self._pages))

    def _send(self, method: str, session: str = "", **parameters: Any) -> bool:
        with self._sending, suppress(OSError):
            if self._commands is not None:
                self._number += 1
                call: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
                call |= {"sessionId": session} if session else {}
                os.write(self._commands, json.dumps(call).encode() + b"\0")
                return True
        return False

    def _read(self, answers: int) -> None:
        """Follow the open pages, and end the browser with the last one, because on a Mac it stays without a window.

        Closes both ends of the pipe when the browser is gone.
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

    def _follow(self, message: dict[str, Any]) -> None:
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
    """Start a browser that reads commands from its file 3 and answers on 4; return its pid and our ends of both."""
    import fcntl  # which Windows lacks

    (read, commands), (answers, write) = os.pipe(), os.pipe()
    # Above all file descriptors that are reassigned below.
    ends = [fcntl.fcntl(item, fcntl.F_DUPFD_CLOEXEC, _ABOVE) for item in (read, write)]
    nothing = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) for number in range(3)]
    given = [(os.POSIX_SPAWN_DUP2, end, number) for end, number in zip(ends, (3, 4), strict=True)]
    try:
        pid = os.posix_spawn(command[0], command, os.environ, file_actions=[*nothing, *given])
    except OSError:
        os.close(commands)
        os.close(answers)
        raise
    finally:
        for end in (read, write, *ends):
            os.close(end)
    return pid, commands, answers


PATIENCE = 600.0
"""Seconds that a dialog may stay open."""
MOST = 500
"""Most subfolders that are listed."""
_MAC = 'POSIX path of (choose folder with prompt "Tessera")'
_WINDOWS_DIALOG = (
    "Add-Type -AssemblyName System.Windows.Forms; $box = New-Object System.Windows.Forms.FolderBrowserDialog; "
    "if ($box.ShowDialog() -eq 'OK') { [Console]::OutputEncoding = [Text.Encoding]::UTF8; $box.SelectedPath }"
)


def command() -> Sequence[str] | None:
    """Return the command that shows the system's dialog and prints the folder, None where there is none."""
    if sys.platform == "darwin":
        return ("osascript", "-e", _MAC)
    if sys.platform == "win32":
        return ("powershell", "-NoProfile", "-STA", "-Command", _WINDOWS_DIALOG)
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
