"""Runs next to each other tell what is worked out on paper, over the questions they share."""

from dataclasses import replace
from statistics import fmean

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.base.errors import ConfigError, UnknownChoice
from core.features.evaluation.comparison import BY_BUDGET, BY_RANK, kinds, shared, side_by_side
from core.model import METRICS, TIMES, ChunkingOptions, GivenAnswer, GoldSpan, Pipeline, QuestionResult, SideBySide
from core.retrieval.significance import compare
from tests.features.evaluation.paper import negative, ranked, result, run

OLD = (1, 2, None, 4, 12, 1, 3)
NEW = (1, 1, 3, None, 11, 1, 5)


def two() -> SideBySide:
    return side_by_side([ranked("old", OLD), ranked("new", NEW)])


def test_figures_are_the_means_over_the_questions() -> None:
    shown = two()
    assert set(shown.figures) == {*METRICS, "p50_ms", "p95_ms"}
    assert shown.figures["hit@1"] == (2 / 7, 3 / 7)
    assert shown.figures["hit@10"] == (5 / 7, 5 / 7)
    assert shown.figures["mrr@10"] == pytest.approx(
        (fmean([1, 1 / 2, 0, 1 / 4, 0, 1, 1 / 3]), fmean([1, 1, 1 / 3, 0, 0, 1, 1 / 5]))
    )
    assert shown.figures["p50_ms"] == (12.0, 12.0)


def test_what_became_of_each_question() -> None:
    shown = two()
    assert [row.change for row in shown.rows] == [
        "same",
        "better",
        "gained",
        "lost",
        "better",  # from rank 12 to 11: answered within DEPTH in neither
        "same",
        "worse",
    ]
    assert shown.rows[4].ranks == (12, 11)
    assert shown.rows[6].question == "question 6?"


def test_comparisons_are_those_of_the_values_without_negatives() -> None:
    old = run("old", [result("a", 1), negative("n", 0.5), result("b", 2)])
    new = run("new", [result("a", 2), negative("n", 0.9), result("b", 2)])
    shown = side_by_side([old, new])
    assert (len(shown.rows), shown.answerable) == (3, 2)
    assert shown.comparisons["mrr@10"] == compare({"a": 1.0, "b": 0.5}, {"a": 0.5, "b": 0.5})
    assert (shown.rows[1].negative, shown.rows[1].values, shown.rows[1].change) == (True, ({}, {}), "same")


ANSWERS = st.sampled_from([None, "", "It costs 5 EUR", "It is free"])


@given(st.lists(st.tuples(ANSWERS, ANSWERS, st.booleans(), st.booleans()), min_size=1, max_size=12))
def test_each_difference_is_that_of_its_row(answers: list[tuple[str | None, str | None, bool, bool]]) -> None:
    """An answer may be missing, empty or quote the correct passage or another one, in either run."""

    def given_answer(text: str | None, right: bool, asked: QuestionResult) -> GivenAnswer | None:
        hit = asked.hits[0 if right else 1]
        return None if text is None else GivenAnswer(text, (hit,) if text else (), bool(text), bool(text))

    runs = []
    for number in range(2):
        results = []
        for name, row in enumerate(answers):
            asked = result(f"{name}", 1, wished="Costs 5 EUR")
            results.append(replace(asked, given=given_answer(row[number], row[2 + number], asked)))
        runs.append(run(f"{number}", results))
    shown = side_by_side(runs)
    assert shown.comparisons.keys() == shown.figures.keys() - set(TIMES)
    for name, comparison in shown.comparisons.items():
        old, new = shown.figures[name]
        assert comparison.difference == pytest.approx(new - old), name


# which questions


def moved(asked: QuestionResult, **fields: object) -> QuestionResult:
    return replace(asked, golds=tuple(replace(gold, **fields) for gold in asked.golds))  # type: ignore[arg-type]


def test_a_question_whose_passage_moved_is_the_same() -> None:
    old, new = result("a", 1), moved(result("a", 2), start=300, end=400, note_id="n9")
    assert shared([run("x", [old]), run("y", [new])]) == [(old, new)]


@pytest.mark.parametrize(
    "other",
    [
        moved(result("a", 1), quote="another quote"),
        moved(result("a", 1), path="b.md"),
        replace(result("a", 1), question="another question?"),
        replace(result("a", 1), any=False),
        replace(result("a", 1), id="z"),
        replace(result("a", 1), golds=()),
    ],
)
def test_other_questions_are_left_out_and_that_is_told(other: QuestionResult) -> None:
    shown = side_by_side([run("x", [result("a", 1), result("b", 1)]), run("y", [result("b", 3), other])])
    assert [row.id for row in shown.rows] == ["b"]
    assert [*map(str, shown.notices)] == [
        "2 of 3 questions were left out because they weren't asked in every test run "
        "or their correct passages were changed.",
    ]
    assert shown.figures["hit@1"] == (1.0, 0.0)


