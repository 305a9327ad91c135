"""Logs with a JSON object on each line, as structured loggers write them."""

import json
from collections.abc import Iterable, Iterator, Mapping

from core.features.learning.heads import level_of
from core.features.learning.parsers.plain import repeated
from core.model import LogEvent

_TIMES = ("time", "timestamp", "ts", "@timestamp", "t", "date")
_LEVELS = ("level", "lvl", "severity", "levelname", "log.level")
_SOURCES = ("logger", "service", "component", "name", "source", "module", "app")
_TEXTS = ("message", "msg", "event", "text", "error")
_TRACES = ("stack", "stacktrace", "stack_trace", "exception", "traceback", "exc_info")
_NUMBERED = {10: "debug", 20: "info", 30: "info", 40: "warning", 50: "error", 60: "error"}
"""Numeric levels, as pino writes them."""
_FIELDS = {"method": "method", "path": "path", "url": "path", "status": "status", "status_code": "status"}
_SECONDS = {"duration_ms": 0.001, "elapsed_ms": 0.001, "latency_ms": 0.001, "duration": 1.0, "seconds": 1.0}
_MOST_VALUE = 2000
_DEEPEST = 6
_TIMED = 14
"""Number of digits from which a number is no longer a level."""


class JsonLines:
    """Reads a log in which most lines are JSON objects; other lines are separate events."""

    by_lines = True

    def fits(self, name: str, sample: str) -> float:
        lines = [line for line in sample.split("\n")[:-1] or [sample] if line.strip()][:50]
        objects = sum(line.lstrip().startswith("{") and _object(line) is not None for line in lines)
        return 0.8 if lines and 2 * objects > len(lines) else 0.0

    def events(self, text: str) -> Iterable[LogEvent]:
        return repeated(_events(text))


def event_of(values: Mapping[str, object], line: int) -> LogEvent:
    """Return the event of a JSON object; other values follow the message as pairs."""
    rest = {str(name): value for name, value in values.items()}

    def take(names: Iterable[str]) -> str:
        for name in names:
            if name in rest and not isinstance(rest[name], (dict, list)) and rest[name] not in (None, ""):
                return str(rest.pop(name))[:_MOST_VALUE]
        return ""

    time, level, source = take(_TIMES), take(_LEVELS), take(_SOURCES)
    text, trace = take(_TEXTS), take(_TRACES)
    fields = {to: str(rest[name]) for name, to in _FIELDS.items() if isinstance(rest.get(name), (str, int))}
    for name, unit in _SECONDS.items():
        value = rest.get(name)
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            fields["seconds"] = f"{float(value) * unit:.3f}"
    pairs = " ".join(f"{name}={_format_value(value)}" for name, value in rest.items())
    parts = [f"{text} {pairs}".strip(), trace]
    named = _NUMBERED.get(int(level), "") if level.isdigit() and len(level) < _TIMED else level
    kind = "request" if {"method", "path"} <= fields.keys() else "log"
    return LogEvent(
        text="\n".join(filter(None, parts)),
        line=line,
        end=line,
        time=time,
        level=level_of(named),
        source=source,
        kind="request" if kind == "request" else "log",
        fields=fields,
    )


def _events(text: str) -> Iterator[LogEvent]:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        values = _object(line)
        if values is None:
            yield LogEvent(text=line, line=number, end=number)
        elif (event := event_of(values, number)).text.strip():
            yield event


def _object(line: str) -> Mapping[str, object] | None:
    """Return the JSON object in a line, None if there is none or it is cut, damaged, or nested too deeply."""
    try:
        values = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return values if isinstance(values, dict) else None


def _format_value(value: object, depth: int = 0) -> str:
    """Return a value as text, in quotes if it is empty or has white space."""
    if isinstance(value, str):
        short = value[:_MOST_VALUE]
        return json.dumps(short, ensure_ascii=False) if not short or any(map(str.isspace, short)) else short
    if isinstance(value, Mapping) and depth < _DEEPEST:
        return "{" + " ".join(f"{name}={_format_value(item, depth + 1)}" for name, item in [*value.items()][:50]) + "}"
    if isinstance(value, list) and depth < _DEEPEST:
        return "[" + " ".join(_format_value(item, depth + 1) for item in value[:50]) + "]"
    return "…" if isinstance(value, (Mapping, list)) else json.dumps(value)
