"""Learning into a workspace: suggestions wait, secrets stay out, what was suggested or rejected doesn't come back."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.base.errors import ConfigError, EditError, SourceError, UnknownChoice
from core.features.learning.facts import FactTable
from core.features.learning.masks import Masker
from core.model import LearningReport
from core.workspace import Workspace
from tests.features.learning.generated import secret_texts
from tests.features.learning.measure import LABELS, LOGS
from tests.features.learning.secrets import planted

FILES = [LOGS / name for name in LABELS]
SETTING = "2026-01-01 10:00:00 INFO {0} - setting limit = {1}\n2026-01-01 10:00:01 INFO {0} - setting twin = on\n"


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TESSERA_EMBEDDER", "tfidf")
    monkeypatch.setenv("TESSERA_INDEX__KIND", "none")
    monkeypatch.setenv("TESSERA_ENABLE_LEARNING", "true")
    with Workspace(tmp_path / "workspace") as opened:
        yield opened


def fresh(report: LearningReport) -> list[str]:
    return [note_id for log in report.logs for note_id in log.suggested]


def test_learning_is_off_until_somebody_turns_it_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TESSERA_EMBEDDER", "tfidf")
    monkeypatch.setenv("TESSERA_INDEX__KIND", "none")
    with Workspace(tmp_path / "workspace") as workspace:
        with pytest.raises(ConfigError, match="enable_learning"):
            workspace.learning.learn(text=SETTING.format("a.b", 1))
        workspace.learning.enable(True)
        assert fresh(workspace.learning.learn(text=SETTING.format("a.b", 1)))
        workspace.learning.enable(False)
        with pytest.raises(ConfigError):
            workspace.learning.learn(text=SETTING.format("a.b", 2))


def test_suggestions_wait_and_are_found_once_they_are_accepted(workspace: Workspace) -> None:
    report = workspace.learning.learn("work", files=[LOGS / "shop-service.log"])
    (log,) = report.logs
    assert (report.base, log.name, log.format, log.secrets, log.known) == ("work", "shop-service.log", "plain", 1, 0)
    waiting = {one.note.title: one for one in workspace.proposals.all()}
    one = waiting["Settings of shop.config: db.pool_size, checkout.timeout_seconds, mail.smtp_port, mail.starttls"]
    assert (one.note.status, one.note.source, one.note.origin) == ("pending", "log_learning", "shop-service.log:2-4,42")
    assert not workspace.search("pool_size", bases=["work"]).hits
    assert workspace.search("pool_size status:pending", bases=["work"]).hits
    note = workspace.notes.get(one.note.id)
    assert "a configuration value" in note.body
    assert note.extra["metadata"] == {"rule": "setting", "format": "plain"}
    assert note.extra["created_by"] == "rules"
    workspace.proposals.accept([one])
    (hit, *_) = workspace.search("pool_size", bases=["work"]).hits
    assert hit.note.id == one.note.id


def test_what_was_added_to_a_note_is_not_suggested_again(workspace: Workspace) -> None:
    log = "2026-01-02 10:00:09 INFO config - setting pool.most = 20, pool.least = 2\n"
    pool = workspace.notes.add("home", "The pool.\n", title="Pool").id
    workspace.learning.learn("home", text=log)
    (item,) = workspace.review.all(kinds=["note"])
    workspace.review.merge(item, pool)
    assert "pool.most" in workspace.notes.get(pool).body
    workspace.trash.empty()
    (learnt,) = workspace.learning.learn("home", text=log).logs
    assert (learnt.suggested, learnt.rejected) == ((), 1)


def test_the_same_files_again_suggest_nothing(workspace: Workspace) -> None:
    first = workspace.learning.learn(files=FILES)
    again = workspace.learning.learn(files=FILES)
    assert fresh(first)
    assert not fresh(again)
    assert [log.known for log in again.logs] == [log.facts for log in first.logs]


def test_hundreds_of_rejected_facts_do_not_come_back(workspace: Workspace) -> None:
    many = "".join(SETTING.format(f"limits.{chr(97 + n % 26)}{n}", n) for n in range(200))
    errors = "".join(
        f"2026-01-01 10:00:0{k} ERROR unit{n} - job {words} failed on shard {k}\n"
        for n, words in enumerate(
            f"{a} {b}"
            for a in "read write move copy list sort scan merge".split()
            for b in "rows files keys blobs pages".split()
        )
        for k in range(2)
    )
    texts = [many.replace("limits", f"group{number}") for number in range(2)] + [errors]
    learnt = [
        workspace.learning.learn(text=text, name="a.log")
        for text in (*texts, *(file.read_text(encoding="utf-8") for file in FILES))
    ]
    note_ids = [note_id for report in learnt for note_id in fresh(report)]
    assert len(note_ids) >= 400
    workspace.proposals.reject(workspace.proposals.all(), reason="no use")
    workspace.trash.empty()
    again = [
        workspace.learning.learn(text=text, name="b.log")
        for text in (*texts, *(file.read_text(encoding="utf-8") for file in FILES))
    ]
    assert not [note_id for report in again for note_id in fresh(report)]
    assert sum(log.rejected for report in again for log in report.logs) >= 400
    elsewhere = workspace.learning.learn(
        text=errors.replace("2026-01-01", "2026-07-07").replace("shard ", "shard 7"), name="c.log"
    )
    assert not fresh(elsewhere)
    assert FactTable(workspace.store.database).all()[0].reason == "no use"


def test_what_was_accepted_after_a_rejection_counts_as_known(workspace: Workspace) -> None:
    (note_id,) = fresh(workspace.learning.learn(text=SETTING.format("a.b", 1)))
    workspace.proposals.reject(workspace.proposals.all())
    workspace.trash.restore([note_id])
    workspace.proposals.accept(workspace.proposals.all())
    (log,) = workspace.learning.learn(text=SETTING.format("a.b", 1)).logs
    assert (log.known, log.rejected) == (1, 0)


def test_a_fact_whose_note_is_gone_for_good_may_be_suggested_again(workspace: Workspace) -> None:
    (note_id,) = fresh(workspace.learning.learn(text=SETTING.format("a.b", 1)))
    workspace.trash.put(note_id)
    assert not fresh(workspace.learning.learn(text=SETTING.format("a.b", 1)))
    workspace.trash.empty()
    assert fresh(workspace.learning.learn(text=SETTING.format("a.b", 1)))


def test_of_200_planted_secrets_none_is_stored(workspace: Workspace) -> None:
    secrets = [secret for _, secret, _ in planted(200)]
    lines = [line for _, _, line in planted(200)]
    failing = "".join(
        f"2026-01-01 10:00:0{n % 10} ERROR a{n // 2} - step failed: {lines[n // 2]}\n" for n in range(400)
    )
    settings = "".join(SETTING.format(f"k{n}", line) for n, line in enumerate(lines))
    chat = "".join(f"User: We decided to use this for the deployment: {line}\nAssistant: Fine.\n" for line in lines)
    reports = [
        workspace.learning.learn(text=text, name="a.log") for text in (failing, settings, chat, "\n".join(lines))
    ]
    assert len(fresh(reports[0])) > 50
    workspace.store.database.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    stored = (workspace.store.folder / "notes.db").read_bytes()
    shown = json.dumps([report.logs for report in reports], default=str) + "".join(
        workspace.notes.get(one.note.id).body + one.note.title for one in workspace.proposals.all()
    )
    assert not [secret for secret in secrets if secret.encode() in stored or secret in shown]
    logs = "".join(file.read_text(encoding="utf-8") for file in (workspace.store.folder / "logs").glob("*"))
    assert not [secret for secret in secrets if secret in logs]


def test_no_secret_in_escapes_or_wrappings_is_stored(workspace: Workspace) -> None:
    texts = [text for text in secret_texts(1_700) if "\n" not in text.text][::17]
    lines = (SETTING.format(f"k{n}", text.text) for n, text in enumerate(texts))
    assert len(fresh(workspace.learning.learn(text="".join(lines), name="a.log"))) > 20
    workspace.store.database.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    stored = (workspace.store.folder / "notes.db").read_bytes()
    runs = [run for text in texts for secret in text.secrets for run in re.findall("[A-Za-z0-9]{6,}", secret)]
    assert len(runs) >= len(texts)
    assert not [run for run in runs if run.encode() in stored and not re.fullmatch("[A-Za-z][a-z]+", run)]


_ERROR = "2026-05-06 02:04:{:02} ERROR db - connection to orders lost"
_LINES = (
    *(_ERROR.format(second) for second in range(3)),
    "2026-05-06 02:05:01 ERROR db - query on orders failed: timed out",
    "Traceback (most recent call last):",
    '  File "/opt/db.py", line 88, in connect',
    "ConnectionError: orders refused",
    "",
    "2026-05-06 02:05:03 INFO db - restarting orders",
    "2026-05-06 02:05:04 INFO db - connected to orders again",
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(numbers=st.lists(st.integers(0, len(_LINES) - 1), max_size=14), line_end=st.sampled_from(["\n", "\r\n"]))
def test_a_suggestion_names_the_lines_that_it_quotes(workspace: Workspace, numbers: list[int], line_end: str) -> None:
    """A line in the suggestion's origin is in its quotes, and a line in its quotes is in its origin."""
    log = [_LINES[number] for number in numbers]
    workspace.trash.delete_for_good([card.id for card in workspace.notes.all()])
    for note_id in fresh(workspace.learning.learn("work", text=line_end.join(log), name="db.log")):
        note = workspace.notes.get(note_id)
        spans = [part.partition("-") for part in str(note.extra["source_ref"]).removeprefix("db.log:").split(",")]
        lines = [log[line - 1] for start, _, end in spans for line in range(int(start), int(end or start) + 1)]
        block = note.body.partition("```text\n")[2].removesuffix("\n```\n").split("\n")
        origin, quotes = ({line.partition("ERROR")[2] or line for line in which if line} for which in (lines, block))
        assert origin == quotes


