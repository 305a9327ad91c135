"""Advice is right where the truth is known, and says nothing firmly where there is only noise."""

from collections.abc import Mapping
from dataclasses import asdict

import numpy as np
import pytest

from core.base.errors import ConfigError, UnknownChoice
from core.chunking import CHUNKERS, build
from core.features.evaluation.pipelines import grid
from core.features.evaluation.sidebyside import advise, choose_run
from core.model import DEFAULTS, ChunkingOptions, Pipeline, SearchSettings, pipeline_label
from core.reranking import RERANKERS
from core.settings.sections import ChunkingSettings
from tests.features.evaluation.paper import negative, ranked, result, run

KEYS = 18


def noise(count: int, seed: int, better: float = 0.0) -> dict[str, dict[str, float]]:
    """Reciprocal ranks of settings that are all as good, but for the one called k7 where it shall be better."""
    random = np.random.default_rng(seed)
    ease = random.normal(0, 2, count) + random.normal(0, 0.5, (KEYS, count))
    ease[7] += better
    ranks = np.exp(-ease).astype(int) + 1
    table = np.where(ranks <= 10, 1 / ranks, 0.0)
    return {f"k{key}": {f"{n}": float(value) for n, value in enumerate(row)} for key, row in enumerate(table)}


@pytest.mark.parametrize("count", [25, 60])
def test_of_noise_alone_hardly_ever_a_change_is_advised_firmly(count: int) -> None:
    """Of 200 grids about the 5 % that RARE allows, of which 6 % is within what so few tell."""
    advices = [advise(noise(count, seed), "k0") for seed in range(200)]
    assert sum(advice.firm for advice in advices) <= 12
    assert 40 < sum(advice.keep for advice in advices) < 160
    seen = np.mean([advice.mean - advice.current_mean for advice in advices])
    assert abs(np.mean([advice.gain for advice in advices])) < seen / 4, "what was chosen by noise gains nothing"


def test_what_is_truly_better_is_found() -> None:
    found = [advise(noise(60, seed, better=1.0), "k0") for seed in range(20)]
    assert all((advice.best, advice.firm, advice.keep) == ("k7", True, False) for advice in found)
    assert all(advice.chosen > 0.9 and advice.luck < 0.05 for advice in found)
    assert not any(advice.more for advice in found)
    assert all(advice.gain <= advice.mean - advice.current_mean + 1e-9 for advice in found)
    assert str(found[0].message).startswith(
        "These settings are better: on questions that weren't used for choosing them, "
    )
    assert f"{found[0].gain:.3f}" in str(found[0].message)
    assert found[0].comparison.settled


def test_what_may_be_chance_is_told_as_that() -> None:
    values = {"own": dict.fromkeys(map(str, range(40)), 0.5)}
    values["new"] = values["own"] | {"1": 1.0, "2": 1.0, "3": 0.8, "4": 0.4}
    advice = advise(values, "own")
    assert (advice.best, advice.keep, advice.firm) == ("new", False, False)
    assert 0.02 < advice.gain <= advice.mean - advice.current_mean == pytest.approx(1.2 / 40)
    assert advice.chosen > 0.9
    assert str(advice.message).startswith("These settings may help: ")
    assert advice.more > 0
    assert "could be chance; about" in str(advice.message)


def test_a_constant_gain_is_told_as_it_is() -> None:
    values = {key: dict.fromkeys(map(str, range(30)), value) for key, value in (("own", 0.5), ("a", 0.25), ("b", 0.75))}
    advice = advise(values, "own")
    assert (advice.best, advice.gain, advice.chosen, advice.firm) == ("b", 0.25, 1.0, True)
    assert advice.ranking == (("b", 0.75), ("own", 0.5), ("a", 0.25))
    assert (advice.mean, advice.current_mean) == (0.75, 0.5)


def test_a_lucky_question_does_not_make_a_gain() -> None:
    """Whichever fold holds the one question that `new` is better on, the others choose `own`."""
    own = {f"{n}": 1.0 if n else 0.0 for n in range(40)}
    values = {"own": own, "new": own | {"0": 1.0, "1": 0.5}}
    advice = advise(values, "own")
    assert advice.best == "new"
    assert advice.gain < advice.mean - advice.current_mean
    assert advice.gain <= 0
    assert advice.keep
    assert str(advice.message).endswith("was no better on the others.")


def test_of_equals_the_current_is_kept_and_else_the_simpler_is_taken() -> None:
    same = dict.fromkeys(map(str, range(30)), 0.5)
    advice = advise({"a": same, "own": same, "b": same}, "own")
    assert (advice.best, advice.keep, advice.chosen) == ("own", True, 1.0)
    assert str(advice.message) == "Keep the current settings: no others did better on these questions."
    better = dict.fromkeys(same, 0.75)
    assert advise({"own": same, "costly": same, "simple": better, "dear": better}, "own").best == "simple"


def test_figures_are_the_same_each_time_and_in_any_order_of_questions() -> None:
    values = noise(40, 3, better=0.5)
    turned: Mapping[str, Mapping[str, float]] = {key: dict(reversed(row.items())) for key, row in values.items()}
    assert advise(values, "k0") == advise(values, "k0") == advise(turned, "k0")


def test_a_grid_varies_the_model_last() -> None:
    own = Pipeline(embedder="bundled", chunking=ChunkingOptions(strategy="none"))
    choices = {"reranker": ("none", DEFAULTS.reranker)}
    ways = grid(own, embedders=["bundled", "tfidf"], choices=choices)
    assert [way.embedder for way in ways] == ["", "", "", "tfidf", "tfidf"]
    assert {way.search.reranker for way in ways[3:]} == set(choices["reranker"])


