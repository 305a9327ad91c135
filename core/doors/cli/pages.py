"""`tessera app`: the pages, served by Streamlit from the folder of the program."""

import _thread
import os
import runpy
import signal
import socket
import sys
import threading
import time
import webbrowser
from contextlib import closing, suppress
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from core.base.app_paths import PROGRAM
from core.base.errors import ConfigError
from core.base.terminal import _
from core.doors.cli.options import Json, option
from core.doors.cli.output import show

HOST = "127.0.0.1"
PORT = 8501
_PORTS_TRIED = 20
_START_SECONDS = 60.0
"""Seconds for the server to answer before giving up on opening a browser."""
_CLOSED = threading.Event()
"""Set once the window is closed."""

Workspace = Annotated[Path | None, option("--workspace", "Where Tessera keeps its data.", envvar="TESSERA_WORKSPACE")]

Port = Annotated[
    int | None,
    typer.Option(
        min=1, max=65_535, help=_("The port of the app; by default {port} or the next free one.", port=str(PORT))
    ),
]


HEAD = 2**20
"""Bytes to read of a request's head; a shorter head that exceeds the guard's limit gets an error response."""

app = typer.Typer()


@app.command("app", help=_("Start the app in the browser; only this machine can reach it."))
def serve(
    port: Port = None,
    no_browser: Annotated[
        bool, typer.Option("--no-browser", "--headless", help=_("Don't open a browser; only print the address."))
    ] = False,
    token: Annotated[bool, option("--token", "Serve only browsers that open the address with the token.")] = False,
    keep_running: Annotated[
        bool, option("--keep-running", "Keep running after the app is closed, for watched folders and assistants.")
    ] = False,
    install: Annotated[bool, option("--install", "Add Tessera to the applications menu.")] = False,
    uninstall: Annotated[bool, option("--uninstall", "Remove Tessera from the applications menu.")] = False,
    workspace: Workspace = None,
    as_json: Json = False,
) -> None:
    if install or uninstall:
        from core.desktop import window

        _shortcut(window.add() if install else window.remove(), as_json)
        return
    from core.desktop import window
    from core.doors.api.guard import address
    from core.settings import access
    from core.settings.file import usual_workspace

    if workspace is not None:
        os.environ["TESSERA_WORKSPACE"] = str(workspace)
    folder = workspace or usual_workspace()
    if not no_browser and _has_screen() and _bring_to_front(folder, as_json):
        return
    chosen = free_port(port)
    if token:
        os.environ["TESSERA_APP__TOKEN"] = "true"
    url = f"http://{HOST}:{chosen}"
    if access.pages_need_token():
        url = address(url, access.PAGES)
    show(
        {"url": url, "workspace": str(folder.absolute())},
        as_json,
        lambda values: [
            _("Tessera is running on {url}. Press Ctrl+C to stop it.", url=values["url"]),
            _("Your notes are in {folder}.", folder=values["workspace"]),
        ],
    )
    sys.stdout.flush()
    if not no_browser and _has_screen():
        keep = keep_running or window.keeps_running()
        threading.Thread(target=_open, args=(chosen, url, folder, keep), daemon=True).start()
    from uvicorn import config
    from uvicorn.protocols.http import h11_impl

    config.HTTP_PROTOCOLS["auto"] = config.HTTP_PROTOCOLS["h11"]  # the other parser accepts two hosts
    vars(h11_impl)["DEFAULT_MAX_INCOMPLETE_EVENT_SIZE"] = HEAD
    # Streamlit is run, not imported: core knows no screens. Its options are in .streamlit/config.toml next to app.py;
    # these options apply whatever the environment says.
    options = {"address": HOST, "port": chosen, "headless": "true"}
    flags = [part for name, value in options.items() for part in (f"--server.{name}", str(value))]
    sys.argv = ["streamlit", "run", str(PROGRAM / "app.py"), *flags, "--logger.hideWelcomeMessage", "true"]
    signal.signal(signal.SIGINT, _end)  # the server resends the signal to itself after it has closed
    runpy.run_module("streamlit", run_name="__main__", alter_sys=True)


def _shortcut(place: Path, as_json: bool) -> None:
    """Print the path of the shortcut, or that the shortcut was removed."""
    there = place.exists()
    text = _("Tessera is in the applications menu: {file}", file=str(place))
    gone = _("Tessera is no longer in the applications menu. Your notes and the program are still there.")
    show({"file": str(place), "installed": there}, as_json, lambda _values: [text if there else gone])


def _bring_to_front(folder: Path, as_json: bool) -> bool:
    """Bring the running app of a workspace to the front, or reopen its window; return whether an app is running."""
    from core.doors.remote.client import connect_running
    from core.operations.program import bring_to_front

    remote = connect_running(folder)
    there = remote.run(bring_to_front, {}) if remote else None
    url = there.url if there else ""
    if there and url:
        show({"url": url}, as_json, lambda values: [_("Tessera is already running on {url}.", url=values["url"])])
        if not there.shown:
            _window(url, folder)
    return bool(url)


def free_port(port: int | None, host: str = HOST) -> int:
    """Return the port if it is free, by default the first free port; raises ConfigError."""
    for candidate in [port] if port else range(PORT, PORT + _PORTS_TRIED):
        with closing(socket.socket(socket.AF_INET, socket.SOCK_STREAM)) as probe:
            if os.name == "posix":
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((host, candidate))
            except OSError:
                continue
            return candidate
    if port:
        raise ConfigError("Another program is using the port {port}. Choose another port with --port.", port=str(port))
    raise ConfigError(
        "Other programs are using the ports from {port} to {last}. Choose another port with --port.",
        port=str(PORT),
        last=str(PORT + _PORTS_TRIED - 1),
    )


def _has_screen() -> bool:
    # Without a window, `webbrowser` would start a browser in the terminal.
    return sys.platform in ("win32", "darwin") or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _open(port: int, url: str, folder: Path, keep_running: bool) -> None:
    """Open the app once the server answers; end this process when its window closes, unless it keeps running."""
    ends = time.monotonic() + _START_SECONDS
    while time.monotonic() < ends:
        try:
            socket.create_connection((HOST, port), timeout=1).close()
        except OSError:
            time.sleep(0.1)
        else:
            if _window(url, folder) and not keep_running:
                _CLOSED.set()
                _thread.interrupt_main(signal.SIGINT)
            return


def _end(number: int, _: object) -> NoReturn:
    """End the process after its window was closed or on a signal."""
    if not _CLOSED.is_set():
        signal.signal(number, signal.SIG_DFL)
        signal.raise_signal(number)
    sys.exit()


def _window(url: str, folder: Path) -> bool:
    """Show an address in its own window until that is closed; return False if it opened in a browser tab instead."""
    from core.desktop import window

    if browser := window.browser():
        with suppress(OSError):
            shown = window.window = window.AppWindow(browser, url, window.profile(folder))
            shown.wait()
            window.window = None
            if shown.seen:
                return True
    webbrowser.open(url)
    return False
