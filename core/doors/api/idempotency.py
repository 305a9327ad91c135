"""Repeat the stored response if a request that creates something is sent again because its response was lost."""

import hashlib
import re
from collections.abc import Callable
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import Depends, Header
from python_multipart.multipart import parse_options_header
from starlette.concurrency import run_in_threadpool
from starlette.middleware.base import BaseHTTPMiddleware, RequestResponseEndpoint
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp

from core.base.errors import TesseraError
from core.base.messages import message
from core.doors.api.responses import Problem, problem
from core.model import Creation
from core.workspace import Workspace

_KEY = r"^[!-~]{1,200}$"
_STORED = ("content-type", "location", "etag")


_HEADER = "Idempotency-Key"
_OTHER = message("This {header} has already been used for a different request. Choose a new value.", header=_HEADER)
_UNFINISHED = message(
    (
        "The first request with this {header} hasn't finished, or was interrupted. Check whether that request "
        "created anything. If not, send it again with a new value."
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


# Dependency that documents the `Idempotency-Key` header of operations that create something.
ONCE = Depends(_describe_header)


class Idempotency(BaseHTTPMiddleware):
    """Middleware that repeats the stored response to a request with the same `Idempotency-Key`, path and body.

    The boundary between a form's parts is ignored, because clients choose a new one each time. A response is stored
    only if something was created (201 or 202). An interrupted request keeps its key, because its effect is unknown.
    """

    def __init__(self, app: ASGIApp, workspace: Callable[[], Workspace]) -> None:
        super().__init__(app)
        self._workspace = workspace

    async def dispatch(self, request: Request, call_next: RequestResponseEndpoint) -> Response:
        key = request.headers.get(_HEADER, "")
        if request.method != "POST" or not re.match(_KEY, key):
            return await call_next(request)
        digest = _digest(request, await request.body())
        answer = await run_in_threadpool(self._find_answer, key, digest)
        if answer is None:
            streamed: Any = await call_next(request)
            answer = Response(b"".join([part async for part in streamed.body_iterator]), streamed.status_code)
            answer.raw_headers = streamed.raw_headers
            await run_in_threadpool(self._keep, key, digest, answer)
        return answer

    def _find_answer(self, key: str, request: bytes) -> Response | None:
        """Return the response stored for a key, a problem if it can't be used, or None after reserving a new key."""
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
        return Response(creation.body, creation.status, {**creation.headers, "Idempotent-Replayed": "true"})

    def _keep(self, key: str, request: bytes, answer: Response) -> None:
        creations = self._workspace().creations
        if answer.status_code not in (201, 202):
            creations.release(key)
            return
        creations.end(
            key,
            Creation(
                request,
                answer.status_code,
                {name: answer.headers[name] for name in _STORED if name in answer.headers},
                bytes(answer.body),
            ),
        )


def _digest(request: Request, body: bytes) -> bytes:
    """Return a hash of a request's path, query, content type, and each part of its body."""
    kind, options = parse_options_header(request.headers.get("content-type", ""))
    boundary = options.get(b"boundary", b"") if kind == b"multipart/form-data" else b""
    parts = (b"\r\n" + body).split(b"\r\n--" + boundary) if boundary else [body]
    digest = hashlib.sha256()
    for part in (request.scope["path"].encode(), request.scope["query_string"], kind, *parts):
        digest.update(hashlib.sha256(part).digest())
    return digest.digest()
