"""Passages: hits widened by the chunks around them."""

from collections.abc import Sequence

from core.model import Chunk, NoteSummary, Passage
from core.store import Store

MOST_TOKENS = 2000
"""Tokens of a hit's chunks with its neighbours; further ones are left out."""
_BREAK = "\n\n"
"""Separator of chunks that don't touch: one was added, or the text between them was deleted."""


def passage(store: Store, card: NoteSummary, chunk: Chunk, size: int, joined: Sequence[Chunk] = ()) -> Passage:
    """Return a chunk widened by the `joined` chunks and by up to `size` chunks of its note on each side.

    Neighbours come nearest first, as long as all have at most `MOST_TOKENS`. Deleted chunks are skipped. An edited
    chunk gives its edited text, one of a picture what was read of it.
    """
    if not size and not joined:
        return Passage(card, chunk.start, chunk.end, chunk.text)
    around = _near(store.chunks.neighbours(card.id, chunk.index, size), chunk, joined) if size else [chunk]
    chunks = sorted({near.index: near for near in (*around, *joined)}.values(), key=lambda near: near.index)
    start, end = min(chunk.start for chunk in chunks), max(chunk.end for chunk in chunks)
    body = store.notes.slice(card.id, start, end)
    gapless = chunks[-1].index - chunks[0].index == len(chunks) - 1
    if gapless and not any(chunk.edited or chunk.picture for chunk in chunks):
        return Passage(card, start, end, body)
    return Passage(card, start, end, _joined(chunks, body, start))


def _near(around: Sequence[Chunk], chunk: Chunk, joined: Sequence[Chunk]) -> list[Chunk]:
    """Return a chunk with its neighbours, the nearest first, as far as there is room beside the `joined` ones."""
    held = {item.index for item in (chunk, *joined)}
    left = MOST_TOKENS - sum(item.token_count for item in (chunk, *joined))
    near, ended = [chunk], set[bool]()
    for item in sorted(around, key=lambda item: (abs(item.index - chunk.index), item.index)):
        after = item.index > chunk.index
        if item.index in held or after in ended:
            continue
        if item.token_count > left:
            ended.add(after)
            continue
        near.append(item)
        left -= item.token_count
    return near


def _joined(chunks: Sequence[Chunk], body: str, start: int) -> str:
    """Join the texts of chunks; `body` is the note's body from `start` on."""
    text, reached, apart = "", start, False
    for chunk in chunks:
        if chunk.start == chunk.end:
            text += _BREAK + chunk.text
            apart = True
            continue
        between = body[reached - start : max(0, chunk.start - start)]
        text += _BREAK if apart or between.strip() else between
        text += chunk.text[max(0, reached - chunk.start) :]
        reached, apart = max(reached, chunk.end), False
    return text.removeprefix(_BREAK)
