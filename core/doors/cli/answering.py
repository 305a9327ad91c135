"""Commands on this machine run their operations in the command that has the workspace open, as in `tessera serve`."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from core.doors.cli.app import HOST
from core.workspace import Workspace

_GRACE = 3
"""Seconds for operations to finish at the end."""


@contextmanager
def answer_calls(workspace: Workspace) -> Iterator[None]:
    """Answer the calls of commands in a thread, until the end."""
    import uvicorn

    from core.doors.api.server import guard_routes
    from core.doors.remote.calls import Calls

    workspace.log.listen("uvicorn.error", "asyncio")
    calls = Calls(lambda: workspace)
    app = guard_routes(calls.routes, HOST)
    server = uvicorn.Server(
        uvicorn.Config(app, log_config=None, log_level="warning", timeout_graceful_shutdown=_GRACE, http="h11")
    )
    with socket.create_server((HOST, 0)) as listening:
        thread = threading.Thread(target=server.run, args=([listening],), name="calls", daemon=True)
        thread.start()
        workspace.access.open(f"http://{HOST}:{listening.getsockname()[1]}")
        try:
            yield
        finally:
            calls.stop()
            server.should_exit = True
            thread.join()
