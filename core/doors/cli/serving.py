"""`tessera app` serves the pages with Streamlit. `tessera serve` and `tessera watch` run without the pages."""

import _thread
import ipaddress
import os
import runpy
import signal
import socket
import sys
import threading
import time
import webbrowser
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from datetime import datetime
from functools import partial
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from core.base.app_paths import PROGRAM
from core.base.errors import ConfigError
from core.base.messages import plural
from core.base.terminal import _, say
from core.doors.cli.options import WORKSPACE, Folder, Json, option
from core.doors.cli.terminal import show
from core.model import FolderSynced
from core.operations import bases
from core.operations.declaring import PERSON
from core.operations.views import format_bases, format_counts

if TYPE_CHECKING:
    from core.workspace import Workspace

app = typer.Typer()

HOST = "127.0.0.1"
PORT = 8501
_PORTS_TRIED = 20
# Seconds to wait for the server to respond before giving up on opening a browser.
_START_SECONDS = 60.0
# Set once the user has closed the app's window.
_CLOSED = threading.Event()

SomeFolder = Annotated[Path | None, option("--workspace", "Where Tessera keeps its data.", envvar="TESSERA_WORKSPACE")]

Port = Annotated[
    int | None,
    typer.Option(
        min=1, max=65_535, help=_("The port of the app. By default, {port} or the next free port.", port=str(PORT))
    ),
]


# Maximum size of a request's head in bytes.
#
# The API's own limit is lower, and exceeding it produces an error response.
HEAD = 2**20


@app.command("app", help=_("Start the app in the browser. Only this machine can reach it."))
def app_(
    port: Port = None,
    no_browser: Annotated[
        bool, typer.Option("--no-browser", "--headless", help=_("Print the address without opening a browser."))
    ] = False,
    token: Annotated[bool, option("--token", "Serve only browsers that opened the address with the token.")] = False,
    keep_running: Annotated[
        bool,
        option(
            "--keep-running",
            ("Keep running after the app is closed, so that folders stay watched and assistants can connect."),
        ),
    ] = False,
    install: Annotated[bool, option("--install", "Add Tessera to the applications menu.")] = False,
    uninstall: Annotated[bool, option("--uninstall", "Remove Tessera from the applications menu.")] = False,
    workspace: SomeFolder = None,
    as_json: Json = False,
) -> None:
    if install or uninstall:
        from core import desktop

        place = desktop.add() if install else desktop.remove()
        there = place.exists()
        text = _("Tessera is in the applications menu: {file}", file=place)
        gone = _("Tessera is no longer in the applications menu. Your notes and the program are still there.")
        show({"file": str(place), "installed": there}, as_json, lambda _values: [text if there else gone])
        return
    from core import desktop
    from core.doors.api.guard import address
    from core.settings import access
    from core.settings.file import usual_workspace

    if workspace is not None:
        os.environ["TESSERA_WORKSPACE"] = str(workspace)
    folder = workspace or usual_workspace()
    if not no_browser and desktop.has_screen() and _bring_to_front(folder, as_json):
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
            _("Tessera is running on {url}. Press Ctrl+C to stop it.", url=url),
            _("Your notes are in {folder}.", folder=values["workspace"]),
        ],
    )
    sys.stdout.flush()
    if not no_browser and desktop.has_screen():
        threading.Thread(
            target=_open, args=(chosen, url, workspace, keep_running or desktop.keeps_running()), daemon=True
        ).start()
    from uvicorn import config
    from uvicorn.protocols.http import h11_impl

    config.HTTP_PROTOCOLS["auto"] = config.HTTP_PROTOCOLS["h11"]  # httptools accepts two Host headers
    vars(h11_impl)["DEFAULT_MAX_INCOMPLETE_EVENT_SIZE"] = HEAD
    # Streamlit is run, not imported, because core doesn't depend on the pages. These options take precedence over the
    # environment; the remaining ones are in .streamlit/config.toml next to app.py.
    sys.argv = ["streamlit", "run", str(PROGRAM / "app.py"), "--server.address", HOST, "--server.port", str(chosen)]
    sys.argv += ["--server.headless", "true", "--logger.hideWelcomeMessage", "true"]
    signal.signal(signal.SIGINT, _end)  # the server resends the signal to itself once it has shut down
    runpy.run_module("streamlit", run_name="__main__", alter_sys=True)


