"""`tessera serve` and `tessera watch`: the API, the tools, calls from commands and syncs, without the pages."""

import ipaddress
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from functools import partial
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Annotated

import typer

from core.base.errors import ConfigError
from core.base.messages import plural
from core.base.terminal import _, say
from core.doors.cli.options import WORKSPACE, Folder, Json
from core.doors.cli.output import show
from core.doors.cli.pages import HEAD, HOST, Port, free_port
from core.model import FolderSynced
from core.operations import bases
from core.operations.declaring import PERSON
from core.operations.views.bases import format_bases, format_counts

if TYPE_CHECKING:
    from core.workspace import Workspace

_GRACE = 3
"""Seconds that running requests get to finish when the server stops."""
_PATIENCE = 0.5
"""Seconds between two checks for Ctrl+C."""


app = typer.Typer()


@app.command(help=_("Let other programs reach the notes over HTTP, without the pages."))
def serve(
    port: Port = None,
    host: Annotated[
        str,
        typer.Option(
            help=_(
                "An address of this machine that other machines can reach; by default, only this machine has access."
            )
        ),
    ] = HOST,
    workspace: Folder = WORKSPACE,
    as_json: Json = False,
) -> None:
    import uvicorn
    from starlette.routing import Route

    from core.doors.api.guard import Guard, Limit
    from core.doors.api.server import server
    from core.doors.assistants import lazy_app
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
        tools = Limit(lazy_app.LazyTools(lambda: opened), lazy_app.refusal)
        guarded = Guard(tools, lambda: opened, programs_only=True)
        routes = [Route(place, guarded) for place in lazy_app.PLACES]
        if ipaddress.ip_address(host).is_loopback:
            opened.access.open(url)
            calls.close_at_signals()
            routes += calls.routes
        _print_lines(format_bases(bases.list_.run(opened, PERSON, {})))
        opened.store.events.subscribe(FolderSynced, lambda sync: _print_lines(_format_sync(sync)))
        opened.models.start_warming()
        opened.start_watching()
        opened.start_backups()
        opened.log.listen("uvicorn.error", "asyncio")
        app = server(opened, address, routes)
        with suppress(KeyboardInterrupt):  # uvicorn resends the signal after it has closed
            uvicorn.run(
                app,
                host=host,
                port=chosen,
                log_config=None,  # uvicorn's own configuration would close the log handlers
                log_level="warning",
                timeout_graceful_shutdown=_GRACE,
                http="h11",  # the other parser reads an endless head
                h11_max_incomplete_event_size=HEAD,
            )


def _address(host: str) -> str:
    """Return the address for URLs; warn if other machines can reach it, and refuse a wildcard address."""
    try:
        ip = ipaddress.ip_address(host)
    except ValueError:
        raise ConfigError("'{host}' isn't an address such as 192.168.1.5.", host=host) from None
    if ip.is_unspecified:
        raise ConfigError("'{host}' means every address. Give a single address, such as 192.168.1.5.", host=host)
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
    """Answer calls from commands in a thread during the block; with `finishes`, let running calls finish."""
    import uvicorn

    from core.doors.api.server import guard_routes
    from core.doors.remote.calls import Calls

    workspace.log.listen("uvicorn.error", "asyncio")
    calls = Calls(lambda: workspace)
    app = guard_routes(calls.routes, HOST)
    server = uvicorn.Server(
        uvicorn.Config(
            app,
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


@app.command(help=_("Update watched folders whenever their files change, until Ctrl+C; the app does this too."))
def watch(workspace: Folder = WORKSPACE, as_json: Json = False) -> None:
    from core.workspace import Workspace

    syncs: SimpleQueue[FolderSynced] = SimpleQueue()
    with Workspace(workspace) as opened:
        watched = sum(base.watch for base in opened.bases.all())
        notice = plural(
            "{n} base is being watched. Press Ctrl+C to stop.",
            "{n} bases are being watched. Press Ctrl+C to stop.",
            n=watched,
        )
        sys.stderr.write(f"{say(notice)}\n")
        opened.store.events.subscribe(FolderSynced, syncs.put)
        opened.models.start_warming()
        opened.start_watching()
        with answer_calls(opened), suppress(KeyboardInterrupt):
            while True:
                with suppress(Empty):
                    sync = syncs.get(timeout=_PATIENCE)
                    show(
                        {"at": _now(), "base": sync.base.name, **sync.report.to_dict()},
                        as_json,
                        partial(_format_sync, sync),
                    )


def _print_lines(lines: list[str]) -> None:
    sys.stderr.write("".join(f"{line}\n" for line in lines))


def _now() -> str:
    return f"{datetime.now().astimezone():%H:%M:%S}"


def _format_sync(sync: FolderSynced, _: object = None) -> list[str]:
    return [f"{_now()} {sync.base.name}: {format_counts(sync.report)}"]
