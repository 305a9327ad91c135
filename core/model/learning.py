"""Learning from logs: events, the facts that rules find in them, and results."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

from core.base.frozen import Texts, ValueMap, frozen
from core.base.messages import Message, plural

LogLevel = Literal["", "debug", "info", "warning", "error"]
EventKind = Literal["log", "request", "test", "command", "message"]
NoteSource = Literal["log_learning", "test_learning", "manual", "import", "pack", "program"]

ORIGIN = "source_ref"
"""Property of a note with its origin: a file and its lines."""
NOTE_SOURCES = tuple(arg for arg in get_args(NoteSource) if arg != "pack")
"""Note sources that a program may set; only packs have the source `pack`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogEvent:
    """An event in a log: a message with stack trace, a request, a test, a command with output, or a chat message.

    `line` and `end` are its first and last line in the file, from 1, or its number in a file that isn't read by lines.
    `time` has the log's format. `source` is the logger, the service or the speaker. `count` is the number of
    repetitions in a row. `fields` holds the parser's other values: `outcome` (passed, failed, skipped), `seconds`,
    `method`, `path`, `status`, `command`.
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
    """The events of a log, with secrets masked; `format` is the parser that read it.

    `secrets` counts the masked secrets, `cut` the lines that were truncated, and `left_out` the events beyond the limit
    of one log.
    """

    name: str
    format: str
    events: tuple[LogEvent, ...]
    secrets: int = 0
    cut: int = 0
    left_out: int = 0


@frozen
class Fact:
    """A fact that a rule or a model found in a log.

    `key` identifies the fact across logs in which times, process numbers and counts differ. `lines` are its lines in
    the log, `quotes` their texts.
    """

    rule: str
    key: str
    title: Message
    text: Message
    lines: tuple[int, ...]
    quotes: Texts
    type: str
    category: str
    tags: Texts = ()
    priority: int = 0
    scope: str = ""
    metadata: ValueMap = field(default_factory=dict)


@frozen
class LearntFact:
    """A fact that was suggested as a note. `rejected`: the user refused it, for the given `reason`."""

    rule: str
    key: str
    note_id: str
    rejected: bool = False
    reason: str = ""


@frozen
class Dropped:
    title: str
    reason: Message


@frozen
class LearntLog:
    """Result of learning from a log: counts of events and facts, and the ids of the suggested notes.

    `known` facts were suggested before and `rejected` facts were refused by the user; neither is suggested again.
    `by_model` are the suggested notes from the model; the others come from rules. `dropped` are the model's suggestions
    that didn't become notes. `unsent` events didn't fit the model's input.
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
    suggested: Texts
    by_model: Texts = ()
    dropped: tuple[Dropped, ...] = ()
    unsent: int = 0


_COUNTS: Mapping[str, Message] = {
    "suggested": plural("{n} note suggested", "{n} notes suggested"),
    "by_model": plural("{n} of them by the language model", "{n} of them by the language model"),
    "known": plural("{n} was suggested before", "{n} were suggested before"),
    "rejected": plural(
        "{n} was rejected before and isn't suggested again", "{n} were rejected before and aren't suggested again"
    ),
    "secrets": plural("{n} secret was masked", "{n} secrets were masked"),
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
    """Return a sentence about the suggested notes, then one for each other count that isn't zero."""
    counts = {name: sum(_number(getattr(log, name)) for log in logs) for name in _COUNTS if name not in without}
    return [
        replace(_COUNTS[name], fields={"n": count}) for name, count in counts.items() if count or name == "suggested"
    ]


def _number(count: int | tuple[object, ...]) -> int:
    return count if isinstance(count, int) else len(count)


@frozen
class UnreadLog:
    path: str
    reason: Message


@frozen
class LearningReport:
    """Result of learning from logs into a base; `failed` logs can't be read.

    `model` is the language model used, or ""; `problem` is the error that ended its work early.
    """

    base: str
    logs: tuple[LearntLog, ...]
    failed: tuple[UnreadLog, ...] = ()
    model: str = ""
    problem: Message | None = None


@frozen
class RuleCard:
    name: str
    about: Message
