"""Split chunks into windows to embed.

A window is a breadcrumb and a lead, followed by a piece of text or a table row.
"""

import math
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from core.base.blobs import Span, blank_blobs
from core.base.errors import ConfigError
from core.embedding.protocol import Embedder
from core.markdown.parts import tables
from core.model import ADDRESSES, Chunk, Spans, Window

# Maximum number of tokens in a window's breadcrumb and in its lead.
#
# Each may also take up at most a quarter of the window.
BREADCRUMB_TOKENS = 64
LEAD_TOKENS = 128

# Minimum size of a window in tokens.
SMALLEST = 32

# Share of the token limit that a window should fill. The rest allows a cut to be moved to a line end.
SLACK = 0.95

# Maximum distance that a cut may be moved from its ideal position to a better one, as a share of a window.
REACH = 0.25

# Maximum number of a chunk's table rows that get their own windows. A chunk of 1,500 tokens rarely has more rows.
MOST_ROWS = 200

# The start and end of each token.
Bounds = list[list[int]]

LINE_END, SPACE, BETWEEN = range(3)
JOINERS = {"\u200d", "\ufe0e", "\ufe0f", "\u20e3"}
SKIN_TONES = range(0x1F3FB, 0x1F400)


def windows_of(chunks: Sequence[Chunk], title: str, embedder: Embedder) -> list[Window]:
    """Return the windows for a note's chunks, in order.

    A chunk's windows cover all its text, and have nearly equal numbers of tokens. They are followed by a window for
    each row of the chunk's tables, in which the row is written as a sentence. Raises ConfigError if the embedder
    reads fewer than 32 tokens.
    """
    limit = embedder.input_tokens
    if limit < SMALLEST:
        raise ConfigError(
            "This model reads only {n} tokens at a time, but at least {least} are needed. Choose another model.",
            least=SMALLEST,
            n=limit,
        )
    heads = {}
    # Identical text is cut only once, because a note may consist of megabytes of one repeated word.
    cut = {}
    windows = []
    for chunk in map(_without_blobs, chunks):
        key = (chunk.line > 0, chunk.breadcrumb, chunk.lead)
        if key not in heads:
            heads[key] = _head(chunk, title, embedder, limit)
        head, head_tokens = heads[key]
        if (head, chunk.text) not in cut:
            cut[head, chunk.text] = _pieces(chunk.text, head, limit - head_tokens, limit, embedder)
        own = [Window(chunk.id, index, head + piece, len(head)) for index, piece in enumerate(cut[head, chunk.text])]
        windows += [*own, *row_windows(chunk, title, embedder, limit, len(own))]
    return windows


def places_of(chunk: Chunk, title: str, embedder: Embedder) -> Spans:
    """Return the span in a chunk's text of each token in its windows, leaving out windows of table rows.

    Tokens in a head have the span (-1, -1). The other spans come from tokenizing the whole text. They are correct if
    the windows have the same number of tokens in total. A token across a cut counts in both windows, because its space
    ends one window and its word begins the next.
    """
    chunk = _without_blobs(chunk)
    head, head_tokens = _head(chunk, title, embedder, embedder.input_tokens)
    spans = embedder.tokens(chunk.text)
    room = embedder.input_tokens - head_tokens
    cuts = [] if len(spans) <= room else _cuts(chunk.text, spans, room)
    # The line end after a head belongs to the text's first token.
    before = np.full((len(embedder.tokens(head.rstrip())), 2), -1, np.int32)
    parts = []
    for start, end in pairwise([0, *cuts, len(chunk.text)]):
        parts += [before, spans[(spans[:, 1] > start) & (spans[:, 0] < end)].clip(start, end)]
    return np.concatenate(parts)


def _without_blobs(chunk: Chunk) -> Chunk:
    """Return a chunk with embedded data, such as pictures, replaced by blanks. All offsets stay valid."""
    text = blank_blobs(chunk.text)
    return chunk if text is chunk.text else replace(chunk, text=text)


def fit(question: str, embedder: Embedder) -> tuple[str, bool]:
    """Return the part of a question that fits the embedder's input, and whether the whole question fits."""
    spans = embedder.tokens(question)
    if len(spans) <= embedder.input_tokens:
        return question, True
    return question[: int(spans[embedder.input_tokens - 1, 1])], False


def breadcrumb(title: str, section: Sequence[str]) -> str:
    """Return `title > parents > section`. If the first section equals the title, the title is left out."""
    names = [" ".join(name.split()) for name in (title, *section)]
    if len(names) > 1 and names[0].casefold() == names[1].casefold():
        del names[0]
    return " > ".join(name for name in names if name)


