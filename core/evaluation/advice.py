"""The runs of a grid of settings -> those worth having, and what they may be expected to gain."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from core.errors import ConfigError, UnknownChoice
from core.evaluation import METRICS
from core.evaluation import values as values_of
from core.evaluation.compare import ENOUGH, Comparison, compare
from core.evaluation.sidebyside import BY_BUDGET, Brought, shared
from core.model import ChunkingOptions, Pipeline
from core.reranking import NONE

K = TypeVar("K", bound=Hashable)
_T = TypeVar("_T")

FOLDS, REPEATS = 5, 10
"""Kohavi, 'A Study of Cross-Validation and Bootstrap for Accuracy Estimation', 1995: 5 to 20 folds, repeated."""

RARE = 0.05
"""How often chance alone may put the best of the others as far ahead where a change is advised firmly."""

RESAMPLES = 2000
SEED = 0

AS_IT_IS = Pipeline("as it is")
"""The base's own settings."""

WEIGHTS = (0.4, 0.6, 0.8)
RERANKERS = (NONE, "late-interaction")

_ALONE = "Run the question set with the base's own settings and with at least one other to be advised."
_BLOCK = 100
_SIZES = ("chunk_size", "max_single_chunk_size")

Values = NDArray[np.float64]
"""A row for each of the settings, the current ones first, a column for each question."""


@dataclass(frozen=True, slots=True)
class Advice(Generic[K]):
    """What the runs of a grid say of its settings; `told` is the advice in a sentence.

    `best` has the highest mean over all questions, and `ranking` tells the mean of all, the highest first. `gain`
    is what choosing by the questions gained on questions that it wasn't chosen by, with its `comparison`; `chosen` is
    the share of the folds in which `best` was the one, and `luck` how often chance alone would put the best of the
    others as far ahead. `keep`: there is nothing to change. `firm`: more than chance explains. `refused` says
    why there is no advice, and then nothing was chosen: `best` is the current one.
    """

    best: K
    mean: float
    current_mean: float
    gain: float
    comparison: Comparison
    chosen: float
    luck: float
    ranking: tuple[tuple[K, float], ...]
    keep: bool
    firm: bool
    refused: str
    told: str


def advise(values: Mapping[K, Mapping[str, float]], current: K) -> Advice[K]:
    """Say which settings to have, from the values of one metric by settings and question; higher is better.

    The best of many settings looks better on the questions that it was chosen by than it is (Cawley and
    Talbot, 'On Over-fitting in Model Selection and Subsequent Selection Bias in Performance Evaluation', JMLR 11,
    2010). So the choice itself is cross-validated (Stone, 'Cross-Validatory Choice and Assessment of Statistical
    Predictions', 1974): the best on four fifths of the questions is compared with the current ones on the last fifth,
    in turn and with other fifths again; a question's value is the mean of its turns. Of equally good ones the current
    is chosen, else the first of `values`: give them from simple to costly.

    Turns share most of their questions, so that on noise alone the interval of the gain is off 0 too often. `firm`
    asks for that and for `luck` up to RARE, the bootstrap test of the best of many of White, 'A Reality Check for
    Data Snooping', Econometrica 68, 2000.

    Raises ConfigError without the current settings or others, or where they weren't over the same questions.
    """
    if current not in values or len(values) < 2:
        raise ConfigError(_ALONE)
    keys = [current, *(key for key in values if key != current)]
    questions = sorted(values[current])
    table = _table([values[key] for key in keys], questions)
    means = table.mean(axis=1).round(9) if questions else np.zeros(len(keys))
    refused = _refused(len(questions))
    best = 0 if refused else int(means.argmax())
    gains, times = (np.zeros(len(questions)), np.zeros(len(keys))) if refused else _cross_validated(table)
    comparison = compare(dict.fromkeys(questions, 0.0), dict(zip(questions, gains.tolist(), strict=True)))
    luck = 1.0 if refused else _luck(table)
    keep = best == 0 or comparison.difference <= 0
    firm = not keep and comparison.settled and luck <= RARE
    return Advice(
        best=keys[best],
        mean=float(means[best]),
        current_mean=float(means[0]),
        gain=comparison.difference,
        comparison=comparison,
        chosen=float(times[best]) / (FOLDS * REPEATS),
        luck=luck,
        ranking=tuple((keys[at], float(means[at])) for at in np.argsort(-means, kind="stable")),
        keep=keep,
        firm=firm,
        refused=refused,
        told=refused or _told(comparison.difference, changes=best > 0, keep=keep, firm=firm),
    )


def of_runs(runs: Sequence[Brought], metric: str = BY_BUDGET) -> Advice[str]:
    """Say which run's settings to have, by its id; the first run is that of the current ones.

    Over the questions with an answer that all runs asked. The metric is one within a budget of characters because a
    number of hits favours long chunks. Raises ConfigError as `advise` and `shared` do.
    """
    if metric not in METRICS:
        raise UnknownChoice("metric", metric, METRICS)
    if not runs:
        raise ConfigError(_ALONE)
    rows = [results for results in shared(runs) if not results[0].negative]
    values = {
        run.id: {results[number].id: values_of(results[number])[metric] for results in rows}
        for number, (run, _) in enumerate(runs)
    }
    return advise(values, runs[0][0].id)


