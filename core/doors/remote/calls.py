"""Routes through which commands on this machine run operations on this process's workspace.

The operations are imported on the first call, because importing them would slow down the pages' server at startup.
"""

import asyncio
import json
import logging
import signal
import threading
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing, suppress
from functools import cache, partial
from importlib.metadata import version
from types import FrameType
from typing import TYPE_CHECKING

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from core.base.errors import Cancelled, ConfigError, StoreError, TesseraError
from core.base.faults import bug_error
from core.base.frozen import AnyValues, Values, attributes
from core.base.jobs import Busy, Progress, Work
from core.base.messages import Text
from core.doors import remote as wire
from core.doors.remote import MOST_BYTES, PATH

if TYPE_CHECKING:
    from pydantic import BaseModel

    from core.operations.declaring import Caller, Operation
    from core.workspace import Workspace

_LOG = logging.getLogger(__name__)
# A function that sends a part of a response.
Send = Callable[[bytes], None]

# Seconds that an operation waits for an earlier job of the same kind. A stopped job ends only at its next step.
_PATIENCE = 5.0
# Name of the import job. While one is running, further imports run directly, because only one per base is allowed.
_IMPORT = "import"
# Minimum number of seconds between progress steps sent to the caller.
_BETWEEN = 0.1


def arguments(operation: "Operation[object]", given: object) -> Values:
    """Return an operation's arguments after validation. Raises ConfigError, naming the argument, if one is invalid."""
    from pydantic import ValidationError

    from core.operations.parameters import problem_with

    try:
        checked = _model(operation).model_validate(given)
    except ValidationError as error:
        wrong = error.errors()[0]
        raise ConfigError(
            "'{name}' can't be used: {reason}.", name=".".join(map(str, wrong["loc"])), reason=problem_with(wrong)
        ) from error
    return attributes(checked, checked.model_fields_set)


@cache
def _model(operation: "Operation[object]") -> "type[BaseModel]":
    from pydantic import ConfigDict, create_model

    fields: AnyValues = {
        parameter.name: (parameter.type, ... if parameter.required else parameter.default)
        for parameter in operation.parameters
    }
    return create_model(operation.name, __config__=ConfigDict(extra="forbid", allow_inf_nan=False), **fields)


class Calls:
    """The routes of a process that has a workspace open. One proves the process's identity, and one runs operations."""

    def __init__(self, workspace: "Callable[[], Workspace]") -> None:
        self._workspace = workspace
        self._stops: set[threading.Event] = set()
        self.routes = [
            Route(PATH, self._prove_identity, methods=["GET"]),
            Route(f"{PATH}/{{operation}}", self._run, methods=["POST"]),
        ]

    def close_at_signals(self) -> None:
        """Stop the calls in progress when a signal ends the server, which would otherwise wait for their responses."""
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                signal.signal(number, partial(self._handle_signal, signal.getsignal(number)))

    def _handle_signal(self, then: object, number: int, frame: FrameType | None) -> None:
        self.stop()
        if callable(then):
            then(number, frame)

    def stop(self) -> None:
        """Stop the calls in progress at their next step."""
        for stop in tuple(self._stops):
            stop.set()

    def _prove_identity(self, request: Request) -> Response:
        """Prove that this process wrote the file with the app's address and token.

        Callers check the proof before they send the token.
        """
        return JSONResponse(
            {
                "proof": self._workspace().access.proof(request.query_params.get("challenge", "")),
                "version": version("tessera-notes"),
            }
        )

    async def _run(self, request: Request) -> Response:
        """Run an operation with arguments from a JSON object."""
        workspace = await run_in_threadpool(self._workspace)
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        if scheme != "Bearer" or not workspace.access.admits(token, programs=False):
            return PlainTextResponse("Forbidden", 403)
        from core.doors.registry import OPERATIONS
        from core.operations.declaring import PERSON, PROGRAM

        operation = OPERATIONS.get(request.path_params["operation"])
        if operation is None:
            return PlainTextResponse("Not Found", 404)
        body = bytearray()
        async for part in request.stream():
            body += part
            if len(body) > MOST_BYTES:
                return PlainTextResponse("Content Too Large", 413)
        try:
            given = json.loads(body)
        except (ValueError, RecursionError):
            return PlainTextResponse("Bad Request", 400)
        caller = PROGRAM if request.query_params.get("caller") == PROGRAM.author else PERSON
        answer = self._answer(lambda progress: _run_operation(workspace, operation, caller, given, progress))
        return StreamingResponse(answer, media_type="application/x-ndjson")

    async def _answer(self, act: Callable[[Progress], bytes]) -> AsyncIterator[bytes]:
        """Yield an operation's progress and outcome, and stop the operation if the caller disconnects."""
        stop = threading.Event()

        def work(send: Send) -> None:
            sent = 0.0

            def progress(done: float, total: float, what: Text) -> None:
                """Send at most ten steps per second, but always the last step."""
                nonlocal sent
                if stop.is_set():
                    raise Cancelled
                if done >= total or time.monotonic() - sent >= _BETWEEN:
                    sent = time.monotonic()
                    send(wire.line("step", [done, total, what]))

            end = act(progress)
            if not stop.is_set():
                send(end)

        self._stops.add(stop)
        try:
            async with aclosing(produced(work, stop)) as parts:
                async for part in parts:
                    yield part
        finally:
            self._stops.discard(stop)


