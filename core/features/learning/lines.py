"""Parsers that read logs line by line, for any text, logfmt, web server access logs, and JSON Lines."""

import json
import re
from abc import ABC, abstractmethod
from dataclasses import replace
from itertools import groupby

from core.base.frozen import Pair, ValueMap
from core.features.learning import LogEvents
from core.model import TIME_MARK, LogEvent, LogLevel

_TIMES = (
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)? ?(?:Z|[+-]\d\d:?\d\d)?",
    r"\d{4}/\d\d/\d\d \d\d:\d\d:\d\d(?:[.,]\d{1,9})?",
    r"[A-Z][a-z]{2} {1,2}\d{1,2} \d\d:\d\d:\d\d",
    r"[A-Z][a-z]{2} [A-Z][a-z]{2} {1,2}\d{1,2} \d\d:\d\d:\d\d(?:\.\d{1,9})? \d{4}",
    r"\d{4}年\d{1,2}月\d{1,2}日 ?\d\d:\d\d(?::\d\d)?",
    r"\d\d:\d\d:\d\d(?:[.,]\d{1,9})?",
)
# Log levels, keyed by the names used in logs.
_LEVELS: dict[str, LogLevel] = {
    **dict.fromkeys("TRACE DEBUG VERBOSE 调试".split(), "debug"),
    **dict.fromkeys("INFO NOTICE 信息".split(), "info"),
    **dict.fromkeys("WARN WARNING 警告".split(), "warning"),
    **dict.fromkeys("ERROR ERR FATAL CRITICAL CRIT ALERT EMERG PANIC SEVERE 错误 严重".split(), "error"),
}
_LEVEL = "|".join(sorted(_LEVELS, key=len, reverse=True))
_HEAD = re.compile(
    rf"(?s)(?:[\w.-]{{1,40}} {{0,8}}\| )?[\[(]?(?P<time>{'|'.join(_TIMES)})[\])]?[,:]?(?:\s+|$)(?P<rest>.*)"
)
_BEFORE_LEVEL = r"(?:[\[(][\w .:/#-]{1,60}[\])]\s*|[\w./:-]{1,60}\s+(?:-\s+)?){0,3}?"
_LEVELLED = re.compile(
    rf"(?s)(?P<before>{_BEFORE_LEVEL})[\[(<]?(?P<level>(?i:{_LEVEL}))[\])>]?(?![\w=])\s*[:|-]?\s*(?P<rest>.*)"
)
_LEVEL_FIRST = re.compile(rf"(?s)[\[(<]?(?P<level>{_LEVEL})[\])>]?(?::|\s|$)\s*(?P<rest>.*)")
_SOURCE = re.compile(
    r"(?:\[(?P<bracket>[\w .:/#-]{1,60})\]\s*(?:[:-]\s+)?"
    r"|(?P<program>[\w./-]{1,60})\[\d{1,8}\]:\s+"
    r"|(?P<name>[A-Za-z_\u4e00-\u9fff][\w./-]{0,59}):\s+(?=\S)"
    r"|(?P<dashed>[A-Za-z_\u4e00-\u9fff][\w./-]{0,59})\s+-\s+)"
)
# A process or thread number. It doesn't count as a source.
_PROCESS = re.compile(r"(?i)(?:pid|tid|thread|worker|proc)?[-#: ]?\d+(?:#\d+)?")
# A shell prompt followed by a command.
PROMPT = re.compile(
    r"(?:(?:\([\w.-]{1,40}\) )?(?:[\w.-]{1,40}@[\w.-]{1,60}[: ][^\s$#]{0,80}[$#]|\$|❯|PS [^>\n]{0,80}>))"
    r" +(?P<command>\S(?:.*\S)?)"
)
# A line in which the user says how an error was solved.
SOLVED = re.compile(
    r"(?i)\W{0,3}(?:fix(?:ed)?(?: it| this)?|solution|solved|resolution"
    r"|解决(?:办法|方法|方案)?|已解决|修复(?:方法)?)\s*[:：]\s*\S"
)
_LOGFMT = re.compile(r"(?s)(?=.{0,4000}\b(?:level|lvl|severity)=).{0,4000}\b(?:msg|message)=")
_PAIR = re.compile(r'(?<![\w.-])([A-Za-z_][\w.-]{0,60})=("(?:[^"\\]|\\.){0,2000}"|[^\s"]{1,2000})')
_TRACEBACK = "Traceback (most recent call last):"
_RAISED = re.compile(r"[A-Za-z_][\w.]{0,100}(?:: .*|:?$)")
_CONTINUED = re.compile(r"\s+\S|Caused by: |Suppressed: |\.\.\. \d+ more|goroutine \d+ \[|stack backtrace:")
# Maximum number of lines per event. Any further lines are dropped.
_MOST_LINES = 200
_REQUEST = re.compile(
    r'(?P<host>[\w.:-]{1,100}) [^\s"]{1,100} [^\s"]{1,100} \[(?P<time>[^\]\n]{10,40})\] '
    r'"(?P<method>[A-Z]{2,10}) (?P<path>[^\s"?]{1,2000})[^"\n]{0,4000}" (?P<status>\d{3}) \S+(?P<rest>.*)'
)
_TOOK = re.compile(r"(?:rt|request_time|time|duration)=\"?(?P<named>\d{1,6}\.\d{1,6})|\s(?P<last>\d{1,6}\.\d{3})$")

