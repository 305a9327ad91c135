"""JSON responses with values in the caller's language, and problems (RFC 9457) for errors."""

import json
from contextvars import ContextVar
from http import HTTPStatus

from starlette.datastructures import Headers
from starlette.responses import Response

from core.base.errors import (
    ChunkNotFound,
    Conflict,
    DiskFull,
    JobNotFound,
    ModelError,
    NoteNotFound,
    ProviderError,
    ProviderUnavailable,
    RunNotFound,
    StoreError,
    SyncRefused,
    TesseraError,
    VersionNotFound,
    WorkspaceLocked,
)
from core.base.frozen import TextMap, Values
from core.base.messages import ENGLISH, Message, language_of, readable, to_json

PROBLEM = "application/problem+json"
ResponseHeaders = TextMap | None
# Language of the current request.
LANGUAGE = ContextVar("language", default=ENGLISH)


class Problem(TesseraError):
    """An error in a request. It carries the HTTP status for the response."""

    def __init__(self, status: HTTPStatus, text: Message) -> None:
        super().__init__(text)
        self.status = status


# Error class -> response status. An error that isn't listed gets the status of its closest base class.
_STATUSES = {
    TesseraError: HTTPStatus.UNPROCESSABLE_ENTITY,
    **dict.fromkeys((NoteNotFound, VersionNotFound, ChunkNotFound, RunNotFound, JobNotFound), HTTPStatus.NOT_FOUND),
    Conflict: HTTPStatus.CONFLICT,
    SyncRefused: HTTPStatus.CONFLICT,
    WorkspaceLocked: HTTPStatus.LOCKED,
    DiskFull: HTTPStatus.INSUFFICIENT_STORAGE,
    StoreError: HTTPStatus.SERVICE_UNAVAILABLE,
    ModelError: HTTPStatus.SERVICE_UNAVAILABLE,
    ProviderError: HTTPStatus.BAD_GATEWAY,
    ProviderUnavailable: HTTPStatus.SERVICE_UNAVAILABLE,
}


def listen(headers: Headers) -> None:
    """Set the response language from a request's headers."""
    LANGUAGE.set(language_of(headers.get("accept-language", "").partition(",")[0].partition(";")[0].strip()))


def answer(value: object, status: int = 200, headers: ResponseHeaders = None) -> Response:
    """Return a value as JSON, with messages in the request's language."""
    return Response(as_json(readable(value, LANGUAGE.get())), status, headers, "application/json")


def problem(error: TesseraError, status: HTTPStatus | None = None, headers: ResponseHeaders = None) -> Response:
    """Return the response for an error. `status` defaults to the one listed for the error's class."""
    usual = (_STATUSES[kind] for kind in type(error).__mro__ if kind in _STATUSES)
    known = status or (error.status if isinstance(error, Problem) else next(usual))
    return Response(as_json(problem_of(error, known)), known, headers, PROBLEM)


def problem_of(error: TesseraError, status: HTTPStatus) -> Values:
    """Return a problem's members, with a text in the caller's language, and the untranslated message for programs."""
    return {
        "type": "about:blank",
        "title": status.phrase,
        "status": status.value,
        "detail": readable(error.message, LANGUAGE.get()),
        "error": status.phrase.replace(" ", "") if isinstance(error, Problem) else type(error).__name__,
        "message": to_json(error.message),
    }


def as_json(value: object) -> bytes:
    """Return a value as JSON. Lone surrogates, as in file names, become JSON escapes."""
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "backslashreplace")