def _bring_to_front(folder: Path, as_json: bool) -> bool:
    """Bring a workspace's running app to the front, or reopen its window. Return whether an app is running."""
    from core.doors.remote.client import connect_running
    from core.operations.program import bring_to_front

    remote = connect_running(folder)
    there = remote.run(bring_to_front, {}) if remote else None
    url = there.url if there else ""
    if there and url:
        show({"url": url}, as_json, lambda _values: [_("Tessera is already running on {url}.", url=url)])
        if not there.shown:
            _window(url, folder)
    return bool(url)


def free_port(port: int | None, host: str = HOST) -> int:
    """Return `port`, or the first free port if it is None.

    Raises ConfigError, with the last error's reason, if `host` can't listen on `port` or on any port tried.
    """
    for candidate in [port] if port else range(PORT, PORT + _PORTS_TRIED):
        with closing(socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)) as probe:
            if os.name == "posix":
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((host, candidate))
            except OSError as error:
                reason = error.strerror or str(error)
                continue
            return candidate
    raise ConfigError(
        "Tessera can't listen on {host}:{port}: {reason}. Choose another port with --port.",
        host=host,
        port=str(port or PORT),
        reason=reason,
    )


def _open(port: int, url: str, folder: Path, keep_running: bool) -> None:
    """Open the app once the server responds.

    When the app's window closes, end this process unless `keep_running` is True.
    """
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
    """Handle a signal. Exit normally if the app's window was closed. Otherwise, let the signal end the process."""
    if not _CLOSED.is_set():
        signal.signal(number, signal.SIG_DFL)
        signal.raise_signal(number)
    sys.exit()


def _window(url: str, folder: Path) -> bool:
    """Show a URL in an app window until the user closes it. Return False if it was opened in a browser tab instead."""
    from core import desktop

    if browser := desktop.browser():
        with suppress(OSError):
            shown = desktop.window = desktop.AppWindow(browser, url, desktop.profile(folder))
            shown.wait()
            desktop.window = None
            if shown.seen:
                return True
    webbrowser.open(url)
    return False


# Seconds that running requests have to finish when the server stops.
_GRACE = 3
# Seconds between checks for Ctrl+C.
_LOOK = 0.5


@app.command(help=_("Give other programs access to the notes over HTTP, without serving the app's pages."))
def serve(
    port: Port = None,
    host: Annotated[
        str,
        typer.Option(
            help=_(
                "The address of this machine to listen on, so that other machines can connect. By default, "
                "only this machine can."
            )
        ),
    ] = HOST,
    workspace: Folder = WORKSPACE,
    as_json: Json = False,
) -> None:
    import uvicorn
    from starlette.routing import Route

    from core.doors import assistants
    from core.doors.api.guard import Guard, server
    from core.doors.remote.calls import Calls
    from core.workspace import Workspace

    address = _address(host)
    chosen = free_port(port, host)
    with Workspace(workspace) as opened:
        url = f"http://{address}:{chosen}"
        values = {"url": f"{url}/api/v1", "token": opened.access.token}
        show(values, as_json, lambda values: [_("The API is at {url}. Press Ctrl+C to stop it.", url=values["url"])])
        sys.stdout.flush()
        calls = Calls(lambda: opened)
        guarded = Guard(
            assistants.LazyTools(lambda: opened), lambda: opened, programs_only=True, refusal=assistants.refusal
        )
        routes = [Route(place, guarded) for place in assistants.PLACES]
        if ipaddress.ip_address(host).is_loopback:
            opened.access.open(url)
            calls.close_at_signals()
            routes += calls.routes
        sys.stderr.write("\n".join([*format_bases(bases.list_.run(opened, PERSON, {})), ""]))
        opened.store.events.subscribe(FolderSynced, lambda sync: sys.stderr.write(f"{_format_sync(sync)[0]}\n"))
        opened.models.start_warming()
        opened.start_watching()
        opened.start_backups()
        opened.log.listen("uvicorn.error", "asyncio")
        app = server(opened, address, routes)
        with suppress(KeyboardInterrupt):  # uvicorn resends the signal once it has shut down
            uvicorn.run(
                app,
                host=host,
                port=chosen,
                log_config=None,  # uvicorn's own configuration would close the log handlers
                log_level="warning",
                timeout_graceful_shutdown=_GRACE,
                http="h11",  # httptools accepts a head of any length
                h11_max_incomplete_event_size=HEAD,
            )


