"""Measuring searches and answers with questions whose answers are known."""

import json
import re
import time
from collections.abc import Callable, Sequence
from statistics import fmean
from typing import Annotated

from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationError

from core.base.errors import ProviderError
from core.base.text import CJK, fold, make_storable, one_line
from core.features.evaluation import metrics
from core.features.evaluation.metrics import cited_precision, cited_recall, spans
from core.model import (
    AGREED,
    ANSWER_METRICS,
    BUDGET,
    DEPTH,
    METRICS,
    Agreement,
    Answer,
    FoundSpan,
    GivenAnswer,
    GoldSpan,
    Hit,
    Judgement,
    Question,
    QuestionResult,
    Quote,
    SearchResult,
)
from core.providers.chat import Chat
from core.providers.connection import Stop
from core.retrieval.llm_choice import shares
from core.store import Store

TASK = """You compare an answer with what a person wishes to read.
You are given JSON: "question", "wished" (the wished answer, empty where there is none), "passages" (the texts that \
hold the right answer), and "answer".
Judge only whether "answer" states what "wished" states, or without it what the passages say to the question. Other \
words, another language, another order and more detail are no fault; a wrong figure or name is one.
Reply with one JSON object only, such as
{"reason": "...", "verdict": "partly"}
"reason" is one or two sentences in the language of the question: what agrees, what is missing, what is wrong. \
"verdict" is "agrees", "partly" where a part is missing or wrong, or "no"."""
REASON = 500
"""Maximum length of a reason, in characters."""
_STARTS_TRIED = 64
"""Number of brackets, from the end of a reply, to try as the start of the judgement."""

_LATIN = rf"(?:(?![{CJK}])\w)"
_FACT = re.compile(
    rf"`[^`\n]{{1,200}}`|[「“《][^「“《」”》\n]{{1,200}}[」”》]"
    rf"|(?<!{_LATIN}){_LATIN}{{0,40}}\d(?:[\d.,:/%-]*{_LATIN}+)?%?|(?<!{_LATIN}){_LATIN}{{1,80}}_{_LATIN}+"
    rf"|(?<![.!?。！？]\s)(?<!^)\b[A-Z]{_LATIN}+"
)
"""Code, a quoted term, a number with its unit, an identifier, or a name: a capitalized word within a sentence."""
_MARKS = " `「」“”《》.,:/%-"


def ask(
    question: Question,
    search: Callable[[str], SearchResult],
    answer: Callable[[SearchResult], GivenAnswer] | None = None,
) -> QuestionResult:
    """Ask one question, and measure the time of its search, its hits, and its answer if there is one."""
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
    """Return METRICS for a question that has an answer, and the ANSWER_METRICS that apply to it."""
    answers = answer_values(result)
    if result.negative:
        return answers
    golds, hits, any = spans(result.golds), spans(result.hits), result.any
    within, total = metrics.within_budget(hits, BUDGET), metrics.needed(golds, any=any)
    relevance = metrics.relevance(golds, hits, any=any)
    return {
        **{f"hit@{depth}": metrics.hit_at(result.found_rank, depth) for depth in (1, 5, 10)},
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
    """Average each metric over the results to which it applies, and compute the percentiles of the times.

    Without any such result, METRICS are 0, and ANSWER_METRICS are left out.
    """
    every = [values(result) for result in results]
    means = {name: fmean([item[name] for item in every if name in item] or [0.0]) for name in METRICS}
    answers = {name: [item[name] for item in every if name in item] for name in ANSWER_METRICS}
    means |= {name: fmean(figures) for name, figures in answers.items() if figures}
    times = [result.took_ms for result in results]
    return means | {"p50_ms": metrics.percentile(times, 50), "p95_ms": metrics.percentile(times, 95)}


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


class _Reply(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")

    reason: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=4 * REASON)]
    verdict: Agreement


def judge(chat: Chat, result: QuestionResult, characters: int, stop: Stop) -> Judgement:
    """Let a language model judge the answer of a result; at most `characters` of its texts are sent.

    If the reply has another form, it is requested once more. A failure of the server becomes the judgement's `problem`.
    Raises Cancelled if `stop` returns True.
    """
    assert result.given, "it is due"
    texts = [result.wished, result.given.text, *(gold.quote for gold in result.golds)]
    wished, answer, *passages = shares(texts, characters)
    asking = {"question": result.question, "wished": wished, "passages": passages, "answer": answer}
    try:
        read = chat.reply_as(TASK, asking, _parse_judgement, stop)
    except ProviderError as error:
        return Judgement(problem=error.message)
    return Judgement(read.verdict, one_line(make_storable(read.reason))[:REASON])


def _parse_judgement(reply: str) -> _Reply | None:
    """Return the judgement at the end of a reply, None if there is none.

    Text before it may be the model's reasoning. An object with text after or around it may be only a quotation.
    """
    text = reply.rstrip(" \n\r\t`")
    end = len(text)
    for _ in range(_STARTS_TRIED):
        end = text.rfind("{", 0, end)
        if end < 0:
            return None
        try:
            return _Reply.model_validate(json.loads(text[end:]))
        except (ValueError, RecursionError, ValidationError):
            continue
    return None


def given_answer(store: Store, answer: Answer) -> GivenAnswer:
    """Return an answer in the form that a run stores; for a written answer, only proven sentences count as quoted."""
    cited = tuple(map(_cited_span, answer.quotes))
    in_place = {
        quote.number
        for quote in answer.quotes
        if store.notes.note(quote.note.id).body[quote.start : quote.end] == quote.text
    }
    if answer.writing is None:
        return GivenAnswer(answer.text, cited, len(answer.quotes), len(in_place))
    quoted = sum(not in_place.isdisjoint(sentence.citations) for sentence in answer.written)
    text = answer.text if answer.written else ""
    return GivenAnswer(text, cited, len(answer.written), quoted, answer.writing.problem)


def answer_values(result: QuestionResult) -> dict[str, float]:
    """Return the ANSWER_METRICS that apply to a question and its answer."""
    answer = result.given
    if answer is None or answer.problem:
        return {}
    judged = {"agreed": AGREED[answer.judged.verdict]} if answer.judged and answer.judged.verdict else {}
    if result.negative:
        return {"refused": float(answer.refused)} | judged
    golds, cited = spans(result.golds), spans(answer.cited)
    every = {"answered": float(not answer.refused), "cited_recall": cited_recall(golds, cited, any=result.any)}
    every |= judged
    if answer.sentences:
        every |= {"cited_precision": cited_precision(golds, cited), "quoted": answer.quoted / answer.sentences}
    if wished := facts(result.wished):
        text = fold(answer.text)
        # As whole words: 5 isn't in 15.
        held = [item for item in wished if re.search(rf"(?<![a-z\d]){re.escape(item)}(?![a-z\d])", text)]
        every["facts"] = len(held) / len(wished)
    return every


def facts(text: str) -> list[str]:
    """Return the numbers, names, codes and quoted terms in a text, folded, without duplicates."""
    return list(dict.fromkeys(fold(item).strip(_MARKS) for item in _FACT.findall(text)))


def _cited_span(quote: Quote) -> FoundSpan:
    note, chunk = quote.note, quote.chunk
    place = note.path or note.title
    return FoundSpan(note.id, place, chunk.id, quote.start, quote.end, note.body_start, float(quote.number))
