"""Applying the user's edits to the chunks of a note.

Pure functions, in time linear in the note's length.
"""

import re
from bisect import bisect_left, bisect_right, insort
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from core.base.blobs import Span
from core.base.frozen import frozen
from core.base.text import LINE_END, line_starts
from core.chunking import describe
from core.chunking.reading import Tokens, read
from core.chunking.slices import Slice, trim
from core.model import Chunk, ChunkKind, Edit, Note


def places(body: str, edits: Sequence[Edit]) -> dict[str, Span]:
    """Return the current span of each edit's region by edit id; edits without a place are left out.

    If an anchor's text occurs several times, the edit gets the nearest free place. Edits at their old place choose
    first, then newer edits before older ones. Line ends may differ from those in the anchor. An addition has no width
    and doesn't take a place from others.
    """
    text = _AnchorText(body)
    order = sorted(range(len(edits)), key=lambda n: (edits[n].created_at, n), reverse=True)
    order.sort(key=lambda n: not body.startswith(edits[n].anchor, edits[n].anchor_start))
    taken: list[Span] = []
    spans: dict[str, Span] = {}
    for edit in (edits[n] for n in order):
        if edit.kind == "add":
            span = text.nearest(edit, ()) if edit.anchor else (len(body), len(body))
            if span is not None:
                spans[edit.id] = (span[1], span[1])
        else:
            span = text.nearest(edit, taken) if edit.anchor else None
            if span is not None:
                spans[edit.id] = span
                insort(taken, span)
    return spans


def shift_edits(edits: Sequence[Edit], before: str, after: str) -> list[Edit]:
    """Return the edits with the offsets that they probably have in the changed body.

    An edit moves with the nearest line before it that occurs exactly once in both bodies, however many other lines
    changed.
    """
    was, now = _single_lines(before), _single_lines(after)
    starts = sorted(start for line, start in was.items() if line in now)
    moved = {start: now[line] - start for line, start in was.items() if line in now}
    if not starts:
        return list(edits)
    return [
        replace(
            edit, anchor_start=edit.anchor_start + moved[starts[max(0, bisect_right(starts, edit.anchor_start) - 1)]]
        )
        for edit in edits
    ]


class _AnchorText:
    """A body and the spans of anchors in it; each anchor is searched for only once."""

    def __init__(self, body: str) -> None:
        self._body = body
        self._spans: dict[str, list[Span]] = {}

    def nearest(self, edit: Edit, taken: Sequence[Span]) -> Span | None:
        """Return the anchor's span that is nearest to its old place and overlaps none of the `taken` spans."""
        old = (edit.anchor_start, edit.anchor_start + len(edit.anchor))
        if self._body.startswith(edit.anchor, old[0]) and _is_free(old, taken):
            return old
        if edit.anchor not in self._spans:
            exact = list(_occurrences(self._body, edit.anchor))
            self._spans[edit.anchor] = exact or self._with_other_line_ends(edit.anchor)
        free = (span for span in self._spans[edit.anchor] if _is_free(span, taken))
        return min(free, key=lambda span: abs(span[0] - old[0]), default=None)

    def _with_other_line_ends(self, anchor: str) -> list[Span]:
        """Search for an anchor regardless of line ends; return spans in the original body."""
        if not re.search(LINE_END, anchor):
            return []
        dropped = [start - number for number, (start, _) in enumerate(_occurrences(self._body, "\r\n"))]
        return [
            (start + bisect_left(dropped, start), end + bisect_left(dropped, end))
            for start, end in _occurrences(re.sub(LINE_END, "\n", self._body), re.sub(LINE_END, "\n", anchor))
        ]


def _occurrences(body: str, anchor: str) -> Iterator[Span]:
    """Yield non-overlapping occurrences; overlapping ones would take quadratic time in a run of a single letter."""
    at = body.find(anchor)
    while at >= 0:
        yield at, at + len(anchor)
        at = body.find(anchor, at + len(anchor))


