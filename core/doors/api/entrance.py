"""The check of browsers where the pages need a token: the address with the token gives a browser its cookie."""

import hmac
from collections.abc import Sequence
from html import escape

from starlette.requests import HTTPConnection
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Match
from starlette.types import ASGIApp, Receive, Scope, Send

from core.base.messages import LANGUAGES, message, render

_PARAMETER = "token"
_REFUSAL = message(
    "Tessera was started with a token, and this browser has not shown it. Open the address that stands in the terminal "
    "where Tessera was started; it ends in {ending}. If you opened it before in this browser, reload this page.",
    ending=f"?{_PARAMETER}=…",
)


class Entrance:
    """The middleware that answers only browsers with the cookie of this run, which the address with the token sets.

    A cookie is sent to every port of a host, so its name has the port. Requests that match one of `others` pass: those
    routes check tokens of their own.
    """

    def __init__(self, app: ASGIApp, token: str, others: Sequence[BaseRoute] = ()) -> None:
        self._app, self._token, self._others = app, token, tuple(others)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await (self._app if self._is_open(scope) else self._answer(HTTPConnection(scope)))(scope, receive, send)

    def _is_open(self, scope: Scope) -> bool:
        return scope["type"] not in ("http", "websocket") or any(
            route.matches(scope)[0] is Match.FULL for route in self._others
        )

    def _answer(self, connection: HTTPConnection) -> ASGIApp:
        scope = connection.scope
        cookie = f"tessera-{(scope.get('server') or ('', 0))[1]}"
        is_page = scope["type"] == "http" and scope["path"] == "/"
        if is_page and self._is_token(connection.query_params.get(_PARAMETER, "")):
            answer = RedirectResponse("/", 303, {"Cache-Control": "no-store"})
            answer.set_cookie(
                cookie, self._token, httponly=True, samesite="strict", secure=scope.get("scheme") == "https"
            )
            return answer
        return self._app if self._is_token(connection.cookies.get(cookie, "")) else _refusal()

    def _is_token(self, shown: str) -> bool:
        return hmac.compare_digest(shown.encode("utf-8", "surrogatepass"), self._token.encode())


def address(url: str, token: str) -> str:
    """Return the address by which a browser gets the cookie of the app at a URL."""
    return f"{url}/?{_PARAMETER}={token}"


def _refusal() -> Response:
    """Return the page that explains what to do, in every language, because none is chosen yet."""
    texts = [(language.replace("_", "-"), escape(render(_REFUSAL, language))) for language in LANGUAGES]
    body = "".join(f'<p lang="{language}">{text}</p>' for language, text in texts)
    head = '<meta charset="utf-8"><title>Tessera</title>'
    return HTMLResponse(
        f'<!doctype html><html>{head}<body style="font: 1.1rem/1.6 sans-serif; max-width: 40rem; margin: 4rem auto">'
        f"{body}</body></html>",
        403,
        {"Cache-Control": "no-store"},
    )
