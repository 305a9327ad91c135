"""The FastAPI app with the routes of version 1 and error responses."""

import json
import logging
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from fastapi import APIRouter, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, Response, StreamingResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from core.base.call_log import log_call
from core.base.codec import encode
from core.base.errors import Conflict, EditError, SourceError, TesseraError
from core.base.messages import lines, message, readable, verbatim
from core.doors.api import PLACE, binding, legacy_routes
from core.doors.api.binding import ALIVE, Opened, Text, body_of, documented
from core.doors.api.idempotency import Idempotency
from core.doors.api.responses import LANGUAGE, PROBLEM, Problem, answer, as_json, problem, problem_of
from core.doors.registry import OPERATIONS
from core.doors.remote import calls
from core.features.answers.operations import AnswerView, WrittenSentence, ask, writing
from core.model import Answer
from core.operations import documents as operations
from core.operations import names
from core.operations.declaring import EXAMPLES, PROGRAM
from core.operations.parameters import problem_with
from core.workspace import Workspace

router = APIRouter()
_TAKES: Any = body_of("answer.events", [parameter for parameter in ask.taken("http") if parameter.name != "with_model"])


@router.get(
    "/notes/{note}/original",
    tags=["document"],
    operation_id="document.original",
    response_class=Response,
    **documented("%PDF-1.7 …", form="application/octet-stream"),
)
def original(workspace: Opened, note: Text) -> Response:
    """Return the file that a note was converted from. Browsers show PDFs and save other files."""
    try:
        with log_call(operations.original.name, by=PROGRAM.author):
            file = workspace.documents.original(names.id_of(workspace, note))
    except (EditError, SourceError) as error:
        raise Problem(HTTPStatus.NOT_FOUND, error.message) from error
    return FileResponse(file.path, headers=file.headers) if file.path else Response(file.data, headers=file.headers)


# A language model's answer as server-sent events, one for each sentence as it is written.


@router.post(
    "/answer/events",
    tags=[ask.noun],
    operation_id="answer.events",
    summary="Answer with the language model, and send an event for each sentence. Closing the stream stops the model.",
    response_class=StreamingResponse,
    **documented(
        "".join(f"data: {json.dumps(event, ensure_ascii=False)}\n\n" for event in EXAMPLES["EVENTS"]),
        form="text/event-stream",
        takes=ask.takes,
    ),
)
def events(workspace: Opened, body: _TAKES) -> Response:
    arguments = body.to_values()
    stop = threading.Event()
    answers = writing(workspace, arguments.pop("query"), arguments, stop=stop.is_set)
    first = next(answers)  # an error in the question becomes a problem response
    return StreamingResponse(_events(workspace, first, answers, stop, LANGUAGE.get()), media_type="text/event-stream")


def _events(
    workspace: Workspace, first: Answer, answers: Iterator[Answer], stop: threading.Event, language: str
) -> AsyncIterator[bytes]:
    """Yield an answer's sentences as they are written, and finally the whole answer or a problem.

    Stop if the caller disconnects.
    """

    def work(send: calls.Send) -> None:
        def event(kind: str, value: object) -> None:
            send(b"data: %s\n\n" % as_json(readable({kind: encode(value)}, language)))

        last = first
        try:
            for answer in answers:
                if len(answer.written) > len(last.written):
                    event("sentence", WrittenSentence.from_answer(answer))
                last = answer
            workspace.uses.answered(last)
            event("answer", AnswerView.from_answer(last))
        except TesseraError as error:
            event("problem", error.message)
        except Exception as error:  # noqa: BLE001 the caller can't see the traceback, so it is logged
            _LOG.exception("An answer failed")
            event("problem", verbatim(type(error).__name__))

    return calls.produced(work, stop, ALIVE)


_LOG = logging.getLogger(__name__)
_FAILED = message("Tessera failed to handle this request and logged the error. Nothing else is affected.")
_NO_OBJECT = message("it must be a JSON object, sent with Content-Type: application/json")


def make(workspace: Callable[[], Workspace]) -> FastAPI:
    """Return the app, to be mounted at `PLACE`."""
    app = FastAPI(
        title="Tessera",
        version="1",
        description="Notes, their bases, and searches in them.",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        responses={"default": {"description": "A problem", "content": {PROBLEM: {"example": EXAMPLES["Problem"]}}}},
    )
    app.state.workspace = workspace
    app.include_router(binding.router(OPERATIONS.values()), prefix="/v1")
    app.include_router(binding.jobs, prefix="/v1")
    app.include_router(router, prefix="/v1")
    app.include_router(legacy_routes.router)
    app.add_middleware(Idempotency, workspace=workspace)
    app.add_middleware(_ErrorMiddleware)
    app.add_exception_handler(TesseraError, _handle_error)
    app.add_exception_handler(RequestValidationError, _handle_invalid_request)
    app.add_exception_handler(HTTPException, _handle_http_error)
    return app


@dataclass(eq=False)
class _ErrorMiddleware:
    """Middleware that responds to an internal error, and logs it without any text from notes."""

    _app: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await self._app(scope, receive, send)
        except Exception:  # noqa: BLE001 the caller gets a response, and the traceback is logged
            _LOG.exception("The API failed at %s", getattr(scope.get("route"), "path", "an unknown place"))
            await problem(Problem(HTTPStatus.INTERNAL_SERVER_ERROR, _FAILED))(scope, receive, send)


def _handle_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, TesseraError)
    if isinstance(error, Conflict) and "if-match" in request.headers:
        return problem(error, HTTPStatus.PRECONDITION_FAILED, {"ETag": f'"{error.stored.version}"'})
    return problem(error)


def _handle_invalid_request(_: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    places = [
        {
            "place": ".".join(map(str, item["loc"])),
            "reason": _NO_OBJECT if item["loc"] == ("body",) else problem_with(item),
        }
        for item in error.errors()
    ]
    status = HTTPStatus.UNPROCESSABLE_ENTITY
    whole = problem_of(Problem(status, lines(*(message("{place}: {reason}", **place) for place in places))), status)
    return answer(whole | {"errors": places}, status, {"Content-Type": PROBLEM})


def _handle_http_error(request: Request, error: Any) -> Response:
    status = HTTPStatus(error.status_code)
    text = verbatim(str(error.detail))
    if status == HTTPStatus.BAD_REQUEST:
        text = message("The request can't be read: {why}. Check its format and its Content-Type.", why=text)
    elif status in (HTTPStatus.NOT_FOUND, HTTPStatus.METHOD_NOT_ALLOWED):
        text = message(
            "There is no {method} {path}. For the available addresses, see {index}.",
            method=request.method,
            path=request.url.path,
            index=f"{PLACE}/openapi.json",
        )
    return problem(Problem(status, text), headers=error.headers)
