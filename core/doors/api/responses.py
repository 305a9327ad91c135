"""Answers in JSON: values in the caller's language, and errors as problems (RFC 9457)."""

import json
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from http import HTTPStatus
from typing import Annotated, Any, TypeVar

from fastapi import Depends, Header, Request
from pydantic import BaseModel, BeforeValidator, ConfigDict, StringConstraints
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
    UnknownChoice,
    VersionNotFound,
    WorkspaceLocked,
)
from core.base.messages import ENGLISH, Message, language_of, readable, to_json
from core.base.text import make_storable
from core.doors.api.idempotency import ONCE
from core.workspace import Workspace

PROBLEM = "application/problem+json"
LANGUAGE = ContextVar("language", default=ENGLISH)
"""The language of the request that is answered."""


class Problem(TesseraError):
    """An error in a request, with the HTTP status of its answer."""

    def __init__(self, status: HTTPStatus, text: Message) -> None:
        super().__init__(text)
        self.status = status


_STATUSES: Mapping[type[TesseraError], HTTPStatus] = {
    TesseraError: HTTPStatus.UNPROCESSABLE_ENTITY,
    NoteNotFound: HTTPStatus.NOT_FOUND,
    VersionNotFound: HTTPStatus.NOT_FOUND,
    ChunkNotFound: HTTPStatus.NOT_FOUND,
    RunNotFound: HTTPStatus.NOT_FOUND,
    JobNotFound: HTTPStatus.NOT_FOUND,
    Conflict: HTTPStatus.CONFLICT,
    SyncRefused: HTTPStatus.CONFLICT,
    WorkspaceLocked: HTTPStatus.LOCKED,
    DiskFull: HTTPStatus.INSUFFICIENT_STORAGE,
    StoreError: HTTPStatus.SERVICE_UNAVAILABLE,
    ModelError: HTTPStatus.SERVICE_UNAVAILABLE,
    ProviderError: HTTPStatus.BAD_GATEWAY,
    ProviderUnavailable: HTTPStatus.SERVICE_UNAVAILABLE,
}
"""Kind of error -> status of the answer; the nearest kind counts."""


def listen(headers: Headers) -> None:
    """Take the language of the answer from a request."""
    LANGUAGE.set(language_of(headers.get("accept-language", "").partition(",")[0].partition(";")[0].strip()))


def answer(value: object, status: int = 200, **headers: str) -> Response:
    """Return a value as JSON, its messages in the language of the request; `headers` with `_` for `-`."""
    return Response(as_json(readable(value, LANGUAGE.get())), status, _header_values(headers), "application/json")


def problem(error: TesseraError, status: HTTPStatus | None = None, **headers: str) -> Response:
    """Return an error as a problem; by default with the status of its kind."""
    known = status or _status(error)
    return Response(as_json(problem_of(error, known)), known, _header_values(headers), PROBLEM)


def problem_of(error: TesseraError, status: HTTPStatus | None = None) -> dict[str, object]:
    """Return the members of a problem: its kind, its text in the caller's language, that text's id and fields."""
    known = status or _status(error)
    return {
        "type": "about:blank",
        "title": known.phrase,
        "status": known.value,
        "detail": readable(error.message, LANGUAGE.get()),
        "error": known.phrase.replace(" ", "") if isinstance(error, Problem) else type(error).__name__,
        "message": to_json(error.message),
    }


def as_json(value: object) -> bytes:
    """Return a value as JSON; half of a character, as in the name of a file, is escaped as JSON escapes it."""
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "backslashreplace")


def _status(error: TesseraError) -> HTTPStatus:
    if isinstance(error, Problem):
        return error.status
    return next(_STATUSES[kind] for kind in type(error).__mro__ if kind in _STATUSES)


def _header_values(headers: Mapping[str, str]) -> dict[str, str]:
    return {name.replace("_", "-"): value for name, value in headers.items()}


_JSON = "application/json"
_T = TypeVar("_T")


def _workspace(request: Request) -> Workspace:
    workspace: Workspace = request.app.state.workspace()
    return workspace


Opened = Annotated[Workspace, Depends(_workspace)]
"""The workspace, as a parameter of an operation."""
_POSSIBLE = r"^[^\x00]*$"
"""A text that a file and a database can hold; pydantic rejects half a character."""
Text = Annotated[str, StringConstraints(pattern=_POSSIBLE, max_length=10_000)]
"""A name, a value or a line."""
AnyText = Annotated[
    str,
    BeforeValidator(lambda given: make_storable(given) if isinstance(given, str) else given),
    StringConstraints(max_length=20 * 1024 * 1024),
]
"""A text to search for, never refused; a search cuts a very long one."""
LongText = Annotated[str, StringConstraints(pattern=_POSSIBLE, max_length=20 * 1024 * 1024)]
"""The text of a note or of a file; the operation that takes it checks its length."""
IfMatch = Annotated[str, Header(alias="If-Match", pattern=r'^"\d{1,9}"$|^\*$|^$', description="The ETag that was read")]


class Body(BaseModel):
    """The JSON of a request: unknown names are errors."""

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True, allow_inf_nan=False)

    def to_values(self) -> dict[str, Any]:
        """Return the values that the request gives; null gives none."""
        return {name: value for name in self.model_fields_set if (value := getattr(self, name)) is not None}


def documented(
    example: object, status: int = 200, *, takes: object = None, form: str = _JSON, sent: str = _JSON
) -> dict[str, Any]:
    """Return the keywords of a route that answers in a `form`, and takes a body `sent` in one, with examples."""
    described = {status: {"description": "Done", "content": {form: {"example": example}}}}
    body = {"requestBody": {"content": {sent: {"example": takes}}}} if takes else None
    once = [ONCE] if status == HTTPStatus.CREATED else []
    return {"status_code": status, "responses": described, "openapi_extra": body, "dependencies": once}


def or_404(look: Callable[[], _T]) -> _T:
    """Return the thing of an address; raises Problem with status 404 where there is none."""
    try:
        return look()
    except UnknownChoice as error:
        raise Problem(HTTPStatus.NOT_FOUND, error.message) from error


def expected(if_match: str) -> int | None:
    """Return the version of an ETag; None where any version matches."""
    return int(if_match.strip('"')) if if_match.strip('"').isdigit() else None
