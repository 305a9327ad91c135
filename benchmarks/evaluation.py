"""Metrics over the results of questions, as printed by the benchmarks."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.features.evaluation.scoring import summarise
from core.model import QuestionResult


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Metrics over the `scored` questions, and each question's result."""

    metrics: dict[str, float]
    questions: tuple[QuestionResult, ...]
    scored: int
    negatives: int


def evaluation_of(results: Sequence[QuestionResult]) -> Evaluation:
    """Summarise results."""
    negatives = sum(result.negative for result in results)
    return Evaluation(summarise(results), tuple(results), len(results) - negatives, negatives)