@pytest.mark.parametrize(
    ("numbers", "origin"),
    [
        ([9, 0, 1, 2, 8, 0], "2-4,6"),  # the same error three times in a row
        ([0, 7, 1, 7, 7, 2, 9, 3, 0], "1-6,9"),  # with blank lines between
        ([0, 9, 3, 4, 5, 6, 9, 3, 4, 5, 6], "3-6,8-11"),  # with its stack trace
        ([0, 9, 0, 8, 9], "1,3-5"),  # with the step and the end
    ],
)
def test_equal_lines_in_a_row_and_stack_traces_are_ranges(
    workspace: Workspace, numbers: list[int], origin: str
) -> None:
    log = "\n".join(_LINES[number] for number in numbers)
    (note_id,) = fresh(workspace.learning.learn("work", text=log, name="db.log"))
    assert workspace.notes.get(note_id).extra["source_ref"] == f"db.log:{origin}"


def test_a_hostile_log_stays_text(workspace: Workspace) -> None:
    workspace.learning.learn(
        files=[LOGS / "hostile-instructions.log", LOGS / "hostile-bytes.log", LOGS / "claude-export.json"]
    )
    cards = workspace.notes.all()
    assert cards
    assert {card.status for card in cards} == {"pending"}
    for card in cards:
        note = workspace.notes.get(card.id)
        outside = re.sub(r"(?ms)^(`{3,})text$.*?^\1$", "", note.body)
        outside = re.sub(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)", "", outside)
        assert not {*outside} & {*"<>[]`"}
        assert not note.links
        assert not {*note.tags} - {"http"}


