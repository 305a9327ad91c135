"""Long work, its progress and its outcome, and the settings of the program."""

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Literal

from core.base.frozen import frozen
from core.base.jobs import Job as Job
from core.base.jobs import JobState as JobState
from core.base.jobs import Progress as Progress
from core.base.jobs import no_progress as no_progress
from core.base.messages import Message, message, plural

JobPlace = Literal[
    "",
    "index",
    "care",
    "notes",
    "packs",
    "chunks",
    "pictures",
    "bases",
    "costs",
    "models",
    "evaluation",
    "questions",
    "learning",
]

_NONE = Message("")
_CANCELLED = message("Cancelled. Notes that were imported stay; nothing was removed.")
_CONTINUES = message("Stopped. What was done stays, and you can continue later.")

Source = Literal["environment", "file", "entered", "default"]
"""The source of a setting's value."""


@frozen
class JobKind:
    """A kind of long work; jobs are named after their kind, and one of a kind runs at a time.

    `title` names the work once it has ended. `doing`, `done` and `stopped` are the messages of a running, a finished
    and a stopped job; `n` is its result where that is a number. The kinds of a `place` are drawn together, those
    without one nowhere. While one `writes` notes or chunks, no chunk can be edited. A command next to the open app
    starts one that runs `alone` when no other such job runs.
    """

    place: JobPlace = ""
    title: Message = _NONE
    doing: Message = _NONE
    done: Message = _NONE
    stopped: Message = _CANCELLED
    writes: bool = False
    alone: bool = False


@frozen
class IndexedChunks:
    """So many chunks got their vectors."""

    chunks: int


@frozen
class ReadPictures:
    """So many pictures of notes were read."""

    pictures: int


JOB_KINDS: Mapping[str, JobKind] = {
    "warm": JobKind(),
    "warm_reranker": JobKind(),
    "answer": JobKind(),
    "examples": JobKind(),
    "local_servers": JobKind(),
    "heal": JobKind(
        "index",
        message("Repair the search index"),
        message("Repairing the search index"),
        message("The search index is repaired"),
    ),
    "import": JobKind(
        "notes", message("Import"), message("Importing"), message("Import finished"), writes=True, alone=True
    ),
    "rebuild": JobKind(
        "notes",
        message("Rebuild the index"),
        message("Rebuilding the index"),
        message("The index is rebuilt"),
        writes=True,
        alone=True,
    ),
    "packs": JobKind(
        "packs",
        message("Update the pack"),
        message("Updating the pack"),
        message("The pack is up to date"),
        writes=True,
        alone=True,
    ),
    "rechunk": JobKind(
        "chunks",
        message("Split notes again"),
        message("Splitting notes again"),
        message("The notes are split again"),
        writes=True,
        alone=True,
    ),
    "embed": JobKind(
        "chunks",
        message("Index notes"),
        message("Indexing"),
        plural("{n} passage indexed", "{n} passages indexed"),
        message("Stopped. What is indexed stays; the other notes are found by words."),
    ),
    "pictures": JobKind(
        "pictures",
        message("Read pictures"),
        message("Reading pictures"),
        plural("{n} picture read", "{n} pictures read"),
        message("Stopped. What was read stays; the other pictures are read later."),
    ),
    "warm_images": JobKind(),
    "images": JobKind(
        "pictures",
        message("Recognise pictures"),
        message("Recognising pictures"),
        plural("{n} picture recognised", "{n} pictures recognised"),
        message("Stopped. The pictures that were seen can be found; the others follow later."),
    ),
    "edits": JobKind(
        "chunks", message("Change chunks"), message("Changing chunks"), message("The chunks are changed"), writes=True
    ),
    "switch": JobKind(
        "bases",
        message("Change the model"),
        message("Changing the model"),
        message("Model changed"),
        _CONTINUES,
        alone=True,
    ),
    "tokens": JobKind(
        "bases",
        message("Prepare fast reranking"),
        message("Data for fast reranking"),
        message("The data for fast reranking is up to date"),
        _CONTINUES,
        alone=True,
    ),
    "cost": JobKind("costs", message("Estimate the cost"), message("Estimating"), message("Estimate"), _CONTINUES),
    "test": JobKind("models", message("Test the model"), message("Testing the model"), message("Tested"), _CONTINUES),
    "server": JobKind(
        "models", message("Ask the server"), message("Asking the server"), message("The server answers"), _CONTINUES
    ),
    "download": JobKind("models", message("Download"), message("Downloading"), message("Downloaded"), _CONTINUES),
    "device": JobKind("models", message("Check this machine"), message("Checking this machine"), stopped=_CONTINUES),
    "evaluate": JobKind(
        "evaluation",
        message("Ask the questions"),
        message("Asking the questions"),
        message("All questions asked"),
        _CONTINUES,
    ),
    "learn": JobKind(
        "learning",
        message("Read the logs"),
        message("Reading the logs"),
        message("The logs are read"),
        message("Stopped. What was suggested so far stays."),
    ),
    "backup": JobKind(
        "care",
        message("Make a backup"),
        message("Making a backup"),
        message("The backup is made"),
        message("Stopped. No backup was made."),
    ),
    "verify": JobKind(
        "care",
        message("Check the backup"),
        message("Checking the backup"),
        message("The backup is intact"),
        message("Stopped."),
    ),
    "doctor": JobKind(
        "care", message("Check everything"), message("Checking everything"), message("Checked"), _CONTINUES, alone=True
    ),
    "compact": JobKind(
        "care",
        message("Free space"),
        message("Freeing space"),
        message("Unused space is freed"),
        _CONTINUES,
        alone=True,
    ),
    "suggest": JobKind(
        "questions",
        message("Look for questions"),
        message("Looking for questions"),
        plural("{n} question suggested", "{n} questions suggested"),
        message("Stopped. No question was added."),
    ),
}
"""Each kind of job by its name, in the order in which pages list those that run."""


def jobs_at(*places: JobPlace) -> tuple[str, ...]:
    """Return the names of the kinds of some places."""
    return tuple(name for name, kind in JOB_KINDS.items() if kind.place in places)


def excluded_by(name: str) -> tuple[str, ...]:
    """Return the names of the jobs that must end before one of this name starts next to the open app."""
    return tuple(other for other, kind in JOB_KINDS.items() if kind.alone) if JOB_KINDS[name].alone else ()


def left_line(seconds: float) -> Message:
    """Return the time that is left of work, to ten seconds or to the minute."""
    if seconds < 90:
        return plural("about {n} second left", "about {n} seconds left", n=max(10, round(seconds / 10) * 10))
    return plural("about {n} minute left", "about {n} minutes left", n=round(seconds / 60))


@frozen
class Freshness:
    """Whether the notes are what their folders hold; `messages` say what is going on, or what needs a look.

    The state is a `notice` where no note is at risk.
    """

    state: Literal["current", "working", "notice", "attention"]
    messages: tuple[Message, ...] = ()


@frozen
class Creation:
    """A creation by a program: a digest of its request, and the answer; `status` is None until there is one."""

    request: bytes
    status: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""


@frozen
class ProgramSetting:
    """The `value` and the default of a setting of `tessera.toml`, the range of a number, and the value's source.

    `place` is the file or the environment variable that sets it. `waits`: the program uses the value from its next
    start on.
    """

    key: str
    value: Any
    default: Any
    source: Source
    place: str
    least: float | None = None
    most: float | None = None
    waits: bool = False
