"""The contract of parsers of logs, for those of Tessera and for one of another package."""

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.features.learning import LOG_PARSERS, LogParser
from core.features.learning.contract import LogParserContract
from core.features.learning.masks import Masker
from core.features.learning.reading import read_text
from tests.features.learning.measure import LOGS

_SAMPLES = {
    "junit": "junit.xml",
    "chat": "chat-support.txt",
    "jsonlines": "billing.jsonl",
    "pytest": "pytest-run.txt",
    "access": "nginx-access.log",
    "markdown": "notes.md",
    "plain": "shop-service.log",
}
_MARKDOWN = "# Incident\n\nThe cause is a full disk.\n\n- one\n- two\n\n```\n$ df\n```\n"


class TestParsers(LogParserContract):
    @pytest.fixture(params=_SAMPLES)
    def kind(self, request: pytest.FixtureRequest) -> str:
        return str(request.param)

    @pytest.fixture
    def log_parser(self, kind: str) -> LogParser:
        return LOG_PARSERS.make(kind)

    @pytest.fixture
    def log(self, kind: str) -> tuple[str, str]:
        file = LOGS / _SAMPLES[kind]
        return file.name, file.read_text(encoding="utf-8") if file.exists() else _MARKDOWN


def test_every_parser_has_a_sample() -> None:
    assert {*LOG_PARSERS} == {*_SAMPLES}


_PARSER = """
from core.model import LogEvent

class Pipes:
    by_lines = True

    def fits(self, name, sample):
        return 1.0 if sample.startswith("PIPES") else 0.0

    def events(self, text):
        for number, line in enumerate(text.split("\\n"), 1):
            if "|" in line:
                level, said = line.split("|", 1)
                yield LogEvent(text=said, line=number, end=number, level=level)
"""


def test_a_package_brings_a_parser_whose_events_are_masked_too(tmp_path: Path) -> None:
    (tmp_path / "pipes.py").write_text(_PARSER)
    info = tmp_path / "pipes-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: pipes-parser\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[tessera.log_parsers]\npipes = pipes:Pipes\n")
    code = (
        "from core.features.learning.reading import read_text\nfrom core.features.learning.masks import Masker\n"
        "log = read_text('PIPES\\nerror|login with password=hunter2\\n', 'a', Masker())\n"
        "print(log.format, log.events[0].level, log.events[0].text)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": f"{tmp_path}:{Path(__file__).parents[3]}"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "pipes error login with password=[password-1]"


_LINES = (
    "ERROR db - lost connection",
    "2026-01-01 10:00:00 ERROR db - timed out",
    "Traceback (most recent call last):",
    '  File "a.py", line 3',
    "ValueError: broken pipe",
    "",
    "```",
    "# Heading",
    "- item",
    "User: The cause is a full disk.",
    "Assistant: Fixed by clearing it.",
    "$ make",
    "error: no rule",
    "___ test_a ___",
    "E   assert 1",
    "=== FAILURES ===",
    "FAILED t.py::test_a - assert 1",
)


@settings(max_examples=300, deadline=None)
@given(
    lines=st.lists(st.sampled_from(_LINES), max_size=25),
    parser=st.sampled_from(["plain", "markdown", "chat", "pytest"]),
)
def test_an_event_begins_and_ends_in_its_lines(lines: list[str], parser: str) -> None:
    for event in read_text("\n".join(lines), "a.log", Masker(), parser=parser).events:
        first, *_ = event.text.split("\n")
        assert first.strip() in lines[event.line - 1]
        last = lines[max(event.line, event.end) - 1]
        assert last.strip()
        assert event.text.split("\n")[-1].strip() in last


def test_a_test_that_quotes_a_report_does_not_move_the_lines_of_others() -> None:
    quoting = '<testcase name="a"><failure message="x"><![CDATA[\n<testcase name="b"/>\n]]></failure></testcase>'
    report = f'<testsuite>\n<!-- <testcase/> -->\n{quoting}\n<testcase name="c"/>\n</testsuite>'
    assert [event.line for event in read_text(report, "a.xml", Masker()).events] == [3, 6]
