"""Assistants' tools over HTTP. The ASGI app imports the Model Context Protocol package on the first request."""

import json
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from starlette.concurrency import run_in_threadpool
from starlette.responses import PlainTextResponse, Response
from starlette.types import Receive, Scope, Send

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server

    from core.workspace import Workspace

# Paths at which the tools are served. Some clients add a trailing slash.
PLACES = ("/mcp", "/mcp/")


class LazyTools:
    """An ASGI app that serves a workspace's tools, and keeps no state between requests."""

    def __init__(self, workspace: "Callable[[], Workspace]") -> None:
        self._workspace = workspace

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] != "POST":  # the server sends only responses
            await PlainTextResponse("Method Not Allowed", 405, {"Allow": "POST"})(scope, receive, send)
            return
        server = await run_in_threadpool(lambda: self._server)
        from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

        manager = StreamableHTTPSessionManager(server, json_response=True, stateless=True)
        async with manager.run():
            await manager.handle_request(scope, receive, send)

    @cached_property
    def _server(self) -> "Server[object]":
        from core.doors.assistants.server import make

        return make(self._workspace)


def refusal(body: bytes) -> Response | None:
    """Return the error response to a body that isn't a protocol message, or None if the body is valid or empty."""
    from mcp_types import JSONRPCError

    from core.doors.assistants.server import parse

    if not body or not isinstance(message := parse(body).message, JSONRPCError):
        return None
    return Response(json.dumps(message.model_dump(exclude_unset=True)), 400, media_type="application/json")
