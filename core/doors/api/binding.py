"""Turn operations into the HTTP routes of version 1, with schemas. Long operations run as jobs."""

import json
import re
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from http import HTTPStatus
from inspect import Parameter, Signature
from pathlib import Path
from typing import Annotated, Any, TypeVar
from urllib.parse import quote

import anyio
from fastapi import APIRouter, Depends, Header, Query, Request
from fastapi import Path as InPath
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, create_model
from starlette.responses import Response, StreamingResponse

from core.base.codec import encode, json_type
from core.base.errors import JobNotFound, UnknownChoice
from core.base.frozen import AnyValues, Values
from core.base.jobs import Work
from core.base.messages import message, readable
from core.base.text import make_storable
from core.doors.api import PLACE
from core.doors.api.idempotency import ONCE
from core.doors.api.responses import LANGUAGE, Problem, answer, as_json, problem
from core.operations import declaring, program
from core.operations.declaring import PROGRAM, Operation, example_for
from core.operations.parameters import plain, with_types
from core.operations.program import JobView
from core.workspace import Workspace

_JSON = "application/json"
_T = TypeVar("_T")


def _workspace(request: Request) -> Workspace:
    workspace: Workspace = request.app.state.workspace()
    return workspace


# The workspace, as a route parameter.
Opened = Annotated[Workspace, Depends(_workspace)]
# Pattern for text that can be stored in files and in the database. pydantic itself rejects lone surrogates.
_POSSIBLE = r"^[^\x00]*$"
# A name, a value or a line of text in a request.
Text = Annotated[str, StringConstraints(pattern=_POSSIBLE, max_length=10_000)]
# A search query. Characters that can't be stored are replaced rather than rejected.
AnyText = Annotated[
    str,
    BeforeValidator(lambda given: make_storable(given) if isinstance(given, str) else given),
    StringConstraints(max_length=20 * 1024 * 1024),
]
# The text of a note or file. The operation checks its length.
LongText = Annotated[str, StringConstraints(pattern=_POSSIBLE, max_length=20 * 1024 * 1024)]
IfMatch = Annotated[str, Header(alias="If-Match", pattern=r'^"\d{1,9}"$|^\*$|^$', description="The ETag that was read")]


class Body(BaseModel):
    """JSON body of a request. Unknown fields are errors."""

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True, allow_inf_nan=False)

    def to_values(self) -> Values:
        """Return the fields set by the request, except those set to null."""
        return {name: value for name in self.model_fields_set if (value := getattr(self, name)) is not None}


def documented(
    example: object, status: int = 200, *, takes: object = None, form: str = _JSON, sent: str = _JSON
) -> AnyValues:
    """Return keyword arguments that describe a route: its status, and an example request and response.

    `form` is the media type of the response, and `sent` is that of the request body.
    """
    described = {status: {"description": "Done", "content": {form: {"example": example}}}}
    body = {"requestBody": {"content": {sent: {"example": takes}}}} if takes else None
    return {
        "status_code": status,
        "responses": described,
        "openapi_extra": body,
        "dependencies": [ONCE] if status == HTTPStatus.CREATED else [],
    }


def or_404(look: Callable[[], _T], addressed: Sequence[object] | None = None) -> _T:
    """Return the result of `look`. Raises Problem with status 404 if a name in the URL is unknown.

    `addressed` are the names in the URL, or None if every name passed to `look` comes from the URL.
    """
    try:
        return look()
    except UnknownChoice as error:
        if addressed is None or error.message.fields["name"] in addressed:
            raise Problem(HTTPStatus.NOT_FOUND, error.message) from error
        raise


def expected(if_match: str) -> int | None:
    """Return the version in an ETag, or None if any version matches."""
    return int(if_match.strip('"')) if if_match.strip('"').isdigit() else None


jobs = APIRouter(tags=["job"])
# Seconds between checks of a job followed by a client.
_LOOK = 0.2
# Seconds between keep-alive comments in a stream, so that no proxy closes it.
ALIVE = 15.0


@jobs.delete("/jobs/{job}", response_model=json_type(JobView), **documented(example_for(JobView), 202))
def cancel(workspace: Opened, job: Text) -> Response:
    "Stop a job at its next step. Work that is already done is kept."
    return answer(encode(program.cancel.run(workspace, PROGRAM, {"job": job})), 202)


@jobs.get(
    "/jobs/{job}/events",
    response_class=StreamingResponse,
    **documented(f"data: {json.dumps(example_for(JobView))}\n\n", form="text/event-stream"),
)
def events(workspace: Opened, job: Text) -> Response:
    """Follow a job as a stream of events, one for every step and a last one when the job has ended."""
    program.get_job(workspace, job)
    return StreamingResponse(_steps(workspace, job, LANGUAGE.get()), media_type="text/event-stream")


def start_job(workspace: Workspace, name: str, work: Work, *, base: str) -> Response:
    """Start a job and respond with 202 and its URL, or with a problem if a job with this name is running."""
    started = workspace.jobs.start(name, work, base=base)
    job = workspace.jobs.find(name)
    assert job is not None, "it was just started, or runs"
    place = f"{PLACE}/v1/jobs/{job.id}"
    if not started:
        busy = message("The job '{job}' is running. Wait until it finishes, or cancel it.", job=job.id)
        return problem(Problem(HTTPStatus.CONFLICT, busy), headers={"Location": place})
    return answer(encode(JobView.from_job(job)), 202, {"Location": place})