@pytest.mark.parametrize("count", [0, 1, 19])
def test_few_questions_get_no_advice_and_the_reason(count: int) -> None:
    values = {"own": dict.fromkeys(map(str, range(count)), 0.0), "new": dict.fromkeys(map(str, range(count)), 1.0)}
    advice = advise(values, "own")
    assert advice.refused == advice.message
    assert f"so far the runs have {count}:" in str(advice.refused)
    assert "mostly luck" in str(advice.refused)
    assert str(advice.refused).endswith(f"Add {20 - count} more.")
    assert (advice.best, advice.keep, advice.firm, advice.gain, advice.chosen) == ("own", True, False, 0.0, 0.0)


def test_twenty_questions_are_enough() -> None:
    assert advise(noise(20, 1, better=3.0), "k0").refused is None


def test_what_cannot_be_advised_on_is_an_error() -> None:
    same = dict.fromkeys(map(str, range(30)), 0.5)
    for values in ({"own": same}, {"a": same, "b": same}):
        with pytest.raises(ConfigError, match="at least one other"):
            advise(values, "own")
    with pytest.raises(ConfigError, match="different questions"):
        advise({"own": same, "a": same | {"x": 1.0}}, "own")
    with pytest.raises(ConfigError, match="isn't a number"):
        advise({"own": same, "a": same | {"3": float("nan")}}, "own")


# from runs


def test_runs_are_advised_on_by_the_answered_questions_they_share() -> None:
    old = run("old", [*(result(f"{n}", 2) for n in range(25)), negative("n"), result("only", 1)])
    new = run("new", [*(result(f"{n}", 1) for n in range(25)), negative("n")])
    advice = choose_run([old, new])
    assert (advice.best, advice.comparison.questions, advice.gain, advice.firm) == ("new", 25, 0.5, True)
    assert choose_run([old, new], "hit@5").keep
    assert "have 3:" in str(choose_run([ranked("a", (1, 2, 3)), ranked("b", (1, 1, 1))]).refused)
    with pytest.raises(UnknownChoice, match="figure"):
        choose_run([old, new], "hit")
    for runs in ([], [old]):
        with pytest.raises(ConfigError, match="at least one other"):
            choose_run(runs)


# the grid


def test_the_default_grid_begins_with_the_own_settings_and_is_a_product() -> None:
    pipelines = grid(Pipeline())
    assert pipelines[0] == Pipeline()
    assert len(pipelines) == 1 + 3 * 3 * 2
    assert len({pipeline_label(pipeline) for pipeline in pipelines}) == len(pipelines)
    assert [pipeline.chunking is None for pipeline in pipelines] == [True] * 7 + [False] * 12
    assert pipelines[1] == Pipeline(search=SearchSettings(semantic_weight=0.4, reranker="none"))
    assert str(pipeline_label(pipelines[0])) == "Current settings"
    assert "chunks of 256, at most 1,000 · weight of meaning 0.4 · without reranking" in {
        str(pipeline_label(one)) for one in pipelines
    }


def test_what_the_base_has_is_left_to_it_and_not_run_twice() -> None:
    own = Pipeline(chunking=ChunkingOptions(), search=SearchSettings.from_values(asdict(DEFAULTS)))
    pipelines = grid(
        own,
        choices={
            "reranker": ("none", "late-interaction"),
            "rerank_weight": (0.5, 0.7),
            "semantic_weight": (0.4, 0.6, 0.8),
        },
    )
    assert pipelines[0] == Pipeline()
    assert [pipeline for pipeline in pipelines if pipeline == Pipeline()] == [Pipeline()]
    names = [str(pipeline_label(pipeline)) for pipeline in pipelines]
    assert len(set(names)) == len(names) == 3 * (3 * (1 + 2))  # without reranking its weight is all the same
    assert names[1:4] == [
        "weight of meaning 0.4 · without reranking",
        "without reranking",
        "weight of meaning 0.8 · without reranking",
    ]
    assert "weight of reranking 0.5" in names
    assert "chunks of 1,024, at most 2,000" in names
    assert all(pipeline.search.reranker in (None, "none") for pipeline in pipelines)


def test_chunkings_that_are_given_are_named_by_what_differs() -> None:
    own = ChunkingOptions(chunk_size=300)
    (first, second) = grid(
        Pipeline(chunking=own),
        chunkings=[ChunkingOptions("markdown", chunk_size=300, chunk_overlap=50)],
        choices={},
    )
    assert first == Pipeline()
    assert str(pipeline_label(second, own)) == "split by headings · overlap 50"


@pytest.mark.parametrize("strategy", CHUNKERS)
def test_the_sizes_tried_are_ones_that_can_be(strategy: str) -> None:
    own = ChunkingOptions(strategy, chunk_overlap=200)
    pipelines = grid(Pipeline(chunking=own))
    cuts = {pipeline.chunking for pipeline in pipelines} - {None}
    assert cuts == (set() if strategy in ("none", "lines") else {own.smaller(), own.larger()})
    for cut in (own.smaller(), own.larger()):
        build(cut)
        assert ChunkingSettings(**{name: getattr(cut, name) for name in ChunkingSettings.model_fields})


def test_the_rerankers_tried_exist() -> None:
    assert {pipeline.search.reranker for pipeline in grid(Pipeline())} - {None, "none"} <= set(RERANKERS)