# Names used by structured loggers for the parts of an event.
_NAMES = {
    "time": "time timestamp ts @timestamp t date".split(),
    "level": "level lvl severity levelname log.level".split(),
    "source": "logger service component name source module app".split(),
    "text": "message msg event text error".split(),
    "trace": "stack stacktrace stack_trace exception traceback exc_info".split(),
}
# Numeric levels, as written by pino.
_NUMBERED = {"10": "debug", "20": "info", "30": "info", "40": "warning", "50": "error", "60": "error"}
_FIELDS = {"method": "method", "path": "path", "url": "path", "status": "status", "status_code": "status"}
_SECONDS = {"duration_ms": 0.001, "elapsed_ms": 0.001, "latency_ms": 0.001, "duration": 1.0, "seconds": 1.0}
_MOST_VALUE = 2000


def level_of(name: str) -> LogLevel:
    """Return the level for a name used in logs, or "" if the name is unknown."""
    return _LEVELS.get(name.strip().upper(), "")


class Plain:
    """Parses any text line by line, as a fallback for unknown formats."""

    by_lines = True

    def fits(self, name: str, sample: str) -> float:
        return 0.1

    def events(self, text: str) -> LogEvents:
        return _repeated(_plain_events(text.removesuffix("\n").split("\n")))


class _LineParser(ABC):
    """Parses a log with one event per line."""

    by_lines = True
    fit = 0.9

    def fits(self, name: str, sample: str) -> float:
        """Return `fit` if most of the first 50 lines are in the parser's format, or 0 if not."""
        lines = [line for line in sample.split("\n") if line.strip()][:50]
        return self.fit if 2 * len([*filter(self._read, lines)]) > len(lines) else 0.0

    def events(self, text: str) -> LogEvents:
        return _repeated(
            replace(self._read(line) or LogEvent(text=line), line=number, end=number)
            for number, line in enumerate(text.split("\n"), 1)
            if line.strip()
        )

    @abstractmethod
    def _read(self, line: str) -> LogEvent | None:
        """Return the event in a line, or None if the line is in another format."""


class AccessLog(_LineParser):
    """Parses access logs in the common or combined format. Request durations are read too if they are logged."""

    def _read(self, line: str) -> LogEvent | None:
        if (match := _REQUEST.match(line)) is None:
            return None
        fields = {name: match[name] for name in ("method", "path", "status")}
        if took := _TOOK.search(match["rest"]):
            fields["seconds"] = took["named"] or took["last"]
        level: LogLevel = "error" if match["status"] >= "500" else "warning" if match["status"] >= "400" else "info"
        return LogEvent(
            text=f"{match['method']} {match['path']} {match['status']}{match['rest']}",
            time=match["time"],
            level=level,
            kind="request",
            fields=fields,
        )


class JsonLines(_LineParser):
    """Parses logs in which most lines are JSON objects. Any other line becomes an event with the line as its text."""

    fit = 0.8

    def _read(self, line: str) -> LogEvent | None:
        try:
            values = json.loads(line) if line.lstrip().startswith("{") else None
            event = _structured(values) if values else None
        except (ValueError, RecursionError):  # truncated, or nested too deeply
            return None
        return event if event and event.text.strip() else None


def _repeated(events: LogEvents) -> LogEvents:
    """Yield events, merging consecutive identical events into one with a count."""
    for _, group in groupby(events, lambda event: (event.text, event.level, event.source, event.kind)):
        equal = [*group]
        yield replace(equal[0], count=len(equal), end=equal[-1].end)


def _plain_events(lines: list[str]) -> LogEvents:
    first_lines = [line for line in lines[:400] if line.strip()]
    headed = 3 * sum(_is_headed(line) for line in first_lines) > len(first_lines)
    parts = list[str]()
    for number, line in enumerate(lines, 1):
        if parts and _belongs(line, parts, headed):
            parts.append(line)
            continue
        yield from _event(parts, number - len(parts))
        parts = [line] if line.strip() else []
    yield from _event(parts, len(lines) + 1 - len(parts))


def _is_headed(line: str) -> bool:
    return bool(_head(line) or _LOGFMT.match(line))


