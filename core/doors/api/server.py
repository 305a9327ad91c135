"""The API alone, without the pages."""

import re
from collections.abc import Callable, Iterable
from functools import cached_property
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.responses import PlainTextResponse
from starlette.routing import BaseRoute, Mount
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from core.base.call_log import log_call
from core.doors.api import PLACE
from core.doors.api.guard import Guard, Limit, ShortHead

if TYPE_CHECKING:
    from core.workspace import Workspace

# The origin check: a page from another origin gets no response from the server.


class SameOrigin:
    """Middleware that refuses requests and WebSockets from pages of other origins.

    Another port on this machine is another origin. Programs other than browsers send no origin, and pass. Browser
    extensions have origins of their own: they reach the API, which requires the token. Requests that name more than one
    host, or name a host in the request line, are refused too.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        refused = scope["type"] in ("http", "websocket") and _foreign(scope)
        await (PlainTextResponse("Forbidden", 403) if refused else self._app)(scope, receive, send)


_EXTENSION = re.compile(r"(?:chrome|moz)-extension://[\w-]{1,100}\Z", re.ASCII)


def _foreign(scope: Scope) -> bool:
    headers = Headers(scope=scope)
    hosts, origins = headers.getlist("host"), headers.getlist("origin")
    if len(hosts) > 1 or not scope["path"].startswith("/"):
        return True
    reaches_api = scope["type"] == "http" and scope["path"].startswith(f"{PLACE}/")
    if reaches_api and len(origins) == 1 and _EXTENSION.match(origins[0]):
        return False
    if origins:
        scheme = {"ws": "http", "wss": "https"}.get(scope["scheme"], scope["scheme"])
        return origins != [f"{scheme}://{host}" for host in hosts]
    # Without an Origin header, browsers send Sec-Fetch-Site. The user may follow a link from any site.
    followed = headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"
    return headers.get("sec-fetch-site", "none") not in ("none", "same-origin") and not followed


# The API as an ASGI app. FastAPI is imported on the first request, so that the pages start without it.


class LazyApi:
    """The API of a workspace, created on the first request."""

    def __init__(self, workspace: "Callable[[], Workspace]") -> None:
        self._workspace = workspace

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        app = await run_in_threadpool(lambda: self._app)
        await app(scope, receive, send)

    @cached_property
    def _app(self) -> ASGIApp:
        from core.doors.api.app import make

        return make(self._workspace)


class RequestLog:
    """Middleware that writes a log line for each request."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with log_call("http", method=scope.get("method"), work="") as line:

            async def noting(sent: Message) -> None:
                if sent["type"] == "http.response.start":
                    line["status"] = sent["status"]
                await send(sent)

            await self._app(scope, receive, noting)


def api(workspace: "Callable[[], Workspace]", *, programs_only: bool = False) -> ASGIApp:
    """Return the API, wrapped in its guard."""
    return RequestLog(Guard(Limit(LazyApi(workspace)), workspace, programs_only=programs_only))


_NAMES = ("127.0.0.1", "localhost")


def server(workspace: "Workspace", address: str, more: Iterable[BaseRoute] = ()) -> Starlette:
    """Return an app that answers requests to its address and to this machine, except those from web pages.

    It has the routes of the API, and those in `more`.
    """
    return guard_routes([Mount(PLACE, api(lambda: workspace, programs_only=True)), *more], address)


def guard_routes(routes: Iterable[BaseRoute], address: str) -> Starlette:
    """Return an app with the given routes and the API's middleware."""
    return Starlette(
        routes=[*routes],
        middleware=[
            Middleware(ShortHead),
            Middleware(TrustedHostMiddleware, allowed_hosts=[*_NAMES, address], www_redirect=False),
            Middleware(SameOrigin),
        ],
    )
