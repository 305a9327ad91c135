"""Logs as lines of text: times, levels, stack traces, prompts, and the access logs of web servers."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from core.features.learning.heads import head_of, level_of, pairs_of
from core.model import LogEvent, LogLevel

PROMPT = re.compile(
    r"(?:(?:\([\w.-]{1,40}\) )?(?:[\w.-]{1,40}@[\w.-]{1,60}[: ][^\s$#]{0,80}[$#]|\$|❯|PS [^>\n]{0,80}>))"
    r" +(?P<command>\S.*)"
)
"""A shell prompt with a command."""
_LOGFMT = re.compile(r"(?s)(?=.{0,4000}\b(?:level|lvl|severity)=).{0,4000}\b(?:msg|message)=")
_TRACEBACK = "Traceback (most recent call last):"
_CHAINS = ("During handling of the above exception", "The above exception was the direct cause")
_RAISED = re.compile(r"[A-Za-z_][\w.]{0,100}(?:: .*|:?$)")
_CONTINUED = re.compile(r"\s+\S|Caused by: |Suppressed: |\.\.\. \d+ more|goroutine \d+ \[|stack backtrace:")
_ERROR = re.compile(r"(?i)\b(?:error|exception|fatal|panic|failed)\b|错误|异常|失败")
_MOST_LINES = 200
"""Maximum number of lines per event; the others are left out."""

_LINE = re.compile(
    r'(?P<host>[\w.:-]{1,100}) [^\s"]{1,100} [^\s"]{1,100} \[(?P<time>[^\]\n]{10,40})\] '
    r'"(?P<method>[A-Z]{2,10}) (?P<path>[^\s"?]{1,2000})[^"\n]{0,4000}" (?P<status>\d{3}) \S+(?P<rest>.*)'
)
_TIMES = re.compile(r"(?:rt|request_time|time|duration)=\"?(?P<named>\d{1,6}\.\d{1,6})|\s(?P<last>\d{1,6}\.\d{3})$")


class Plain:
    """Reads any text line by line; the fallback for other formats."""

    by_lines = True

    def fits(self, name: str, sample: str) -> float:
        return 0.1

    def events(self, text: str) -> Iterable[LogEvent]:
        return repeated(self._events(text.split("\n")))

    def _events(self, lines: list[str]) -> Iterator[LogEvent]:
        lines = [*lines[:-1], *filter(None, lines[-1:])]
        heads = sum(head_of(line) is not None or bool(_LOGFMT.match(line)) for line in lines[:400])
        headed = 3 * heads > sum(bool(line.strip()) for line in lines[:400])
        parts: list[str] = []
        first = 1
        for number, line in enumerate(lines, 1):
            if parts and _belongs(line, parts, headed):
                parts.append(line)
                continue
            yield from _event(parts, first)
            parts, first = ([line] if line.strip() else []), number
        yield from _event(parts, first)


def repeated(events: Iterable[LogEvent]) -> Iterator[LogEvent]:
    """Yield events; merge consecutive equal ones into one with a count."""
    last: LogEvent | None = None
    for event in events:
        if last and (event.text, event.level, event.source, event.kind) == (
            last.text,
            last.level,
            last.source,
            last.kind,
        ):
            last = replace(last, count=last.count + event.count, end=event.end or event.line)
            continue
        if last:
            yield last
        last = event
    if last:
        yield last


def _belongs(line: str, parts: list[str], headed: bool) -> bool:
    """Return whether a line continues an event: a stack trace, the output of a command, an indented line."""
    if PROMPT.match(line):
        return False
    if PROMPT.match(parts[0]):
        return not head_of(line)
    if not line.strip():
        return _in_traceback(parts) and len(parts) > 1
    if head_of(line) or _LOGFMT.match(line):
        return False
    if headed or _CONTINUED.match(line) or line.startswith((_TRACEBACK, *_CHAINS)):
        return True
    return _in_traceback(parts) and bool(_RAISED.match(line)) and (parts[-1].startswith((" ", "\t")))


def _in_traceback(parts: list[str]) -> bool:
    return any(part.startswith(_TRACEBACK) for part in parts[:3]) or any(
        part.startswith(_TRACEBACK) for part in parts[-3:]
    )


def _event(parts: list[str], first: int) -> Iterator[LogEvent]:
    while parts and not parts[-1].strip():
        parts = parts[:-1]
    if not parts:
        return
    line = parts[0]
    event = LogEvent(text=line, line=first, end=first + len(parts) - 1)
    if prompt := PROMPT.match(line):
        event = replace(event, kind="command", fields={"command": prompt["command"].strip()})
    elif _LOGFMT.match(line):
        pairs = pairs_of(line)
        time, level, source = (next(filter(None, map(pairs.get, names)), "") for names in _HEADS)
        message = pairs.pop("msg", "") or pairs.pop("message", "")
        rest = (f"{name}={value}" for name, value in pairs.items() if not any(name in names for names in _HEADS))
        text = " ".join([message, *rest]).strip()
        event = replace(event, text=text, time=time, level=level_of(level), source=source)
    elif head := head_of(line):
        event = replace(event, text=head.message, time=head.time, level=head.level, source=head.source)
    elif line.startswith((_TRACEBACK, "panic:")) or _ERROR.match(line):
        event = replace(event, level="error")
    text = "\n".join([event.text, *parts[1:_MOST_LINES]]).strip("\n")
    if text.strip():
        yield replace(event, text=text)


_HEADS = (("time", "ts"), ("level", "lvl", "severity"), ("logger", "component", "service"))
"""Names of the logfmt pairs with the time, the level and the source of an event."""


class AccessLog:
    """Reads access logs in the common and the combined format, with the duration of requests if it is logged."""

    by_lines = True

    def fits(self, name: str, sample: str) -> float:
        lines = [line for line in sample.split("\n") if line.strip()][:50]
        return 0.9 if lines and 2 * sum(bool(_LINE.match(line)) for line in lines) > len(lines) else 0.0

    def events(self, text: str) -> Iterable[LogEvent]:
        return repeated(_events(text))


def _events(text: str) -> Iterator[LogEvent]:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        match = _LINE.match(line)
        if match is None:
            yield LogEvent(text=line, line=number, end=number)
            continue
        fields = {name: match[name] for name in ("method", "path", "status")}
        if time := _TIMES.search(match["rest"]):
            fields["seconds"] = time["named"] or time["last"]
        status = int(match["status"])
        level: LogLevel = "error" if status >= 500 else "warning" if status >= 400 else "info"
        said = f"{match['method']} {match['path']} {status}{match['rest']}"
        yield LogEvent(
            text=said, line=number, end=number, time=match["time"], level=level, kind="request", fields=fields
        )
