"""Questions that the notes didn't answer wait until one does, and wordings of one question are one."""

from collections.abc import Callable
from itertools import product
from pathlib import Path
from string import ascii_lowercase

import pytest

from core.base.errors import Cancelled
from core.features.review import questions as wordings
from core.features.review import service
from core.workspace import Workspace
from tests.growth import assert_grows_linearly


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("When does the dishwasher guarantee end?", "when does the dishwasher's guarantee end"),
        ("What is the wifi password?", "What's the pasword of the wifi?"),
        ("Where are the keys of the cellars?", "Where is the key of the cellar"),
        ("路由器的密码是什么？", "路由器密码是什么"),
    ],
)
def test_wordings_of_one_question_are_one(first: str, second: str) -> None:
    assert wordings.group((first, "How tall is the mast?", second)) == ((first, second), ("How tall is the mast?",))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("When does the dishwasher guarantee end?", "When does the dryer guarantee end?"),
        ("Who serviced the boiler?", "When was the boiler serviced?"),
        ("When was I in Austria?", "When was I in Australia?"),
        ("Where is the spare key?", "Where is the key?"),
        ("What does invoice 2024 say?", "What does invoice 2025 say?"),
        ("路由器的密码是什么？", "洗衣机的密码是什么？"),
        ("谁修的锅炉？", "什么时候修的锅炉？"),
    ],
)
def test_other_questions_are_others(first: str, second: str) -> None:
    assert wordings.group((first, second)) == ((first,), (second,))


def ask(workspace: Workspace, *asked: str) -> None:
    for question in asked:
        workspace.searches.add(question)
        workspace.searches.mark([question], unanswered=True)


def test_a_question_is_listed_once_until_it_is_answered_or_forgotten(workspace: Workspace) -> None:
    ask(workspace, "What is the wifi password?", "Who is the plumber?", "What's the password of the wifi?")
    plumber, wifi = workspace.review.all(kinds=["question"])
    assert (wifi.title, wifi.note) == ("What's the password of the wifi?", None)
    assert wifi.quotes == ("What is the wifi password?", "What's the password of the wifi?")
    assert workspace.review.counts()["question"] == 2
    workspace.searches.mark(wifi.quotes, unanswered=False)
    assert workspace.review.all() == [plumber]
    workspace.searches.delete_for_good(plumber.title)
    assert workspace.review.all() == []


def test_a_question_that_needs_no_note_stays_away_when_it_is_asked_again(workspace: Workspace) -> None:
    ask(workspace, "Who is the plumber?")
    (plumber,) = workspace.review.all()
    workspace.review.let_be([plumber.key])
    for asked in ("who's the plumber", "Who is the plumber?", "is the plumber who?"):
        ask(workspace, asked)
        assert workspace.review.all() == []


def test_questions_that_the_notes_answer_by_now_leave_with_the_next_comparison(workspace: Workspace) -> None:
    ask(workspace, "Who is the plumber of the house?", "How tall is the mast?")
    workspace.notes.add("home", "The plumber of the house is Frau Holm.\n", title="Plumber", author="person")
    workspace.start_comparing()
    workspace.jobs.wait("compare", 30)
    assert [one.title for one in workspace.review.all()] == ["How tall is the mast?"]


@pytest.mark.parametrize(
    ("question", "part", "whole"),
    [
        (
            "Who leads the billing team, and who is the deputy?",
            "Dana Weber leads the billing team since March.\n",
            "Dana Weber leads the billing team, and Omar Haddad is the deputy.\n",
        ),
        (
            "报销流程需要谁审批？",
            "报销单须在月底前提交给财务，金额超过五千元的另外处理。\n",
            "报销流程需要部门经理审批。\n",
        ),
        (
            "数据库备份几点执行，由谁负责？",
            "数据库备份每天凌晨 2 点执行。\n",
            "数据库备份每天凌晨 2 点执行，由李雷负责。\n",
        ),
        ("How long are backups kept?", "Backups run every night at 2.\n", "Backups are kept for 30 days.\n"),
    ],
)
def test_a_question_stays_while_a_note_answers_only_a_part_of_it(
    tmp_path: Path, question: str, part: str, whole: str
) -> None:
    with Workspace(tmp_path / "workspace") as workspace:
        ask(workspace, question)
        for text, left in ((part, [question]), (whole, [])):
            workspace.notes.add("home", text, title="Notes", author="person")
            workspace.start_comparing()
            workspace.jobs.wait("compare", 60)
            assert [one.title for one in workspace.review.all(kinds=["question"])] == left


def test_long_questions_are_grouped_in_time_in_proportion() -> None:
    ends = ["".join(pair) for pair in product(ascii_lowercase, repeat=2)]

    def prepare(size: int) -> Callable[[], object]:
        asked = tuple(" ".join(f"{letter}word{end}" for end in ends[:size]) for letter in ascii_lowercase)
        return lambda: wordings.group.__wrapped__(asked)

    assert_grows_linearly(prepare, 640)


def test_all_questions_are_asked_again_the_newest_first_as_far_as_the_time_goes(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    questions = [f"Who is the plumber of house {number}?" for number in range(30)]
    ask(workspace, *questions)
    asked: list[str] = []
    clock = [1.0]
    monkeypatch.setattr(service, "monotonic", lambda: clock[0])

    def is_answered(question: str) -> bool:
        asked.append(question)
        clock[0] += service.ASKING / 24.5
        return question == questions[0]

    def progress(done: float, total: float, what: object) -> None:
        if len(asked) == 40:
            raise Cancelled

    workspace.review.ask_again(is_answered, progress)
    assert asked == questions[:4:-1]
    with pytest.raises(Cancelled):
        workspace.review.ask_again(is_answered, progress)
    assert asked[25:] == [*questions[4::-1], *questions[:19:-1]], "those that had no turn come first"
    assert [search.query for search in workspace.searches.unanswered()] == questions[1:]
