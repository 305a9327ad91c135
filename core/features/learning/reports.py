"""Parsers for JUnit XML reports and pytest output."""

import re
from dataclasses import replace
from io import BytesIO
from xml.etree.ElementTree import ParseError, iterparse

from core.features.learning import LogEvents
from core.features.learning.lines import PROMPT
from core.model import LogEvent, LogLevel

# Maximum number of characters to read per failure.
_MOST = 20_000
_FAILED = ("failure", "error", "rerunFailure", "rerunError")


class JUnit:
    """Parses JUnit reports with `testsuite` elements, nested or not."""

    by_lines = False

    def fits(self, name: str, sample: str) -> float:
        return 1.0 if re.search(r"<testsuites?[\s>]", sample) else 0.0

    def events(self, text: str) -> LogEvents:
        events = [*_junit_events(text)]
        if not events:
            raise ValueError("no tests can be read")
        return events


def _junit_events(text: str) -> LogEvents:
    """Yield the events in a report, up to the first syntax error. An event's line is the line where its test begins."""
    if "<!DOCTYPE" in text:
        raise ValueError("a JUnit report has no document type")
    # A comment or a failure's text may contain the beginning of a test too, so both are skipped.
    places = re.finditer(r"(?s)(?:[^<]++|<!--.*?-->|<!\[CDATA\[.*?\]\]>|<(?!testcase\b))*+<testcase\b", text)
    line = at = 0
    try:
        for _, test in iterparse(BytesIO(text.encode("utf-8", "replace"))):
            if test.tag != "testcase" or not (place := next(places, None)):
                continue
            line += text.count("\n", at, place.end())
            at = place.end()
            name = "::".join(filter(None, map(test.get, ("classname", "name"))))
            # Surefire uses the last two elements for the failures of a test that passed when rerun.
            failures = [child for child in test if child.tag in (*_FAILED, "flakyFailure", "flakyError")]
            event = LogEvent(text="", line=line + 1, source=name, kind="test")
            for failure in failures:
                head = (failure.get("message") or failure.get("type") or "")[:_MOST]
                body = "".join(failure.itertext())[:_MOST].strip()
                said = "\n".join(filter(None, [f"{name} failed: {head}".rstrip(": "), body]))
                yield replace(
                    event,
                    text=said,
                    level="error",
                    fields={"test": name, "outcome": "failed", "detail": head or body.rpartition("\n")[2]},
                )
            if not any(failure.tag in _FAILED for failure in failures):
                outcome = "skipped" if test.find("skipped") is not None else "passed"
                seconds = test.get("time", "")
                said = f"{name} {outcome}" + (f" ({seconds}s)" if seconds else "")
                yield replace(event, text=said, fields={"test": name, "outcome": outcome, "seconds": seconds})
    except ParseError:
        return


_MARK = re.compile(r"={3,}.{0,200}(?:test session starts|FAILURES|ERRORS|short test summary info|slowest)")
_OUTCOME = re.compile(
    r"(?:\[gw\d+\] (?:\[ {0,2}\d{1,3}%\] )?)?(?:(?P<first>PASSED|FAILED|ERROR|RERUN|SKIPPED|XFAIL|XPASS) )?"
    r"(?P<test>[\w./\\-]{1,200}\.py::[^\s]{1,300}(?: \[[^\]\n]{1,100}\])?)"
    r"(?: (?P<last>PASSED|FAILED|ERROR|RERUN|SKIPPED|XFAIL|XPASS))?(?:\s*\[ *\d{1,3}%\]\s*\Z| - )?\s*(?P<detail>.*)"
)
# The header of a failure, with the name of the `test`, or the header of a report section.
_BORDER = re.compile(r"_{3,} ?(?:ERROR at \w+ of )?(?P<test>\S.{0,300}?) ?_{3,}|={3,}.{0,200}?={3,}")
_SLOW = re.compile(r"(?P<seconds>\d{1,6}\.\d\d)s (?:call|setup|teardown) +(?P<test>\S{1,400})")
_OUTCOMES = {
    **dict.fromkeys(("PASSED", "XPASS"), "passed"),
    **dict.fromkeys(("FAILED", "ERROR", "RERUN"), "failed"),
    **dict.fromkeys(("SKIPPED", "XFAIL"), "skipped"),
}


class Pytest:
    """Parses the output of one or more pytest runs."""

    by_lines = True

    def fits(self, name: str, sample: str) -> float:
        return 0.9 if _MARK.search(sample) else 0.0

    def events(self, text: str) -> LogEvents:
        lines = text.split("\n")
        number = 0
        while number < len(lines):
            border = _BORDER.fullmatch(lines[number].strip())
            first = number
            number += 1
            if not border or not (test := border["test"]):
                yield from _line(lines[first], number)
                continue
            while number < len(lines) and not _BORDER.fullmatch(lines[number].strip()):
                number += 1
            text = "\n".join(lines[first:number]).rstrip()
            yield LogEvent(
                text=text,
                line=first + 1,
                end=first + 1 + text.count("\n"),
                level="error",
                source=test,
                kind="test",
                fields={
                    "test": test,
                    "outcome": "failed",
                    "detail": "\n".join(re.findall(r"(?m)^E {2,}(\S.*)", text)[:3]),
                },
            )


def _line(line: str, number: int) -> LogEvents:
    """Yield the event in a line outside the failure sections, if there is one."""
    event = LogEvent(text=line.strip(), line=number, end=number)
    if typed := PROMPT.match(line):
        event = replace(event, text=line, kind="command", fields=typed.groupdict())
    elif slow := _SLOW.match(event.text):
        event = replace(event, source=slow["test"], kind="test", fields=slow.groupdict())
    elif (match := _OUTCOME.match(event.text)) and (outcome := _OUTCOMES.get(match["first"] or match["last"])):
        level: LogLevel = "error" if outcome == "failed" else ""
        fields = {"test": match["test"], "outcome": outcome, "detail": match["detail"].rstrip()}
        event = replace(event, level=level, source=match["test"], kind="test", fields=fields)
    if event.text:
        yield event