def test_a_base_that_trusts_programs_gets_suggestions_too(workspace: Workspace) -> None:
    workspace.bases.add("open", embedder="tfidf")
    workspace.bases.update("open", trusts_programs=True)
    workspace.learning.learn("open", text=SETTING.format("a.b", 1))
    assert [card.status for card in workspace.notes.all()] == ["pending"]


def test_a_chinese_log_gets_chinese_notes(workspace: Workspace) -> None:
    workspace.learning.learn(files=[LOGS / "订单服务.log"])
    bodies = [workspace.notes.get(one.note.id).body for one in workspace.proposals.all()]
    assert all("规则" in body for body in bodies)


def test_reports_of_tests_have_a_source_of_their_own(workspace: Workspace) -> None:
    workspace.learning.learn(files=[LOGS / "junit.xml", LOGS / "pytest-run.txt"])
    assert {card.source for card in workspace.notes.all()} == {"test_learning"}


def test_a_file_that_cannot_be_read_is_named_and_the_others_are_learnt(workspace: Workspace, tmp_path: Path) -> None:
    report = workspace.learning.learn(files=[tmp_path / "gone.log", LOGS / "junit.xml", tmp_path])
    assert [one.path for one in report.failed] == ["gone.log", tmp_path.name]
    assert len(fresh(report)) == 3
    with pytest.raises(SourceError, match=r"gone\.log"):
        workspace.learning.learn(files=[tmp_path / "gone.log"])


