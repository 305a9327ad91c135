"""Parameters and helpers shared by several API resources."""

from collections.abc import Callable
from http import HTTPStatus
from typing import Annotated, Any, TypeVar

from fastapi import Depends, Header, Request
from pydantic import BaseModel, BeforeValidator, ConfigDict, StringConstraints

from core.base.errors import UnknownChoice
from core.base.text import make_storable
from core.doors.api.idempotency import ONCE
from core.doors.api.responses import Problem
from core.workspace import Workspace

_JSON = "application/json"
_T = TypeVar("_T")


def _workspace(request: Request) -> Workspace:
    workspace: Workspace = request.app.state.workspace()
    return workspace


Opened = Annotated[Workspace, Depends(_workspace)]
"""The workspace, as a parameter of a route."""
_POSSIBLE = r"^[^\x00]*$"
"""Pattern for a text that files and the database can hold; pydantic rejects lone surrogates."""
Text = Annotated[str, StringConstraints(pattern=_POSSIBLE, max_length=10_000)]
"""A name, a value or a line."""
AnyText = Annotated[
    str,
    BeforeValidator(lambda given: make_storable(given) if isinstance(given, str) else given),
    StringConstraints(max_length=20 * 1024 * 1024),
]
"""A search text, never refused; a search truncates a very long one."""
LongText = Annotated[str, StringConstraints(pattern=_POSSIBLE, max_length=20 * 1024 * 1024)]
"""The text of a note or a file; the operation that takes it checks its length."""
IfMatch = Annotated[str, Header(alias="If-Match", pattern=r'^"\d{1,9}"$|^\*$|^$', description="The ETag that was read")]


class Body(BaseModel):
    """JSON body of a request; unknown names are errors."""

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True, allow_inf_nan=False)

    def to_values(self) -> dict[str, object]:
        """Return the values that the request sets; null doesn't set one."""
        return {name: value for name in self.model_fields_set if (value := getattr(self, name)) is not None}


def documented(
    example: object, status: int = 200, *, takes: object = None, form: str = _JSON, sent: str = _JSON
) -> dict[str, Any]:
    """Return route arguments with examples; `form` and `sent` are the media types of response and body."""
    described = {status: {"description": "Done", "content": {form: {"example": example}}}}
    body = {"requestBody": {"content": {sent: {"example": takes}}}} if takes else None
    once = [ONCE] if status == HTTPStatus.CREATED else []
    return {"status_code": status, "responses": described, "openapi_extra": body, "dependencies": once}


def or_404(look: Callable[[], _T]) -> _T:
    """Return the result of `look`; raises Problem with status 404 for an unknown name."""
    try:
        return look()
    except UnknownChoice as error:
        raise Problem(HTTPStatus.NOT_FOUND, error.message) from error


def expected(if_match: str) -> int | None:
    """Return the version in an ETag, None if any version matches."""
    return int(if_match.strip('"')) if if_match.strip('"').isdigit() else None
