"""Hits -> passages -> a context: what stands around a chunk in its note, and all of it as a block for a prompt."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from core.model import Chunk, Citation, Context, Hit, NoteCard, Passage, Spans
from core.store import Store

_BLANK = 100
"""Characters of white space at most between passages that touch."""

_BREAK = "\n\n"
"""Between chunks that don't touch: one was added, or what stood there is deleted."""


def passage(store: Store, card: NoteCard, chunk: Chunk, size: int, joined: Sequence[Chunk] = ()) -> Passage:
    """Return a chunk widened by those that overlap it, and by `size` chunks on each side as far as the note goes.

    Deleted chunks are passed over, and what a person wrote stands for the text it took the place of.
    """
    if not size and not joined:
        return Passage(card, chunk.start, chunk.end, chunk.text)
    around = store.chunks.around(card.id, chunk.index, size) if size else [chunk]
    chunks = sorted({one.index: one for one in (*around, *joined)}.values(), key=lambda one: one.index)
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


def build(store: Store, hits: Sequence[Hit], tokens: Callable[[str], Spans], budget: int) -> Context:
    """Return the passages of hits, best first, as one block with numbered citations within a budget of tokens.

    Passages of a note that overlap or touch become one, at the place of the better one. Where the very first is
    over the budget it is cut; of the others only whole ones are taken.
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
    found: list[tuple[Passage, tuple[str, ...]]] = []
    for hit in hits:
        passage, section = hit.passage, hit.chunk.section
        place = len(found)
        for number in range(len(found) - 1, -1, -1):
            other = found[number][0]
            if _touch(store, other, passage):
                start, end = min(other.start, passage.start), max(other.end, passage.end)
                passage = replace(other, start=start, end=end, text=store.notes.slice(other.note.id, start, end))
                section, place = found.pop(number)[1], number
        found.insert(place, (passage, section))
    return found


def _touch(store: Store, first: Passage, second: Passage) -> bool:
    """Whether two passages are slices of one note with nothing between them; what a person wrote is no slice."""
    if first.note.id != second.note.id or any(len(one.text) != one.end - one.start for one in (first, second)):
        return False
    end, start = min(first.end, second.end), max(first.start, second.start)
    return start <= end or (start - end <= _BLANK and not store.notes.slice(first.note.id, end, start).strip())