def _table(values: Sequence[Mapping[str, float]], questions: Sequence[str]) -> Values:
    if any(one.keys() != values[0].keys() for one in values):
        raise ConfigError("These runs weren't over the same questions. Run one question set with each of them.")
    table = np.array([[one[question] for question in questions] for one in values], dtype=np.float64)
    if not np.isfinite(table).all():
        raise ConfigError("The value of a question isn't a number. Run the question set again.")
    return table


def _cross_validated(table: Values) -> tuple[Values, Values]:
    """What the choice gains at each question, as the mean of its turns, and how often each row was chosen."""
    random = np.random.default_rng(SEED)
    gains, times = np.zeros(table.shape[1]), np.zeros(len(table))
    for _ in range(REPEATS):
        for held_out in np.array_split(random.permutation(table.shape[1]), FOLDS):
            training = np.delete(table, held_out, axis=1)
            chosen = int(training.mean(axis=1).round(9).argmax())
            times[chosen] += 1
            gains[held_out] += table[chosen, held_out] - table[0, held_out]
    return gains / REPEATS, times


def _luck(table: Values) -> float:
    """How often resamples put the best of the others as far ahead, were all as good as the current on average."""
    ahead = table[1:] - table[0]
    seen = ahead.mean(axis=1)
    centred, best = ahead - seen[:, None], seen.max().round(9)
    random = np.random.default_rng(SEED)
    count = ahead.shape[1]
    as_far = 0
    for _ in range(0, RESAMPLES, _BLOCK):
        draws = random.multinomial(count, np.full(count, 1 / count), _BLOCK) / count
        as_far += int(((draws @ centred.T).max(axis=1).round(9) >= best).sum())
    # The sample itself counts as one resample, as in compare.
    return (as_far + 1) / (RESAMPLES + 1)


def _refused(count: int) -> str:
    if count >= ENOUGH:
        return ""
    return (
        f"Advice needs {ENOUGH} questions with an answer, and so far the runs have {count}: "
        f"on so few, the best of several settings is mostly the luckiest. Add {ENOUGH - count} more."
    )


def _told(gain: float, *, changes: bool, keep: bool, firm: bool) -> str:
    if not changes:
        return "Keep the settings as they are: no others did better on these questions."
    if keep:
        return "Keep the settings as they are: what was best on some of the questions was no better on the others."
    gained = f"on questions that they weren't chosen by, they gained {gain:.3f} on average"
    if firm:
        return f"These settings are better: {gained}, more than chance explains (95 %)."
    return f"These settings may help: {gained}, but chance may explain it."


def grid(
    own: Pipeline = AS_IT_IS,
    *,
    chunkings: Sequence[ChunkingOptions | None] | None = None,
    semantic_weights: Sequence[float] = WEIGHTS,
    rerankers: Sequence[str] = RERANKERS,
    rerank_weights: Sequence[float] = (),
) -> list[Pipeline]:
    """Return every combination of the choices behind AS_IT_IS, each named by what is other than the base's own.

    `own` tells those as far as they are known; what is equal to them is left to the base, and combinations
    that come to the same are there once. The order is from simple to costly where that of the choices is:
    chunkings, which are indexed anew, change last. Without `chunkings` they are the own, `smaller` and `larger`.
    """
    cuts = chunkings if chunkings is not None else _sizes(own.chunking)
    made = [AS_IT_IS]
    for cut, reranker, share, weight in product(
        _or_own(cuts), _or_own(rerankers), _or_own(rerank_weights), _or_own(semantic_weights)
    ):
        pipeline = Pipeline(
            chunking=_unless(cut, own.chunking),
            semantic_weight=_unless(weight, own.semantic_weight),
            reranker=_unless(reranker, own.reranker),
            rerank_weight=None if reranker == NONE else _unless(share, own.rerank_weight),
        )
        made.append(replace(pipeline, name=_name(pipeline, own.chunking or ChunkingOptions())))
    return list(dict.fromkeys(made))


def smaller(own: ChunkingOptions) -> ChunkingOptions:
    """The same in smaller chunks."""
    return replace(own, chunk_size=256, max_single_chunk_size=1000)


def larger(own: ChunkingOptions) -> ChunkingOptions:
    """The same in larger chunks."""
    return replace(own, chunk_size=1024, max_single_chunk_size=2000)


def _sizes(own: ChunkingOptions | None) -> list[ChunkingOptions | None]:
    """The own and other sizes, where the strategy has any."""
    options = own or ChunkingOptions()
    return [own] if options.strategy in ("none", "lines") else [own, smaller(options), larger(options)]


def _or_own(choices: Sequence[_T]) -> Sequence[_T | None]:
    return choices or (None,)


def _unless(value: _T | None, own: _T | None) -> _T | None:
    return None if value == own else value


def _name(pipeline: Pipeline, own: ChunkingOptions) -> str:
    parts = []
    if cut := pipeline.chunking:
        parts.append(f"chunks {cut.chunk_size}/{cut.max_single_chunk_size}")
        others = [name for name in ChunkingOptions.__dataclass_fields__ if name not in _SIZES]
        parts += [f"{name} {getattr(cut, name)}" for name in others if getattr(cut, name) != getattr(own, name)]
    if pipeline.semantic_weight is not None:
        parts.append(f"weight {pipeline.semantic_weight:g}")
    if pipeline.reranker is not None:
        parts.append("no reranking" if pipeline.reranker == NONE else pipeline.reranker)
    if pipeline.rerank_weight is not None:
        parts.append(f"rerank weight {pipeline.rerank_weight:g}")
    return " · ".join(parts) or AS_IT_IS.name
