"""Hits -> passages: what stands around a chunk in its note."""

from collections.abc import Sequence

from core.model import Chunk, NoteCard, Passage
from core.store import Store

_BREAK = "\n\n"
"""Between chunks that don't touch: one was added, or what stood there is deleted."""


def passage(store: Store, card: NoteCard, chunk: Chunk, size: int) -> Passage:
    """Return a chunk widened by `size` chunks on each side, only as far as the note goes.

    Deleted chunks are passed over, and what a person wrote stands for the text it took the place of.
    """
    if not size:
        return Passage(card, chunk.start, chunk.end, chunk.text)
    chunks = store.chunks.around(card.id, chunk.index, size)
    start, end = min(chunk.start for chunk in chunks), max(chunk.end for chunk in chunks)
    body = store.notes.slice(card.id, start, end)
    gapless = chunks[-1].index - chunks[0].index == len(chunks) - 1
    if gapless and not any(chunk.edited for chunk in chunks):
        return Passage(card, start, end, body)
    return Passage(card, start, end, _joined(chunks, body, start))


def _joined(chunks: Sequence[Chunk], body: str, start: int) -> str:
    """Put the chunks' texts together; `body` is the note's from `start` on."""
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