def _head(chunk: Chunk, title: str, embedder: Embedder, limit: int) -> tuple[str, int]:
    """Return a chunk's head (breadcrumb and lead), and the number of tokens in the head.

    A line of a text file has no head, so that identical lines in different files are embedded only once.
    """
    if chunk.line:
        return "", 0
    quarter = limit // 4
    crumb = _shorten(breadcrumb(title, chunk.breadcrumb), min(BREADCRUMB_TOKENS, quarter), embedder)
    lead = _shorten(ADDRESSES.sub("", chunk.lead).rstrip("\n"), min(LEAD_TOKENS, quarter), embedder)
    head = "".join(f"{part}\n" for part in (crumb, lead) if part)
    # Two more tokens for the line ends: some tokenizers count a line end as a token if text follows.
    return head, len(embedder.tokens(head)) + 2 if head else 0


def row_windows(chunk: Chunk, title: str, embedder: Embedder, limit: int, index: int = 0) -> Iterator[Window]:
    """Yield a window for each row of a chunk's tables, numbered from `index`. Rows that don't fit are left out."""
    rows = [] if chunk.line else [row for table in tables(chunk.text, chunk.lead) for row in table.rows][:MOST_ROWS]
    if not rows:
        return
    crumb = _shorten(breadcrumb(title, chunk.breadcrumb), min(BREADCRUMB_TOKENS, limit // 4), embedder)
    head = f"{crumb}\n" if crumb else ""
    for row in rows:
        text = head + row.sentence
        if len(embedder.tokens(text)) <= limit:
            yield Window(chunk.id, index, text, len(head), (row.start, row.end))
            index += 1


def _shorten(text: str, tokens: int, embedder: Embedder) -> str:
    """Shorten text in the middle. Its start (the title) and its end (the section's name) say the most."""
    spans = embedder.tokens(text)
    if len(spans) <= tokens:
        return text
    first = tokens // 2
    last = tokens - tokens // 2 - 1
    return f"{text[: spans[first - 1][1]]}…{text[spans[-last][0] :]}"


def _pieces(text: str, head: str, room: int, limit: int, embedder: Embedder) -> list[str]:
    """Cut text into pieces of about `room` tokens. A piece together with the head has at most `limit` tokens."""
    spans = embedder.tokens(text)
    if len(spans) <= room:
        return [text]
    step = 1
    while True:
        pieces = [text[start:end] for start, end in pairwise([0, *_cuts(text, spans, room), len(text)])]
        # Tokenized alone, a piece can have more tokens than the same span has within the text.
        excess = max(len(embedder.tokens(head + piece)) for piece in pieces) - limit
        if excess <= 0 or room == 1:
            return pieces
        room = max(1, room - max(excess, step))
        step *= 2


def _cuts(text: str, spans: Spans, room: int) -> Iterator[int]:
    """Yield the offsets that cut text into pieces of at most `room` tokens."""
    bounds = spans.tolist()
    left = math.ceil(len(bounds) / max(1, math.floor(room * SLACK)))
    start = 0
    while left > 1 and (rest := len(bounds) - start) > 1:
        ideal = rest / left
        least = max(1, rest - (left - 1) * room, math.ceil(ideal * (1 - REACH)))
        most = min(room, rest - 1, math.floor(ideal * (1 + REACH)))
        token, cut = _best(text, bounds, start, range(min(least, most), most + 1), ideal)
        yield cut
        start = token
        left = max(left - 1, math.ceil((len(bounds) - start) / room))


def _best(text: str, bounds: Bounds, start: int, counts: range, ideal: float) -> Span:
    """Return the best cut after one of `counts` tokens, as a token index and an offset.

    A line end is best, then a space, then any other position between two tokens.
    """
    nearest: dict[int, Span] = {}
    for count in sorted(counts, key=lambda count: abs(count - ideal)):
        if place := _rank_cut(text, bounds, start + count):
            rank, cut = place
            nearest.setdefault(rank, (start + count, cut))
            if rank == LINE_END:
                break
    if not nearest:
        # All these tokens are parts of one grapheme, so cut at the last grapheme boundary before them.
        last = start + counts[-1]
        token = next((at for at in range(last, start, -1) if _is_clean_cut(text, bounds, at)), last)
        return token, bounds[token][0]
    return nearest[min(nearest)]


def _rank_cut(text: str, bounds: Bounds, token: int) -> Span | None:
    """Return the rank and offset of a cut before `token`, or None if the cut would fall inside a grapheme."""
    before = bounds[token - 1][1]
    begin, end = bounds[token]
    if begin < before:
        return None
    word = begin
    while word < end and text[word].isspace():
        word += 1
    gap = text[before:word]
    line = max(gap.rfind("\n"), gap.rfind("\r"))
    if line >= 0:
        return LINE_END, before + line + 1
    if gap and not gap.strip() and word < end:
        return SPACE, word
    return (BETWEEN, begin) if _is_clean_cut(text, bounds, token) else None


def _is_clean_cut(text: str, bounds: Bounds, token: int) -> bool:
    """Return whether a cut before `token` falls on a grapheme boundary."""
    at = bounds[token][0]
    if not bounds[token - 1][1] <= at:
        return False
    after = text[at]
    return not (
        after in JOINERS or text[at - 1 : at] == "\u200d" or ord(after) in SKIN_TONES or unicodedata.combining(after)
    )
