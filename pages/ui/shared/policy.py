"""Who is answered, and the headers of every answer: no page reaches the app but its own, and they nothing but the app."""

from collections.abc import Mapping

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

SOURCES = {
    "default-src": "'none'",
    # The components' scripts come as blobs; the sum is that of the one line in Streamlit's own page.
    "script-src": "'self' blob: 'sha256-THxz9J9+wf7rhwR2YkXJoSZ13UCmYyC+3lNDv2+8ugA='",
    "style-src": "'self' 'unsafe-inline'",
    "img-src": "'self' data:",
    "font-src": "'self' data:",
    "connect-src": "'self'",
    "base-uri": "'none'",
    "form-action": "'none'",
    "frame-ancestors": "'none'",
}

HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": "; ".join(f"{name} {sources}" for name, sources in SOURCES.items()),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


class Policy:
    """The middleware that puts the headers on every answer, also on a refused WebSocket."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def guarded(message: Message) -> None:
            if message["type"] in ("http.response.start", "websocket.http.response.start"):
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        await self._app(scope, receive, guarded)


class OwnPages:
    """The middleware that refuses what pages of other origins ask for, WebSockets too.

    Another server on this machine, on another port, is another origin. A program that is no browser names none.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        refused = scope["type"] in ("http", "websocket") and _foreign(Headers(scope=scope))
        await (PlainTextResponse("Forbidden", 403) if refused else self._app)(scope, receive, send)


def _foreign(headers: Headers) -> bool:
    origin, host = headers.get("origin"), headers.get("host", "")
    if origin is not None:
        return origin not in (f"http://{host}", f"https://{host}")
    # A browser says so too where it names no origin; a link that a person follows may come from anywhere.
    followed = headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"
    return headers.get("sec-fetch-site", "none") not in ("none", "same-origin") and not followed


def failure(_: Request, __: Exception) -> Response:
    """Answer where the server itself failed: Starlette does so outside of every middleware."""
    return PlainTextResponse("Internal Server Error", 500, HEADERS)
