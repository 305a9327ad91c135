"""Operations as HTTP routes of version 1, with schemas for requests and responses."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from http import HTTPStatus
from inspect import Parameter, Signature
from pathlib import Path as Place
from typing import Annotated, Any, TypeVar
from urllib.parse import quote

from fastapi import APIRouter, Path, Query
from pydantic import AfterValidator, Field, create_model
from starlette.responses import Response

from core.base.codec import encode, json_type
from core.base.errors import UnknownChoice
from core.doors.api import PLACE, jobs
from core.doors.api.responses import Problem, answer
from core.doors.api.shared import AnyText, Body, IfMatch, LongText, Opened, Text, documented, expected
from core.operations import declaring
from core.operations.declaring import PROGRAM, Operation
from core.operations.examples import example_for
from core.operations.parameters import plain, with_types
from core.operations.program import JobView

_T = TypeVar("_T")
_BODY, _EXPECTED = "body_", "expected_version"
_TYPES = {str: Text, Place: Annotated[Text, AfterValidator(lambda text: Place(text))]}
_LONG, _ANY = {str: LongText}, {str: AnyText}


def router(operations: Iterable[Operation[object]]) -> APIRouter:
    """Return routes for the operations that have one."""
    routes = APIRouter()
    # A base's path matches everything below it, so longer paths come first.
    for operation in sorted(operations, key=lambda operation: -operation.http.count("/")):
        if operation.http and "http" not in operation.by_hand:
            _add(routes, operation)
    return routes


def _add(routes: APIRouter, operation: Operation[object]) -> None:
    method, place = operation.http.split()
    in_body = {name: value for name, value in operation.arguments.items() if f"{{{name}" not in place}
    status = HTTPStatus.ACCEPTED if operation.job else HTTPStatus.CREATED if operation.creates else HTTPStatus.OK
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
            status,
            takes=in_body if method in ("POST", "PATCH") else None,
        ),
    )


def _endpoint(operation: Operation[object], method: str, place: str) -> Callable[..., Response]:
    """Return the function for a route; FastAPI reads the parameters of path, query and body from its signature."""
    in_path = re.findall(r"\{(\w+)", place)
    parameters = [Parameter("workspace", Parameter.KEYWORD_ONLY, annotation=Opened)]
    in_body = []
    for parameter in operation.taken("http"):
        kind, about = _described(parameter)
        annotation: object = Annotated[kind, Query(alias=parameter.about.query or None, **about)]
        default = Parameter.empty if parameter.required else parameter.default
        if parameter.name in in_path:
            annotation, default = Annotated[plain(kind), Path(**about)], Parameter.empty
        elif parameter.name == _EXPECTED:
            annotation, default = IfMatch, ""
        elif method not in ("GET", "DELETE"):
            in_body.append(parameter)
            continue
        parameters.append(Parameter(parameter.name, Parameter.KEYWORD_ONLY, annotation=annotation, default=default))
    if in_body:
        parameters.append(Parameter(_BODY, Parameter.KEYWORD_ONLY, annotation=body_of(operation.name, in_body)))

    def endpoint(**values: Any) -> Response:
        workspace, body = values.pop("workspace"), values.pop(_BODY, None)
        if _EXPECTED in values:
            values[_EXPECTED] = expected(values[_EXPECTED])
        arguments = values | (body.to_values() if body else {})
        addressed = [values[item] for item in values if method == "GET" or item in in_path]
        if operation.job:
            if check := operation.check:
                _addressed(addressed, lambda: check(workspace, **arguments))
            work = lambda progress: operation.run(workspace, PROGRAM, arguments, progress)  # noqa: E731
            return jobs.start_job(workspace, operation.job, work, base=arguments.get("base", ""))
        answered = lambda: encode(operation.run(workspace, PROGRAM, arguments))  # noqa: E731
        return _answer(operation, arguments, _addressed(addressed, answered))

    endpoint.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    return endpoint


def body_of(name: str, taken: Iterable[declaring.Parameter]) -> type[Body]:
    """Return the model for a request body with these parameters."""
    fields: dict[str, Any] = {}
    for parameter in taken:
        kind, about = _described(parameter)
        kind = kind if parameter.required else kind | None
        fields[parameter.name] = (kind, Field(... if parameter.required else parameter.default, **about))
    return create_model(re.sub(r"(?:^|[._])(\w)", lambda first: first[1].upper(), name), __base__=Body, **fields)


def _described(parameter: declaring.Parameter) -> tuple[Any, dict[str, Any]]:
    """Return the type of a parameter over HTTP, and its description and range."""
    kind = with_types(parameter.type, _ANY if parameter.about.searched else _LONG if parameter.about.long else _TYPES)
    return kind, {"description": str(parameter.about.text), "ge": parameter.about.least, "le": parameter.about.most}


def _addressed(names: Sequence[object], act: Callable[[], _T]) -> _T:
    """Return the result of `act`; raises Problem if a name in the URL doesn't exist."""
    try:
        return act()
    except UnknownChoice as error:
        if error.message.fields["name"] in names:
            raise Problem(HTTPStatus.NOT_FOUND, error.message) from error
        raise


def _answer(operation: Operation[object], arguments: Mapping[str, object], value: Mapping[str, object]) -> Response:
    headers = {"ETag": f'"{value["version"]}"'} if {"id", "version"} <= value.keys() else {}
    if operation.creates:
        named = {name: quote(text, safe="") for name, text in {**arguments, **value}.items() if isinstance(text, str)}
        headers["Location"] = f"{PLACE}/v1{operation.creates.format_map(named)}"
    return answer(value, HTTPStatus.CREATED if operation.creates else HTTPStatus.OK, **headers)
