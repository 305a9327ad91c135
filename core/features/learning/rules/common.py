"""Functions shared by rules: normal forms of texts across logs, paths of requests, and facts."""

import re
from collections.abc import Iterable, Sequence

from core.base.messages import Message
from core.base.text import fold, one_line
from core.features.learning.masks import unnumbered
from core.model import Fact, LogEvent

_VARYING = re.compile(
    r"(?i)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|0x[0-9a-f]+|(?<![a-z0-9])(?=[a-z]*\d)[0-9a-f]{8,}(?![a-z0-9])"
    r"|\d+(?:[.,:]\d+)*",
)
_NUMBER = re.compile(r"(?<![a-z])\d+")
_REQUEST = re.compile(
    r"\b(GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) (?:https?://[^\s/\"']{1,200})?(/[^\s\"'?#,，：:）)]{0,500})"
)
_CALL = re.compile(r"\bcurl\b[^\n]{0,2000}?https?://[^\s/\"']{1,200}(?P<path>/[^\s\"'?#]{0,500})")
_METHOD = re.compile(r"(?:-X|--request) ?([A-Z]{3,7})\b")
_PART = re.compile(r"(?i)\d+|[0-9a-f]{8,}|[0-9a-f]{8}-[0-9a-f-]{27}")
_MOST_QUOTES = 6
_MOST_QUOTE = 400
MOST_TITLE = 160


def generalise(text: str) -> str:
    """Return a form of a text that is the same in every log: without numbers, identifiers and mask numbers."""
    return " ".join(_VARYING.sub("#", fold(unnumbered(text))).split())


def generalise_source(source: str) -> str:
    """Return a form of a source that is the same in every log: `worker-3` becomes `worker-#`, but `api2` stays."""
    return " ".join(_NUMBER.sub("#", fold(source)).split())


def normalise_exact(text: str) -> str:
    """Return a text without case, extra white space and mask numbers, but with its own numbers."""
    return " ".join(fold(unnumbered(text)).split())


def abbreviate(text: str, most: int = MOST_TITLE) -> str:
    """Return a text on one line, cut to `most` characters with an ellipsis."""
    line = one_line(text)
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"


def first_line(event: LogEvent) -> str:
    return event.text.partition("\n")[0]


def place_of(path: str) -> str:
    """Return a path with its ids replaced by `{id}`."""
    parts = path.partition("?")[0].split("/")
    return "/".join("{id}" if _PART.fullmatch(part) else part for part in parts)


def request_of(event: LogEvent) -> str:
    """Return the method and path of the request that an event is about, "" without one."""
    if "path" in event.fields:
        return f"{event.fields.get('method', '')} {place_of(event.fields['path'])}".strip()
    if match := _REQUEST.search(event.text):
        return f"{match[1]} {place_of(match[2])}"
    if match := _CALL.search(first_line(event)):
        method = _METHOD.search(first_line(event))
        sends = re.search(r" (?:-d|--data\S*|-F) ", first_line(event))
        return f"{method[1] if method else 'POST' if sends else 'GET'} {place_of(match['path'])}"
    return ""


def fact(
    rule: str,
    key: Iterable[str],
    title: Message,
    text: Message,
    events: Sequence[LogEvent],
    kind: tuple[str, str],
) -> Fact:
    """Return a fact that quotes its events; if they are many, only the first ones and the last one."""
    sources = events if len(events) <= _MOST_QUOTES else [*events[: _MOST_QUOTES - 1], events[-1]]
    lines = tuple(number for event in sources for number in {event.line: 0, max(event.line, event.end): 0})
    return Fact(rule, "\n".join(key), title, text, lines, tuple(map(_quote, sources)), *kind)


def _quote(event: LogEvent) -> str:
    """Return the quote of an event; if it is long, only its first and last lines."""
    lines = [line.rstrip() for line in event.text.split("\n") if line.strip()]
    if len(lines) > _MOST_QUOTES:
        lines = [*lines[:3], "…", *lines[-2:]]
    head = " ".join(filter(None, (event.time, event.source if event.kind != "test" else "")))
    lines[:1] = [f"{head} {lines[0]}".strip()] if lines else []
    return "\n".join(line if len(line) <= _MOST_QUOTE else line[:_MOST_QUOTE] + "…" for line in lines)
