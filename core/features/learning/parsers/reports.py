"""Test reports: JUnit's XML, and the output of pytest."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from xml.parsers import expat

from core.features.learning.parsers.plain import PROMPT
from core.model import LogEvent, LogLevel

_DEEPEST = 60
_MOST = 20_000
"""Maximum number of characters to read per failure."""
_FAILED = ("failure", "error", "rerunFailure", "flakyFailure", "rerunError", "flakyError")
_PASSED_LATER = ("flakyFailure", "flakyError")
"""Surefire's elements for failures of a test that passed when it was run again."""


class JUnit:
    """Reads JUnit reports: `testsuite` elements, nested or not."""

    by_lines = False

    def fits(self, name: str, sample: str) -> float:
        return 1.0 if re.search(r"<testsuites?[\s>]", sample) else 0.0

    def events(self, text: str) -> Iterable[LogEvent]:
        reader = _JunitHandler()
        try:
            reader.parser.Parse(text.encode("utf-8", "replace"), True)
        except expat.ExpatError as error:
            if not reader.events:
                raise ValueError(str(error)) from error
        return reader.events


class _JunitHandler:
    def __init__(self) -> None:
        self.parser = expat.ParserCreate("utf-8")
        self.parser.StartElementHandler = self._begins
        self.parser.EndElementHandler = self._ends
        self.parser.CharacterDataHandler = self._says
        self.parser.StartDoctypeDeclHandler = self._refuse
        self.events: list[LogEvent] = []
        self._depth = 0
        self._test: dict[str, str] = {}
        self._failures: list[tuple[str, str, int, int]] = []
        self._outcome = ""
        self._first = 0
        self._text: list[str] | None = None
        self._size = 0
        self._head, self._line = "", 0

    def _refuse(self, *_: object) -> None:
        raise ValueError("a JUnit report has no document type")

    def _begins(self, name: str, values: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise ValueError("nested too deeply")
        if name == "testcase":
            names = [values.get("classname", ""), values.get("name", "")]
            self._test = {"test": "::".join(filter(None, names)), "seconds": values.get("time", "")}
            self._failures, self._outcome, self._first = [], "passed", self.parser.CurrentLineNumber
        elif self._test and name in _FAILED:
            if name not in _PASSED_LATER:
                self._outcome = "failed"
            head = values.get("message", "") or values.get("type", "")
            self._head, self._line = head[:_MOST], self.parser.CurrentLineNumber
            self._text, self._size = [], 0
        elif self._test and name == "skipped":
            self._outcome = "skipped"

    def _says(self, text: str) -> None:
        if self._text is not None and self._size < _MOST:
            self._text.append(text[: _MOST - self._size])
            self._size += len(text)

    def _ends(self, name: str) -> None:
        self._depth -= 1
        if name in _FAILED and self._text is not None:
            body = "".join(self._text).strip()
            self._failures.append((self._head, body, self._line, self.parser.CurrentLineNumber))
            self._text = None
        elif name == "testcase" and self._test:
            self._finish()
            self._test = {}

    def _finish(self) -> None:
        test, seconds = self._test["test"], self._test["seconds"]
        for head, body, line, end in self._failures:
            fields = {"test": test, "outcome": "failed", "detail": head or body.rpartition("\n")[2]}
            text = "\n".join(filter(None, [f"{test} failed: {head}".rstrip(": "), body]))
            self.events.append(
                LogEvent(text=text, line=line, end=end, level="error", source=test, kind="test", fields=fields)
            )
        if self._outcome == "failed":
            return
        fields = {"test": test, "outcome": self._outcome} | ({"seconds": seconds} if seconds else {})
        text = f"{test} {self._outcome}" + (f" ({seconds}s)" if seconds else "")
        end = self.parser.CurrentLineNumber
        self.events.append(LogEvent(text=text, line=self._first, end=end, source=test, kind="test", fields=fields))


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
    """Reads the output of one or several runs of pytest."""

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
    """Return the line after a failure, where the next failure or section of the report begins."""
    for number in range(start, len(lines)):
        stripped = lines[number].strip()
        if _HEADER.fullmatch(stripped) or _RULE.fullmatch(stripped):
            return number
    return len(lines)


def _failure(lines: list[str], first: int, test: str) -> LogEvent:
    causes = [match["cause"] for line in lines if (match := _CAUSE.match(line))]
    fields = {"test": test, "outcome": "failed", "detail": "\n".join(causes[:3])}
    return LogEvent(
        text="\n".join(lines).rstrip(),
        line=first,
        end=first + len(lines) - 1,
        level="error",
        source=test,
        kind="test",
        fields=fields,
    )


def _line(line: str, number: int) -> Iterator[LogEvent]:
    event = LogEvent(text=line.strip(), line=number, end=number)
    if typed := PROMPT.match(line):
        event = replace(event, text=line, kind="command", fields={"command": typed["command"].strip()})
    elif slow := _SLOW.match(event.text):
        fields = {"test": slow["test"], "seconds": slow["seconds"]}
        event = replace(event, source=slow["test"], kind="test", fields=fields)
    elif (match := _OUTCOME.match(event.text)) and (match["first"] or match["last"]):
        fields = {"test": match["test"], "outcome": _OUTCOMES[match["first"] or match["last"]]}
        detail = match["rest"].removeprefix(" - ").strip()
        if detail and not re.fullmatch(r"\[ *\d{1,3}%\]", detail):
            fields["detail"] = detail
        level: LogLevel = "error" if fields["outcome"] == "failed" else ""
        event = replace(event, level=level, source=match["test"], kind="test", fields=fields)
    if event.text:
        yield event