def _belongs(line: str, parts: list[str], headed: bool) -> bool:
    """Return whether a line continues the event in `parts`.

    Such lines are part of a stack trace or of a command's output, or are indented.
    """
    if PROMPT.match(line) or SOLVED.match(line):
        return False
    if PROMPT.match(parts[0]):
        return not _head(line)
    in_traceback = any(part.startswith(_TRACEBACK) for part in (*parts[:3], *parts[-3:]))
    if not line.strip():
        return in_traceback and len(parts) > 1
    if _is_headed(line):
        return False
    chains = (_TRACEBACK, "During handling of the above exception", "The above exception was the direct cause")
    if headed or _CONTINUED.match(line) or line.startswith(chains):
        return True
    return in_traceback and bool(_RAISED.match(line)) and parts[-1].startswith((" ", "\t"))


def _event(parts: list[str], first: int) -> LogEvents:
    """Yield the event formed by a group of lines, if there is one. `first` is the number of the first line."""
    if not parts:
        return
    whole = "\n".join(parts).rstrip()
    line = parts[0]
    if prompt := PROMPT.match(line):
        event = LogEvent(text=line, kind="command", fields=prompt.groupdict())
    elif _LOGFMT.match(line):
        event = _structured({name: value.strip('"') for name, value in _PAIR.findall(line)})
    else:
        is_error = line.startswith((_TRACEBACK, "panic:")) or re.match(
            r"(?i)\b(?:error|exception|fatal|panic|failed)\b|错误|异常|失败", line
        )
        event = _head(line) or LogEvent(text=line, level="error" if is_error else "")
    text = "\n".join([event.text, *whole.split("\n")[1:_MOST_LINES]]).strip("\n")
    head = line.removesuffix(event.text) if line.endswith(event.text) else ""
    if text.strip():
        yield replace(
            event,
            text=text,
            line=first,
            end=first + whole.count("\n"),
            head=head.replace(event.time or "\n", TIME_MARK),
        )


def _head(line: str) -> LogEvent | None:
    """Return the event in a line that begins with a time or a level, or None for any other line."""
    if match := _HEAD.match(line):
        rest = match["rest"]
        if re.fullmatch(_TIMES[2], match["time"]):
            rest = rest.partition(" ")[2]  # skip the host name
        level = ""
        before = ""
        if levelled := _LEVELLED.match(rest):
            level, before, rest = levelled.group("level", "before", "rest")
        source, text = _source(rest)
        names = [part for part in re.split(r"[\s\[\]()-]+", before) if part and not _PROCESS.fullmatch(part)]
        source = source or "".join(names[-1:]).rstrip(":")
        return LogEvent(text=text, time=match["time"].strip(), level=level_of(level), source=source)
    if match := _LEVEL_FIRST.match(line):
        source, text = _source(match["rest"])
        return LogEvent(text=text, level=_LEVELS[match["level"]], source=source)
    return None


def _source(rest: str) -> Pair:
    """Split a message into its source and the rest. A name before a dash takes precedence over a name in brackets."""
    source = ""
    while match := _SOURCE.match(rest):
        name = "".join(filter(None, match.groups()))
        name = "" if _PROCESS.fullmatch(name) else name
        if name and not match["bracket"]:
            return (name, rest[match.end() :]) if match["dashed"] or not source else (source, rest)
        source = source or name
        rest = rest[match.end() :]
    return source, rest


def _structured(values: ValueMap) -> LogEvent:
    """Return an event built from named values. Values with unknown names are appended to the message as pairs."""
    rest = dict(values)
    taken = dict.fromkeys(_NAMES, "")
    for part, names in _NAMES.items():
        for name in names:
            value = rest.get(name)
            if not isinstance(value, (dict, list)) and value not in (None, ""):
                taken[part] = str(rest.pop(name))[:_MOST_VALUE]
                break
    fields = {to: str(rest[name]) for name, to in _FIELDS.items() if isinstance(rest.get(name), (str, int))}
    for name, unit in _SECONDS.items():
        if isinstance(value := rest.get(name), (int, float)):
            fields["seconds"] = f"{value * unit:.3f}"
    pairs = " ".join(f"{name}={_format_value(value)}" for name, value in rest.items())
    return LogEvent(
        text="\n".join(filter(None, [f"{taken['text']} {pairs}".strip(), taken["trace"]])),
        time=taken["time"],
        level=level_of(_NUMBERED.get(taken["level"], taken["level"])),
        source=taken["source"],
        kind="request" if {"method", "path"} <= fields.keys() else "log",
        fields=fields,
    )


def _format_value(value: object) -> str:
    """Return a value as JSON. A non-empty string without white space is left unquoted."""
    if isinstance(value, str) and value and not any(map(str.isspace, value)):
        return value[:_MOST_VALUE]
    return json.dumps(value, ensure_ascii=False)[:_MOST_VALUE]
