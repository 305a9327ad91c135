"""Parsing the head of a log line (time, level and source), and levels, durations and pairs in texts."""

import re

from core.base.frozen import frozen
from core.model import LogLevel

_TIMES = (
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)? ?(?:Z|[+-]\d\d:?\d\d)?",
    r"\d{4}/\d\d/\d\d \d\d:\d\d:\d\d(?:[.,]\d{1,9})?",
    r"[A-Z][a-z]{2} {1,2}\d{1,2} \d\d:\d\d:\d\d",
    r"[A-Z][a-z]{2} [A-Z][a-z]{2} {1,2}\d{1,2} \d\d:\d\d:\d\d(?:\.\d{1,9})? \d{4}",
    r"\d{4}年\d{1,2}月\d{1,2}日 ?\d\d:\d\d(?::\d\d)?",
    r"\d\d:\d\d:\d\d(?:[.,]\d{1,9})?",
)
TIME = "|".join(_TIMES)
_SYSLOG = re.compile(_TIMES[2])
_LEVELS: dict[str, LogLevel] = {
    **dict.fromkeys(("TRACE", "DEBUG", "VERBOSE", "调试"), "debug"),
    **dict.fromkeys(("INFO", "NOTICE", "信息"), "info"),
    **dict.fromkeys(("WARN", "WARNING", "警告"), "warning"),
    **dict.fromkeys(("ERROR", "ERR", "FATAL", "CRITICAL", "CRIT", "ALERT", "EMERG", "PANIC", "SEVERE"), "error"),
    **dict.fromkeys(("错误", "严重"), "error"),
}
"""Levels by their names in logs."""
_LEVEL = "|".join(sorted(_LEVELS, key=len, reverse=True))
_HEAD = re.compile(rf"(?s)(?:[\w.-]{{1,40}} {{0,8}}\| )?[\[(]?(?P<time>{TIME})[\])]?[,:]?(?:\s+|$)(?P<rest>.*)")
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
_PAIR = re.compile(r'(?<![\w.-])([A-Za-z_][\w.-]{0,60})=("(?:[^"\\]|\\.){0,2000}"|[^\s"]{1,2000})')
_DURATION = re.compile(
    r"(?<![\w.])(?P<value>\d{1,9}(?:\.\d{1,6})?) ?(?P<unit>ms|millis(?:econds)?|毫秒|s|secs?|seconds?|秒|min"
    r"|minutes?|分钟)"
    r"(?![A-Za-z])"
)
_SECONDS = {"m": 0.001, "毫": 0.001, "s": 1.0, "秒": 1.0, "分": 60.0}
_PROCESS = re.compile(r"(?i)(?:pid|tid|thread|worker|proc)?[-#: ]?\d+(?:#\d+)?")


@frozen
class Head:
    """The head of a line, with the message after it."""

    time: str
    level: LogLevel
    source: str
    message: str


def head_of(line: str) -> Head | None:
    """Return the head of a line, None if the line doesn't begin with a time or a level."""
    if match := _HEAD.match(line):
        rest = match["rest"]
        if _SYSLOG.fullmatch(match["time"]):
            rest = rest.partition(" ")[2]  # skip the host name
        level, source, rest = _level(rest)
        return Head(match["time"].strip(), level, source, rest)
    if match := _LEVEL_FIRST.match(line):
        source, rest = _source(match["rest"])
        return Head("", _LEVELS[match["level"]], source, rest)
    return None


def level_of(name: str) -> LogLevel:
    """Return the level for a name used in logs, "" for another name."""
    return _LEVELS.get(name.strip().upper(), "")


def pairs_of(text: str) -> dict[str, str]:
    """Return the pairs `name=value` in a text, as in logfmt."""
    return {name: value.strip('"') for name, value in _PAIR.findall(text)}


def seconds_of(text: str) -> list[float]:
    """Return the durations in a text, in seconds."""
    return [float(match["value"]) * _unit(match["unit"]) for match in _DURATION.finditer(text)]


def _unit(name: str) -> float:
    return 60.0 if name.startswith("min") and not name.startswith("mill") else _SECONDS[name[0]]


def _level(rest: str) -> tuple[LogLevel, str, str]:
    """Return level, source and message from the text after a time."""
    if match := _LEVELLED.match(rest):
        source, message = _source(match["rest"])
        before = [part for part in re.split(r"[\s\[\]()-]+", match["before"]) if part and not _is_number(part)]
        return _LEVELS[match["level"].upper()], source or (before[-1].rstrip(":") if before else ""), message
    source, message = _source(rest)
    return "", source, message


def _source(rest: str) -> tuple[str, str]:
    """Return the source of a message and the rest; a name before a dash takes precedence over a name in brackets."""
    source = ""
    while match := _SOURCE.match(rest):
        name = next(filter(None, match.groups()))
        if not match["bracket"] and not _is_number(name):
            return (name, rest[match.end() :]) if match["dashed"] or not source else (source, rest)
        source, rest = source or ("" if _is_number(name) else name), rest[match.end() :]
    return source, rest


def _is_number(name: str) -> bool:
    return bool(_PROCESS.fullmatch(name))
