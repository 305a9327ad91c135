"""Questions with known answers -> how often, and how high, a search finds them.

Anything that takes a question and returns hits can be measured: `search` is a function.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean

from core.evaluation import metrics
from core.evaluation.metrics import Span
from core.model import FoundSpan, GoldSpan, Hit, Progress, Question, QuestionResult, SearchResult, unheard

Search = Callable[[Question], Sequence[Hit] | SearchResult]

BUDGET = 4000
"""Characters of retrieved text, about what fits a prompt beside the question."""

DEPTH = 10
"""Hits that are looked at."""

MAIN = ("hit@1", "hit@5", "hit@10", "mrr@10", f"hit@{BUDGET}chars")
"""What a short table shows."""

METRICS = (
    *MAIN,
    f"mrr@{BUDGET}chars",
    "recall@10",
    "precision@10",
    "ndcg@10",
    "map@10",
    "span_recall",
    "span_precision",
    "span_iou",
)
"""What is told of every question with an answer; those of spans are of the first BUDGET characters retrieved."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The figures over `scored` questions, and each question's own result."""

    metrics: dict[str, float]
    questions: tuple[QuestionResult, ...]
    scored: int
    negatives: int

    def to_dict(self) -> dict[str, object]:
        """The same as JSON could say it; `questions` is how many were asked."""
        return {
            "questions": len(self.questions),
            "scored": self.scored,
            "negatives": self.negatives,
            "metrics": self.metrics,
            "per_question": [_told(result) for result in self.questions],
        }


def run(
    questions: Sequence[Question],
    search: Search,
    progress: Progress = unheard,
) -> Evaluation:
    """Ask every question, all of whose right passages are placed in notes, and measure the answers."""
    results: list[QuestionResult] = []
    for question in questions:
        results.append(asked(question, search))
        progress(len(results), len(questions), question.text)
    return evaluation_of(results)


def evaluation_of(results: Sequence[QuestionResult]) -> Evaluation:
    """Return results with their figures."""
    negatives = sum(result.negative for result in results)
    return Evaluation(summarise(results), tuple(results), len(results) - negatives, negatives)


def asked(question: Question, search: Search) -> QuestionResult:
    """Ask one question and measure how long that takes and what it finds."""
    started = time.perf_counter()
    result = search(question)
    took_ms = (time.perf_counter() - started) * 1000
    hits = result.hits if isinstance(result, SearchResult) else result
    golds, found = left(question), tuple(map(_found, hits))
    wanted, spans = _golds(golds), _hits(found)
    return QuestionResult(
        id=question.id,
        question=question.text,
        kind=question.kind,
        any=question.any,
        golds=golds,
        took_ms=took_ms,
        hits=found,
        found_rank=metrics.found_at(wanted, spans, any=question.any),
        budget_rank=metrics.found_at(wanted, metrics.within_budget(spans, BUDGET), any=question.any),
        level=result.classified.level if isinstance(result, SearchResult) else "simple",
    )


def left(question: Question) -> tuple[GoldSpan, ...]:
    """Return a question's right passages but those that can't be found in the notes any more."""
    return tuple(gold for gold in question.spans if not gold.flagged)


def is_lost(question: Question) -> bool:
    """Whether so many of a question's right passages are gone that no search can answer it."""
    missing = len(question.spans) - len(left(question))
    return missing > 0 and (missing == len(question.spans) or not question.any)


def values(result: QuestionResult) -> dict[str, float]:
    """Return what METRICS say of one question."""
    golds, hits = _golds(result.golds), _hits(result.hits)
    relevance = metrics.relevance(golds, hits, any=result.any)
    total, within = metrics.needed(golds, any=result.any), metrics.within_budget(hits, BUDGET)
    figures = (
        *(metrics.hit_at(result.found_rank, k) for k in (1, 5, 10)),
        metrics.reciprocal_rank(result.found_rank, DEPTH),
        float(result.budget_rank is not None),
        metrics.reciprocal_rank(result.budget_rank, DEPTH),
        metrics.recall_at(relevance, DEPTH, total),
        metrics.precision_at(relevance, DEPTH),
        metrics.ndcg_at(relevance, DEPTH, total),
        metrics.average_precision(relevance, DEPTH, total),
        metrics.span_recall(golds, within, any=result.any),
        metrics.span_precision(golds, within),
        metrics.iou(golds, within),
    )
    return dict(zip(METRICS, figures, strict=True))


def summarise(results: Sequence[QuestionResult]) -> dict[str, float]:
    """Average the metrics over the results that aren't negative; all 0 where there are none.

    `p50_ms` and `p95_ms` are over all.
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


def _found(hit: Hit) -> FoundSpan:
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


def _told(result: QuestionResult) -> dict[str, object]:
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
