"""Questions that the notes didn't answer wait until one does, and wordings of one question are one."""

from collections.abc import Callable
from itertools import product
from string import ascii_lowercase

import pytest

from core.base.errors import Cancelled
from core.features.review import questions
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
    assert questions.group((first, "How tall is the mast?", second)) == ((first, second), ("How tall is the mast?",))


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
    assert questions.group((first, second)) == ((first,), (second,))


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


def test_long_questions_are_grouped_in_time_in_proportion() -> None:
    ends = ["".join(pair) for pair in product(ascii_lowercase, repeat=2)]

    def prepare(size: int) -> Callable[[], object]:
        asked = tuple(" ".join(f"{letter}word{end}" for end in ends[:size]) for letter in ascii_lowercase)
        return lambda: questions.group.__wrapped__(asked)

    assert_grows_linearly(prepare, 640)


def test_the_last_questions_are_asked_again_until_the_job_is_cancelled(workspace: Workspace) -> None:
    ask(workspace, *(f"Who is the plumber of house {number}?" for number in range(30)))
    asked: list[str] = []

    def is_answered(question: str) -> bool:
        asked.append(question)
        return True

    def progress(done: float, total: float, what: object) -> None:
        if done == 5:
            raise Cancelled

    with pytest.raises(Cancelled):
        workspace.review.ask_again(is_answered, progress)
    assert asked == [f"Who is the plumber of house {number}?" for number in range(10, 15)]
