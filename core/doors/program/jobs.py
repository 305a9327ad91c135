"""Operations on jobs, the long work of the program that has the workspace open."""

from typing import TYPE_CHECKING, Annotated

from core.base.errors import JobNotFound
from core.base.messages import message
from core.doors.operations.declaring import About, operation
from core.doors.operations.examples import JOB
from core.doors.program.views import JobList, JobView, job_id
from core.model import Job

if TYPE_CHECKING:
    from core.workspace import Workspace

_LACKS = {"cli": "a command waits for its work, and Ctrl-C stops it", "tool": "no tool begins a job"}
JobId = Annotated[str, About(message("A job, by its id."))]


@operation(
    "job.list",
    message("List the jobs that run, and the last one of each kind that ended."),
    http="GET /jobs",
    gives={"jobs": [JOB]},
    lacks=_LACKS,
)
def list_(workspace: "Workspace") -> JobList:
    return JobList(tuple(map(JobView.from_job, workspace.jobs.all())))


@operation(
    "job.show",
    message("Show a job: how far it is, and how it ended."),
    http="GET /jobs/{job}",
    takes={"job": "rechunk-4"},
    gives=JOB,
    lacks=_LACKS,
)
def show(workspace: "Workspace", job: JobId) -> JobView:
    return JobView.from_job(get_job(workspace, job))


@operation(
    "job.cancel",
    message("Stop a job at its next step; what it did before stays."),
    http="DELETE /jobs/{job}",
    by_hand=("http",),
    takes={"job": "rechunk-4"},
    gives=JOB,
    lacks=_LACKS,
)
def cancel(workspace: "Workspace", job: JobId) -> JobView:
    workspace.jobs.cancel(get_job(workspace, job).name)
    return JobView.from_job(get_job(workspace, job))


def get_job(workspace: "Workspace", job: str) -> Job:
    """Return the job of an id; raises JobNotFound where there is none, or a newer one of its kind."""
    for item in workspace.jobs.all():
        if job_id(item) == job:
            return item
    raise JobNotFound("There is no job '{job}'. A later one of its kind may have taken its place.", job=job)
