"""Measurement of a search with questions of known answers."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean

from core.evaluation import metrics
from core.evaluation.metrics import Span
from core.model import BUDGET, DEPTH, METRICS, FoundSpan, GoldSpan, Hit, Question, QuestionResult, SearchResult


@dataclass(frozen=True)
class Ranking:
    """Right passages and ranked hits of one question, for the metrics."""

    golds: Sequence[Span]
    hits: Sequence[Span]
    any: bool
    found_rank: int | None
    budget_rank: int | None

    @cached_property
    def relevance(self) -> list[int]:
        return metrics.relevance(self.golds, self.hits, any=self.any)

    @property
    def total(self) -> int:
        return metrics.needed(self.golds, any=self.any)

    @cached_property
    def within(self) -> list[Span]:
        """The first BUDGET retrieved characters."""
        return metrics.within_budget(self.hits, BUDGET)


FIGURES: Mapping[str, Callable[[Ranking], float]] = {
    "hit@1": lambda one: metrics.hit_at(one.found_rank, 1),
    "hit@5": lambda one: metrics.hit_at(one.found_rank, 5),
    "hit@10": lambda one: metrics.hit_at(one.found_rank, 10),
    "mrr@10": lambda one: metrics.reciprocal_rank(one.found_rank, DEPTH),
    f"hit@{BUDGET}chars": lambda one: float(one.budget_rank is not None),
    f"mrr@{BUDGET}chars": lambda one: metrics.reciprocal_rank(one.budget_rank, DEPTH),
    "recall@10": lambda one: metrics.recall_at(one.relevance, DEPTH, one.total),
    "precision@10": lambda one: metrics.precision_at(one.relevance, DEPTH),
    "ndcg@10": lambda one: metrics.ndcg_at(one.relevance, DEPTH, one.total),
    "map@10": lambda one: metrics.average_precision(one.relevance, DEPTH, one.total),
    "span_recall": lambda one: metrics.span_recall(one.golds, one.within, any=one.any),
    "span_precision": lambda one: metrics.span_precision(one.golds, one.within),
    "span_iou": lambda one: metrics.iou(one.golds, one.within),
}
"""Function of each of METRICS."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Metrics over the `scored` questions, and each question's result."""

    metrics: dict[str, float]
    questions: tuple[QuestionResult, ...]
    scored: int
    negatives: int

    def to_dict(self) -> dict[str, object]:
        """Return the evaluation as JSON; `questions` is the number of all questions."""
        return {
            "questions": len(self.questions),
            "scored": self.scored,
            "negatives": self.negatives,
            "metrics": self.metrics,
            "per_question": [_row(result) for result in self.questions],
        }


def evaluation_of(results: Sequence[QuestionResult]) -> Evaluation:
    """Summarise results."""
    negatives = sum(result.negative for result in results)
    return Evaluation(summarise(results), tuple(results), len(results) - negatives, negatives)


def ask(question: Question, search: Callable[[str], SearchResult]) -> QuestionResult:
    """Ask one question and measure its time and its hits."""
    started = time.perf_counter()
    result = search(question.text)
    took_ms = (time.perf_counter() - started) * 1000
    golds, retrieved = left(question), tuple(map(_retrieved, result.hits))
    wanted, spans = _golds(golds), _hits(retrieved)
    return QuestionResult(
        id=question.id,
        question=question.text,
        kind=question.kind,
        any=question.any,
        golds=golds,
        took_ms=took_ms,
        hits=retrieved,
        found_rank=metrics.found_at(wanted, spans, any=question.any),
        budget_rank=metrics.found_at(wanted, metrics.within_budget(spans, BUDGET), any=question.any),
        level=result.classified.level,
    )


def left(question: Question) -> tuple[GoldSpan, ...]:
    """Return a question's right passages that the notes still contain."""
    return tuple(gold for gold in question.spans if not gold.flagged)


def is_lost(question: Question) -> bool:
    """Whether too many right passages are gone for any search to answer the question."""
    missing = len(question.spans) - len(left(question))
    return missing > 0 and (missing == len(question.spans) or not question.any)


def values(result: QuestionResult) -> dict[str, float]:
    """Return METRICS of one question."""
    golds, hits = _golds(result.golds), _hits(result.hits)
    one = Ranking(golds, hits, result.any, result.found_rank, result.budget_rank)
    return {name: FIGURES[name](one) for name in METRICS}


def summarise(results: Sequence[QuestionResult]) -> dict[str, float]:
    """Average the metrics over the results that aren't negative; all 0 where there are none.

    `p50_ms` and `p95_ms` are over all results.
    """
    scored = [values(result) for result in results if not result.negative]
    means = {name: fmean(one[name] for one in scored) if scored else 0.0 for name in METRICS}
    times = [result.took_ms for result in results]
    return means | {"p50_ms": metrics.percentile(times, 50), "p95_ms": metrics.percentile(times, 95)}


def nearness(result: QuestionResult) -> float | None:
    """Return the highest cosine among the hits, None where none has one."""
    return max((hit.nearness for hit in result.hits if hit.nearness is not None), default=None)


def _golds(golds: Sequence[GoldSpan]) -> list[Span]:
    return [(gold.note_id, gold.start, gold.end) for gold in golds]


def _hits(hits: Sequence[FoundSpan]) -> list[Span]:
    return [(hit.note_id, hit.start, hit.end) for hit in hits]


def _retrieved(hit: Hit) -> FoundSpan:
    near = hit.scores.get("vector")
    return FoundSpan(
        note_id=hit.note.id,
        path=hit.note.path or hit.note.title,
        chunk_id=hit.chunk.id,
        start=hit.passage.start,
        end=hit.passage.end,
        body_start=hit.note.body_start,
        score=hit.score,
        nearness=near.score if near else None,
    )


def _row(result: QuestionResult) -> dict[str, object]:
    return {
        "id": result.id,
        "question": result.question,
        "kind": result.kind,
        "negative": result.negative,
        "took_ms": result.took_ms,
        "hits": [
            {"path": hit.path, "file_start": hit.file_start, "file_end": hit.file_end, "score": hit.score}
            for hit in result.hits
        ],
        "found_rank": result.found_rank,
        "found_in_budget": result.budget_rank is not None,
    }
