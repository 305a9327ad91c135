"""JUnit reports: an event for each test, with its failure; the XML is read as it comes, without entities."""

import re
from collections.abc import Iterable
from xml.parsers import expat

from core.model import LogEvent

_DEEPEST = 60
_MOST = 20_000
"""Characters of a failure that are read."""
_FAILED = ("failure", "error", "rerunFailure", "flakyFailure", "rerunError", "flakyError")
_PASSED_LATER = ("flakyFailure", "flakyError")
"""Failures of a test that passed when it was run again, as Surefire writes them."""


class JUnit:
    """Reads `testsuite` elements, nested or not."""

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
