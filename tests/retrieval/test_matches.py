"""The word for how well a hit matches never contradicts the order, and is fair to another language."""

from types import SimpleNamespace
from typing import Any

import pytest

from core.model import Highlight
from core.retrieval.confidence import match_levels


def levels(
    nearness: list[float | None], *, typed: str = "how", language: str = "en", quoted: Any = None, **result: Any
) -> list[int]:
    chunks = [SimpleNamespace(id=f"{number}", language=language) for number in range(len(nearness))]
    hits = [SimpleNamespace(chunk=chunk, scores={}, asked="") for chunk in chunks]
    seen = {chunk.id: Highlight((), None, near, 1.0) for chunk, near in zip(chunks, nearness, strict=True)}
    known = {"hits": hits, "confident": True, "spelled": {}, "understood": SimpleNamespace(text=typed)} | result
    return [*match_levels(SimpleNamespace(**known), seen, quoted).values()]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("nearness", "expected"),
    [
        ([0.6, 0.45, 0.3], [3, 2, 1]),
        ([0.45, 0.6, 0.3], [3, 3, 1]),
        ([0.3, 0.6, 0.6], [2, 2, 2]),
        ([0.3, 0.31, 0.6, 0.2], [2, 2, 2, 1]),
        ([], []),
    ],
)
def test_it_never_rises_down_the_list(nearness: list[float | None], expected: list[int]) -> None:
    assert levels(nearness) == expected


def test_a_hit_in_another_language_is_measured_by_such_hits() -> None:
    assert levels([0.36, 0.3, 0.2], typed="怎么", language="en") == [3, 2, 1]
    assert levels([0.36, 0.3, 0.2], typed="怎么", language="zh") == [1, 1, 1]


def test_where_nothing_is_close_all_are_weak() -> None:
    assert levels([0.6, 0.5], confident=False) == [1, 1]


def test_a_hit_of_a_question_is_strong_where_a_sure_answer_quotes_it() -> None:
    assert levels([0.45, 0.6], quoted={"0": 3}) == [3, 2]
    assert levels([0.6, 0.6], quoted={"1": 2}) == [2, 2]
    assert levels([0.2, 0.2], quoted={"0": 2}) == [2, 1]


def test_no_hit_of_a_question_without_an_answer_is_a_good_match() -> None:
    assert levels([0.6, 0.45], quoted={}) == [1, 1]
    assert levels([0.6, 0.45], quoted=None) == [3, 2]
