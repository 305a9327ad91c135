"""Logs as events: formats are known by their contents, traces stay whole, hostile texts harm nothing."""

import json
from pathlib import Path

import pytest

from core.base.errors import SourceError, UnknownChoice
from core.base.messages import message
from core.features.learning import LOG_PARSERS
from core.features.learning.masks import Masker
from core.features.learning.reading import MOST_BYTES, excerpts, read, read_events, read_text
from core.features.learning.rules import RULES
from core.features.learning.service import item_of
from core.model import ORIGIN, Fact, LogText, place_line
from tests.features.learning.measure import LOGS
from tests.growth import assert_linear

FORMATS = {
    "billing.jsonl": "jsonlines",
    "chat-support.txt": "chat",
    "chatgpt-export.json": "chat",
    "claude-export.json": "chat",
    "deploy-session.txt": "plain",
    "hostile-bytes.log": "plain",
    "junit.xml": "junit",
    "nginx-access.log": "access",
    "nginx-error.log": "plain",
    "payments-java.log": "plain",
    "pytest-run.txt": "pytest",
    "shop-service.log": "plain",
    "订单服务.log": "plain",
}


def log_of(text: str, name: str = "a.log", **options: str) -> LogText:
    return read_text(text, name, Masker(), **options)


@pytest.mark.parametrize("name", FORMATS)
def test_a_format_is_known_by_what_stands_in_the_log(name: str) -> None:
    data = (LOGS / name).read_bytes()
    assert read(data, name, Masker()).format == FORMATS[name]
    assert read(data, "renamed", Masker()).format == FORMATS[name]


def test_markdown_is_known_by_its_name_or_its_marks() -> None:
    text = (
        "# Incident\n\n- The cause is a full disk.\n\n```\n2026-01-01 10:00:00 ERROR full\n```\n\n## After\n\nText.\n"
    )
    log = log_of(text, "incident.md")
    assert log.format == log_of(text, "x").format == "markdown"
    assert [(event.line, event.kind, event.source) for event in log.events] == [
        (3, "message", "Incident"),
        (6, "log", "Incident"),
        (11, "message", "After"),
    ]


def test_an_event_has_its_time_level_source_and_whole_trace() -> None:
    log = read((LOGS / "shop-service.log").read_bytes(), "shop-service.log", Masker())
    event = next(one for one in log.events if one.level == "error")
    assert (event.time, event.source, event.line, event.end) == ("2026-02-11 09:04:07,148", "shop.stock", 8, 14)
    assert event.text.startswith("Could not reserve stock")
    assert event.text.splitlines()[-1] == "shop.locks.LockTimeout: stock-6 is held by reindexer-0"
    java = read((LOGS / "payments-java.log").read_bytes(), "payments-java.log", Masker())
    assert (
        "Caused by: javax.net.ssl.SSLHandshakeException"
        in next(one for one in java.events if one.level == "error").text
    )


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("2026-03-01T10:00:00.5Z WARN api - slow", ("2026-03-01T10:00:00.5Z", "warning", "api", "slow")),
        ("Mar  3 10:00:00 web1 sshd[123]: refused", ("Mar  3 10:00:00", "", "sshd", "refused")),
        ("[2026-03-01 10:00:00] [error] [core] broken", ("2026-03-01 10:00:00", "error", "core", "broken")),
        ("2026/02/14 10:12:03 [crit] 11#11: *5 no space", ("2026/02/14 10:12:03", "error", "", "11#11: *5 no space")),
        ("2026-01-08 14:05:21 [错误] 库存 - 扣减失败", ("2026-01-08 14:05:21", "error", "库存", "扣减失败")),
        ("ERROR:root:broken", ("", "error", "", "root:broken")),
        ("10:00:00.123 INFO x.y: started", ("10:00:00.123", "info", "x.y", "started")),
        ('time=10:00 level=warn msg="queue is full" n=3', ("10:00", "warning", "", "queue is full n=3")),
        ("web_1  | 2026-03-01 10:00:00 ERROR app - broken", ("2026-03-01 10:00:00", "error", "app", "broken")),
    ],
)
def test_heads_of_lines_as_loggers_write_them(line: str, expected: tuple[str, str, str, str]) -> None:
    (event,) = log_of(f"{line}\n").events
    assert (event.time, event.level, event.source, event.text) == expected


def test_equal_events_in_a_row_are_one_with_its_count() -> None:
    lines = [f"2026-03-01 10:00:0{number} INFO a - tick" for number in range(5)]
    (event,) = log_of("\n".join(lines)).events
    assert (event.count, event.line, event.end) == (5, 1, 5)


def test_messages_of_exports_stand_in_their_order_with_their_numbers() -> None:
    log = read((LOGS / "chatgpt-export.json").read_bytes(), "a.json", Masker())
    assert [event.line for event in log.events] == sorted(event.line for event in log.events)
    assert {event.source for event in log.events} >= {"user", "assistant"}


@pytest.mark.parametrize(
    ("name", "form", "line"),
    [
        ("chatgpt-export.json", "chat", "a.json, message 3"),
        ("chat-support.txt", "chat", "a.json, line 3"),
    ],
)
def test_places_in_an_export_are_numbers_of_messages(name: str, form: str, line: str) -> None:
    log = read((LOGS / name).read_bytes(), "a.json", Masker())
    fact = Fact("r", "k", message("t"), message("x"), lines=((3, 3),), quotes=("q",), type="note", category="")
    item = item_of(next(iter(RULES)), fact, log, "en", "")
    assert log.format == form
    assert str(place_line(str(item[ORIGIN]))) == line
    assert line.partition(", ")[2] in str(item["body"])


