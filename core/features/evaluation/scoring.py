"""Measure searches and answers with questions whose correct passages (gold) are known.

A span is a half-open tuple (note id, start, end). Ranks start at 1, and a rank of None means "not found". Every metric
is 0 if there is nothing to measure. A run's figure is the mean over the run's questions.

Rank metrics take the `relevance` of a question's hits, the number of gold passages newly found by each hit, and
`total`, the number of passages `needed`. If every relevance is 0 or 1, the metrics match the textbook definitions. A
long chunk may find several passages at once. Therefore, the n-th passage found never counts at a better rank than n,
the best rank possible with one passage per hit.
"""

import builtins
import re
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import accumulate
from math import log2
from statistics import fmean
from typing import Annotated

from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationError

from core.base.errors import ProviderError
from core.base.text import CJK, fold, make_storable, one_line
from core.model import (
    AGREED,
    ANSWER_METRICS,
    BUDGET,
    DEPTH,
    METRICS,
    Agreement,
    Answer,
    Chunk,
    FoundSpan,
    GivenAnswer,
    GoldSpan,
    Judgement,
    MetricValues,
    NoteSummary,
    Question,
    QuestionResult,
    SearchResult,
)
from core.providers.chat import Chat
from core.providers.connection import Stop
from core.retrieval.llm_choice import shares
from core.store import Store

Span = tuple[str, int, int]
Spans = Sequence[Span]
Relevance = Sequence[int]

# Share of a gold passage's characters that must be retrieved for the passage to count as found.
FOUND_SHARE = 0.5


def spans(passages: Sequence[GoldSpan | FoundSpan]) -> list[Span]:
    return [(passage.note_id, passage.start, passage.end) for passage in passages]


def coverage(gold: Span, retrieved: Spans) -> float:
    """Return the share of the gold span's characters that are in at least one retrieved span.

    |gold ∩ ∪ retrieved| / |gold| is the token recall of Smith and Troynikov, 'Evaluating Chunking Strategies for
    Retrieval' (Chroma, 2024), for one passage and in characters.
    """
    return _shared([gold], retrieved) / max(1, _size([gold]))


def span_recall(golds: Spans, retrieved: Spans, *, any: bool) -> float:
    """Return the share of the gold characters that were retrieved.

    If `any` is True, only the passage with the largest share counts. |gold ∩ retrieved| / |gold| is the recall of Smith
    and Troynikov (2024), in characters.
    """
    if any:
        return max((coverage(gold, retrieved) for gold in golds), default=0.0)
    return _shared(golds, retrieved) / _size(golds) if golds else 0.0


def span_precision(golds: Spans, retrieved: Spans) -> float:
    """Return the share of the retrieved characters that are gold.

    |gold ∩ retrieved| / |retrieved| is the precision of Smith and Troynikov (2024), except that each character counts
    only once. In their version, a token counts each time it is retrieved.
    """
    got = _size(retrieved)
    return _shared(golds, retrieved) / got if got else 0.0


def iou(golds: Spans, retrieved: Spans) -> float:
    """Return the overlap between the retrieved and the gold characters, from 0 (none) to 1 (identical).

    |gold ∩ retrieved| / |gold ∪ retrieved| is the IoU of Smith and Troynikov (2024), in characters, each counted once.
    All gold passages count, even if one would be enough.
    """
    either = _size([*golds, *retrieved])
    return _shared(golds, retrieved) / either if either else 0.0


def _shared(golds: Spans, retrieved: Spans) -> int:
    return _size(golds) + _size(retrieved) - _size([*golds, *retrieved])


def _size(spans: Spans) -> int:
    """Return the number of characters in the spans. A character in several spans counts once."""
    total = 0
    at = ""
    reached = 0
    for path, start, end in sorted(spans):
        if path != at:
            at = path
            reached = start
        total += max(0, end - max(start, reached))
        reached = max(reached, end)
    return total


def needed(golds: Spans, *, any: bool) -> int:
    """Return the number of gold passages that must be found, which is one if `any` is True, or else all of them."""
    return min(1, len(golds)) if any else len(golds)


def relevance(golds: Spans, hits: Spans, *, any: bool) -> list[int]:
    """Return the number of gold passages newly found by each hit.

    A passage is found at the first rank by which FOUND_SHARE of it has been retrieved. A repeated hit isn't relevant
    again (novelty, as in the subtopic recall of Zhai, Cohen and Lafferty, 'Beyond Independent Relevance', SIGIR 2003).
    Once the `needed` passages have been found, no further hit is relevant.
    """
    missing = list(golds)
    wanted = needed(golds, any=any)
    newly = []
    for rank in range(1, len(hits) + 1):
        found = [gold for gold in missing if coverage(gold, hits[:rank]) >= FOUND_SHARE]
        missing = [gold for gold in missing if gold not in found]
        newly.append(min(len(found), wanted))
        wanted -= newly[-1]
    return newly


