"""Long work as jobs: started with 202, then polled or followed as server-sent events, or cancelled."""

import json
from collections.abc import AsyncIterator, Callable
from http import HTTPStatus

import anyio
from fastapi import APIRouter
from starlette.responses import Response, StreamingResponse

from core.base.codec import encode, json_type
from core.base.errors import JobNotFound
from core.base.messages import message, readable
from core.doors.api import PLACE
from core.doors.api.responses import LANGUAGE, Problem, answer, as_json, problem
from core.doors.api.shared import Opened, Text, documented
from core.model import Progress
from core.operations import examples, program
from core.operations.declaring import PROGRAM
from core.operations.program import JobView
from core.workspace import Workspace

router = APIRouter(tags=["job"])
_LOOK = 0.2
"""Seconds between two checks of a job that a client follows."""
_ALIVE = 15.0
"""Seconds between keep-alive comments in a stream, so that no proxy closes it."""


@router.delete("/jobs/{job}", response_model=json_type(JobView), **documented(examples.example_for(JobView), 202))
def cancel(workspace: Opened, job: Text) -> Response:
    "Stop a job at its next step; work already done is kept."
    return answer(encode(program.cancel.run(workspace, PROGRAM, {"job": job})), 202)


@router.get(
    "/jobs/{job}/events",
    response_class=StreamingResponse,
    **documented(f"data: {json.dumps(examples.example_for(JobView))}\n\n", form="text/event-stream"),
)
def events(workspace: Opened, job: Text) -> Response:
    """Follow a job: an event for every step, the last one when it ended."""
    program.get_job(workspace, job)
    return StreamingResponse(_steps(workspace, job, LANGUAGE.get()), media_type="text/event-stream")


def start_job(workspace: Workspace, name: str, work: Callable[[Progress], object], *, base: str) -> Response:
    """Start a job and respond with 202 and its URL; respond with a problem if a job with this name is running."""
    started = workspace.jobs.start(name, work, base=base)
    job = workspace.jobs.find(name)
    assert job is not None, "it was just started, or runs"
    place = f"{PLACE}/v1/jobs/{job.id}"
    if not started:
        busy = message("The job '{job}' is running. Wait until it finishes, or cancel it.", job=job.id)
        return problem(Problem(HTTPStatus.CONFLICT, busy), Location=place)
    return answer(encode(JobView.from_job(job)), 202, Location=place)


async def _steps(workspace: Workspace, job_id: str, language: str) -> AsyncIterator[bytes]:
    """Yield an event whenever a job changes, until it ends or another job replaces it."""
    last, quiet = None, 0.0
    while True:
        try:
            job = program.get_job(workspace, job_id)
        except JobNotFound:
            return
        quiet += _LOOK
        if job != last:
            last, quiet = job, 0.0
            yield b"data: %s\n\n" % as_json(readable(encode(JobView.from_job(job)), language))
        elif quiet >= _ALIVE:
            quiet = 0.0
            yield b": alive\n\n"
        if job.state != "running":
            return
        await anyio.sleep(_LOOK)