def _is_free(span: Span, taken: Sequence[Span]) -> bool:
    index = bisect_left(taken, span)
    before = taken[index - 1][1] if index else 0
    after = taken[index][0] if index < len(taken) else span[1]
    return before <= span[0] and span[1] <= after


def _single_lines(body: str) -> dict[str, int]:
    """Return the stripped lines that occur exactly once in a body, with their starts."""
    starts: dict[str, int] = {}
    repeated = {""}
    for start, end in pairwise([*line_starts(body), len(body)]):
        text = body[start:end].strip()
        if text in starts:
            repeated.add(text)
        starts[text] = start
    return {text: start for text, start in starts.items() if text not in repeated}


@frozen
class Applied:
    """A note's chunks after its edits are applied, and the edits with their current places and flags."""

    chunks: tuple[Chunk, ...]
    edits: tuple[Edit, ...]


@frozen
class _Pin:
    """An edit and its current span; an addition has no width."""

    start: int
    end: int
    edit: Edit


def apply(note: Note, chunks: Sequence[Chunk], edits: Sequence[Edit], tokens: Tokens) -> Applied:
    """Apply a note's edits to its cut.

    A chunk that overlaps an edited region keeps the text outside the region, unless that text is blank; other chunks
    don't change. Raises SourceError for a text that is too large to parse.
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
    """Return the span of a chunk without the overlap with the previous chunk."""
    start = chunk.start
    if before is not None and start < before.end < chunk.end:
        start = before.end
    return trim(body, start, chunk.end)


def _split_outside(body: str, chunks: Sequence[Chunk], regions: Sequence[_Pin]) -> tuple[list[Chunk], list[Span]]:
    """Return the chunks that don't overlap any region, and the remaining spans of the other chunks.

    The spans exclude overlaps with the previous chunk.
    """
    ends = [region.end for region in regions]
    untouched = []
    rests = []
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
    """Return the chunk of an edit: the chunk of its region, with the user's text if there is one."""
    chunk = replace(
        chunk, id=edit.chunk_id, state="deleted" if edit.deleted else "pending", edited=edit.kind != "delete"
    )
    if not edit.text:
        return chunk
    span = (0, len(edit.text))
    described = _describe(replace(note, body=edit.text), [span], chunk.kind, tokens)[span]
    return replace(
        chunk,
        text=edit.text,
        has_code=described.has_code,
        language=described.language,
        token_count=described.token_count,
        lead="" if edit.kind == "add" else chunk.lead,
    )


def _assign_ids(chunks: Iterable[Chunk], taken: set[str]) -> list[Chunk]:
    """Give each chunk the first id for its text that is unique in the note."""
    seen: Counter[str] = Counter()
    identified = []
    for chunk in chunks:
        while (chunk_id := describe.chunk_id(chunk.note_id, chunk.text, seen[chunk.text])) in taken:
            seen[chunk.text] += 1
        seen[chunk.text] += 1
        identified.append(replace(chunk, id=chunk_id))
    return identified


def _insert_additions(chunks: Sequence[Chunk], added: Sequence[Chunk]) -> list[Chunk]:
    """Insert each addition after the chunk that ends at its place, else after the last chunk before that place."""
    starts = [chunk.start for chunk in chunks]
    ending = {chunk.end: index for index, chunk in enumerate(chunks)}
    additions: defaultdict[int, list[Chunk]] = defaultdict(list)
    for chunk in sorted(added, key=lambda chunk: chunk.start):
        last = bisect_left(starts, chunk.start) - 1
        additions[ending.get(chunk.start, last)].append(chunk)
    ordered = additions[-1]
    for index, chunk in enumerate(chunks):
        ordered += [chunk, *additions[index]]
    return ordered


def _place_edit(edit: Edit, span: Span | None) -> Edit:
    if span is None:
        return replace(edit, flagged=True)
    start = max(0, span[1] - len(edit.anchor)) if edit.kind == "add" else span[0]
    return replace(edit, anchor_start=start, flagged=False)
