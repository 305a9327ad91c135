"""Operations as routes of version 1, with the schemas of what they take and answer."""

import re
from collections.abc import Callable, Iterable, Mapping
from http import HTTPStatus
from inspect import Parameter, Signature
from pathlib import Path as Place
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Path, Query
from pydantic import AfterValidator, Field, create_model
from starlette.responses import Response

from core.api import PLACE, jobs, values
from core.api.answers import Problem, answer
from core.api.shared import Body, IfMatch, LongText, Opened, Text, documented, expected, or_404
from core.errors import UnknownChoice
from core.operations import declaring
from core.operations.declaring import PROGRAM, Operation
from core.operations.parameters import KNOWN_BASE, with_types
from core.workspace import Workspace

_BODY, _EXPECTED = "body_", "expected_version"
_TYPES = {str: Text, Place: Annotated[Text, AfterValidator(lambda text: Place(text))]}
_LONG = {str: LongText}


def router(operations: Iterable[Operation]) -> APIRouter:
    """Return the routes of the operations that have one."""
    routes = APIRouter()
    for one in operations:
        if one.http and "http" not in one.by_hand:
            _add(routes, one)
    return routes


def _add(routes: APIRouter, one: Operation) -> None:
    method, place = one.http.split()
    in_body = {name: value for name, value in one.takes.items() if f"{{{name}" not in place}
    status = HTTPStatus.ACCEPTED if one.job else HTTPStatus.CREATED if one.creates else HTTPStatus.OK
    routes.add_api_route(
        place,
        _endpoint(one, method, place),
        methods=[method],
        tags=[one.noun],
        operation_id=one.name,
        summary=str(one.about),
        response_model=values.JobForm if one.job else one.answer,
        **documented(one.gives, status, takes=in_body if method in ("POST", "PATCH") else None),
    )


def _endpoint(one: Operation, method: str, place: str) -> Callable[..., Response]:
    """Return the function of a route; FastAPI reads from its signature what stands in path, query and body."""
    in_path = re.findall(r"\{(\w+)", place)
    taken = [Parameter("workspace", Parameter.KEYWORD_ONLY, annotation=Opened)]
    in_body: dict[str, Any] = {}
    for each in one.taken("http"):
        kind: Any = with_types(each.type, _LONG if each.about.long else _TYPES)
        about = _described(each.about)
        annotation: Any = Annotated[kind, Query(alias=each.about.query or None, **about)]
        default = each.default
        if each.name in in_path:
            annotation, default = Annotated[kind, Path(**about)], Parameter.empty
        elif each.name == _EXPECTED:
            annotation, default = IfMatch, ""
        elif method not in ("GET", "DELETE"):
            kind = kind if each.required else kind | None
            in_body[each.name] = (kind, Field(... if each.required else default, **about))
            continue
        taken.append(Parameter(each.name, Parameter.KEYWORD_ONLY, annotation=annotation, default=default))
    if in_body:
        model = create_model(one.name, __base__=Body, **in_body)
        taken.append(Parameter(_BODY, Parameter.KEYWORD_ONLY, annotation=model))

    def endpoint(**given: Any) -> Response:
        workspace, body = given.pop("workspace"), given.pop(_BODY, None)
        if _EXPECTED in given:
            given[_EXPECTED] = expected(given[_EXPECTED])
        arguments = given | (body.given() if body else {})
        if one.job:
            return _begun(workspace, one, arguments)
        try:
            return _answer(one, arguments, one.formed(one.run(workspace, PROGRAM, arguments)))
        except UnknownChoice as error:
            if error.message.fields["name"] in (given.get(name) for name in in_path):
                raise Problem(HTTPStatus.NOT_FOUND, error.message) from error
            raise

    endpoint.__signature__ = Signature(taken)  # type: ignore[attr-defined]
    return endpoint


def _described(about: declaring.About) -> dict[str, Any]:
    return {"description": str(about.text), "ge": about.least, "le": about.most}


def _begun(workspace: Workspace, one: Operation, arguments: Mapping[str, Any]) -> Response:
    """Begin the job of an operation; a base that must be there is looked for before."""
    base = arguments.get("base", "")
    if any(each.about is KNOWN_BASE for each in one.parameters):
        or_404(lambda: workspace.bases.get(base))
    return jobs.start_job(
        workspace, one.job, lambda progress: one.run(workspace, PROGRAM, arguments, progress), base=base
    )


def _answer(one: Operation, arguments: Mapping[str, Any], value: Mapping[str, Any]) -> Response:
    headers = {"ETag": f'"{value["version"]}"'} if {"id", "version"} <= value.keys() else {}
    if one.creates:
        named = {name: quote(text, safe="") for name, text in {**arguments, **value}.items() if isinstance(text, str)}
        headers["Location"] = f"{PLACE}/v1{one.creates.format_map(named)}"
    return answer(value, HTTPStatus.CREATED if one.creates else HTTPStatus.OK, **headers)
