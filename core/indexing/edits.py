"""The user's edits of chunks, applied to the cut of a note: a note, its cut and its edits -> chunks.

Pure functions, in time linear in the note's length.
"""

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from core.chunking import describe
from core.chunking.reading import Tokens, read
from core.chunking.slices import Slice, trim
from core.indexing.anchors import Span, places
from core.model import Chunk, ChunkKind, Edit, Note


@dataclass(frozen=True, slots=True)
class Applied:
    """A note's chunks, edited and cut, and its edits with their present places and flags."""

    chunks: tuple[Chunk, ...]
    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True)
class _Pin:
    """An edit with its present span; an addition has no width."""

    start: int
    end: int
    edit: Edit


def apply(note: Note, chunks: Sequence[Chunk], edits: Sequence[Edit], tokens: Tokens) -> Applied:
    """Apply a note's edits to its cut.

    A chunk that overlaps a pinned region keeps the text outside the region, unless that is blank; other
    chunks stay as they are. Raises SourceError for a text too large to be parsed.
    """
    if not edits:
        return Applied(tuple(chunks), ())
    spans = places(note.body, edits)
    pins = [_Pin(*spans[edit.id], edit) for edit in edits if edit.id in spans]
    regions = sorted((pin for pin in pins if pin.edit.kind != "add"), key=lambda pin: pin.start)
    untouched, rests = _split_outside(note.body, chunks, regions)
    kind: ChunkKind = chunks[0].kind if chunks else "full_document"
    described = _describe(note, [*rests, *((pin.start, pin.end) for pin in pins)], kind, tokens)
    written = [_pinned_chunk(described[pin.start, pin.end], pin.edit, note, tokens) for pin in pins]
    texts = [chunk for chunk, pin in zip(written, pins, strict=True) if pin.edit.kind != "add"]
    added = [chunk for chunk, pin in zip(written, pins, strict=True) if pin.edit.kind == "add"]
    remaining = _assign_ids([described[rest] for rest in rests], {chunk.id for chunk in untouched})
    ordered = _insert_additions(sorted([*untouched, *remaining, *texts], key=lambda chunk: chunk.start), added)
    return Applied(
        tuple(replace(chunk, index=index, total=len(ordered)) for index, chunk in enumerate(ordered)),
        tuple(_place_edit(edit, spans.get(edit.id)) for edit in edits),
    )


def own_span(body: str, before: Chunk | None, chunk: Chunk) -> Span:
    """Return the span of a chunk without the text shared with the chunk before."""
    start = chunk.start
    if before is not None and start < before.end < chunk.end:
        start = before.end
    return trim(body, start, chunk.end)


def _split_outside(body: str, chunks: Sequence[Chunk], regions: Sequence[_Pin]) -> tuple[list[Chunk], list[Span]]:
    """Return the chunks that overlap no region, and the spans that the regions leave of the other chunks.

    The spans exclude the text that a chunk shares with the chunk before.
    """
    ends = [region.end for region in regions]
    untouched: list[Chunk] = []
    rests: list[Span] = []
    before = None
    for chunk in chunks:
        first = bisect_right(ends, chunk.start)
        if first == len(regions) or regions[first].start >= chunk.end:
            untouched.append(chunk)
        else:
            start, end = own_span(body, before, chunk)
            for region in regions[first:]:
                if region.start >= end:
                    break
                rests.append(trim(body, start, max(start, region.start)))
                start = max(start, region.end)
            rests.append(trim(body, start, max(start, end)))
        before = chunk
    return untouched, [rest for rest in rests if rest[0] < rest[1]]


def _describe(note: Note, spans: Iterable[Span], kind: ChunkKind, tokens: Tokens) -> dict[Span, Chunk]:
    """Return a chunk for each span."""
    slices = [Slice(start, end, start) for start, end in sorted(set(spans))]
    described = describe.chunks(read(note, tokens), slices, kind)
    return {(chunk.start, chunk.end): chunk for chunk in described}


def _pinned_chunk(chunk: Chunk, edit: Edit, note: Note, tokens: Tokens) -> Chunk:
    """Return the chunk of an edit: the chunk of its region, with the user's text if the edit has one."""
    chunk = replace(
        chunk, id=edit.chunk_id, state="deleted" if edit.deleted else "pending", edited=edit.kind != "delete"
    )
    if not edit.text:
        return chunk
    span = (0, len(edit.text))
    of_text = _describe(replace(note, body=edit.text), [span], chunk.kind, tokens)[span]
    return replace(
        chunk,
        text=edit.text,
        has_code=of_text.has_code,
        language=of_text.language,
        token_count=of_text.token_count,
        lead="" if edit.kind == "add" else chunk.lead,
    )


def _assign_ids(chunks: Iterable[Chunk], taken: set[str]) -> list[Chunk]:
    """Give each chunk the first id of its text that is unique in the note."""
    seen: Counter[str] = Counter()
    identified = []
    for chunk in chunks:
        while (chunk_id := describe.chunk_id(chunk.note_id, chunk.text, seen[chunk.text])) in taken:
            seen[chunk.text] += 1
        seen[chunk.text] += 1
        identified.append(replace(chunk, id=chunk_id))
    return identified


def _insert_additions(chunks: Sequence[Chunk], added: Sequence[Chunk]) -> list[Chunk]:
    """Insert each addition after the chunk that ends at its place, else after the last chunk before it."""
    starts = [chunk.start for chunk in chunks]
    ending = {chunk.end: index for index, chunk in enumerate(chunks)}
    behind: defaultdict[int, list[Chunk]] = defaultdict(list)
    for chunk in sorted(added, key=lambda chunk: chunk.start):
        last = bisect_left(starts, chunk.start) - 1
        behind[ending.get(chunk.start, last)].append(chunk)
    ordered = behind[-1]
    for index, chunk in enumerate(chunks):
        ordered += [chunk, *behind[index]]
    return ordered


def _place_edit(edit: Edit, span: Span | None) -> Edit:
    if span is None:
        return replace(edit, flagged=True)
    start = max(0, span[1] - len(edit.anchor)) if edit.kind == "add" else span[0]
    return replace(edit, anchor_start=start, flagged=False)
