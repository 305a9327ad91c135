"""The results of learning from logs, with the events and facts found in the logs."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

from core.base.frozen import TextMap, Texts, ValueMap, frozen
from core.base.messages import Message, plural, verbatim

LogLevel = Literal["", "debug", "info", "warning", "error"]
EventKind = Literal["log", "request", "test", "command", "message"]
NoteSource = Literal["log_learning", "test_learning", "manual", "import", "pack", "program"]

# Note property that holds the note's origin as a file and line numbers.
ORIGIN = "source_ref"
# Note sources that a program may set. The source `pack` is reserved for packs.
NOTE_SOURCES = tuple(arg for arg in get_args(NoteSource) if arg != "pack")


TIME_MARK = "{time}"


@dataclass(frozen=True, slots=True, kw_only=True)
class LogEvent:
    """An event in a log, such as a message with its stack trace, a request, a test, a command, or a chat message.

    `line` and `end` are the event's first and last lines in the file, counting from 1. In a file that isn't read line
    by line, `line` and `end` are the event's number. `time` is in the log's format. `source` is the logger, the service
    or the speaker. `count` is how often the event occurs in a row. `head` is what comes before `text` in its line, with
    TIME_MARK in place of the time. `fields` holds any other values that the parser found: `outcome` (passed, failed,
    skipped), `seconds`, `method`, `path`, `status`, `command`.
    """

    text: str
    line: int = 1
    end: int = 0
    time: str = ""
    level: LogLevel = ""
    source: str = ""
    kind: EventKind = "log"
    count: int = 1
    head: str = ""
    fields: TextMap = field(default_factory=dict)


@frozen
class LogText:
    """A log's events, with secrets masked. `format` is the name of the parser that read the log.

    If `by_message` is True, the line numbers of events are numbers of messages, as in an exported chat.
    `secrets` counts the masked secrets, and `cut` the truncated lines. `left_out` counts the events beyond the limit
    per log.
    """

    name: str
    format: str
    events: tuple[LogEvent, ...]
    secrets: int = 0
    cut: int = 0
    left_out: int = 0
    by_message: bool = False


@frozen
class Fact:
    """A fact found in a log by a rule or a model.

    `key` stays the same if the fact occurs in another log with different times, process ids and counts. `quotes` are
    the texts of events in the log, and `lines` are the first and last lines of each.
    """

    rule: str
    key: str
    title: Message
    text: Message
    lines: tuple[tuple[int, int], ...]
    quotes: Texts
    type: str
    category: str
    tags: Texts = ()
    priority: int = 0
    scope: str = ""
    metadata: ValueMap = field(default_factory=dict)


@frozen
class LearntFact:
    """A fact that was suggested as a note. If `rejected` is True, the user rejected the note for the given `reason`."""

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
    """The result of learning from a log, with counts of events and facts, and the ids of the suggested notes.

    `known` facts were suggested before, and `rejected` facts were rejected by the user. Neither kind is suggested
    again. `by_model` are the notes suggested by the language model. The rest were suggested by rules. `dropped` are the
    model's suggestions that didn't become notes. `unsent` counts the events that didn't fit into the model's input.
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


_COUNTS = {
    "suggested": plural("{n} note suggested", "{n} notes suggested"),
    "by_model": plural("{n} of them by the language model", "{n} of them by the language model"),
    "known": plural("{n} was suggested before", "{n} were suggested before"),
    "rejected": plural(
        "{n} was rejected before and isn't suggested again", "{n} were rejected before and aren't suggested again"
    ),
    "secrets": plural("{n} secret or address was masked", "{n} secrets or addresses were masked"),
    "cut": plural(
        "the end of {n} line wasn't read because the line is too long",
        ("the ends of {n} lines weren't read because the lines are too long"),
    ),
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
    """Return a sentence about the suggested notes, followed by a sentence for each of the other nonzero counts."""
    counts = {name: sum(_number(getattr(log, name)) for log in logs) for name in _COUNTS if name not in without}
    return [
        replace(_COUNTS[name], fields={"n": count}) for name, count in counts.items() if count or name == "suggested"
    ]


def _number(count: int | tuple[object, ...]) -> int:
    return count if isinstance(count, int) else len(count)


def place_line(place: str) -> Message:
    """Return a phrase that names lines of a file or messages of a chat, given as `app.log:12-14,31` or `chat.json#3`.

    A place in any other form is returned unchanged.
    """
    parts = re.fullmatch(r"(?s)(.+)([:#])(\d[\d,-]*)", place)
    if not parts:
        return verbatim(place)
    name, mark, numbers = parts.groups()
    count = 1 if numbers.isdecimal() else 2
    line = plural("{name}, line {lines}", "{name}, lines {lines}", n=count)
    if mark == "#":
        line = plural("{name}, message {lines}", "{name}, messages {lines}", n=count)
    return replace(line, fields={**line.fields, "name": name, "lines": numbers.replace("-", "–").split(",")})


@frozen
class UnreadLog:
    path: str
    reason: Message


@frozen
class LearningReport:
    """The result of learning from logs into a base. `failed` lists the logs that can't be read.

    `model` is the language model used, or "" if none was used. `problem` is the error that made the language model stop
    early.
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
