"""What the rules read from 14 logs, against the facts that were labelled in them before the rules were tuned."""

import re
from pathlib import Path

import pytest

from core.features.learning.masks import Masker
from core.features.learning.reading import read_text
from core.features.learning.rules import RULES, facts
from core.features.learning.service import Memory
from core.model import Fact, LearntFact
from tests.features.learning.measure import LABELS, LOGS, all_measured, measured

GUIDE = Path(__file__).parents[3] / "docs/guide.md"


def facts_of(text: str, name: str = "a.log") -> list[Fact]:
    return [fact for _, fact in facts(read_text(text, name, Masker()))]


def test_four_of_five_labelled_facts_are_suggested_and_at_most_a_fifth_is_noise() -> None:
    results = all_measured()
    assert len(results) == 14
    labels = sum(one.labels for one in results)
    missing = [label for one in results for label in one.missing]
    noise = [text for one in results for text in one.noise]
    suggestions = sum(len(one.suggestions) for one in results)
    assert labels >= 60
    assert len(missing) <= 0.2 * labels, missing
    assert len(noise) <= 0.2 * suggestions, noise


def test_every_rule_is_needed_by_a_log() -> None:
    used = {text[1 : text.index("]")].split("_")[0] for name in LABELS for text in measured(name).suggestions}
    assert {name.split("_")[0] for name in RULES} - {"statement"} <= used
    assert "stated" in used


def test_an_error_has_its_cause_its_count_what_ended_it_and_what_was_done_before() -> None:
    log = (LOGS / "payments-java.log").read_text(encoding="utf-8")
    fact = next(one for one in facts_of(log) if one.rule == "repeated_error" and "PKIX" in str(one.title))
    text = str(fact.text)
    assert "3 times" in text
    assert "(ended with: Capture of payment 88171 succeeded" in text
    assert "(not seen again after this step: Imported certificate of gateway.acme.example" in text
    assert fact.lines[0][0] == 4
    assert any("SSLHandshakeException" in quote for quote in fact.quotes)


def test_an_error_that_stands_there_once_is_no_fact() -> None:
    assert not facts_of("2026-01-01 10:00:00 ERROR a - broken\n2026-01-01 10:00:01 INFO a - fine\n")


@pytest.mark.parametrize(
    "text",
    [
        "2026-01-01 10:00:00 INFO web - order=1 user=2 total=3 placed by the customer in the shop\n",
        "User: why is it slow?\nAssistant: The cause may be the disk.\n",
        "$ ls\na.txt\n$ make\nok\n",
        "2026-01-01 10:00:00 INFO web - GET /a took 12 ms\n" * 5,
        "just some text\nin a file\n",
    ],
)
def test_what_is_ordinary_is_no_fact(text: str) -> None:
    assert not facts_of(text)


def test_a_masked_value_is_no_setting() -> None:
    line = "2026-01-01 10:00:00 INFO config - setting db.password = Sunshine!42, db.name = shop, db.port = 5433\n"
    (fact,) = facts_of(line)
    assert str(fact.text) == "Settings of config: db.name = shop, db.port = 5433"


def test_a_setting_alone_is_no_fact() -> None:
    assert not facts_of("2026-01-01 10:00:00 INFO config - setting db.name = shop\n")


def test_what_merely_follows_an_error_neither_ends_it_nor_leads_to_its_end() -> None:
    failed = "".join(f"2026-01-01 10:00:0{n} ERROR sync - upload failed: disk quota exceeded\n" for n in range(2))
    rotated = "2026-01-01 10:00:04 INFO sync - rotation of keys resolved\n"
    raised = "2026-01-01 10:00:05 INFO admin - quota raised to 50 GB\n"
    began = "2026-01-01 10:00:06 INFO config - reading the list of hosts\n"
    resumed = "2026-01-01 10:00:07 INFO sync - upload resumed\n"
    (fact,) = facts_of(failed + rotated + raised + began + resumed)
    assert "(not seen again after this step: quota raised to 50 GB) (ended with: upload resumed). " in str(fact.text)


