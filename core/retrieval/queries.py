"""A question as typed -> what the stages can use."""

import unicodedata
from dataclasses import replace
from typing import get_args

from core import text
from core.embedding import Embedder
from core.errors import QueryError, UnknownChoice
from core.model import Mode, Query

MAX_CHARACTERS = 10_000
MAX_LIMIT = 1000
EXPANSION_SIZES = range(4)


def checked(query: Query) -> Query:
    """Return the query with a pool that fills its limit.

    Raises QueryError or UnknownChoice that says what to ask instead.
    """
    if query.mode not in get_args(Mode):
        raise UnknownChoice("mode", query.mode, get_args(Mode))
    if not query.text.strip():
        raise QueryError("The question is empty. Type a word or a sentence to search for.")
    if len(query.text) > MAX_CHARACTERS:
        raise QueryError(
            f"The question has {len(query.text):,} characters; at most {MAX_CHARACTERS:,} can be searched for."
        )
    if all(unicodedata.category(character)[0] in "PZC" for character in query.text):
        raise QueryError("The question is only punctuation. Type a word or a sentence to search for.")
    if not 1 <= query.limit <= MAX_LIMIT:
        raise QueryError(f"The limit is {query.limit}; it must be from 1 to {MAX_LIMIT}.")
    if query.expansion_size not in EXPANSION_SIZES:
        raise QueryError(f"The expansion is {query.expansion_size}; it must be from 0 to {EXPANSION_SIZES[-1]}.")
    if not 0 <= query.semantic_weight <= 1:
        raise QueryError(f"The semantic weight is {query.semantic_weight}; it must be from 0 to 1.")
    return replace(query, pool=max(query.pool, query.limit))


def words(query: Query) -> list[str]:
    """Return the words that keyword search looks for."""
    return text.query_keywords(query.text)


def fit(question: str, embedder: Embedder) -> tuple[str, bool]:
    """Return as much of a question as the embedder reads, and whether that is all of it."""
    spans = embedder.tokens(question)
    if len(spans) <= embedder.input_tokens:
        return question, True
    return question[: int(spans[embedder.input_tokens - 1, 1])], False
