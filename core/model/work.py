"""Kinds of background jobs and their messages, the freshness of notes, and the program's settings."""

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Literal

from core.base.frozen import TextMap, Texts, frozen
from core.base.jobs import Job as Job
from core.base.jobs import JobState as JobState
from core.base.jobs import Progress as Progress
from core.base.jobs import no_progress as no_progress
from core.base.messages import Message, Messages, Text, as_message, message, plural

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
_CANCELLED = message("Cancelled. Notes already imported are kept, and nothing was removed.")
_CONTINUES = message("Stopped. Everything done so far was kept, and you can continue later.")

Source = Literal["environment", "file", "entered", "default"]


@frozen
class JobKind:
    """A kind of background job. Jobs are named after their kind, and only one job of each kind runs at a time.

    `title` names the job after it has ended. `doing`, `done` and `stopped` are the messages for a running, finished and
    stopped job. In these messages, `n` is the job's result if that is a number. Jobs with the same `place` are shown
    together, and a job without a `place` isn't shown. While a job with `writes` runs, no chunk can be edited. If
    `alone` is True and the app is open, a command that starts the job first waits for all other jobs with `alone` to
    end.
    """

    place: JobPlace = ""
    title: Message = _NONE
    doing: Message = _NONE
    done: Message = _NONE
    stopped: Message = _CANCELLED
    writes: bool = False
    alone: bool = False


def _job_kind(
    place: JobPlace,
    title: str,
    doing: str,
    done: Text = "",
    stopped: Text = _CANCELLED,
    **more: bool,
) -> JobKind:
    return JobKind(place, Message(title), Message(doing), as_message(done), as_message(stopped), **more)


@frozen
class IndexedChunks:
    """The number of chunks that were embedded."""

    chunks: int


@frozen
class ReadPictures:
    """The number of pictures whose text was read."""

    pictures: int


# Job kinds, keyed by name, in the order in which the app's pages list running jobs.
JOB_KINDS: Mapping[str, JobKind] = {
    **dict.fromkeys(("warm", "warm_reranker", "answer", "examples", "local_servers", "compare"), JobKind()),
    "heal": _job_kind(
        "index",
        "Repair the search index",
        "Repairing the search index",
        "The search index was repaired",
    ),
    "import": _job_kind("notes", "Import", "Importing", "Import finished", writes=True, alone=True),
    "rebuild": _job_kind(
        "notes",
        "Rebuild the index",
        "Rebuilding the index",
        "The index was rebuilt",
        writes=True,
        alone=True,
    ),
    "packs": _job_kind(
        "packs",
        "Update the pack",
        "Updating the pack",
        "The pack is up to date",
        writes=True,
        alone=True,
    ),
    "rechunk": _job_kind(
        "chunks",
        "Split notes again",
        "Splitting notes again",
        "The notes were split again",
        writes=True,
        alone=True,
    ),
    "embed": _job_kind(
        "chunks",
        "Index notes",
        "Indexing",
        plural("{n} passage indexed", "{n} passages indexed"),
        "Stopped. Notes already indexed are kept, and the others can be found by keyword.",
    ),
    "pictures": _job_kind(
        "pictures",
        "Read pictures",
        "Reading pictures",
        plural("{n} picture read", "{n} pictures read"),
        "Stopped. Pictures already read are kept, and the others will be read later.",
    ),
    "warm_images": JobKind(),
    "images": _job_kind(
        "pictures",
        "Recognise pictures",
        "Recognising pictures",
        plural("{n} picture recognised", "{n} pictures recognised"),
        "Stopped. Pictures already recognised can be found, and the others will follow later.",
    ),
    "edits": _job_kind("chunks", "Change chunks", "Changing chunks", "The chunks were changed", writes=True),
    "switch": _job_kind(
        "bases",
        "Change the model",
        "Changing the model",
        "Model changed",
        _CONTINUES,
        alone=True,
    ),
    "tokens": _job_kind(
        "bases",
        "Prepare fast reranking",
        "Preparing fast reranking",
        "The data for fast reranking is up to date",
        _CONTINUES,
        alone=True,
    ),
    "cost": _job_kind("costs", "Estimate the cost", "Estimating", "Estimate", _CONTINUES),
    "test": _job_kind("models", "Test the model", "Testing the model", "Tested", _CONTINUES),
    "server": _job_kind(
        "models", "Contact the server", "Contacting the server", "The server is responding", _CONTINUES
    ),
    "download": _job_kind("models", "Download", "Downloading", "Downloaded", _CONTINUES),
    "device": _job_kind("models", "Check this machine", "Checking this machine", stopped=_CONTINUES),
    "evaluate": _job_kind(
        "evaluation",
        "Ask the questions",
        "Asking the questions",
        "All questions asked",
        _CONTINUES,
    ),
    "learn": _job_kind(
        "learning",
        "Read the logs",
        "Reading the logs",
        "The logs were read",
        "Stopped. The suggestions made so far are kept.",
    ),
    "backup": _job_kind(
        "care",
        "Make a backup",
        "Making a backup",
        "The backup was made",
        "Stopped. No backup was made.",
    ),
    "verify": _job_kind(
        "care",
        "Check the backup",
        "Checking the backup",
        "The backup is intact",
        "Stopped.",
    ),
    "doctor": _job_kind("care", "Check everything", "Checking everything", "Checked", _CONTINUES, alone=True),
    "compact": _job_kind(
        "care",
        "Free space",
        "Freeing space",
        "Unused space was freed",
        _CONTINUES,
        alone=True,
    ),
    "suggest": _job_kind(
        "questions",
        "Look for questions",
        "Looking for questions",
        plural("{n} question suggested", "{n} questions suggested"),
        "Stopped. No question was added.",
    ),
}


def jobs_at(*places: JobPlace) -> Texts:
    return tuple(name for name, kind in JOB_KINDS.items() if kind.place in places)


def excluded_by(name: str) -> Texts:
    """Return the names of the jobs that must end before a command can start the given job while the app is open."""
    return tuple(other for other, kind in JOB_KINDS.items() if kind.alone) if JOB_KINDS[name].alone else ()


def left_line(seconds: float) -> Message:
    """Describe the time left, rounded to ten seconds or a minute."""
    if seconds < 90:
        return plural("about {n} second left", "about {n} seconds left", n=max(10, round(seconds / 10) * 10))
    return plural("about {n} minute left", "about {n} minutes left", n=round(seconds / 60))


@frozen
class Freshness:
    """How up to date the notes are with their folders. `messages` describe current work and problems.

    The state is `notice` if there is a problem that doesn't put notes at risk.
    """

    state: Literal["current", "working", "notice", "attention"]
    messages: Messages = ()


@frozen
class Creation:
    """A program's HTTP request to create an item, and the response. `request` is the request's digest.

    `status` is None until the request is answered.
    """

    request: bytes
    status: int | None = None
    headers: TextMap = field(default_factory=dict)
    body: bytes = b""


@frozen
class ProgramSetting:
    """A setting in `tessera.toml`, with its value, its default, the value's source, and the range of a number.

    `place` is the file or environment variable that sets the value. If `waits` is True, the value takes effect the next
    time Tessera starts.
    """

    key: str
    value: Any
    default: Any
    source: Source
    place: str
    least: float | None = None
    most: float | None = None
    waits: bool = False
