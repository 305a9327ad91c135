"""An answer of a language model as server-sent events, one for each sentence as it is written."""

import asyncio
import json
import logging
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from typing import Any

from fastapi import APIRouter
from starlette.responses import Response, StreamingResponse

from core.base.errors import TesseraError
from core.base.messages import readable, verbatim
from core.doors.api.answers import LANGUAGE, as_json
from core.doors.api.binding import body_of
from core.doors.api.shared import Opened, documented
from core.doors.json_forms.answers import ANSWER, WRITTEN
from core.doors.operations import examples
from core.doors.operations.answers import ask, writing
from core.model import Answer
from core.workspace import Workspace

_LOG = logging.getLogger(__name__)
_ALIVE = 15.0
"""Seconds after which a stream says that it is alive, so that nothing between closes it."""

router = APIRouter(tags=[ask.noun])
_TAKES: Any = body_of("answer.events", [parameter for parameter in ask.taken("http") if parameter.name != "with_model"])


@router.post(
    "/answer/events",
    operation_id="answer.events",
    summary="Answer with the language model, an event for each sentence as it is written; closing the stream ends it.",
    response_class=StreamingResponse,
    **documented(
        "".join(f"data: {json.dumps(event, ensure_ascii=False)}\n\n" for event in examples.EVENTS),
        form="text/event-stream",
        takes=ask.takes,
    ),
)
def events(workspace: Opened, body: _TAKES) -> Response:
    given, stop = body.given(), threading.Event()
    answers = writing(workspace, given.pop("query"), given, stop=stop.is_set)
    first = next(answers)  # what is wrong with the question is a problem
    return StreamingResponse(_events(workspace, first, answers, stop, LANGUAGE.get()), media_type="text/event-stream")


async def _events(
    workspace: Workspace, first: Answer, answers: Iterator[Answer], stop: threading.Event, language: str
) -> AsyncIterator[bytes]:
    """Yield the sentences of an answer as they come and the whole at its end; where the caller goes, it stops."""
    loop = asyncio.get_running_loop()
    queue: asyncio.Queue[bytes] = asyncio.Queue()

    def send(kind: str, value: object) -> None:
        part = as_json(readable({kind: value}, language)) if kind else b""
        with suppress(RuntimeError):  # the server has ended meanwhile
            loop.call_soon_threadsafe(queue.put_nowait, part)

    def run() -> None:
        last = first
        try:
            for answer in answers:
                if len(answer.written) > len(last.written):
                    shown = WRITTEN(answer)
                    numbers = shown["sentences"][-1]["citations"]
                    cited = [item for item in shown["citations"] if item["number"] in numbers]
                    send("sentence", shown["sentences"][-1] | {"sources": cited})
                last = answer
            workspace.uses.answered(last)
            send("answer", ANSWER(last))
        except TesseraError as error:
            send("problem", error.message)
        except Exception as error:  # noqa: BLE001 the caller is elsewhere, so the traceback is logged
            _LOG.exception("An answer failed")
            send("problem", verbatim(type(error).__name__))
        send("", None)

    threading.Thread(target=run, name="answer", daemon=True).start()
    try:
        while True:
            try:
                part = await asyncio.wait_for(queue.get(), _ALIVE)
            except TimeoutError:
                yield b": alive\n\n"
                continue
            if not part:
                return
            yield b"data: %s\n\n" % part
    finally:
        stop.set()
