"""Passages around hits, and a context that joins them into one block for a prompt."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from core.model import Chunk, Citation, Context, Hit, NoteCard, Passage, Spans
from core.store import Store

_BLANK = 100
"""Maximum white space between passages that touch, in characters."""

_BREAK = "\n\n"
"""Separator of chunks that don't touch: one was added, or the text between them was deleted."""


def passage(store: Store, card: NoteCard, chunk: Chunk, size: int, joined: Sequence[Chunk] = ()) -> Passage:
    """Return a chunk widened by the `joined` chunks and by up to `size` chunks of its note on each side.

    Deleted chunks are skipped. An edited chunk gives its edited text.
    """
    if not size and not joined:
        return Passage(card, chunk.start, chunk.end, chunk.text)
    around = store.chunks.around(card.id, chunk.index, size) if size else [chunk]
    chunks = sorted({near.index: near for near in (*around, *joined)}.values(), key=lambda near: near.index)
    start, end = min(chunk.start for chunk in chunks), max(chunk.end for chunk in chunks)
    body = store.notes.slice(card.id, start, end)
    gapless = chunks[-1].index - chunks[0].index == len(chunks) - 1
    if gapless and not any(chunk.edited for chunk in chunks):
        return Passage(card, start, end, body)
    return Passage(card, start, end, _joined(chunks, body, start))


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


def build(store: Store, hits: Sequence[Hit], tokens: Callable[[str], Spans], budget: int) -> Context:
    """Join the passages of hits, best first, into one block with numbered citations within a budget of tokens.

    Passages of a note that overlap or touch become one, at the place of the better one. Only the first passage is
    cut to the budget; any other that exceeds it is left out.
    """
    blocks: list[str] = []
    citations: list[Citation] = []
    used = left_out = 0
    for passage, section in _merged(store, hits):
        number = len(blocks) + 1
        titles = section if section[:1] == (passage.note.title,) else (passage.note.title, *section)
        head = f"[{number}] {' › '.join(titles)}"
        block = "\n".join([head + (f" ({passage.note.path})" if passage.note.path else ""), passage.text.strip()])
        spans = tokens(block)
        if used + len(spans) > budget:
            if blocks:
                left_out += 1
                continue
            block = block[: int(spans[budget - 1, 1])] + " …"
        used += min(len(spans), budget)
        blocks.append(block)
        citations.append(Citation(number, passage.note, section, passage.start, passage.end))
    return Context("\n\n".join(blocks), tuple(citations), used, budget, left_out)


def _merged(store: Store, hits: Sequence[Hit]) -> list[tuple[Passage, tuple[str, ...]]]:
    merged: list[tuple[Passage, tuple[str, ...]]] = []
    for hit in hits:
        passage, section = hit.passage, hit.chunk.section
        place = len(merged)
        for number in range(len(merged) - 1, -1, -1):
            other = merged[number][0]
            if _touch(store, other, passage):
                start, end = min(other.start, passage.start), max(other.end, passage.end)
                passage = replace(other, start=start, end=end, text=store.notes.slice(other.note.id, start, end))
                section, place = merged.pop(number)[1], number
        merged.insert(place, (passage, section))
    return merged


def _touch(store: Store, first: Passage, second: Passage) -> bool:
    """Return whether two passages are adjacent slices of one note; an edited passage is not a slice."""
    if first.note.id != second.note.id or any(len(side.text) != side.end - side.start for side in (first, second)):
        return False
    end, start = min(first.end, second.end), max(first.start, second.start)
    return start <= end or (start - end <= _BLANK and not store.notes.slice(first.note.id, end, start).strip())
