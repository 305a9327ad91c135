"""Measurement of answers: whether they quote the right passages and hold what is wished, and when they refuse."""

import re
from collections.abc import Sequence
from dataclasses import replace

from core.base.errors import Cancelled
from core.base.text import CJK, fold
from core.features.answers import writing
from core.features.answers.choosing import choose
from core.features.answers.collection import build_answer
from core.features.evaluation.metrics import Span, cited_precision, cited_recall
from core.model import (
    AGREED,
    AnswerThreshold,
    FoundSpan,
    GivenAnswer,
    GoldSpan,
    QuestionResult,
    Quote,
    SearchResult,
)
from core.providers.chat import Chat
from core.providers.connection import Stop
from core.retrieval.engine import SearchEngine
from core.store import Store

_LATIN = rf"(?:(?![{CJK}])\w)"
_FACT = re.compile(
    rf"`[^`\n]{{1,200}}`|[「“《][^「“《」”》\n]{{1,200}}[」”》]"
    rf"|(?<!{_LATIN}){_LATIN}{{0,40}}\d(?:[\d.,:/%-]*{_LATIN}+)?%?|(?<!{_LATIN}){_LATIN}{{1,80}}_{_LATIN}+"
    rf"|(?<![.!?。！？]\s)(?<!^)\b[A-Z]{_LATIN}+"
)
"""Code, a term in marks, a number with its unit, an identifier, or a name: a capital within a sentence."""
_MARKS = " `「」“”《》.,:/%-"


def answer_result(store: Store, searching: SearchEngine, result: SearchResult, bar: AnswerThreshold) -> GivenAnswer:
    """Return the answer to the question of a result of a search in a store."""
    answer = build_answer(result, choose(store, searching.tokenized_hits, result), bar)
    quoted = sum(_is_in_place(store, quote) for quote in answer.quotes)
    return GivenAnswer(answer.text, tuple(map(_cited, answer.quotes)), len(answer.quotes), quoted)


def write_answer(
    store: Store,
    searching: SearchEngine,
    chat: Chat,
    result: SearchResult,
    bar: AnswerThreshold,
    characters: int,
    stop: Stop,
) -> GivenAnswer:
    """Return what a language model answers to the question of a result, of which only proven sentences count.

    A question that isn't answerable is refused without it. Raises Cancelled once `stop` says so.
    """
    answer = build_answer(result, choose(store, searching.tokenized_hits, result), bar)
    if not answer.answerable:
        return GivenAnswer("", (), 0, 0)
    question = result.understood.text or result.query
    *_, answer = writing.write(chat, replace(answer, quotes=()), question, characters, stop)
    assert answer.writing is not None, "a model writes it"
    if answer.writing.stopped:
        raise Cancelled
    standing = {quote.number for quote in answer.quotes if _is_in_place(store, quote)}
    quoted = sum(not standing.isdisjoint(sentence.citations) for sentence in answer.written)
    cited = tuple(map(_cited, answer.quotes))
    text = answer.text if answer.written else ""
    return GivenAnswer(text, cited, len(answer.written), quoted, answer.writing.problem)


def values(result: QuestionResult) -> dict[str, float]:
    """Return those of ANSWER_METRICS that are about one question and its answer."""
    given = result.given
    if given is None or given.problem:
        return {}
    judged = {"agreed": AGREED[given.judged.verdict]} if given.judged and given.judged.verdict else {}
    if result.negative:
        return {"refused": float(given.refused)} | judged
    golds, cited = _spans(result.golds), _spans(given.cited)
    every = {"answered": float(not given.refused), "cited_recall": cited_recall(golds, cited, any=result.any)}
    every |= judged
    if given.sentences:
        every |= {"cited_precision": cited_precision(golds, cited), "quoted": given.quoted / given.sentences}
    if wished := facts(result.wished):
        text = fold(given.text)
        every["facts"] = sum(_holds(text, item) for item in wished) / len(wished)
    return every


def facts(text: str) -> list[str]:
    """Return the numbers, names, codes and marked terms of a text, folded, each once."""
    return list(dict.fromkeys(fold(item).strip(_MARKS) for item in _FACT.findall(text)))


def _holds(text: str, fact: str) -> bool:
    """Whether a text holds a fact as whole words: 5 isn't in 15."""
    return bool(re.search(rf"(?<![a-z\d]){re.escape(fact)}(?![a-z\d])", text))


def _is_in_place(store: Store, quote: Quote) -> bool:
    """Whether a quote stands in its note, or in the chunk that a person wrote over."""
    if quote.chunk.edited:
        return quote.text in quote.chunk.text
    return store.notes.note(quote.note.id).body[quote.start : quote.end] == quote.text


def _cited(quote: Quote) -> FoundSpan:
    note, chunk = quote.note, quote.chunk
    place = note.path or note.title
    return FoundSpan(note.id, place, chunk.id, quote.start, quote.end, note.body_start, float(quote.number))


def _spans(passages: Sequence[GoldSpan | FoundSpan]) -> list[Span]:
    return [(passage.note_id, passage.start, passage.end) for passage in passages]
