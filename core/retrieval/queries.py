"""A question as typed -> what the stages can use."""

import unicodedata
from dataclasses import replace
from typing import get_args

from core import text
from core.embedding import Embedder
from core.errors import QueryError, UnknownChoice
from core.model import Filters, Fusion, Mode, PhraseRule, Query

MAX_CHARACTERS = 10_000
MAX_LIMIT = 1000
EXPANSION_SIZES = range(4)


def checked(query: Query) -> Query:
    """Return the query with a pool that fills its limit.

    Raises QueryError or UnknownChoice that says what to ask instead.
    """
    for what, chosen, choices in (
        ("mode", query.mode, get_args(Mode)),
        ("fusion", query.fusion, get_args(Fusion)),
        ("phrase rule", query.phrase, get_args(PhraseRule)),
    ):
        if chosen not in choices:
            raise UnknownChoice(what, chosen, choices)
    narrowed = query.filters != Filters()
    if not query.text.strip() and not narrowed:
        raise QueryError("The question is empty. Type a word or a sentence to search for.")
    if len(query.text) > MAX_CHARACTERS:
        raise QueryError(
            f"The question has {len(query.text):,} characters; at most {MAX_CHARACTERS:,} can be searched for."
        )
    if query.text.strip() and all(unicodedata.category(character)[0] in "PZC" for character in query.text):
        raise QueryError("The question is only punctuation. Type a word or a sentence to search for.")
    if not 1 <= query.limit <= MAX_LIMIT:
        raise QueryError(f"The limit is {query.limit}; it must be from 1 to {MAX_LIMIT}.")
    if query.expansion_size not in EXPANSION_SIZES:
        raise QueryError(f"The expansion is {query.expansion_size}; it must be from 0 to {EXPANSION_SIZES[-1]}.")
    for name, value in (
        ("semantic weight", query.semantic_weight),
        ("weight of links", query.link_weight),
        ("weight of the reranker", query.rerank_weight),
        ("score threshold", query.score_threshold),
    ):
        if not 0 <= value <= 1:
            raise QueryError(f"The {name} is {value}; it must be from 0 to 1.")
    return replace(query, pool=max(query.pool, query.limit))


def words(question: str) -> list[str]:
    """Return the words that keyword search looks for."""
    return text.query_keywords(question)


def fit(question: str, embedder: Embedder) -> tuple[str, bool]:
    """Return as much of a question as the embedder reads, and whether that is all of it."""
    spans = embedder.tokens(question)
    if len(spans) <= embedder.input_tokens:
        return question, True
    return question[: int(spans[embedder.input_tokens - 1, 1])], False
