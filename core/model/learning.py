"""Learning from logs: their events, the facts that rules read from them, and the results."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

from core.base.frozen import frozen
from core.base.messages import Message, plural

LogLevel = Literal["", "debug", "info", "warning", "error"]
EventKind = Literal["log", "request", "test", "command", "message"]
NoteSource = Literal["log_learning", "test_learning", "manual", "import", "pack", "program"]

ORIGIN = "source_ref"
"""The property of a note with its origin: a file and its lines."""
NOTE_SOURCES = tuple(arg for arg in get_args(NoteSource) if arg != "pack")
"""Sources of a note that a program may name; that of packs is theirs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogEvent:
    """An event of a log: a message with its stack trace, a request, a test, a command and its output, a part of a chat.

    `line` and `end` are its lines in the file, from 1; in a file that isn't read by lines, its number there. `time` is
    as the log writes it. `source` is the logger, the service, or the speaker. `count` is how often the event is
    repeated in a row. `fields` are what else a parser reads: `outcome` (passed, failed, skipped), `seconds`, `method`,
    `path`, `status`, `command`.
    """

    text: str
    line: int = 1
    end: int = 0
    time: str = ""
    level: LogLevel = ""
    source: str = ""
    kind: EventKind = "log"
    count: int = 1
    fields: Mapping[str, str] = field(default_factory=dict)


@frozen
class LogText:
    """A log as its masked events; `format` is the parser that read it.

    `secrets` were masked. `cut` lines were longer than a line may be, and lost their ends. `left_out` events are more
    than one log may have.
    """

    name: str
    format: str
    events: tuple[LogEvent, ...]
    secrets: int = 0
    cut: int = 0
    left_out: int = 0


@frozen
class Fact:
    """A fact that a rule or a model read from a log.

    `key` identifies the fact: it is the same in another log, where times, numbers of processes and counts differ.
    `lines` are its lines in the log, `quotes` their text.
    """

    rule: str
    key: str
    title: Message
    text: Message
    lines: tuple[int, ...]
    quotes: tuple[str, ...]
    type: str
    category: str
    tags: tuple[str, ...] = ()
    priority: int = 0
    scope: str = ""
    metadata: Mapping[str, object] = field(default_factory=dict)


@frozen
class LearntFact:
    """A fact that was suggested as a note, or `rejected`, with the user's reason."""

    rule: str
    key: str
    note_id: str
    rejected: bool = False
    reason: str = ""


@frozen
class Dropped:
    """A suggestion of a model that became no note, and why."""

    title: str
    reason: Message


@frozen
class LearntLog:
    """What was learnt from a log: its events, the facts in it, and the ids of the notes that were suggested.

    `known` facts were suggested before, and `rejected` ones are those that the user rejected; neither is suggested
    again. The notes `by_model` are those of `suggested` by the model, the others are by rules; `dropped` are
    suggestions of the model that became no note. `unsent` events are more than a model is sent.
    """

    name: str
    format: str
    events: int
    secrets: int
    cut: int
    left_out: int
    facts: int
    known: int
    rejected: int
    suggested: tuple[str, ...]
    by_model: tuple[str, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    unsent: int = 0


_COUNTS: Mapping[str, Message] = {
    "suggested": plural("{n} note suggested", "{n} notes suggested"),
    "by_model": plural("{n} of them by the language model", "{n} of them by the language model"),
    "known": plural("{n} was suggested before", "{n} were suggested before"),
    "rejected": plural(
        "{n} was rejected before and isn't suggested again", "{n} were rejected before and aren't suggested again"
    ),
    "secrets": plural("{n} secret is masked", "{n} secrets are masked"),
    "cut": plural("{n} line is too long: its end wasn't read", "{n} lines are too long: their ends weren't read"),
    "left_out": plural(
        "{n} event is left out because the log is too long", "{n} events are left out because the log is too long"
    ),
    "dropped": plural("{n} suggestion dropped", "{n} suggestions dropped"),
    "unsent": plural(
        "{n} event wasn't sent to the language model because the log is too long",
        "{n} events weren't sent to the language model because the log is too long",
    ),
}


def learnt_lines(logs: Sequence[LearntLog], *, without: Sequence[str]) -> list[Message]:
    """Return the suggested notes of logs as a sentence, then one for each other count that isn't zero."""
    counts = {name: sum(_number(getattr(log, name)) for log in logs) for name in _COUNTS if name not in without}
    return [
        replace(_COUNTS[name], fields={"n": count}) for name, count in counts.items() if count or name == "suggested"
    ]


def _number(count: int | tuple[object, ...]) -> int:
    return count if isinstance(count, int) else len(count)


@frozen
class UnreadLog:
    """A log that can't be read, and why."""

    path: str
    reason: Message


@frozen
class LearningReport:
    """The result of learning into a base: the logs, and those that can't be read.

    `model` is the language model that was used, "" for none; `problem` is the error that ended its work early.
    """

    base: str
    logs: tuple[LearntLog, ...]
    failed: tuple[UnreadLog, ...] = ()
    model: str = ""
    problem: Message | None = None


@frozen
class RuleCard:
    """A rule that reads facts from logs, and what it looks for."""

    name: str
    about: Message
