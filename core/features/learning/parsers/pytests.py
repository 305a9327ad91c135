"""Reports that pytest prints: outcomes, failures with their tracebacks, reruns, slowest durations."""

import re
from collections.abc import Iterable, Iterator

from core.features.learning.parsers.plain import PROMPT
from core.model import LogEvent

_MARK = re.compile(r"={3,}.{0,200}(?:test session starts|FAILURES|ERRORS|short test summary info|slowest)")
_OUTCOME = re.compile(
    r"(?:\[gw\d+\] (?:\[ {0,2}\d{1,3}%\] )?)?(?:(?P<first>PASSED|FAILED|ERROR|RERUN|SKIPPED|XFAIL|XPASS) )?"
    r"(?P<test>[\w./\\-]{1,200}\.py::[^\s]{1,300}(?: \[[^\]\n]{1,100}\])?)"
    r"(?: (?P<last>PASSED|FAILED|ERROR|RERUN|SKIPPED|XFAIL|XPASS))?(?P<rest>.*)"
)
_HEADER = re.compile(r"_{3,} ?(?:ERROR at \w+ of )?(?P<test>\S.{0,300}?) ?_{3,}")
_RULE = re.compile(r"={3,}(?P<title>.{0,200}?)={3,}")
_CAUSE = re.compile(r"E {2,}(?P<cause>\S.*)")
_SLOW = re.compile(r"(?P<seconds>\d{1,6}\.\d\d)s (?P<phase>call|setup|teardown) +(?P<test>\S{1,400})")
_OUTCOMES = {
    "PASSED": "passed",
    "XPASS": "passed",
    "FAILED": "failed",
    "ERROR": "failed",
    "RERUN": "failed",
    "SKIPPED": "skipped",
    "XFAIL": "skipped",
}


class Pytest:
    """Reads what pytest prints, of one run or of several after each other."""

    by_lines = True

    def fits(self, name: str, sample: str) -> float:
        return 0.9 if _MARK.search(sample) else 0.0

    def events(self, text: str) -> Iterable[LogEvent]:
        lines = text.split("\n")
        number = 0
        while number < len(lines):
            line = lines[number]
            if match := _HEADER.fullmatch(line.strip()):
                end = _end_of(lines, number + 1)
                yield _failure(lines[number:end], number + 1, match["test"])
                number = end
                continue
            yield from _line(line, number + 1)
            number += 1


def _end_of(lines: list[str], start: int) -> int:
    """Return where a failure ends: before the next one, or before the next part of the report."""
    for number in range(start, len(lines)):
        stripped = lines[number].strip()
        if _HEADER.fullmatch(stripped) or _RULE.fullmatch(stripped):
            return number
    return len(lines)


def _failure(lines: list[str], first: int, test: str) -> LogEvent:
    causes = [match["cause"] for line in lines if (match := _CAUSE.match(line))]
    fields = {"test": test, "outcome": "failed", "detail": "\n".join(causes[:3])}
    text = "\n".join(lines).rstrip()
    return LogEvent(
        text=text, line=first, end=first + len(lines) - 1, level="error", source=test, kind="test", fields=fields
    )


def _line(line: str, number: int) -> Iterator[LogEvent]:
    if not line.strip():
        return
    if prompt := PROMPT.match(line):
        yield LogEvent(
            text=line, line=number, end=number, kind="command", fields={"command": prompt["command"].strip()}
        )
    elif slow := _SLOW.match(line.strip()):
        fields = {"test": slow["test"], "seconds": slow["seconds"]}
        yield LogEvent(text=line.strip(), line=number, end=number, source=slow["test"], kind="test", fields=fields)
    elif (match := _OUTCOME.match(line.strip())) and (match["first"] or match["last"]):
        outcome = _OUTCOMES[match["first"] or match["last"]]
        detail = match["rest"].removeprefix(" - ").strip()
        fields = {"test": match["test"], "outcome": outcome}
        if detail and not re.fullmatch(r"\[ *\d{1,3}%\]", detail):
            fields["detail"] = detail
        yield LogEvent(
            text=line.strip(),
            line=number,
            end=number,
            level="error" if outcome == "failed" else "",
            source=match["test"],
            kind="test",
            fields=fields,
        )
    else:
        yield LogEvent(text=line.strip(), line=number, end=number)