def test_programs_say_where_a_note_is_from(workspace: Workspace) -> None:
    workspace.bases.add("work", embedder="tfidf")
    values = {
        "source": "manual",
        "source_ref": "wiki.md:3",
        "created_by": "importer 2",
        "metadata": {"run": 7, "of": ["a"]},
    }
    note = workspace.notes.add("work", "Text.\n", **values)
    assert (note.source, note.source_ref, note.in_file) == ("manual", "", False)
    assert note.extra == {"source_ref": "wiki.md:3", "created_by": "importer 2", "metadata": {"run": 7, "of": ["a"]}}
    (card,) = workspace.notes.all()
    assert card.origin == "wiki.md:3"
    for wrong in ({"source": "folder"}, {"source": "pack"}, {"source": "x"}):
        with pytest.raises(UnknownChoice):
            workspace.notes.add("work", "Text.\n", **wrong)
    for wrong in (
        {"metadata": [1]},
        {"metadata": {"a": float("nan")}},
        {"metadata": {"a": "x" * 20_000}},
        {"source_ref": "x" * 600},
    ):
        with pytest.raises(EditError):
            workspace.notes.add("work", "Text.\n", **wrong)


RETRIES = """2026-05-06 02:04:54,303 WARN [storage] 连接 nas.local:445 超时，5 秒后重试 (1/3)
2026-05-06 02:05:01,123 WARN [storage] 连接 nas.local:445 超时，5 秒后重试 (2/3)
2026-05-06 02:05:08,760 ERROR [storage] 连接 nas.local:445 失败: Connection refused
Traceback (most recent call last):
  File "/opt/photo/storage.py", line 88, in connect
    sock.connect((host, port))
ConnectionRefusedError: [Errno 111] Connection refused
2026-05-06 02:05:15,340 INFO [sync] 备份暂停，队列中还有 312 个文件
"""


def test_retries_are_called_by_the_error_that_ended_them(workspace: Workspace) -> None:
    workspace.learning.learn("work", text=RETRIES)
    (waiting,) = workspace.proposals.all()
    title = waiting.note.title
    assert "Connection refused" in title
    assert "/3" not in title
    note = workspace.notes.get(waiting.note.id)
    assert "repeated_error" not in note.body
    assert "nas" not in f"{title}{note.body}{note.path}"


@pytest.mark.parametrize(
    ("written", "masked"),
    [
        ("connecting to nas.local:445 failed", "connecting to [host-1] failed"),
        ("GET http://media.fritz.lan/api?x=1", "GET http://[host-1]/api?x=1"),
        (r"open \\nas.local\photos", r"open \\[host-1]\photos"),
        ("http://printer.home:631/jobs", "http://[host-1]/jobs"),
        ("see config.local for the port", "see config.local for the port"),
        ("postgres://db.internal:5432/orders", "postgres://db.internal:5432/orders"),
        ("http://me@nas.local/x", "http://me@[host-1]/x"),
        ("java.lang.Error: no", "java.lang.Error: no"),
    ],
)
def test_machines_of_a_home_network_are_masked(written: str, masked: str) -> None:
    assert Masker().masked(written) == masked


def test_a_suggestion_is_added_only_to_a_note_with_its_words(workspace: Workspace) -> None:
    redis = "Redis persistence writes snapshots of the storage to disk; a backup copies them every hour."
    workspace.notes.add("work", redis, title="Redis persistence")
    workspace.learning.learn("work", text=RETRIES)
    (matter,) = (one for one in workspace.review.all() if one.kind == "note")
    assert workspace.review.nearest(matter) is None
    known = workspace.notes.add("work", f"Nobody listens there:\n\n{RETRIES}", title="storage 连接失败")
    near = workspace.review.nearest(matter)
    assert near
    assert near.id == known.id


@pytest.mark.parametrize(
    ("lines", "question", "cure"),
    [
        (
            (
                "ERROR billing - could not connect to postgres: FATAL: remaining connection slots are reserved",
                "INFO billing - restarted pgbouncer with a larger pool",
                "INFO billing - postgres connection restored",
            ),
            "Why can billing not connect to postgres, and what helped?",
            "restarted pgbouncer with a larger pool",
        ),
        (
            (
                "ERROR 支付服务 - 调用微信支付接口失败：证书已过期",
                "INFO 支付服务 - 运维：更换支付证书并重启支付服务",
                "INFO 支付服务 - 微信支付接口恢复正常",
            ),
            "支付证书已过期怎么办？",
            "更换支付证书",
        ),
    ],
)
def test_the_answer_about_an_accepted_error_quotes_what_ended_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lines: tuple[str, str, str], question: str, cure: str
) -> None:
    monkeypatch.setenv("TESSERA_ENABLE_LEARNING", "true")
    error, step, end = (f"2026-11-02 09:0{number}:00 {line}\n" for number, line in enumerate(lines))
    with Workspace(tmp_path / "workspace") as workspace:
        workspace.learning.learn("work", text=error * 2 + step + end + end.replace("INFO", "DEBUG"))
        workspace.proposals.accept(workspace.proposals.all())
        answer = workspace.answers.ask(question)
    assert cure in answer.text
