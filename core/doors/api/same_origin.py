"""The check of origins: a page of another origin gets no answer from the server."""

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send


class SameOrigin:
    """The middleware that refuses requests and WebSockets from pages of other origins.

    Another port of this machine is another origin. Programs that are no browsers send no origin, and pass.
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
    # Without an Origin header, browsers send Sec-Fetch-Site. A person may follow a link from any site.
    followed = headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"
    return headers.get("sec-fetch-site", "none") not in ("none", "same-origin") and not followed
