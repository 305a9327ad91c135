"""Examples are questions whose first quote comes from the note that they ask about, found once until notes change."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest

from core.base.errors import NoteNotFound, QueryError
from core.base.jobs import Jobs
from core.features.answers.service import CANDIDATES, EXAMPLES, Answers, DrawQuestions
from core.model import GoldSpan, Question


@dataclass
class FakeAnswer:
    answered: str
    quotes: Sequence[Any]


class FakeQuote:
    def __init__(self, note_id: str) -> None:
        self.note = type("Card", (), {"id": note_id})


def drawn(notes: Sequence[Any], count: int) -> list[Question]:
    spans = [GoldSpan(f"{note}.md", "quote", 0, 5, note_id=note) for note in notes]
    return [Question(str(n), f"question {n} on {span.note_id}", (span,)) for n, span in enumerate(spans)][:count]


def examples(
    answered: Callable[[str], Any], jobs: Jobs, note_of: Callable[[str], Any] = str, draw: DrawQuestions = drawn
) -> Answers:
    nothing: Any = None
    store: Any = SimpleNamespace(note=note_of)
    of = Answers(store, nothing, nothing, jobs, draw, nothing)
    vars(of)["ask"] = answered
    return of


def found(of: Answers, jobs: Jobs, *notes: str) -> tuple[str, ...]:
    stamp = tuple((note, "2026-11-26") for note in notes)
    of.examples(stamp)
    jobs.wait("examples", 10)
    return of.examples(stamp)


def right(text: str) -> FakeAnswer:
    return FakeAnswer("yes", [FakeQuote(text.rpartition(" ")[2])])


def test_only_right_answers_are_offered() -> None:
    jobs = Jobs()
    answers = {
        "a": right("on a"),
        "b": FakeAnswer("yes", [FakeQuote("other")]),
        "c": FakeAnswer("possibly", [FakeQuote("c")]),
    }
    of = examples(lambda text: answers[text.rpartition(" ")[2]], jobs)
    assert found(of, jobs, "a", "b", "c") == ("question 0 on a",)


def test_a_question_of_one_word_is_not_offered() -> None:
    jobs = Jobs()
    questions = ["What is the scalar?", "What is the array scalar?", "如何添加调料？"]

    def of_words(_: Sequence[Any], count: int) -> list[Question]:
        span = GoldSpan("a.md", "quote", 0, 5, note_id="a")
        return [Question(text, text, (span,)) for text in questions][:count]

    of = examples(lambda _: FakeAnswer("yes", [FakeQuote("a")]), jobs, draw=of_words)
    assert found(of, jobs, "a") == tuple(questions[1:])


def test_a_question_that_fails_and_a_note_that_is_gone_are_left_out() -> None:
    def note_of(note_id: str) -> str:
        if note_id == "gone":
            raise NoteNotFound(note_id)
        return note_id

    def answered(text: str) -> FakeAnswer:
        if text.endswith("broken"):
            raise QueryError("No search can do this.")
        return right(text)

    jobs = Jobs()
    assert found(examples(answered, jobs, note_of), jobs, "gone", "broken", "fine") == ("question 1 on fine",)


def test_they_are_few_and_found_once_until_notes_change() -> None:
    asked: list[str] = []

    def answered(text: str) -> FakeAnswer:
        asked.append(text)
        return right(text)

    jobs = Jobs()
    of = examples(answered, jobs)
    notes = [f"n{number}" for number in range(2 * CANDIDATES)]
    assert len(found(of, jobs, *notes)) == len(asked) == EXAMPLES
    found(of, jobs, *notes)
    assert len(asked) == EXAMPLES
    assert of.examples((("n0", "later"),)) == ()
    jobs.wait("examples", 10)
    assert len(asked) == EXAMPLES + 1


@pytest.mark.parametrize("count", [0, 1])
def test_few_notes_give_few(count: int) -> None:
    jobs = Jobs()
    assert len(found(examples(right, jobs), jobs, *"a"[:count])) == count
