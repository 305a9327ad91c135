"""A question and passages -> pairs that fit the input of a cross-encoder."""

from bisect import bisect_left
from collections.abc import Sequence
from typing import Any

from core.base.text import fold, query_keywords
from core.embedding.encoder import SURROGATES

PASSAGE_CHARACTERS = 8000
"""Characters of a passage in which the best piece is searched."""


def fitting(model: Any, query: str, texts: Sequence[str]) -> list[tuple[str, str]]:
    """Return pairs within the model's number of tokens, with the piece of each passage that has most question words.

    The question is cut if it takes more than half of the tokens, or, beside shorter passages, more than those leave.
    """
    room = model.max_seq_length - model.tokenizer.num_special_tokens_to_add(pair=True)
    query = SURROGATES.sub("\ufffd", query)
    clean = [SURROGATES.sub("\ufffd", text[:PASSAGE_CHARACTERS]) for text in texts]
    passages = _spans(model.tokenizer, clean, None)
    most = max(1, room // 2, room - max(map(len, passages)))
    (spans,) = _spans(model.tokenizer, [query], most)
    question = query[: spans[-1][1]] if len(spans) == most else query
    room, words = max(1, room - len(spans)), query_keywords(query)
    return [(question, _piece(text, spans, room, words)) for text, spans in zip(clean, passages, strict=True)]


def _piece(text: str, spans: Sequence[tuple[int, int]], room: int, words: Sequence[str]) -> str:
    """Return the piece of a text that fits, behind its first line (the breadcrumb) if that is short."""
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
    """Return the character spans of each text's tokens, at most the first `tokens` of them."""
    cut = {} if tokens is None else {"truncation": True, "max_length": tokens}
    spans: list[list[tuple[int, int]]] = tokenizer(
        list(texts), add_special_tokens=False, return_offsets_mapping=True, verbose=False, **cut
    )["offset_mapping"]
    return spans
