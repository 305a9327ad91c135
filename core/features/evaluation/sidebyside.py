"""Comparison of two runs: their figures, and the rank and change of each question."""

from collections.abc import Iterator, Sequence
from math import inf
from typing import Any

from core.base.errors import ConfigError, UnknownChoice
from core.base.messages import Message, message
from core.features.evaluation.scoring import summarise, values
from core.model import (
    ANSWER_METRICS,
    BUDGET,
    METRICS,
    MOST_RUNS,
    PARTS,
    TIMES,
    Change,
    ChunkingOptions,
    Comparison,
    ComparisonRow,
    Measured,
    QuestionResult,
    Run,
    SideBySide,
    pipeline_label,
)
from core.retrieval.significance import compare

BY_RANK, BY_BUDGET = "mrr@10", f"mrr@{BUDGET}chars"

_LENGTHS = {*ChunkingOptions.__dataclass_fields__, "embedder", *(name for name in PARTS if PARTS[name].lengthens)}
"""Settings that affect the length of hits."""


def shared(runs: Sequence[Measured]) -> list[tuple[QuestionResult, ...]]:
    """Return the results of the questions that all runs asked, one for each run, in the order of the first run.

    Equal questions have the same id, text and right passages (path and quote; positions may differ). Raises ConfigError
    if there are no common questions, or the runs belong to different bases.
    """
    if len({run.base_id for run, _ in runs}) > 1:
        raise ConfigError("These runs are on different bases. Choose runs on the same base.")
    by_key = [{result.identity: result for result in results} for _, results in runs]
    rows = [tuple(results[key] for results in by_key) for key in by_key[0] if all(key in results for results in by_key)]
    if not rows and len(runs) > 1:
        raise ConfigError("These runs have no questions in common. Run the same question set with each of them.")
    return rows


def side_by_side(measured: Sequence[Measured], metric: str | None = None) -> SideBySide:
    """Compare two runs of one base, or present a single run in the same form.

    The default `metric` is BY_RANK, or BY_BUDGET if the runs' hits may differ in length, because a fixed number of hits
    favours long ones. Raises ConfigError unless there are one or two comparable runs, and UnknownChoice for a
    metric.
    """
    if not 0 < len(measured) <= MOST_RUNS:
        raise ConfigError("Choose one run, or two to compare.")
    if metric is not None and metric not in METRICS:
        raise UnknownChoice("figure", metric, METRICS)
    runs = tuple(run for run, _ in measured)
    labels, settings = _labels(runs), _settings(runs)
    rows = tuple(
        ComparisonRow(results, tuple(map(values, results)), _change(*results) if len(results) > 1 else None)
        for results in shared(measured)
    )
    summaries = [summarise([row.results[number] for row in rows]) for number in range(len(runs))]
    uneven = len(runs) > 1 and not _LENGTHS.isdisjoint(settings)
    every = {result.identity for _, results in measured for result in results}
    return SideBySide(
        runs=runs,
        labels=labels,
        metric=metric or (BY_BUDGET if uneven else BY_RANK),
        rows=rows,
        figures={
            name: tuple(summary[name] for summary in summaries)
            for name in (*METRICS, *ANSWER_METRICS, *TIMES)
            if all(name in summary for summary in summaries)
        },
        comparisons=_compared(rows) if len(runs) > 1 else {},
        settings=settings,
        notices=tuple(_notices(runs, labels, rows, len(every), uneven=uneven)),
    )


def _change(old: QuestionResult, new: QuestionResult) -> Change:
    if old.answered != new.answered:
        return "gained" if new.answered else "lost"
    was, now = (inf if result.found_rank is None else result.found_rank for result in (old, new))
    return "same" if was == now else "better" if now < was else "worse"


def _compared(rows: Sequence[ComparisonRow]) -> dict[str, Comparison]:
    compared = {}
    for name in (*METRICS, *ANSWER_METRICS):
        both = [row for row in rows if all(name in figures for figures in row.values)]
        if both or name in METRICS:
            old, new = ({row.id: row.values[number][name] for row in both} for number in range(2))
            compared[name] = compare(old, new)
    return compared


def _settings(runs: Sequence[Run]) -> dict[str, tuple[object, ...]]:
    names = dict.fromkeys(name for run in runs for name in run.settings)
    by_name = {name: tuple(run.settings.get(name) for run in runs) for name in names}
    return {
        name: values_of_runs
        for name, values_of_runs in by_name.items()
        if len(runs) == 1 or any(value != values_of_runs[0] for value in values_of_runs)
    }


def _labels(runs: Sequence[Run]) -> tuple[str | Message, ...]:
    """Return the labels of the runs' pipelines; equal labels get the number of the run."""
    # A run that used the base's chunking has it as it was at that time.
    settings = next((run.settings for run in runs if run.pipeline.chunking is None), {})
    chunking: dict[str, Any] = {name: settings[name] for name in ChunkingOptions.__slots__ if name in settings}
    names = [pipeline_label(run.pipeline, ChunkingOptions(**chunking)) for run in runs]
    return tuple(
        name if names.count(name) == 1 else message("{name} ({number})", name=name, number=number)
        for number, name in enumerate(names, 1)
    )


def _notices(
    runs: Sequence[Run], labels: Sequence[str | Message], rows: Sequence[ComparisonRow], every: int, *, uneven: bool
) -> Iterator[Message]:
    if every > len(rows):
        yield message(
            (
                "{n} of {every} questions were left out: they weren't asked in every run, or their "
                "right passages were changed."
            ),
            n=every - len(rows),
            every=every,
        )
    if len({run.index_version for run in runs}) > 1:
        yield message("The notes or the base changed between these runs, which may explain a difference.")
    for run, name in zip(runs, labels, strict=True):
        if run.ended_at is None:
            yield message(
                "'{run}' was stopped after {n} of {every} questions.", run=name, n=run.asked, every=run.questions
            )
    if uneven:
        yield message(
            (
                "The hits in these runs may differ in length, and counting hits favours long ones, "
                "so the figures within {n} characters are fairer."
            ),
            n=BUDGET,
        )
    for number, name in enumerate(labels):
        judged = [judgement for row in rows if (judgement := row.results[number].judged)]
        if failed := sum(judgement.verdict is None for judgement in judged):
            yield message(
                "'{run}': the language model gave no judgement on {n} of {every} answers, so these aren't counted.",
                n=failed,
                every=len(judged),
                run=name,
            )
