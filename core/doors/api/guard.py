"""A server for the API alone, and checks of every request's size, origin, token and permission."""

import hmac
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from http import HTTPStatus
from threading import Lock
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import HTTPConnection
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Match, Mount
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from core.base.call_log import log_call
from core.base.errors import TesseraError
from core.base.messages import LANGUAGES, message, reason_of, render
from core.doors.api import PLACE
from core.doors.api.responses import Problem, listen, problem

if TYPE_CHECKING:
    from core.workspace import Workspace

# Maximum size of a request body in bytes. It has room for three of the largest notes that can be imported.
MOST_BYTES = 64 * 1024 * 1024

# Maximum size of a URL and its headers in bytes, including cookies from other servers on this machine.
MOST_HEAD = 32 * 1024

_TOO_LONG = message(
    (
        "The address and the headers of the request are larger than {limit} KB. Shorten them. In a browser, delete "
        "the cookies for this address."
    ),
    limit=MOST_HEAD // 2**10,
)
_TOO_LARGE = message("The request is larger than {limit} MB. Send less at a time.", limit=MOST_BYTES // 2**20)

SHUT = message(
    "Access by other programs is off. Turn it on in Settings under Assistants and programs, or "
    "with enabled = true in the [http] section of tessera.toml."
)
UNKNOWN = message(
    "This request has no valid token. Send the header Authorization: Bearer TOKEN with the token "
    "shown in Settings under Assistants and programs."
)


@dataclass(eq=False)
class Guard:
    """Middleware that reads the whole body and refuses requests without a valid token.

    A request is also refused if its body is too large, if `refusal` returns a response for the body, or if the user
    hasn't allowed programs. With `programs_only`, programs are always allowed.
    """

    _app: ASGIApp
    _workspace: "Callable[[], Workspace]"
    programs_only: bool = False
    refusal: Callable[[bytes], Response | None] = lambda _: None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        listen(headers)
        if refusal := await run_in_threadpool(self._refusal, headers):  # the first request opens the workspace
            await refusal(scope, receive, send)
            return
        body = bytearray()
        more = True
        while more:
            part = await receive()
            if part["type"] == "http.disconnect":
                return
            body += part.get("body", b"")
            more = part.get("more_body", False)
            if len(body) > MOST_BYTES:
                await problem(Problem(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, _TOO_LARGE))(scope, receive, send)
                return
        if refusal := await run_in_threadpool(self.refusal, bytes(body)):
            await refusal(scope, receive, send)
            return
        parts: list[Message] = [{"type": "http.request", "body": bytes(body)}]

        async def replay_body() -> Message:
            return parts.pop() if parts else await receive()

        await self._app(scope, replay_body, send)

    def _refusal(self, headers: Headers) -> Response | None:
        try:
            workspace = self._workspace()
            programs = self.programs_only or workspace.open_to_programs
            scheme, _, token = headers.get("authorization", "").partition(" ")
            if scheme.lower() == "bearer" and workspace.access.admits(token.strip(), programs=programs):
                return None
        except TesseraError as error:
            return problem(error, HTTPStatus.SERVICE_UNAVAILABLE)
        except OSError as error:
            return problem(TesseraError(reason_of(error)), HTTPStatus.SERVICE_UNAVAILABLE)
        if not programs:
            return problem(Problem(HTTPStatus.FORBIDDEN, SHUT))
        return problem(Problem(HTTPStatus.UNAUTHORIZED, UNKNOWN), headers={"WWW-Authenticate": "Bearer"})


# Checking browsers' access to pages that need a token

_PARAMETER = "token"
_REFUSAL = message(
    (
        "Tessera was started with a token, and this browser hasn't sent it. Open the address that ends in {ending}, "
        "which is printed in the terminal where Tessera was started. If you have already opened that address in "
        "this browser, reload this page."
    ),
    ending=f"?{_PARAMETER}=…",
)


@dataclass(eq=False, repr=False)
class Entrance:
    """Middleware that only lets in browsers with a cookie, which a browser gets by opening the URL with the token.

    Browsers send a cookie to every port of a host, so the cookie's name includes the port. Requests matching one of
    `others` pass, because those routes check their own tokens.
    """

    _app: ASGIApp
    token: str
    others: Sequence[BaseRoute] = ()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        passes = scope["type"] not in ("http", "websocket") or any(
            route.matches(scope)[0] is Match.FULL for route in self.others
        )
        await (self._app if passes else self._answer(HTTPConnection(scope)))(scope, receive, send)

    def _answer(self, connection: HTTPConnection) -> ASGIApp:
        scope = connection.scope
        cookie = f"tessera-{(scope.get('server') or ('', 0))[1]}"
        is_page = scope["type"] == "http" and scope["path"] == "/"
        if is_page and self._is_token(connection.query_params.get(_PARAMETER, "")):
            answer = RedirectResponse("/", 303, {"Cache-Control": "no-store"})
            answer.set_cookie(
                cookie, self.token, httponly=True, samesite="strict", secure=scope.get("scheme") == "https"
            )
            return answer
        return self._app if self._is_token(connection.cookies.get(cookie, "")) else _refusal()

    def _is_token(self, shown: str) -> bool:
        return hmac.compare_digest(shown.encode("utf-8", "surrogatepass"), self.token.encode())


def address(url: str, token: str) -> str:
    """Return the URL with the token. A browser that opens it gets the app's cookie."""
    return f"{url}/?{_PARAMETER}={token}"


def _refusal() -> Response:
    """Return the page for browsers without a token.

    The page is in every language, because the user hasn't chosen one.
    """
    body = "".join(
        f'<p lang="{language.replace("_", "-")}">{escape(render(_REFUSAL, language))}</p>' for language in LANGUAGES
    )
    head = '<meta charset="utf-8"><title>Tessera</title>'
    return HTMLResponse(
        f'<!doctype html><html>{head}<body style="font: 1.1rem/1.6 sans-serif; max-width: 40rem; margin: 4rem auto">'
        f"{body}</body></html>",
        403,
        {"Cache-Control": "no-store"},
    )


@dataclass(eq=False)
class Front:
    """Middleware that refuses oversized headers, and requests and WebSockets from pages of other origins.

    Another port on this machine is another origin. Programs other than browsers send no origin, so they pass. Browser
    extensions have their own origins, but may call the API, which requires the token. Requests that name more than
    one host, or name a host in the request line, are also refused.
    """

    _app: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        head = sum(len(name) + len(value) for name, value in scope.get("headers", ()))
        app = self._app
        if head + len(scope.get("path", "")) + len(scope.get("query_string", b"")) > MOST_HEAD:
            app = problem(Problem(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, _TOO_LONG))
        elif scope["type"] in ("http", "websocket") and _foreign(scope):
            app = PlainTextResponse("Forbidden", 403)
        await app(scope, receive, send)


_EXTENSION = re.compile(r"(?:chrome|moz)-extension://[\w-]{1,100}\Z", re.ASCII)


def _foreign(scope: Scope) -> bool:
    headers = Headers(scope=scope)
    hosts = headers.getlist("host")
    origins = headers.getlist("origin")
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


def api(workspace: "Callable[[], Workspace]", *, programs_only: bool = False) -> ASGIApp:
    """Return the API wrapped in its guard, with a log line for each request.

    FastAPI is imported on the first request, so that the pages start without it.
    """

    @cache
    def made() -> ASGIApp:
        from core.doors.api.app import make

        return make(workspace)

    making = Lock()

    def app() -> ASGIApp:
        with making:  # concurrent first requests create one app
            return made()

    async def lazy(scope: Scope, receive: Receive, send: Send) -> None:
        await (await run_in_threadpool(app))(scope, receive, send)

    guarded = Guard(lazy, workspace, programs_only=programs_only)

    async def logged(scope: Scope, receive: Receive, send: Send) -> None:
        with log_call("http", method=scope.get("method"), work="") as line:

            async def noting(sent: Message) -> None:
                if sent["type"] == "http.response.start":
                    line["status"] = sent["status"]
                await send(sent)

            await guarded(scope, receive, noting)

    return logged


def server(workspace: "Workspace", address: str, more: Iterable[BaseRoute] = ()) -> Starlette:
    """Return an app with the API's routes and those in `more`.

    The app answers requests addressed to `address` or to this machine, except those from web pages.
    """
    return guard_routes([Mount(PLACE, api(lambda: workspace, programs_only=True)), *more], address)


def guard_routes(routes: Iterable[BaseRoute], address: str) -> Starlette:
    """Return an app with the given routes and the API's middleware."""
    return Starlette(
        routes=tuple(routes),
        middleware=[
            Middleware(TrustedHostMiddleware, allowed_hosts=["127.0.0.1", "localhost", address], www_redirect=False),
            Middleware(Front),
        ],
    )
