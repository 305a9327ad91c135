"""A question and passages -> pairs that a cross-encoder reads whole."""

from bisect import bisect_left
from collections.abc import Sequence
from typing import Any

from core.embedding.encoder import SURROGATES
from core.text import fold, query_keywords

SOUGHT = 8000
"""Characters of a passage in which the best piece is looked for."""


def fitting(model: Any, query: str, texts: Sequence[str]) -> list[tuple[str, str]]:
    """Return pairs of at most the model's tokens: of a passage the piece that has most of the question's words.

    The question is cut only beyond half of what fits, and beside a shorter passage beyond what that leaves.
    """
    room = model.max_seq_length - model.tokenizer.num_special_tokens_to_add(pair=True)
    query, clean = SURROGATES.sub("\ufffd", query), [SURROGATES.sub("\ufffd", text[:SOUGHT]) for text in texts]
    found = _spans(model.tokenizer, clean, None)
    most = max(1, room // 2, room - max(map(len, found)))
    (spans,) = _spans(model.tokenizer, [query], most)
    question = query[: spans[-1][1]] if len(spans) == most else query
    room, words = max(1, room - len(spans)), query_keywords(query)
    return [(question, _piece(text, spans, room, words)) for text, spans in zip(clean, found, strict=True)]


def _piece(text: str, spans: Sequence[tuple[int, int]], room: int, words: Sequence[str]) -> str:
    """The part of a text that fits, behind its first line, which tells the place, where that is short."""
    if len(spans) <= room:
        return text
    line = text.find("\n", 0, spans[-1][1]) + 1
    first = bisect_left(spans, line, key=lambda span: span[0])
    if first > room // 4:
        line = first = 0
    left = room - first
    starts = [*range(first, len(spans) - left, max(1, left // 2)), len(spans) - left]
    pieces = [text[spans[start][0] : spans[start + left - 1][1]] for start in starts]
    return text[:line] + max(pieces, key=lambda piece: sum(word in fold(piece) for word in words))


def _spans(tokenizer: Any, texts: Sequence[str], tokens: int | None) -> list[list[tuple[int, int]]]:
    """Where the tokens of each text stand, the first `tokens` of them."""
    cut = {} if tokens is None else {"truncation": True, "max_length": tokens}
    spans: list[list[tuple[int, int]]] = tokenizer(
        list(texts), add_special_tokens=False, return_offsets_mapping=True, verbose=False, **cut
    )["offset_mapping"]
    return spans