async def _steps(workspace: Workspace, job_id: str, language: str) -> AsyncIterator[bytes]:
    """Yield an event whenever a job changes, until it ends or another job replaces it."""
    last = None
    quiet = 0.0
    while True:
        try:
            job = program.get_job(workspace, job_id)
        except JobNotFound:
            return
        quiet += _LOOK
        if job != last:
            last = job
            quiet = 0.0
            yield b"data: %s\n\n" % as_json(readable(encode(JobView.from_job(job)), language))
        elif quiet >= ALIVE:
            quiet = 0.0
            yield b": alive\n\n"
        if job.state != "running":
            return
        await anyio.sleep(_LOOK)


_BODY = "body_"
_EXPECTED = "expected_version"
_TYPES = {str: Text, Path: Annotated[Text, AfterValidator(lambda text: Path(text))]}
_LONG = {str: LongText}
_ANY = {str: AnyText}


def router(operations: Iterable[Operation[object]]) -> APIRouter:
    """Return the routes for operations that are available over HTTP."""
    routes = APIRouter()
    # A base's path matches everything below it, so longer paths come first.
    for operation in sorted(operations, key=lambda operation: -operation.http.count("/")):
        if not operation.http or operation.by_hand == "http":
            continue
        method, place = operation.http.split()
        in_body = {name: value for name, value in operation.arguments.items() if f"{{{name}" not in place}
        routes.add_api_route(
            place,
            _endpoint(operation, method, place),
            methods=[method],
            tags=[operation.noun],
            operation_id=operation.name,
            summary=str(operation.about),
            response_model=json_type(JobView) if operation.job else operation.answer,
            **documented(
                example_for(JobView) if operation.job else operation.response,
                HTTPStatus.ACCEPTED if operation.job else HTTPStatus.CREATED if operation.creates else HTTPStatus.OK,
                takes=in_body if method in ("POST", "PATCH") else None,
            ),
        )
    return routes


def _endpoint(operation: Operation[object], method: str, place: str) -> Callable[..., Response]:
    """Return a route's function. FastAPI reads the path, query and body parameters from its signature."""
    in_path = re.findall(r"\{(\w+)", place)
    parameters = [Parameter("workspace", Parameter.KEYWORD_ONLY, annotation=Opened)]
    in_body = []
    for parameter in operation.taken("http"):
        kind, about = _described(parameter)
        annotation: object = Annotated[kind, Query(alias=parameter.about.query or None, **about)]
        default = Parameter.empty if parameter.required else parameter.default
        if parameter.name in in_path:
            annotation = Annotated[plain(kind), InPath(**about)]
            default = Parameter.empty
        elif parameter.name == _EXPECTED:
            annotation = IfMatch
            default = ""
        elif method not in ("GET", "DELETE"):
            in_body.append(parameter)
            continue
        parameters.append(Parameter(parameter.name, Parameter.KEYWORD_ONLY, annotation=annotation, default=default))
    if in_body:
        parameters.append(Parameter(_BODY, Parameter.KEYWORD_ONLY, annotation=body_of(operation.name, in_body)))

    def endpoint(**values: Any) -> Response:
        workspace = values.pop("workspace")
        body = values.pop(_BODY, None)
        if _EXPECTED in values:
            values[_EXPECTED] = expected(values[_EXPECTED])
        arguments = values | (body.to_values() if body else {})
        addressed = [values[item] for item in values if method == "GET" or item in in_path]
        if operation.job:
            if check := operation.check:
                or_404(lambda: check(workspace, **arguments), addressed)
            work = lambda progress: operation.run(workspace, PROGRAM, arguments, progress)  # noqa: E731
            return start_job(workspace, operation.job, work, base=arguments.get("base", ""))
        value = or_404(lambda: encode(operation.run(workspace, PROGRAM, arguments)), addressed)
        headers = {"ETag": f'"{value["version"]}"'} if {"id", "version"} <= value.keys() else {}
        if not operation.creates:
            return answer(value, headers=headers)
        named = {name: quote(text, safe="") for name, text in {**arguments, **value}.items() if isinstance(text, str)}
        headers["Location"] = f"{PLACE}/v1{operation.creates.format_map(named)}"
        return answer(value, HTTPStatus.CREATED, headers)

    endpoint.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    return endpoint


def body_of(name: str, taken: Iterable[declaring.Parameter]) -> type[Body]:
    """Return the model for a request body with the given parameters."""
    fields: AnyValues = {}
    for parameter in taken:
        kind, about = _described(parameter)
        kind = kind if parameter.required else kind | None
        fields[parameter.name] = (kind, Field(... if parameter.required else parameter.default, **about))
    return create_model(re.sub(r"(?:^|[._])(\w)", lambda first: first[1].upper(), name), __base__=Body, **fields)


def _described(parameter: declaring.Parameter) -> tuple[Any, AnyValues]:
    """Return a parameter's type over HTTP, and its description and range."""
    kind = with_types(parameter.type, _ANY if parameter.about.searched else _LONG if parameter.about.long else _TYPES)
    return kind, {"description": str(parameter.about.text), "ge": parameter.about.least, "le": parameter.about.most}
