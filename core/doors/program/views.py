"""What the operations on the program return."""

from collections.abc import Mapping
from dataclasses import is_dataclass
from typing import Any, Self

from core.base.codec import assemble, encode
from core.base.frozen import frozen
from core.base.jobs import JobState
from core.base.messages import Message
from core.model import IndexedChunks, Job, ReadPictures


def _encode_result(result: Any) -> Any:
    """Return the result of a job for JSON, None where it isn't shown."""
    match result:
        case IndexedChunks(count) | ReadPictures(count):
            return {"count": count}
        case int() if not isinstance(result, bool):
            return {"count": result}
    return encode(result) if is_dataclass(result) or isinstance(result, dict) else None


@frozen
class JobView:
    """A job; `seconds_left` is None where unknown, `result` where it isn't done, `error` where it didn't fail."""

    id: str
    name: str
    base: str
    state: JobState
    done: float
    total: float
    share: float
    what: str | Message
    seconds: float
    seconds_left: float | None
    result: dict[str, Any] | None
    error: Message | None

    @classmethod
    def from_job(cls, job: Job) -> Self:
        return assemble(
            cls,
            job,
            seconds=round(job.seconds, 3),
            seconds_left=None if job.left is None else round(job.left, 1),
            result=_encode_result(job.result),
            error=job.error.message if job.error else None,
        )


@frozen
class JobList:
    """Jobs that run, and the last one of each kind that ended."""

    jobs: tuple[JobView, ...]


@frozen
class ShownApp:
    """The address of the app's pages, empty without any, and whether they are in a window of its own."""

    url: str
    shown: bool


@frozen
class ProgramSettings:
    """The settings in use, by their names."""

    values: Mapping[str, Any]
