"""Long work: its progress and its outcome."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from core.errors import TesseraError
from core.messages import Message


class Progress(Protocol):
    """Callback between the steps of long work; raises Cancelled to stop it."""

    def __call__(self, done: float, total: float, what: str | Message) -> None: ...


def no_progress(done: float, total: float, what: str | Message) -> None:
    """Ignore progress."""


JobState = Literal["running", "done", "cancelled", "failed"]


@dataclass(frozen=True, slots=True)
class Job:
    """State of a piece of work: `error` is the message for the person, `result` the return value.

    `base` is the name of the only base that the work changes, empty for any.
    """

    name: str
    number: int
    base: str = ""
    state: JobState = "running"
    done: float = 0.0
    total: float = 0.0
    what: str | Message = ""
    started: float = 0.0
    seconds: float = 0.0
    result: Any = None
    error: TesseraError | None = None

    @property
    def share(self) -> float:
        """Completed share of the work, 0 to 1."""
        return min(1.0, self.done / self.total) if self.total else 0.0


@dataclass(frozen=True, slots=True)
class Creation:
    """What a program created: a digest of its request, and the answer; `status` is None until there is one."""

    request: bytes
    status: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
