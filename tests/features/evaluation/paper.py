"""Runs whose figures can be worked out on paper."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from core.model import FoundSpan, GoldSpan, Measured, Pipeline, QuestionResult, Run

STARTED = datetime(2026, 1, 31, 9, 15, tzinfo=UTC)


def result(id: str, rank: int | None = None, *, near: float | None = None, **fields: object) -> QuestionResult:
    """A question whose passage is the hit at `rank`, if any; all hits have a cosine of `near`."""
    gold = GoldSpan("a.md", f"quote of {id}", 100, 200, "n1")
    hits = tuple(
        FoundSpan("n1" if at == rank else f"other{at}", "a.md", f"c{at}", 100, 200, 0, 1 / at, near)
        for at in range(1, max(10, rank or 0) + 1)
    )
    made = QuestionResult(id, f"question {id}?", "", True, (gold,), 12.0, hits, rank, rank)
    return replace(made, **fields)  # type: ignore[arg-type]


def negative(id: str, near: float | None = None) -> QuestionResult:
    return result(id, near=near, golds=())


def run(name: str, results: Sequence[QuestionResult], **fields: object) -> Measured:
    settings: Mapping[str, object] = {"semantic_weight": 0.6, "chunk_size": 512}
    made = Run(
        id=name,
        base_id="b",
        set_id="s",
        set_name="mine",
        pipeline=Pipeline(name),
        settings=dict(settings),
        index_version=7,
        started_at=STARTED,
        ended_at=STARTED,
        questions=len(results),
        asked=len(results),
    )
    return replace(made, **fields), results  # type: ignore[arg-type]


def ranked(name: str, ranks: Sequence[int | None], **fields: object) -> Measured:
    """A run over questions 0, 1, ... answered at these ranks."""
    return run(name, [result(f"{number}", rank) for number, rank in enumerate(ranks)], **fields)
