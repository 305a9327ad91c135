"""Operations on the workspace as a whole, and on the jobs of the process that has the workspace open."""

from dataclasses import is_dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Self

from core import desktop
from core.base.codec import assemble, encode
from core.base.errors import JobNotFound
from core.base.frozen import AnyMap, AnyValues, Texts, frozen
from core.base.jobs import JobState
from core.base.messages import Message, Messages, Text
from core.base.terminal import _
from core.model import IndexedChunks, Job, ReadPictures, Status
from core.operations.declaring import About, operation
from core.operations.views import BaseDetails, BaseList, format_bases

if TYPE_CHECKING:
    from core.workspace import Workspace


@frozen
class JobView:
    """A background job. `seconds_left` is None if unknown.

    `result` is None until the job is done, and `error` is None unless the job failed.
    """

    id: str
    name: str
    base: str
    state: JobState
    done: float
    total: float
    share: float
    what: Text
    seconds: float
    seconds_left: float | None
    result: AnyValues | None
    error: Message | None

    @classmethod
    def from_job(cls, job: Job) -> Self:
        match job.result:
            case IndexedChunks(count) | ReadPictures(count) | int(count) if not isinstance(count, bool):
                result: object = {"count": count}
            case result:
                result = encode(result) if is_dataclass(result) or isinstance(result, dict) else None
        return assemble(
            cls,
            job,
            seconds=round(job.seconds, 3),
            seconds_left=None if job.left is None else round(job.left, 1),
            result=result,
            error=job.error.message if job.error else None,
        )


@frozen
class JobList:
    """The running jobs, and the last finished job of each kind."""

    jobs: tuple[JobView, ...]


@frozen
class ProgramSettings:
    """The settings in use, by name."""

    values: AnyMap


@frozen
class ShownApp:
    """The app's address, or "" if it serves no pages, and whether its window was brought to the front."""

    url: str
    shown: bool


@frozen
class PackInstallation:
    """A pack installed in a workspace. See `InstalledPack` for the fields."""

    name: str
    version: str
    base: str
    initialized_at: datetime
    checked_at: datetime
    notes: int
    chunks: int


@frozen
class WorkspaceStatus:
    """A workspace's contents. See `Status` for the fields."""

    workspace: str
    bytes: int
    readonly: bool
    index_problem: Message | None
    unreadable: Messages
    set_aside: Texts
    bases: tuple[BaseDetails, ...]
    packs: tuple[PackInstallation, ...]
    settings_problem: Text

    @classmethod
    def from_status(cls, status: Status) -> Self:
        return assemble(
            cls,
            status,
            workspace=str(status.folder),
            bytes=status.bytes_on_disk,
            bases=tuple(map(BaseDetails.from_status, status.bases)),
            packs=tuple(assemble(PackInstallation, pack) for pack in status.packs),
            settings_problem=status.settings_problem or "",
        )


def format_status(status: WorkspaceStatus) -> list[str]:
    lines = [_("{folder}: {size:.1f} MB", folder=status.workspace, size=status.bytes / 1e6)]
    lines += format_bases(BaseList(status.bases))
    for pack in status.packs:
        lines.append(
            _(
                "  pack {name} {version} (notes: {notes}, chunks: {chunks})",
                name=pack.name,
                version=pack.version or "…",
                notes=pack.notes,
                chunks=pack.chunks,
            )
        )
    if status.set_aside:
        lines.append(
            _(
                "Some files were damaged, so they were renamed and replaced with new ones: {names}. Delete the "
                "renamed files if you don't need them.",
                names=", ".join(status.set_aside),
            )
        )
    return lines


JobId = Annotated[str, About("The id of a job.")]


@operation(
    "job.list",
    "List the running jobs, and the last finished job of each kind.",
    http="GET /jobs",
)
def list_(workspace: "Workspace") -> JobList:
    return JobList(tuple(map(JobView.from_job, workspace.jobs.all())))


@operation(
    "job.show",
    "Show a job: its progress, and how it ended.",
    http="GET /jobs/{job}",
    takes={"job": "rechunk-4"},
)
def show_job(workspace: "Workspace", job: JobId) -> JobView:
    return JobView.from_job(get_job(workspace, job))


@operation(
    "job.cancel",
    "Stop a job at its next step. Work already done is kept.",
    http="DELETE /jobs/{job}",
    by_hand="http",
    takes={"job": "rechunk-4"},
)
def cancel(workspace: "Workspace", job: JobId) -> JobView:
    workspace.jobs.cancel(get_job(workspace, job).name)
    return JobView.from_job(get_job(workspace, job))


def get_job(workspace: "Workspace", job: str) -> Job:
    """Return the job with the given id. Raises JobNotFound if it doesn't exist or a newer job has replaced it."""
    for item in workspace.jobs.all():
        if item.id == job:
            return item
    raise JobNotFound("There is no job '{job}'. A later job of the same kind may have replaced it.", job=job)


@operation(
    "status.show",
    "Show what is in the workspace, and what is wrong with its search index.",
    http="GET /status",
    cli="status",
    by_hand="cli",
)
def show(workspace: "Workspace") -> WorkspaceStatus:
    return WorkspaceStatus.from_status(workspace.status())


@operation(
    "app.show",
    "Bring the running app to the front.",
)
def bring_to_front(workspace: "Workspace") -> ShownApp:
    return ShownApp(desktop.address, bool(desktop.window and desktop.window.bring_to_front()))


@operation(
    "status.settings",
    "Show the settings in use.",
)
def settings(workspace: "Workspace") -> ProgramSettings:
    return ProgramSettings(workspace.settings.model_dump(mode="json"))
