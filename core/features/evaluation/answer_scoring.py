"""Measurement of answers: whether they quote the right passages and hold what is wished, and when they refuse."""

import re

from core.base.text import CJK, fold
from core.features.evaluation.metrics import cited_precision, cited_recall, spans
from core.model import AGREED, Answer, FoundSpan, GivenAnswer, QuestionResult, Quote
from core.store import Store

_LATIN = rf"(?:(?![{CJK}])\w)"
_FACT = re.compile(
    rf"`[^`\n]{{1,200}}`|[「“《][^「“《」”》\n]{{1,200}}[」”》]"
    rf"|(?<!{_LATIN}){_LATIN}{{0,40}}\d(?:[\d.,:/%-]*{_LATIN}+)?%?|(?<!{_LATIN}){_LATIN}{{1,80}}_{_LATIN}+"
    rf"|(?<![.!?。！？]\s)(?<!^)\b[A-Z]{_LATIN}+"
)
"""Code, a term in marks, a number with its unit, an identifier, or a name: a capital within a sentence."""
_MARKS = " `「」“”《》.,:/%-"


def given_answer(store: Store, answer: Answer) -> GivenAnswer:
    """Return an answer from the notes of a store as a run keeps it; of a written one, only proven sentences count."""
    cited = tuple(map(_cited_span, answer.quotes))
    in_place = {quote.number for quote in answer.quotes if _is_in_place(store, quote)}
    if answer.writing is None:
        return GivenAnswer(answer.text, cited, len(answer.quotes), len(in_place))
    quoted = sum(not in_place.isdisjoint(sentence.citations) for sentence in answer.written)
    text = answer.text if answer.written else ""
    return GivenAnswer(text, cited, len(answer.written), quoted, answer.writing.problem)


def values(result: QuestionResult) -> dict[str, float]:
    """Return those of ANSWER_METRICS that are about one question and its answer."""
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
    if items := facts(result.wished):
        text = fold(answer.text)
        every["facts"] = sum(_holds(text, item) for item in items) / len(items)
    return every


def facts(text: str) -> list[str]:
    """Return the numbers, names, codes and marked terms of a text, folded, each once."""
    return list(dict.fromkeys(fold(item).strip(_MARKS) for item in _FACT.findall(text)))


def _holds(text: str, fact: str) -> bool:
    """Whether a text holds a fact as whole words: 5 isn't in 15."""
    return bool(re.search(rf"(?<![a-z\d]){re.escape(fact)}(?![a-z\d])", text))


def _is_in_place(store: Store, quote: Quote) -> bool:
    """Whether a quote is in its note, or in the chunk that a person wrote over."""
    if quote.chunk.edited:
        return quote.text in quote.chunk.text
    return store.notes.note(quote.note.id).body[quote.start : quote.end] == quote.text


def _cited_span(quote: Quote) -> FoundSpan:
    note, chunk = quote.note, quote.chunk
    place = note.path or note.title
    return FoundSpan(note.id, place, chunk.id, quote.start, quote.end, note.body_start, float(quote.number))
