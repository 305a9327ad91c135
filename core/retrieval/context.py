"""Hits -> passages: what stands around a chunk in its note."""

from core.model import Chunk, NoteCard, Passage
from core.store import Store


def passage(store: Store, card: NoteCard, chunk: Chunk, size: int) -> Passage:
    """Return a chunk widened by `size` chunks on each side, only as far as the note goes."""
    if not size:
        return Passage(card, chunk.start, chunk.end, chunk.text)
    start, end = store.chunks.extent(card.id, chunk.index - size, chunk.index + size)
    return Passage(card, start, end, store.notes.slice(card.id, start, end))
