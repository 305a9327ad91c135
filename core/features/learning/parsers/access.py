"""Access logs of nginx and Apache: a request a line."""

import re
from collections.abc import Iterable, Iterator

from core.features.learning.parsers.plain import repeated
from core.model import LogEvent, LogLevel

_LINE = re.compile(
    r'(?P<host>[\w.:-]{1,100}) [^\s"]{1,100} [^\s"]{1,100} \[(?P<time>[^\]\n]{10,40})\] '
    r'"(?P<method>[A-Z]{2,10}) (?P<path>[^\s"?]{1,2000})[^"\n]{0,4000}" (?P<status>\d{3}) \S+(?P<rest>.*)'
)
_TIMES = re.compile(r"(?:rt|request_time|time|duration)=\"?(?P<named>\d{1,6}\.\d{1,6})|\s(?P<last>\d{1,6}\.\d{3})$")


class AccessLog:
    """Reads access logs in the common and the combined format, with the time of a request where one is written."""

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
        request = f"{match['method']} {match['path']} {status}{match['rest']}"
        yield LogEvent(
            text=request, line=number, end=number, time=match["time"], level=level, kind="request", fields=fields
        )
