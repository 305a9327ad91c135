"""The word for how well a hit matches never contradicts the order, and is fair to another language."""

from types import SimpleNamespace
from typing import Any

import pytest

from core.model import Highlight
from core.retrieval.confidence import match_levels


def levels(
    nearness: list[float | None],
    *,
    typed: str = "how",
    language: str = "en",
    quoted: Any = None,
    held: float = 1.0,
    **result: Any,
) -> list[int]:
    chunks = [SimpleNamespace(id=f"{number}", language=language) for number in range(len(nearness))]
    hits = [SimpleNamespace(chunk=chunk, scores={}, asked="") for chunk in chunks]
    seen = {chunk.id: Highlight((), None, near, held) for chunk, near in zip(chunks, nearness, strict=True)}
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
    assert levels([0.36, 0.3, 0.2], typed="怎么", language="en") == [2, 2, 1]
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


@pytest.mark.parametrize("typed", ["E1042", "413", "port 8081"])
def test_a_hit_without_the_number_of_a_query_is_weak(typed: str) -> None:
    assert levels([0.55, 0.4], typed=typed, held=0.0) == [1, 1]
    assert levels([0.55], typed="a port", held=0.0) == [3]
    assert levels([0.4], typed="怎么用 10 分钟煮鸡蛋", held=0.0) == [2]


def test_one_rare_word_of_several_makes_no_strong_match() -> None:
    chunk = SimpleNamespace(id="0", language="en")
    hit = SimpleNamespace(chunk=chunk, scores={"literal": SimpleNamespace(score=1.8)}, asked="")
    known = SimpleNamespace(
        hits=[hit], confident=True, spelled={}, understood=SimpleNamespace(text="animal clinic phone")
    )
    assert match_levels(known, {"0": Highlight((), None, 0.45, 0.2)}, None) == {"0": 2}  # type: ignore[arg-type]
    assert match_levels(known, {"0": Highlight((), None, 0.45, 0.7)}, None) == {"0": 3}  # type: ignore[arg-type]