def test_events_that_are_parsed_already() -> None:
    items = [{"text": "broken", "level": "ERROR", "source": "api", "line": 7, "fields": {"status": 500}}]
    (event,) = read_events(items, "mine", Masker()).events
    assert (event.text, event.level, event.source, event.line, event.fields) == (
        "broken",
        "error",
        "api",
        7,
        {"status": "500"},
    )
    with pytest.raises(SourceError, match="Event 2 has no text"):
        read_events([{"text": "a"}, {}], "mine", Masker())
    with pytest.raises(UnknownChoice):
        read_events([{"text": "a", "kind": "x"}], "mine", Masker())


def test_a_parser_can_be_named() -> None:
    assert log_of("{}", parser="plain").format == "plain"
    with pytest.raises(UnknownChoice, match="plain"):
        log_of("{}", parser="nothing")


def test_excerpts_are_bounded_and_whole() -> None:
    log = read((LOGS / "shop-service.log").read_bytes(), "a.log", Masker())
    parts = [[text for _, text in part] for part in excerpts(log, 900)]
    assert max(sum(map(len, part)) for part in parts) <= 900
    assert len(parts) > 2
    assert sum(map(len, parts)) == len(log.events)
    assert "hunter2" not in str([*excerpts(log_of("password=hunter2"), 900)])


DEEP = "[" * 100_000 + "]" * 100_000
HOSTILE = {
    "a JSON line of great depth": f'{{"level":"error","msg":"x","y":{DEEP}}}\n{{"level":"info","msg":"y"}}\n',
    "a chat of great depth": f'[{{"role":"user","content":{DEEP}}}]',
    "a report of great depth": "<testsuite>" + "<a>" * 100_000,
    "entities": '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><testsuite><testcase name="&b;"/></testsuite>',
    "control characters": "\x1b[31m\x1b]0;x\x07" + "".join(map(chr, range(32))) * 20 + "\x9b31m text\n",
    "many brackets": "(" * 50_000 + "\n" + "[" * 50_000 + "\n",
    "many prompts": "$ " * 30_000 + "\n",
    "many equal signs": "a=" * 30_000 + "\n",
    "long runs of digits": "1" * 60_000 + ":" + "2" * 60_000 + "\n",
    "spaces": " " * 200_000 + "x\n",
    "many headers": "missing header " * 8_000 + "\n",
    "many quotes": '"' * 50_000 + "\n",
    "many deprecations": "is deprecated " * 8_000 + "\n",
    "pytest headers": "=== test session starts ===\n" + "_" * 60_000 + "\n" + "E" + " " * 60_000 + "\n",
    "half characters": "\ud800 broken \udfff\n",
    "empty lines": "\n" * 100_000,
}


@pytest.mark.parametrize("what", HOSTILE)
def test_hostile_texts_are_read_in_little_time(what: str) -> None:
    from core.features.learning.rules import facts

    log = log_of(HOSTILE[what])
    assert_linear(lambda text: facts(log_of(text)), HOSTILE[what])
    assert not any(letter in event.text for event in log.events for letter in "\x00\x07\x1b\x9b")


def test_a_line_of_5_megabytes_is_cut() -> None:
    data = b"2026-03-01 10:00:00 ERROR a - " + b"word " * 2**20 + b"\n2026-03-01 10:00:01 INFO a - after\n"
    log = read(data, "a.log", Masker())
    assert (log.cut, [event.line for event in log.events]) == (1, [1, 2])
    assert len(log.events[0].text) < 5_000


def test_a_log_that_is_no_text_or_too_large_is_refused_with_a_reason() -> None:
    with pytest.raises(SourceError, match="64 MB"):
        read(b"x" * (MOST_BYTES + 1), "a.log", Masker())
    with pytest.raises(SourceError, match="zip archive"):
        read(b"PK\x03\x04", "a.log", Masker())
    with pytest.raises(SourceError, match="empty"):
        read(b"", "a.log", Masker())


def test_other_encodings_are_read_as_imports_read_them(tmp_path: Path) -> None:
    text = "2026-01-08 14:05:21 [错误] 库存 - 扣减库存失败：连接超时\n" * 20
    for encoding in ("utf-16", "gb18030", "utf-8-sig"):
        (event,) = read(text.encode(encoding), "a.log", Masker()).events
        assert (event.level, event.source, event.count) == ("error", "库存", 20)


def test_json_lines_keep_what_they_say_as_pairs() -> None:
    line = json.dumps({"level": 50, "msg": "failed", "user": {"id": 3, "name": "Ada B"}, "tags": ["x", "y"]})
    (event,) = log_of(f"{line}\n").events
    assert (event.level, event.text) == ("error", 'failed user={"id": 3, "name": "Ada B"} tags=["x", "y"]')


def test_the_table_names_every_parser() -> None:
    assert [*LOG_PARSERS][-1] == "plain"
    assert all(LOG_PARSERS.build(name).by_lines in (True, False) for name in LOG_PARSERS)
