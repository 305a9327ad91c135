"""Questions with known answers -> how often, and how high, a search finds them.

Anything that takes a question and returns hits can be measured: `search` is a function.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean

from core.errors import QuestionSetError
from core.evaluation.metrics import Span, found_at, hit_at, reciprocal_rank, within_budget
from core.model import Filters, Gold, Hit, Progress, Question, unheard
from core.store import Store

BUDGET = 4000
"""Characters of retrieved text, about what fits a prompt beside the question."""

DEPTH = 10
"""Hits that are looked at."""

METRICS = ("hit@1", "hit@5", "hit@10", "mrr@10", f"hit@{BUDGET}chars")


@dataclass(frozen=True, slots=True)
class FoundSpan:
    """Where a hit's passage stands in its file."""

    path: str
    file_start: int
    file_end: int
    score: float


@dataclass(frozen=True, slots=True)
class QuestionResult:
    """What one question brought; `found_rank` is None where the answer isn't among the hits.

    A question without gold passages is `negative`: it has no rank and counts in no metric.
    """

    id: str
    question: str
    kind: str
    negative: bool
    took_ms: float
    hits: tuple[FoundSpan, ...]
    found_rank: int | None
    found_in_budget: bool


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
            "per_question": [asdict(result) for result in self.questions],
        }


def run(
    questions: Sequence[Question],
    search: Callable[[str], Sequence[Hit]],
    source_text: Callable[[str], str | None],
    *,
    name: str = "questions",
    progress: Progress = unheard,
) -> Evaluation:
    """Ask every question and measure the answers.

    `source_text` gives the decoded text of a note's file, front matter included, or None for a path
    it doesn't know; `name` is the question file's, for messages. Raises QuestionSetError, before
    anything is asked, for a gold passage that doesn't stand exactly once in its file.
    """
    places = [[locate(gold, source_text, question, name) for gold in question.gold] for question in questions]
    results: list[QuestionResult] = []
    for question, golds in zip(questions, places, strict=True):
        results.append(_asked(question, golds, search))
        progress(len(results), len(questions), question.text)
    negatives = sum(result.negative for result in results)
    return Evaluation(summarise(results), tuple(results), len(results) - negatives, negatives)


def source_texts(store: Store, base: str) -> Callable[[str], str | None]:
    """Return what gives the text of a file of a base, None for a path without a note.

    Right passages are placed by their offset in the file; its front matter is not kept, and stands as NULs.
    """
    sources = {card.path: card for card in store.notes.cards(Filters(bases=(base,))) if card.path}

    def source_text(path: str) -> str | None:
        card = sources.get(path)
        return None if card is None else "\0" * card.body_start + store.notes.note(card.id).body

    return source_text


def locate(gold: Gold, source_text: Callable[[str], str | None], question: Question, name: str = "questions") -> Span:
    """Return where the gold passage stands; raises QuestionSetError where that isn't one place."""
    text = source_text(gold.path)
    if text is None:
        reason = f"there is no note '{gold.path}'. Import its folder first."
        raise QuestionSetError(name, question.line, f"question '{question.id}': {reason}")
    start = text.find(gold.quote)
    if start < 0 or text.find(gold.quote, start + 1) >= 0:
        times = "isn't" if start < 0 else "is more than once"
        reason = f"its quote '{gold.quote[:40]}…' {times} in '{gold.path}'; it must be there exactly once."
        raise QuestionSetError(name, question.line, f"question '{question.id}': {reason}")
    return gold.path, start, start + len(gold.quote)


def summarise(results: Sequence[QuestionResult]) -> dict[str, float]:
    """Average the metrics over the results that aren't negative; all 0 where there are none."""
    scored = [result for result in results if not result.negative]
    values = [
        (
            *(hit_at(result.found_rank, k) for k in (1, 5, 10)),
            reciprocal_rank(result.found_rank, DEPTH),
            float(result.found_in_budget),
        )
        for result in scored
    ]
    columns = zip(*values, strict=True) if values else [(0.0,)] * len(METRICS)
    return {metric: fmean(column) for metric, column in zip(METRICS, columns, strict=True)}


def _asked(question: Question, golds: Sequence[Span], search: Callable[[str], Sequence[Hit]]) -> QuestionResult:
    started = time.perf_counter()
    hits = search(question.text)
    took_ms = (time.perf_counter() - started) * 1000
    found = tuple(_in_file(hit) for hit in hits)
    spans = [(hit.path, hit.file_start, hit.file_end) for hit in found]
    return QuestionResult(
        id=question.id,
        question=question.text,
        kind=question.kind,
        negative=not golds,
        took_ms=took_ms,
        hits=found,
        found_rank=found_at(golds, spans, any=question.any),
        found_in_budget=found_at(golds, within_budget(spans, BUDGET), any=question.any) is not None,
    )


def _in_file(hit: Hit) -> FoundSpan:
    start = hit.note.body_start
    return FoundSpan(hit.note.path or "", start + hit.passage.start, start + hit.passage.end, hit.score)