def found_at(golds: Spans, hits: Spans, *, any: bool) -> int | None:
    """Return the first rank by which all gold spans (one, if `any` is True) have been found, or None if they aren't."""
    enough = needed(golds, any=any)
    found = accumulate(relevance(golds, hits, any=any))
    return next((rank for rank, so_far in enumerate(found, start=1) if golds and so_far >= enough), None)


def hit_at(rank: int | None, k: int) -> float:
    """Return 1 if the answer is among the first k hits, or 0 if it isn't.

    Averaged over questions this is success@k (Craswell, 'Success at n', Encyclopedia of Database
    Systems, 2009), also called hit rate.
    """
    return float(rank is not None and rank <= k)


def reciprocal_rank(rank: int | None, k: int) -> float:
    """Return 1 / rank if the answer is among the first k hits, or 0 if it isn't.

    Averaged over questions this is MRR@k (Voorhees, 'The TREC-8 Question Answering Track Report',
    1999, with k = 5 there).
    """
    return 1 / rank if rank is not None and rank <= k else 0.0


def recall_at(relevance: Relevance, k: int, total: int) -> float:
    """Return the share of the needed gold passages found by the first k hits. If one is needed, this equals hit@k.

    Σ relevance[:k] / total (Manning, Raghavan and Schütze, 'Introduction to Information Retrieval', 2008, 8.3).
    """
    return sum(relevance[:k]) / total if total else 0.0


def precision_at(relevance: Relevance, k: int) -> float:
    """Return the number of relevant hits among the first k, divided by k, even if there are fewer than k hits.

    |relevant among the first k| / k (Manning, Raghavan and Schütze, 2008, 8.4). The maximum is needed / k, so this
    metric is only useful for comparing runs over the same questions.
    """
    return sum(found > 0 for found in relevance[:k]) / k


def ndcg_at(relevance: Relevance, k: int, total: int) -> float:
    """Return the discounted cumulative gain of the first k hits, divided by the gain of a perfect ranking.

    The metric is DCG / ideal DCG, where DCG is Σ 1 / log2(1 + rank) over the passages found (Järvelin and Kekäläinen,
    'Cumulated Gain-Based Evaluation of IR Techniques', 2002, with the discount of Burges et al., 2005, as in
    trec_eval).
    """
    ideal = sum(1 / log2(1 + rank) for rank in range(1, min(total, k) + 1))
    return sum(1 / log2(1 + place) for place in _places(relevance, k)) / ideal if ideal else 0.0


def average_precision(relevance: Relevance, k: int, total: int) -> float:
    """Return the mean precision at the ranks of the needed passages. A passage not in the first k hits counts as 0.

    Σ n / rank of the n-th passage found / total. Averaged over questions this is MAP@k (Buckley and
    Voorhees, 'Evaluating Evaluation Measure Stability', SIGIR 2000; the cutoff as in trec_eval).
    """
    return sum(n / place for n, place in enumerate(_places(relevance, k), start=1)) / total if total else 0.0


def _places(relevance: Relevance, k: int) -> list[int]:
    """Return the rank that counts for each passage found by the first k hits. No two passages share a rank."""
    ranks = [rank for rank, found in enumerate(relevance[:k], start=1) for _ in range(found)]
    return [max(rank, n) for n, rank in enumerate(ranks[:k], start=1)]


def cited_recall(golds: Spans, cited: Spans, *, any: bool) -> float:
    """Return the share of the gold passages cited by an answer. If `any` is True, citing one of them counts as 1.

    This is the citation recall of Gao et al., 'Enabling Large Language Models to Generate Text with Citations' (EMNLP
    2023), over passages instead of statements. A passage counts as cited if it overlaps with a citation by at least
    FOUND_SHARE of the shorter of the two.
    """
    right = [builtins.any(_is_same(gold, span) for span in cited) for gold in golds]
    if any:
        return float(True in right)
    return sum(right) / len(golds) if golds else 0.0


def cited_precision(golds: Spans, cited: Spans) -> float:
    """Return the share of the cited passages that are gold. `cited_recall` says when two passages count as the same."""
    right = [builtins.any(_is_same(gold, span) for gold in golds) for span in cited]
    return sum(right) / len(cited) if cited else 0.0


def _is_same(item: Span, other: Span) -> bool:
    return _shared([item], [other]) >= FOUND_SHARE * min(_size([item]), _size([other])) > 0


