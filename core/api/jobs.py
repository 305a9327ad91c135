"""Long work as jobs: begun with 202, followed by asking or as server-sent events, cancelled."""

import json
from collections.abc import AsyncIterator, Callable
from http import HTTPStatus

import anyio
from fastapi import APIRouter
from starlette.responses import Response, StreamingResponse

from core.api import PLACE, values
from core.api.answers import LANGUAGE, Problem, answer, as_json, problem
from core.api.examples import JOB
from core.api.shared import Opened, Text, documented
from core.messages import message, readable
from core.model import Job, Progress
from core.workspace import Workspace

router = APIRouter(tags=["jobs"])
_LOOK = 0.2
"""Seconds between two looks at a job that is followed."""
_ALIVE = 15.0
"""Seconds after which a stream says that it is alive, so that nothing between closes it."""


@router.get("/jobs", **documented({"jobs": [JOB]}))
def every(workspace: Opened) -> Response:
    """List the jobs that run, and the last one of each kind that ended."""
    return answer({"jobs": [*map(values.of_job, workspace.jobs.all())]})


@router.get("/jobs/{job}", **documented(JOB))
def one(workspace: Opened, job: Text) -> Response:
    """Show a job: how far it is, and how it ended."""
    return answer(values.of_job(_job(workspace, job)))


@router.delete("/jobs/{job}", **documented(JOB, 202))
def cancel(workspace: Opened, job: Text) -> Response:
    """Stop a job at its next step; what it did before stays."""
    workspace.jobs.cancel(_job(workspace, job).name)
    return answer(values.of_job(_job(workspace, job)), 202)


@router.get(
    "/jobs/{job}/events",
    response_class=StreamingResponse,
    **documented(f"data: {json.dumps(JOB)}\n\n", form="text/event-stream"),
)
def events(workspace: Opened, job: Text) -> Response:
    """Follow a job: an event for every step, the last one when it ended."""
    _job(workspace, job)
    return StreamingResponse(_steps(workspace, job, LANGUAGE.get()), media_type="text/event-stream")


def start_job(workspace: Workspace, name: str, work: Callable[[Progress], object], *, base: str = "") -> Response:
    """Start a job and answer with 202 and its address; a job of this name that runs is a problem that names it."""
    started = workspace.jobs.start(name, work, base=base)
    job = workspace.jobs.find(name)
    assert job is not None, "it was just started, or runs"
    place = f"{PLACE}/v1/jobs/{values.job_id(job)}"
    if not started:
        busy = message("The job '{job}' is under way. Wait until it ends, or cancel it.", job=values.job_id(job))
        return problem(Problem(HTTPStatus.CONFLICT, busy), Location=place)
    return answer(values.of_job(job), 202, Location=place)


async def _steps(workspace: Workspace, job_id: str, language: str) -> AsyncIterator[bytes]:
    """Yield an event whenever a job changed, until it ended or another one has its place."""
    last, quiet = None, 0.0
    while (job := _current(workspace, job_id)) is not None:
        quiet += _LOOK
        if job != last:
            last, quiet = job, 0.0
            yield b"data: %s\n\n" % as_json(readable(values.of_job(job), language))
        elif quiet >= _ALIVE:
            quiet = 0.0
            yield b": alive\n\n"
        if job.state != "running":
            return
        await anyio.sleep(_LOOK)


def _job(workspace: Workspace, job_id: str) -> Job:
    job = _current(workspace, job_id)
    if job is None:
        text = message("There is no job '{job}'. A later one of its kind may have taken its place.", job=job_id)
        raise Problem(HTTPStatus.NOT_FOUND, text)
    return job


def _current(workspace: Workspace, job_id: str) -> Job | None:
    return next((job for job in workspace.jobs.all() if values.job_id(job) == job_id), None)
