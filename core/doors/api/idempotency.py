"""Idempotent creation: a request that is repeated because its response was lost gets the stored response."""

import hashlib
import re
from collections.abc import Callable
from http import HTTPStatus
from typing import Annotated

from fastapi import Depends, Header
from python_multipart.multipart import parse_options_header
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from core.base.errors import TesseraError
from core.base.messages import message
from core.doors.api.responses import Problem, problem
from core.model import Creation
from core.workspace import Workspace

_KEY = r"^[!-~]{1,200}$"
_CREATED = (201, 202)
_STORED = ("content-type", "location", "etag")
_REPLAYED = {"Idempotent-Replayed": "true"}


_HEADER = "Idempotency-Key"
_OTHER = message("This {header} has already been used for a different request. Choose a new value.", header=_HEADER)
_UNFINISHED = message(
    (
        "The first request with this {header} hasn't finished, or was interrupted. Check whether it "
        "created anything; if not, send it again with a new value."
    ),
    header=_HEADER,
)


def _describe_header(
    idempotency_key: Annotated[
        str | None,
        Header(
            pattern=_KEY,
            description="A unique text of your choice. The same request with the same key within a day creates"
            " nothing and returns the first response again.",
        ),
    ] = None,
) -> None: ...


ONCE = Depends(_describe_header)
"""Dependency that shows the header in the schema of operations that create something."""


class Idempotency:
    """Middleware that repeats a stored response for an equal `Idempotency-Key`, path and body.

    The boundary between the parts of a form doesn't count, because clients choose a new one each time. A response is
    stored if something was created (201 or 202). An interrupted request keeps its key, because its effect is unknown.
    """

    def __init__(self, app: ASGIApp, workspace: Callable[[], Workspace]) -> None:
        self._app = app
        self._workspace = workspace

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        key = headers.get(_HEADER, "")
        if scope["type"] != "http" or scope["method"] != "POST" or not re.match(_KEY, key):
            await self._app(scope, receive, send)
            return
        body = await Request(scope, receive).body()
        request = _digest(scope, headers, body)
        answer = await run_in_threadpool(self._find_answer, key, request)
        if answer is None:
            answer = await _answer_of(self._app, scope, body)
            await run_in_threadpool(self._keep, key, request, answer)
        await answer(scope, receive, send)

    def _find_answer(self, key: str, request: bytes) -> Response | None:
        """Return the stored response for a key; reserve a new key."""
        try:
            creation = self._workspace().creations.begin(key, request)
        except TesseraError as error:
            return problem(error)
        if creation is None:
            return None
        if creation.request != request:
            return problem(Problem(HTTPStatus.UNPROCESSABLE_ENTITY, _OTHER))
        if creation.status is None:
            return problem(Problem(HTTPStatus.CONFLICT, _UNFINISHED))
        return Response(creation.body, creation.status, {**creation.headers, **_REPLAYED})

    def _keep(self, key: str, request: bytes, answer: Response) -> None:
        creations = self._workspace().creations
        if answer.status_code not in _CREATED:
            creations.release(key)
            return
        headers = {name: answer.headers[name] for name in _STORED if name in answer.headers}
        creations.end(key, Creation(request, answer.status_code, headers, bytes(answer.body)))


def _digest(scope: Scope, headers: Headers, body: bytes) -> bytes:
    """Return a hash of a request: its path, its query, its content type, and each part of its body."""
    kind, options = parse_options_header(headers.get("content-type", ""))
    boundary = options.get(b"boundary", b"") if kind == b"multipart/form-data" else b""
    parts = (b"\r\n" + body).split(b"\r\n--" + boundary) if boundary else [body]
    digest = hashlib.sha256()
    for part in (scope["path"].encode(), scope["query_string"], kind, *parts):
        digest.update(hashlib.sha256(part).digest())
    return digest.digest()


async def _answer_of(app: ASGIApp, scope: Scope, body: bytes) -> Response:
    """Return an app's whole response to a request whose body was already read."""
    start: Message = {}
    parts: list[bytes] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": body}

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            start.update(message)
        else:
            parts.append(message.get("body", b""))

    await app(scope, receive, send)
    answer = Response(b"".join(parts), start["status"])
    answer.raw_headers = [*start["headers"]]
    return answer
