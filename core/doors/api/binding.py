"""Operations as routes of version 1, with schemas of requests and answers."""

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

from core.base.errors import UnknownChoice
from core.doors.api import PLACE, jobs
from core.doors.api.answers import Problem, answer
from core.doors.api.shared import AnyText, Body, IfMatch, LongText, Opened, Text, documented, expected
from core.doors.json_forms.jobs import JOB as FORM
from core.doors.operations import declaring
from core.doors.operations.declaring import PROGRAM, Operation
from core.doors.operations.examples import JOB
from core.doors.operations.parameters import plain, with_types

_T = TypeVar("_T")
_BODY, _EXPECTED = "body_", "expected_version"
_TYPES = {str: Text, Place: Annotated[Text, AfterValidator(lambda text: Place(text))]}
_LONG, _ANY = {str: LongText}, {str: AnyText}


def router(operations: Iterable[Operation]) -> APIRouter:
    """Return the routes of the operations that have one."""
    routes = APIRouter()
    for one in operations:
        if one.http and "http" not in one.by_hand:
            _add(routes, one)
    return routes


def _add(routes: APIRouter, one: Operation) -> None:
    method, place = one.http.split()
    in_body = {name: value for name, value in one.arguments.items() if f"{{{name}" not in place}
    status = HTTPStatus.ACCEPTED if one.job else HTTPStatus.CREATED if one.creates else HTTPStatus.OK
    routes.add_api_route(
        place,
        _endpoint(one, method, place),
        methods=[method],
        tags=[one.noun],
        operation_id=one.name,
        summary=str(one.about),
        response_model=FORM.type if one.job else one.answer,
        **documented(JOB if one.job else one.response, status, takes=in_body if method in ("POST", "PATCH") else None),
    )


def _endpoint(one: Operation, method: str, place: str) -> Callable[..., Response]:
    """Return the function of a route; FastAPI reads from its signature what stands in path, query and body."""
    in_path = re.findall(r"\{(\w+)", place)
    taken = [Parameter("workspace", Parameter.KEYWORD_ONLY, annotation=Opened)]
    in_body: list[declaring.Parameter] = []
    for each in one.taken("http"):
        kind, about = _described(each)
        annotation: Any = Annotated[kind, Query(alias=each.about.query or None, **about)]
        default = Parameter.empty if each.required else each.default
        if each.name in in_path:
            annotation, default = Annotated[plain(kind), Path(**about)], Parameter.empty
        elif each.name == _EXPECTED:
            annotation, default = IfMatch, ""
        elif method not in ("GET", "DELETE"):
            in_body.append(each)
            continue
        taken.append(Parameter(each.name, Parameter.KEYWORD_ONLY, annotation=annotation, default=default))
    if in_body:
        taken.append(Parameter(_BODY, Parameter.KEYWORD_ONLY, annotation=body_of(one.name, in_body)))

    def endpoint(**given: Any) -> Response:
        workspace, body = given.pop("workspace"), given.pop(_BODY, None)
        if _EXPECTED in given:
            given[_EXPECTED] = expected(given[_EXPECTED])
        arguments = given | (body.given() if body else {})
        addressed = [given[each] for each in given if method == "GET" or each in in_path]
        if one.job:
            if check := one.check:
                _addressed(addressed, lambda: check(workspace, **arguments))
            work = lambda progress: one.run(workspace, PROGRAM, arguments, progress)  # noqa: E731
            return jobs.start_job(workspace, one.job, work, base=arguments.get("base", ""))
        answered = lambda: one.formed(one.run(workspace, PROGRAM, arguments))  # noqa: E731
        return _answer(one, arguments, _addressed(addressed, answered))

    endpoint.__signature__ = Signature(taken)  # type: ignore[attr-defined]
    return endpoint


def body_of(name: str, taken: Iterable[declaring.Parameter]) -> type[Body]:
    """Return the model of the body of a request that holds some parameters."""
    fields: dict[str, Any] = {}
    for each in taken:
        kind, about = _described(each)
        kind = kind if each.required else kind | None
        fields[each.name] = (kind, Field(... if each.required else each.default, **about))
    return create_model(name, __base__=Body, **fields)


def _described(one: declaring.Parameter) -> tuple[Any, dict[str, Any]]:
    """Return the type of a parameter over HTTP, and its description with its range."""
    kind = with_types(one.type, _ANY if one.about.searched else _LONG if one.about.long else _TYPES)
    return kind, {"description": str(one.about.text), "ge": one.about.least, "le": one.about.most}


def _addressed(names: Sequence[object], act: Callable[[], _T]) -> _T:
    """Return what `act` returns; raises Problem where there is none of the names of an address."""
    try:
        return act()
    except UnknownChoice as error:
        if error.message.fields["name"] in names:
            raise Problem(HTTPStatus.NOT_FOUND, error.message) from error
        raise


def _answer(one: Operation, arguments: Mapping[str, Any], value: Mapping[str, Any]) -> Response:
    headers = {"ETag": f'"{value["version"]}"'} if {"id", "version"} <= value.keys() else {}
    if one.creates:
        named = {name: quote(text, safe="") for name, text in {**arguments, **value}.items() if isinstance(text, str)}
        headers["Location"] = f"{PLACE}/v1{one.creates.format_map(named)}"
    return answer(value, HTTPStatus.CREATED if one.creates else HTTPStatus.OK, **headers)
