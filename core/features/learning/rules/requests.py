"""Rules for requests: required headers, repeated failures, and slow calls."""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from statistics import median

from core.base.messages import message, plural
from core.features.learning.heads import seconds_of
from core.features.learning.rules.common import abbreviate, fact, first_line, generalise, normalise_exact, request_of
from core.model import Fact, LogEvent, LogText

_HEADER = (
    r"[\"'`“]?\b(?P<{name}>[A-Za-z][A-Za-z0-9]*(?:-[A-Za-z0-9]+)+|[A-Z][A-Z0-9_]{{2,}}"
    r"|Authorization|Cookie|Origin|Accept|Host)\b[\"'`”]?"
)
_HEADERS = re.compile(
    r"(?:(?i:missing|requires?|required|lacks|needs?|without|must (?:send|have|carry))(?i: (?:the|a|an"
    r"|required|request|http))*"
    rf"(?i: headers?)[ :：]*{_HEADER.format(name='after')}"
    rf"|(?i:headers?)[ :：]*{_HEADER.format(name='before')}[^\n]{{0,60}}?(?i:missing|required|mandatory|must|absent)"
    rf"|{_HEADER.format(name='first')} (?i:header) (?i:is )?(?i:missing|required|mandatory|absent)"
    r"|(?:缺少|需要|必须(?:携带|带上|有)?|未携带)[^\n]{0,10}?(?:请求头|头部|header)[ :：]*"
    rf"{_HEADER.format(name='chinese')})"
)
_REFUSED = re.compile(r"\b(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) \S+(?: HTTP/[\d.]+)?\W{1,4}([45]\d\d)\b")
_SLOW = re.compile(r"(?i)\b(?:slow|took|elapsed|duration|latency|completed in|finished in|done in)\b|耗时|用时|慢")
_OPERATION = re.compile(
    r"(?i)\s*\(?(?:took|elapsed|duration|latency|completed in|finished in|done in|耗时|用时)\b.*|\s*耗时.*|\s*用时.*"
)
_LEAST_SECONDS = 1.0
_LEAST_OF_TEST = 5.0
_FEW = 2
_FAILED = 400


def required_headers(log: LogText) -> Iterator[Fact]:
    """Yield requests with the headers whose absence made them fail."""
    groups: dict[tuple[str, str], list[LogEvent]] = defaultdict(list)
    for event in log.events:
        for header in headers_in(event.text):
            groups[request_of(event), header].append(event)
    for (request, header), events in groups.items():
        if not request:
            continue
        title = message("{request} needs the header {header}", request=request, header=header)
        status = next(filter(None, map(_status, events)), "")
        refused = message("{title}. Without it the answer is {status}.", title=title, status=status)
        text = refused if status else message("{title}.", title=title)
        key = [normalise_exact(request), header.lower()]
        required = fact("required_header", key, title, text, events, ("project_config", "auth"))
        yield replace(required, tags=("http",))


def headers_in(text: str) -> list[str]:
    """Return the names of headers that a text says are missing or needed."""
    if "eader" not in text and "HEADER" not in text and "头" not in text:
        return []
    names = (next(filter(None, match.groupdict().values())) for match in _HEADERS.finditer(text))
    return [*dict.fromkeys(names)]


def failing_requests(log: LogText) -> Iterator[Fact]:
    """Yield requests that fail at least twice with the same status, except for a missing header."""
    groups: dict[tuple[str, str], list[LogEvent]] = defaultdict(list)
    for event in log.events:
        status = _status(event)
        if status.isdigit() and int(status) >= _FAILED and not headers_in(event.text):
            groups[request_of(event), status].append(event)
    for (request, status), events in groups.items():
        count = sum(event.count for event in events)
        if count < _FEW:
            continue
        title = message("{request} is answered with {status}", request=request, status=status)
        times = plural("It appears {n} time in the log.", "It appears {n} times in the log.", n=count)
        text = message("{what}. {count}", what=title, count=times)
        yield fact("failing_request", [request, status], title, text, events, ("test_experience", "common_issue"))


def _status(event: LogEvent) -> str:
    """Return the status of a request, "" if the event has none."""
    said = _REFUSED.search(first_line(event))
    return event.fields.get("status", "") or (said[1] if said else "")


def slow_calls(log: LogText) -> Iterator[Fact]:
    """Yield slow calls: a median of one second over at least two calls, or of five seconds for a test."""
    groups: dict[str, list[tuple[float, LogEvent]]] = defaultdict(list)
    for event in log.events:
        seconds = _seconds(event)
        if seconds is not None and int(event.fields.get("status", "0") or 0) < 500:
            groups[_operation(event)].append((seconds, event))
    for operation, timed in groups.items():
        middle = median(seconds for seconds, _ in timed)
        is_test = timed[0][1].kind == "test"
        enough = middle >= _LEAST_OF_TEST if is_test else middle >= _LEAST_SECONDS and len(timed) >= _FEW
        if not operation or not enough:
            continue
        most = max(seconds for seconds, _ in timed)
        title = message("{operation} is slow: {seconds} s", operation=abbreviate(operation), seconds=f"{middle:.1f}")
        times = plural("Measured {n} time", "Measured {n} times", n=len(timed))
        text = message("{title} (median), {most} s at most. {count}.", title=title, most=f"{most:.1f}", count=times)
        kind = ("test_experience", "common_issue")
        yield fact("slow_call", [generalise(operation)], title, text, [event for _, event in timed], kind)


def is_slow(event: LogEvent) -> bool:
    """Return whether an event states a long duration."""
    seconds = _seconds(event)
    return seconds is not None and seconds >= _LEAST_SECONDS and int(event.fields.get("status", "0") or 0) < 500


def _seconds(event: LogEvent) -> float | None:
    """Return the duration in seconds that an event states, None if it states none."""
    if event.kind in ("message", "command"):
        return None
    try:
        return float(event.fields["seconds"])
    except (KeyError, ValueError):
        pass
    line = first_line(event)
    durations = seconds_of(line) if event.kind == "log" and _SLOW.search(line) else []
    return max(durations, default=None)


def _operation(event: LogEvent) -> str:
    if event.kind == "test":
        return event.fields.get("test", "")
    if request := request_of(event):
        return request
    line = first_line(event)
    if match := re.match(r"(?i)slow (?P<what>[\w ]{2,30}) ?\([^)\n]{1,40}\)[: ]+(?P<rest>.+)", line):
        return match["rest"]
    return _OPERATION.sub("", line).strip(" :-：") or line
