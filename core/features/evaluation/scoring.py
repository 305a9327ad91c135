"""Measurement of a search with questions of known answers."""

import time
from collections.abc import Callable, Sequence
from statistics import fmean

from core.features.evaluation import answer_scoring, metrics
from core.features.evaluation.metrics import spans
from core.model import (
    ANSWER_METRICS,
    BUDGET,
    DEPTH,
    METRICS,
    Evaluation,
    FoundSpan,
    GivenAnswer,
    GoldSpan,
    Hit,
    Question,
    QuestionResult,
    SearchResult,
)


def evaluation_of(results: Sequence[QuestionResult]) -> Evaluation:
    """Summarise results."""
    negatives = sum(result.negative for result in results)
    return Evaluation(summarise(results), tuple(results), len(results) - negatives, negatives)


def ask(
    question: Question,
    search: Callable[[str], SearchResult],
    answer: Callable[[SearchResult], GivenAnswer] | None = None,
) -> QuestionResult:
    """Ask one question and measure the time of its search, its hits, and its answer where that is given."""
    started = time.perf_counter()
    result = search(question.text)
    took_ms = (time.perf_counter() - started) * 1000
    golds, retrieved = remaining_golds(question), tuple(map(_retrieved, result.hits))
    gold_spans, hit_spans = spans(golds), spans(retrieved)
    return QuestionResult(
        id=question.id,
        question=question.text,
        kind=question.kind,
        any=question.any,
        golds=golds,
        took_ms=took_ms,
        hits=retrieved,
        found_rank=metrics.found_at(gold_spans, hit_spans, any=question.any),
        budget_rank=metrics.found_at(gold_spans, metrics.within_budget(hit_spans, BUDGET), any=question.any),
        level=result.classified.level,
        wished=question.answer,
        given=answer(result) if answer else None,
    )


def remaining_golds(question: Question) -> tuple[GoldSpan, ...]:
    """Return a question's right passages that the notes still contain."""
    return tuple(gold for gold in question.spans if not gold.flagged)


def is_lost(question: Question) -> bool:
    """Whether too many right passages are gone for any search to answer the question."""
    missing = len(question.spans) - len(remaining_golds(question))
    return missing > 0 and (missing == len(question.spans) or not question.any)


def values(result: QuestionResult) -> dict[str, float]:
    """Return METRICS of one question with an answer, and those of ANSWER_METRICS that are about it."""
    answers = answer_scoring.values(result)
    if result.negative:
        return answers
    golds, hits, any = spans(result.golds), spans(result.hits), result.any
    within, total = metrics.within_budget(hits, BUDGET), metrics.needed(golds, any=any)
    relevance = metrics.relevance(golds, hits, any=any)
    return {
        "hit@1": metrics.hit_at(result.found_rank, 1),
        "hit@5": metrics.hit_at(result.found_rank, 5),
        "hit@10": metrics.hit_at(result.found_rank, 10),
        "mrr@10": metrics.reciprocal_rank(result.found_rank, DEPTH),
        f"hit@{BUDGET}chars": float(result.budget_rank is not None),
        f"mrr@{BUDGET}chars": metrics.reciprocal_rank(result.budget_rank, DEPTH),
        "recall@10": metrics.recall_at(relevance, DEPTH, total),
        "precision@10": metrics.precision_at(relevance, DEPTH),
        "ndcg@10": metrics.ndcg_at(relevance, DEPTH, total),
        "map@10": metrics.average_precision(relevance, DEPTH, total),
        "span_recall": metrics.span_recall(golds, within, any=any),
        "span_precision": metrics.span_precision(golds, within),
        "span_iou": metrics.iou(golds, within),
        **answers,
    }


def summarise(results: Sequence[QuestionResult]) -> dict[str, float]:
    """Average the metrics over the results that they are about, and the times over all results.

    METRICS are 0 without any such result; ANSWER_METRICS are left out.
    """
    every = [values(result) for result in results]
    means = {name: fmean([item[name] for item in every if name in item] or [0.0]) for name in METRICS}
    answers = {name: [item[name] for item in every if name in item] for name in ANSWER_METRICS}
    means |= {name: fmean(figures) for name, figures in answers.items() if figures}
    times = [result.took_ms for result in results]
    return means | {"p50_ms": metrics.percentile(times, 50), "p95_ms": metrics.percentile(times, 95)}


def nearness(result: QuestionResult) -> float | None:
    """Return the highest cosine among the hits, None where none has one."""
    return max((hit.nearness for hit in result.hits if hit.nearness is not None), default=None)


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
