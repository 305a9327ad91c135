"""Contract tests for log parsers, including parsers from other packages.

A test class inherits from LogParserContract and defines two fixtures. `log_parser` returns the parser under test, and
`log` returns a log's name and text.
"""

from contextlib import suppress

import pytest

from core.base.frozen import Pair
from core.features.learning import LogParser


class LogParserContract:
    """Tests that every log parser must pass."""

    def test_a_log_of_its_format_suits_it_and_has_events(self, log_parser: LogParser, log: Pair) -> None:
        name, text = log
        assert 0 < log_parser.fits(name, text[:16_384]) <= 1
        events = list(log_parser.events(text))
        assert events
        assert events == list(log_parser.events(text))
        assert all(event.text.strip() and event.count > 0 for event in events)
        places = [(event.line, event.end or event.line) for event in events]
        assert all(1 <= first <= last for first, last in places)
        assert not log_parser.by_lines or all(last <= text.count("\n") + 1 for _, last in places)

    @pytest.mark.parametrize(
        "text", ["", "\n" * 50, "\x00\x1b[31m\ud83d", "{" * 5_000, "<" * 5_000, "[[]]", "9" * 9_000, None]
    )
    def test_half_a_log_or_another_text_is_read_or_refused_by_a_value_error(
        self, log_parser: LogParser, log: Pair, text: str | None
    ) -> None:
        if text is None:
            text = log[1][: len(log[1]) // 2]
        assert 0 <= log_parser.fits("a.log", text) <= 1
        with suppress(ValueError, RecursionError):
            assert all(isinstance(event.text, str) for event in log_parser.events(text))