def _address(host: str) -> str:
    """Return an IP address in the form used in URLs. Print a warning if other machines can reach it.

    Raises ConfigError if `host` isn't the address of a single network interface."""
    try:
        ip = ipaddress.ip_address(host)
    except ValueError:
        raise ConfigError("'{host}' isn't an address such as 192.168.1.5.", host=host) from None
    if ip.is_unspecified:
        raise ConfigError("'{host}' means every address. Enter a single address, such as 192.168.1.5.", host=host)
    if not ip.is_loopback:
        warning = _(
            (
                "Other machines can reach {host}. Anyone with the token can read and change your "
                "notes, and the connection isn't encrypted."
            ),
            host=host,
        )
        sys.stderr.write(f"tessera: {warning}\n")
    return f"[{host}]" if ip.version == 6 else host


@contextmanager
def answer_calls(workspace: "Workspace", *, finishes: bool = False) -> Iterator[None]:
    """Answer other commands' calls in a thread during the `with` block.

    If `finishes` is True, let the calls in progress finish afterwards.
    """
    import uvicorn

    from core.doors.api.guard import guard_routes
    from core.doors.remote.calls import Calls

    workspace.log.listen("uvicorn.error", "asyncio")
    calls = Calls(lambda: workspace)
    server = uvicorn.Server(
        uvicorn.Config(
            guard_routes(calls.routes, HOST),
            log_config=None,
            log_level="warning",
            timeout_graceful_shutdown=None if finishes else _GRACE,
            http="h11",
        )
    )
    with socket.create_server((HOST, 0)) as listening:
        thread = threading.Thread(target=server.run, args=([listening],), name="calls", daemon=True)
        thread.start()
        try:
            workspace.access.open(f"http://{HOST}:{listening.getsockname()[1]}")
            yield
            if not finishes:
                calls.stop()
        except BaseException:
            calls.stop()
            raise
        finally:
            workspace.access.close()
            server.should_exit = True
            thread.join()


@app.command(
    help=_("Update watched folders whenever their files change, until you press Ctrl+C. The open app does this too.")
)
def watch(workspace: Folder = WORKSPACE, as_json: Json = False) -> None:
    from core.workspace import Workspace

    syncs: SimpleQueue[FolderSynced] = SimpleQueue()
    with Workspace(workspace) as opened:
        notice = plural(
            "{n} base is being watched. Press Ctrl+C to stop.",
            "{n} bases are being watched. Press Ctrl+C to stop.",
            n=sum(base.watch for base in opened.bases.all()),
        )
        sys.stderr.write(f"{say(notice)}\n")
        opened.store.events.subscribe(FolderSynced, syncs.put)
        opened.models.start_warming()
        opened.start_watching()
        with answer_calls(opened), suppress(KeyboardInterrupt):
            while True:
                with suppress(Empty):
                    sync = syncs.get(timeout=_LOOK)
                    show(
                        {"at": _now(), "base": sync.base.name, **sync.report.to_dict()},
                        as_json,
                        partial(_format_sync, sync),
                    )


def _now() -> str:
    return f"{datetime.now().astimezone():%H:%M:%S}"


def _format_sync(sync: FolderSynced, _: object = None) -> list[str]:
    return [f"{_now()} {sync.base.name}: {format_counts(sync.report)}"]