def within_budget(hits: Spans, budget: int) -> list[Span]:
    """Return the first hits that fit into a budget of characters. If necessary, the last hit is cut off.

    This makes systems with passages of different lengths comparable. A fixed number of hits would favour long passages.
    """
    spans = []
    for path, start, end in hits:
        if budget <= 0:
            break
        spans.append((path, start, min(end, start + budget)))
        budget -= end - start
    return spans


def percentile(values: Sequence[float], percent: int) -> float:
    """Return the smallest value for which at least `percent` % (1 to 100) of the values aren't larger.

    The nearest-rank method, sorted[⌈percent × n / 100⌉], always returns a measured value (Hyndman and Fan,
    'Sample Quantiles in Statistical Packages', 1996, definition 1).
    """
    return sorted(values)[-(-percent * len(values) // 100) - 1] if values else 0.0


TASK = """You compare an answer with what a person wishes to read.
You are given JSON: "question", "wished" (the wished answer, empty where there is none), "passages" (the texts that \
hold the right answer), and "answer".
Judge only whether "answer" states what "wished" states, or without it what the passages say to the question. Other \
words, another language, another order and more detail are no fault; a wrong figure or name is one.
Reply with one JSON object only, such as
{"reason": "...", "verdict": "partly"}
"reason" is one or two sentences in the language of the question: what agrees, what is missing, what is wrong. \
"verdict" is "agrees", "partly" where a part is missing or wrong, or "no"."""
# Maximum length of the reason for a judgement, in characters.
REASON = 500

_LATIN = rf"(?:(?![{CJK}])\w)"
# Code, a quoted term, a number with its unit, an identifier, or a name (a capitalized word within a sentence).
_FACT = re.compile(
    rf"`[^`\n]{{1,200}}`|[「“《][^「“《」”》\n]{{1,200}}[」”》]"
    rf"|(?<!{_LATIN}){_LATIN}{{0,40}}\d(?:[\d.,:/%-]*{_LATIN}+)?%?|(?<!{_LATIN}){_LATIN}{{1,80}}_{_LATIN}+"
    rf"|(?<![.!?。！？]\s)(?<!^)\b[A-Z]{_LATIN}+"
)
_MARKS = " `「」“”《》.,:/%-"


def ask(
    question: Question,
    search: Callable[[str], SearchResult],
    answer: Callable[[SearchResult], GivenAnswer] | None = None,
) -> QuestionResult:
    """Ask a question, and return the hits and the search time. If `answer` is given, the question is answered too."""
    started = time.perf_counter()
    result = search(question.text)
    took_ms = (time.perf_counter() - started) * 1000
    golds = remaining_golds(question)
    retrieved = tuple(
        _span(
            hit.note,
            hit.chunk,
            hit.passage.start,
            hit.passage.end,
            hit.score,
            hit.scores["vector"].score if "vector" in hit.scores else None,
        )
        for hit in result.hits
    )
    gold_spans = spans(golds)
    hit_spans = spans(retrieved)
    return QuestionResult(
        id=question.id,
        question=question.text,
        kind=question.kind,
        any=question.any,
        golds=golds,
        took_ms=took_ms,
        hits=retrieved,
        found_rank=found_at(gold_spans, hit_spans, any=question.any),
        budget_rank=found_at(gold_spans, within_budget(hit_spans, BUDGET), any=question.any),
        level=result.classified.level,
        wished=question.answer,
        given=answer(result) if answer else None,
    )


def remaining_golds(question: Question) -> tuple[GoldSpan, ...]:
    """Return a question's correct passages, except those that are no longer in the notes."""
    return tuple(gold for gold in question.spans if not gold.flagged)


def is_lost(question: Question) -> bool:
    """Return whether so many correct passages are gone that no search can answer the question."""
    left = remaining_golds(question)
    return left != question.spans and not (left and question.any)


def values(result: QuestionResult) -> MetricValues:
    """Return a result's METRICS, if the notes answer the question, and the ANSWER_METRICS that apply to the result."""
    answers = answer_values(result)
    if result.negative:
        return answers
    golds = spans(result.golds)
    hits = spans(result.hits)
    any = result.any
    within = within_budget(hits, BUDGET)
    total = needed(golds, any=any)
    newly = relevance(golds, hits, any=any)
    return {
        **{f"hit@{depth}": hit_at(result.found_rank, depth) for depth in (1, 5, 10)},
        "mrr@10": reciprocal_rank(result.found_rank, DEPTH),
        f"hit@{BUDGET}chars": float(result.budget_rank is not None),
        f"mrr@{BUDGET}chars": reciprocal_rank(result.budget_rank, DEPTH),
        "recall@10": recall_at(newly, DEPTH, total),
        "precision@10": precision_at(newly, DEPTH),
        "ndcg@10": ndcg_at(newly, DEPTH, total),
        "map@10": average_precision(newly, DEPTH, total),
        "span_recall": span_recall(golds, within, any=any),
        "span_precision": span_precision(golds, within),
        "span_iou": iou(golds, within),
        **answers,
    }


def summarise(results: Sequence[QuestionResult]) -> MetricValues:
    """Return the mean of each metric over the results to which it applies, and percentiles of the search times.

    If a metric applies to no result, it is 0 if it is in METRICS, or left out if it is in ANSWER_METRICS.
    """
    every = [values(result) for result in results]
    means = {
        name: fmean(figures or [0.0])
        for name in (*METRICS, *ANSWER_METRICS)
        if (figures := [item[name] for item in every if name in item]) or name in METRICS
    }
    times = [result.took_ms for result in results]
    return means | {"p50_ms": percentile(times, 50), "p95_ms": percentile(times, 95)}


def _span(
    note: NoteSummary, chunk: Chunk, start: int, end: int, score: float, nearness: float | None = None
) -> FoundSpan:
    return FoundSpan(note.id, note.path or note.title, chunk.id, start, end, note.body_start, score, nearness)


class _Reply(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")

    reason: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=4 * REASON)]
    verdict: Agreement


def judge(chat: Chat, result: QuestionResult, characters: int, stop: Stop) -> Judgement:
    """Have a language model judge a result's answer. At most `characters` characters of text are sent.

    If the reply can't be read, the model is asked once more. If the server fails, the judgement's `problem` says why.
    Raises Cancelled if `stop` returns True.
    """
    assert result.given, "only an answer can be judged"
    wished, answer, *passages = shares(
        [result.wished, result.given.text, *(gold.quote for gold in result.golds)], characters
    )
    try:
        read = chat.reply_as(
            TASK,
            {"question": result.question, "wished": wished, "passages": passages, "answer": answer},
            _parse_judgement,
            stop,
        )
    except ProviderError as error:
        return Judgement(problem=error.message)
    return Judgement(read.verdict, one_line(make_storable(read.reason))[:REASON])


def _parse_judgement(reply: str) -> _Reply | None:
    """Return the judgement at the end of a reply, or None if it has no judgement. Any reasoning in front is ignored."""
    # A JSON object without nested objects, at the end of the reply or of its last code block.
    ruling = re.search(r"\{[^{}]*\}(?=[\s`]*\Z)", reply)
    with suppress(ValidationError):
        return _Reply.model_validate_json(ruling[0]) if ruling else None
    return None


def given_answer(store: Store, answer: Answer) -> GivenAnswer:
    """Convert an answer to the form that is stored in evaluation runs.

    A sentence counts as quoted if it cites a quote that equals the text at its position in the note.
    """
    cited = tuple(
        _span(quote.note, quote.chunk, quote.start, quote.end, float(quote.number)) for quote in answer.quotes
    )
    in_place = {
        quote.number for quote in answer.quotes if store.note(quote.note.id).body[quote.start : quote.end] == quote.text
    }
    if answer.writing is None:
        return GivenAnswer(answer.text, cited, len(answer.quotes), len(in_place))
    return GivenAnswer(
        answer.text if answer.written else "",
        cited,
        len(answer.written),
        sum(not in_place.isdisjoint(sentence.citations) for sentence in answer.written),
        answer.writing.problem,
    )


def answer_values(result: QuestionResult) -> MetricValues:
    """Return the ANSWER_METRICS that apply to a result."""
    answer = result.given
    if answer is None or answer.problem:
        return {}
    judged = {"agreed": AGREED[answer.judged.verdict]} if answer.judged and answer.judged.verdict else {}
    if result.negative:
        return {"refused": float(answer.refused)} | judged
    golds = spans(result.golds)
    cited = spans(answer.cited)
    every = {
        "answered": float(not answer.refused),
        "cited_recall": cited_recall(golds, cited, any=result.any),
        **judged,
    }
    if answer.sentences:
        every |= {"cited_precision": cited_precision(golds, cited), "quoted": answer.quoted / answer.sentences}
    if wished := facts(result.wished):
        text = fold(answer.text)
        # Match whole words only, so that 5 isn't found in 15.
        held = [item for item in wished if re.search(rf"(?<![a-z\d]){re.escape(item)}(?![a-z\d])", text)]
        every["facts"] = len(held) / len(wished)
    return every


def facts(text: str) -> list[str]:
    """Return the numbers, names, code and quoted terms in a string, case-folded and without duplicates."""
    return list(dict.fromkeys(fold(item).strip(_MARKS) for item in _FACT.findall(text)))
