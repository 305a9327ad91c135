"""`tessera app`: the pages, served by Streamlit from the folder of the program."""

import os
import runpy
import signal
import socket
import sys
import threading
import time
import webbrowser
from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from core.cli.options import Json
from core.cli.output import show
from core.cli.texts import _
from core.errors import ConfigError
from core.places import PROGRAM

HOST = "127.0.0.1"
PORT = 8501
_PORTS_TRIED = 20
_START_SECONDS = 60.0
"""The browser opens when the server answers within this time."""

Workspace = Annotated[
    Path | None, typer.Option("--workspace", help=_("Where Tessera keeps its data."), envvar="TESSERA_WORKSPACE")
]

Port = Annotated[
    int | None,
    typer.Option(
        min=1, max=65_535, help=_("The port of the app; by default {port} or the next free one.", port=str(PORT))
    ),
]


def serve(
    port: Port = None,
    no_browser: Annotated[
        bool, typer.Option("--no-browser", "--headless", help=_("Open no browser, only print the address."))
    ] = False,
    token: Annotated[
        bool, typer.Option("--token", help=_("Answer only browsers that open the address with the token."))
    ] = False,
    workspace: Workspace = None,
    as_json: Json = False,
) -> None:
    from core import access
    from core.api.entrance import address

    chosen = free(port)
    if workspace is not None:
        os.environ["TESSERA_WORKSPACE"] = str(workspace)
    if token:
        os.environ["TESSERA_APP__TOKEN"] = "true"
    url = f"http://{HOST}:{chosen}"
    if access.pages_need_token():
        url = address(url, access.PAGES)
    show({"url": url}, as_json, lambda values: [_("Tessera runs on {url}. Ctrl+C stops it.", url=values["url"])])
    sys.stdout.flush()
    if not no_browser and _has_screen():
        threading.Thread(target=_open, args=(chosen, url), daemon=True).start()
    # Streamlit is run, not imported: core knows no screen. Its options are in .streamlit/config.toml beside app.py;
    # these hold whatever the environment says.
    options = {"address": HOST, "port": chosen, "headless": "true"}
    flags = [part for name, value in options.items() for part in (f"--server.{name}", str(value))]
    sys.argv = ["streamlit", "run", str(PROGRAM / "app.py"), *flags, "--logger.hideWelcomeMessage", "true"]
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # the server sends the signal on to itself after it closed
    runpy.run_module("streamlit", run_name="__main__", alter_sys=True)


def free(port: int | None, host: str = HOST) -> int:
    """Return the port if it is free, without one the first free port; raises ConfigError."""
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
        raise ConfigError("Another program uses the port {port}. Choose another one with --port.", port=str(port))
    raise ConfigError(
        "Other programs use the ports from {port} to {last}. Choose another one with --port.",
        port=str(PORT),
        last=str(PORT + _PORTS_TRIED - 1),
    )


def _has_screen() -> bool:
    # Without one, `webbrowser` would start a browser for the terminal.
    return sys.platform in ("win32", "darwin") or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _open(port: int, url: str) -> None:
    """Open the browser as soon as the server answers."""
    ends = time.monotonic() + _START_SECONDS
    while time.monotonic() < ends:
        try:
            socket.create_connection((HOST, port), timeout=1).close()
        except OSError:
            time.sleep(0.1)
        else:
            webbrowser.open(url)
            return