@pytest.mark.parametrize(
    ("solved", "cure"),
    [
        ("fix: bring up the VPN first", "fix: bring up the VPN first"),
        ("# Fixed it: brought up the VPN.", "# Fixed it: brought up the VPN"),
        ("解决办法：先连上 VPN。", "解决办法：先连上 VPN"),
        ("2026-01-01 10:09:00 INFO solution: bring up the VPN first", "bring up the VPN first"),
    ],
)
def test_lines_are_quoted_as_they_are_and_one_that_says_the_fix_ends_the_error(solved: str, cure: str) -> None:
    failed = [f"[2026-01-01 10:0{n}:00] ERROR rsync: no route to host (code {n})" for n in range(2)]
    (fact,) = facts_of("\n".join([*failed, "2026-01-01 10:05:00 INFO cron: tick", solved]) + "\n")
    assert fact.quotes == (*failed, solved)
    assert f"(ended with: {cure})." in str(fact.text)


@pytest.mark.parametrize("length", range(151, 200, 3))
def test_a_secret_at_the_end_of_a_long_beginning_is_quoted_in_no_part(length: int) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6" * 3
    head = f"[{'x' * 50}] [{'z' * 50}] [{'w' * 30}] [{'y' * (length - 150)}] [{secret}]"
    lines = [f"2026-01-01 10:0{n}:00 ERROR {head} boom: no route to host" for n in range(3)]
    facts = facts_of("\n".join(lines) + "\n")
    assert facts
    for fact in facts:
        assert not any(secret[:8] in quote for quote in (str(fact.title), str(fact.text), *fact.quotes))


def test_the_title_of_a_commit_ends_no_error() -> None:
    failed = [f"[2026-01-01 10:0{n}:00] ERROR rsync: no route to host (code {n})" for n in range(2)]
    listed = ["2026-01-01 11:05:00 INFO deploy: commits since last release", "fix: correct typo in README"]
    (fact,) = facts_of("\n".join([*failed, *listed]) + "\n")
    assert fact.quotes == tuple(failed)


@pytest.mark.parametrize(
    ("after", "told"),
    [
        (
            ("deploy - restarting redis-server", "cache - connected to redis at localhost:6379", "api - ready"),
            "after this step: restarting redis-server) (ended with: connected to redis at localhost:6379).",
        ),
        (
            ("deploy - restarting redis-server", "api - ready"),
            "(not seen again after this step: restarting redis-server).",
        ),
        (("运维 - 重启 redis 服务", "api - ready"), "(not seen again after this step: 重启 redis 服务)."),
        (
            ("cache - restarted the tunnel", "mail - restarted sendmail", "cache - redis connection restored"),
            "(not seen again after this step: restarted the tunnel) (ended with: redis connection restored).",
        ),
        (("deploy - restarting the mail server", "api - ready"), "refused. It appears 2 times in the log."),
        (("deploy - restarting redis-server",), "refused. It appears 2 times in the log."),
        (("cache - disconnected from redis", "api - ready"), "refused. It appears 2 times in the log."),
    ],
)
def test_what_ended_an_error_is_told_where_the_log_tells_it(after: tuple[str, ...], told: str) -> None:
    failed = "".join(f"2026-01-01 10:00:0{n} ERROR cache - redis: connection refused\n" for n in range(2))
    lines = "".join(f"2026-01-01 10:01:0{n} INFO {line}\n" for n, line in enumerate(after))
    (fact,) = (one for one in facts_of(failed + lines) if one.rule == "repeated_error")
    assert told in str(fact.text)


def test_the_same_error_in_another_log_is_the_same_fact() -> None:
    def log(day: str, order: int, host: str) -> str:
        return "".join(
            f"{day} 10:00:0{n} ERROR stock - reserve of order {order + n} failed: lock-{n} of {host} is held\n"
            for n in range(3)
        )

    (first,) = facts_of(log("2026-01-01", 100, "db1"))
    (second,) = facts_of(log("2026-05-05", 900, "db2"))
    assert first.key == second.key


def test_a_fact_that_is_said_a_little_otherwise_is_known_and_its_opposite_is_not() -> None:
    said = "We decided to keep the nightly export of the orders table on the second machine."
    (fact,) = facts_of(f"User: {said}\nAssistant: Fine.\n")
    memory = Memory([LearntFact(fact.rule, fact.key, "", rejected=True)])

    def known(sentence: str) -> bool:
        (other,) = facts_of(f"User: {sentence}\nAssistant: Fine.\n")
        return memory.find(other) is not None

    assert known(said)
    assert known(said.replace("of the orders", "of orders"))
    assert not known(said.replace("to keep", "not to keep"))
    assert not known(said.replace("second machine", "machine 3"))
    assert not known("We decided to stop paying for the second machine in the cellar.")