async def produced(
    work: Callable[[Send], None], stop: threading.Event, alive: float | None = None
) -> AsyncGenerator[bytes]:
    """Run `work` in a thread and yield what it sends. Set `stop` if the caller disconnects.

    After each `alive` seconds of silence, yield an SSE comment, so that no proxy closes the stream.
    """
    loop = asyncio.get_running_loop()
    queue: asyncio.Queue[bytes] = asyncio.Queue()

    def send(part: bytes) -> None:
        with suppress(RuntimeError):  # the server has already stopped
            loop.call_soon_threadsafe(queue.put_nowait, part)

    def run() -> None:
        work(send)
        send(b"")

    threading.Thread(target=run, name="call", daemon=True).start()
    part = None
    try:
        while part != b"":
            try:
                part = await asyncio.wait_for(queue.get(), alive)
                yield part
            except TimeoutError:
                yield b": alive\n\n"
    finally:
        stop.set()


def _run_operation(
    workspace: "Workspace", operation: "Operation[object]", caller: "Caller", given: object, progress: Progress
) -> bytes:
    """Run an operation, and return its result or error as a line.

    If the operation declares a job, it runs as that job.
    """

    from core.base.codec import encode

    def act(progress: Progress) -> object:
        return operation.run(workspace, caller, arguments(operation, given), progress)

    try:
        # Indexing runs directly even while it also runs as a job.
        directly = operation.job == "embed" or (operation.job == _IMPORT and workspace.jobs.running(_IMPORT))
        value = act(progress) if directly or not operation.job else _as_job(workspace, operation.job, act, progress)
        return wire.line("answer", encode(value))
    except TesseraError as error:
        return wire.line("error", wire.failure(error))
    except Exception as error:  # noqa: BLE001 the caller is another process, so the traceback is logged
        _LOG.exception("The operation '%s' failed", operation.name)
        return wire.line("error", wire.failure(bug_error(error)))


def _as_job(workspace: "Workspace", name: str, act: Work, caller_progress: Progress) -> object:
    """Run work as a job, and return its result. Raises Cancelled if the user stops the job on a page."""
    from core.model import excluded_by

    def both(progress: Progress) -> object:
        def step(done: float, total: float, what: Text) -> None:
            progress(done, total, what)
            caller_progress(done, total, what)

        return act(step)

    try:
        return workspace.jobs.result(name, both, patience=_PATIENCE, apart=excluded_by(name))
    except Busy as error:
        raise StoreError(
            "The open app is busy with another long job, which you can see on its pages. Repeat the command when "
            "that job has finished."
        ) from error