def test_passages_in_another_order_are_the_same() -> None:
    golds = (GoldSpan("a.md", "one", 0, 3, "n"), GoldSpan("b.md", "two", 0, 3, "m"))
    old, new = replace(result("a"), golds=golds), replace(result("a"), golds=golds[::-1])
    assert len(shared([run("x", [old]), run("y", [new])])) == 1


def test_what_cannot_be_compared_is_refused() -> None:
    one = ranked("a", (1,))
    for other_number in ([], [one, one, one]):
        with pytest.raises(ConfigError, match="Choose one test run, or two"):
            side_by_side(other_number)
    with pytest.raises(ConfigError, match="different bases"):
        side_by_side([one, ranked("b", (1,), base_id="other")])
    with pytest.raises(ConfigError, match="no questions in common"):
        side_by_side([one, run("b", [result("z", 1)])])
    with pytest.raises(UnknownChoice, match=r"figure 'hit@3'.*Did you mean"):
        side_by_side([one, one], "hit@3")


# what to keep in mind


def test_runs_that_did_not_go_alike_say_so() -> None:
    stopped = ranked("new", (1, 1), ended_at=None, questions=9, index_version=8)
    assert [*map(str, side_by_side([ranked("old", (1, 1)), stopped]).notices)] == [
        "The notes or the base changed between these test runs, which may explain a difference.",
        "'new' was stopped after 2 of 9 questions.",
    ]


def test_hits_of_other_lengths_are_looked_at_within_a_budget() -> None:
    old, new = ranked("old", (1,)), ranked("new", (2,), settings={"semantic_weight": 0.6, "chunk_size": 256})
    shown = side_by_side([old, new])
    assert shown.metric == BY_BUDGET
    assert "favours long ones" in str(shown.notices[0])
    assert side_by_side([old, new], "hit@1").metric == "hit@1"
    assert (two().metric, two().notices) == (BY_RANK, ())


def test_only_settings_that_differ_are_told() -> None:
    new = ranked("new", (1,), settings={"semantic_weight": 0.4, "chunk_size": 512, "reranker": "none"})
    shown = side_by_side([ranked("old", (1,)), new])
    assert shown.settings == {"semantic_weight": (0.6, 0.4), "reranker": (None, "none")}


def test_runs_of_one_name_are_told_apart() -> None:
    runs = [ranked("mine", (1,)), ranked("mine", (1,))]
    assert [*map(str, side_by_side(runs).labels)] == ["mine (1)", "mine (2)"]


def test_a_label_says_what_differs_from_the_base_as_it_was_split() -> None:
    sections = Pipeline(chunking=ChunkingOptions("markdown", chunk_size=256))
    base, other = ranked("", (1,), settings={"chunk_size": 256}), ranked("", (1,), pipeline=sections)
    assert [*map(str, side_by_side([base, other]).labels)] == ["Current settings", "split by headings"]


def test_answered_questions_are_counted_by_kind() -> None:
    def asked(*ranks: int | None) -> list[QuestionResult]:
        named = ("short", "keyword", "short", "")
        return [result(f"{n}", rank, kind=kind) for n, (rank, kind) in enumerate(zip(ranks, named, strict=True))]

    shown = side_by_side(
        [run("a", [*asked(1, 2, 3, 4), negative("n")]), run("b", [*asked(None, 2, 11, 4), negative("n")])]
    )
    (section,) = kinds(shown)
    assert [[*map(str, row)] for row in section.table] == [
        ["Kind", "Questions", "a", "b"],
        ["short question", "2", "2", "0"],
        ["keyword", "1", "1", "1"],
        ["–", "1", "1", "1"],
    ]


def test_a_run_alone_has_nothing_to_compare() -> None:
    shown = side_by_side([ranked("a", (1, None))])
    assert (shown.comparisons, shown.notices, shown.figures["hit@1"]) == ({}, (), (0.5,))
    assert shown.settings == {"semantic_weight": (0.6,), "chunk_size": (512,)}
    assert [row.change for row in shown.rows] == [None, None]
    assert not shown.is_better


def test_a_run_without_questions_has_figures_of_zero() -> None:
    shown = side_by_side([run("a", [], ended_at=None, questions=3)])
    assert set(shown.figures["hit@1"]) == {0.0}
    assert [*map(str, shown.notices)] == ["'a' was stopped after 0 of 3 questions."]


def lots(seed: int, better: float = 0.0) -> SideBySide:
    """Return two setups on 40 questions whose ranks are drawn by lot, the second `better` by so much."""
    old, new = np.random.default_rng(seed).random((2, 40)) + np.array([[0.0], [better]])
    compared = compare(*(dict(zip(map(str, range(40)), drawn.tolist(), strict=True)) for drawn in (old, new)))
    return replace(two(), metric=BY_RANK, comparisons={BY_RANK: compared})


def test_of_noise_alone_hardly_ever_a_setup_is_called_better() -> None:
    assert sum(lots(seed).is_better for seed in range(60)) <= 6
    assert all(lots(seed, better=0.4).is_better for seed in range(5))
    assert not any(lots(seed, better=-0.4).is_better for seed in range(5))