def test_settings_with_other_values_are_other_facts() -> None:
    line = "2026-01-01 10:00:00 INFO config - setting pool.size = {}, pool.wait = 3\n"
    (ten,), (twenty,) = facts_of(line.format(10)), facts_of(line.format(20))
    assert Memory([LearntFact(ten.rule, ten.key, "", rejected=True)]).find(twenty) is None


def test_facts_rest_on_lines_that_say_so() -> None:
    for name in LABELS:
        data = (LOGS / name).read_text(encoding="utf-8")
        log = read_text(data, name, Masker())
        lines = {(event.line, max(event.line, event.end)) for event in log.events}
        for _, fact in facts(log):
            assert fact.quotes
            assert {*fact.lines} <= lines, (name, fact.title)


@pytest.mark.parametrize(
    ("line", "rule", "says"),
    [
        (
            "POST /api/live/room 401 missing header TOKEN",
            "required_header",
            "header TOKEN. Requests without it are answered with 401",
        ),
        ("GET /api/game 400 missing header game-id", "required_header", "needs the header game-id"),
        ("2026-01-01 10:00:00 WARN api - PUT /api/x 401: header game-id is required", "required_header", "game-id"),
        ("POST /api/x 401 缺少请求头 game-id", "required_header", "game-id"),
        ("POST /api/live/room 401", "failing_request", "POST /api/live/room is answered with 401"),
        ('POST /api/live/room HTTP/1.1" 403', "failing_request", "is answered with 403"),
    ],
)
@pytest.mark.parametrize("times", [2, 4])
def test_a_request_that_is_refused_is_a_fact(line: str, rule: str, says: str, times: int) -> None:
    (fact,) = facts_of(f"{line}\n" * times)
    assert fact.rule == rule
    assert says in str(fact.text)


@pytest.mark.parametrize(
    "line",
    ["GET /api/x 200", "POST /api/live/room took 401 ms", "missing header row-by-row", "POST /api/x 201 header line"],
)
def test_a_request_that_is_answered_is_none(line: str) -> None:
    assert not [fact for fact in facts_of(f"{line}\n" * 4) if fact.rule in ("required_header", "failing_request")]


def test_the_guide_names_every_rule() -> None:
    guide = GUIDE.read_text(encoding="utf-8").partition("### Learning from logs")[2]
    rows = re.findall(r"^\| (`.*?) \|", guide.partition("\n## ")[0], re.MULTILINE)
    assert {name for row in rows for name in re.findall(r"`(\w+)`", row)} >= {*RULES}


@pytest.mark.parametrize(
    ("act", "line"),
    [
        ("INFO admin tom: app password renewed, secret updated", 3),
        ("INFO [ops] heap raised to 4g in jvm.options, node restarted", 3),
        ("INFO 运维：换了新的密码", 3),
        ("INFO 管理员小王：把网线换到二号口", 3),
        ("INFO ops: 1200 per second", 0),
        ("INFO operator: Reconciling deployment web", 0),
        ("INFO operator-lifecycle-manager: Update of the catalogue", 0),
        ("INFO admin: GET /index.html 200 for user bob", 0),
        ("INFO the nightly job ran", 0),
    ],
)
def test_what_an_operator_did_is_the_step_after_which_an_error_ended(act: str, line: int) -> None:
    error = "2026-11-29 05:00:00 ERROR mailer: authentication failed for invoices\n"
    rest = f"2026-11-29 05:45:00 {act}\n2026-11-29 05:46:00 INFO mailer: 214 queued messages sent\n"
    (fact,) = facts_of(error * 2 + rest)
    assert ((line, line) in fact.lines) == bool(line)
    assert ("not seen again after this step" in str(fact.text)) == bool(line)
    other = "2026-11-29 05:10:00 ERROR disk: no space left\n"
    (fact,) = facts_of(error * 2 + other + rest)
    assert "after this step" not in str(fact.text)
