"""Who is answered: no page reaches the server but its own."""

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send


class SameOrigin:
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
