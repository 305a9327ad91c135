"""Limits on the size of a request."""

from http import HTTPStatus

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from core.base.messages import message
from core.doors.api.answers import Problem, problem

MOST_BYTES = 64 * 1024 * 1024
"""Bytes of a body at most: three of the largest notes that are imported."""

MOST_HEAD = 32 * 1024
"""Bytes of an address and its headers at most, cookies of other servers on this machine included."""

_TOO_LONG = message(
    "The address and the headers of the request are larger than {limit} KB. Shorten them; in a browser, delete the "
    "cookies of this address.",
    limit=MOST_HEAD // 2**10,
)
_TOO_LARGE = message("The request is larger than {limit} MB. Send less at a time.", limit=MOST_BYTES // 2**20)


class ShortHead:
    """The middleware that refuses a request whose address and headers are too large."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if _head(scope) <= MOST_HEAD:
            await self._app(scope, receive, send)
        else:
            await problem(Problem(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, _TOO_LONG))(scope, receive, send)


def _head(scope: Scope) -> int:
    """Return the bytes of a request's address and headers."""
    headers = sum(len(name) + len(value) for name, value in scope.get("headers", ()))
    return headers + len(scope.get("path", "")) + len(scope.get("query_string", b""))


class Limit:
    """The middleware that reads a body whole, and refuses one that is too large."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
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
        parts: list[Message] = [{"type": "http.request", "body": bytes(body)}]

        async def replay_body() -> Message:
            return parts.pop() if parts else await receive()

        await self._app(scope, replay_body, send)
