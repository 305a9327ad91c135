"""Turn the user's actions on a note's chunks into edits, and apply the edits after re-chunking.

Nothing is stored here. All functions take time linear in the note's length.
"""

import re
from bisect import bisect_left, bisect_right, insort
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from operator import attrgetter

from core.base.blobs import Span
from core.base.datetimes import utc_now
from core.base.errors import ChunkNotFound, EditError
from core.base.frozen import Texts, frozen
from core.base.text import LINE_END, line_starts
from core.chunking import describe
from core.chunking.reading import Slice, Tokens, read, trim
from core.model import Chunk, ChunkKind, Edit, EditKind, Note
from core.store.ids import fresh_id


def places(body: str, edits: Sequence[Edit]) -> dict[str, Span]:
    """Return the current spans of the edited regions, keyed by edit id. Edits that lost their position are left out.

    If an anchor's text occurs several times, the edit gets the nearest free occurrence. Edits that are still at their
    old position choose first, followed by newer and then older edits. Line ends may differ from those in the anchor. An
    addition has no width, so it takes no space from other edits.
    """
    text = _AnchorText(body)
    order = sorted(edits, key=attrgetter("created_at"))[::-1]
    order.sort(key=lambda edit: not body.startswith(edit.anchor, edit.anchor_start))
    taken: list[Span] = []
    spans = {}
    for edit in order:
        is_added = edit.kind == "add"
        span = text.nearest(edit, () if is_added else taken) if edit.anchor else None
        if is_added:
            end = span[1] if span else None if edit.anchor else len(body)
            if end is not None:
                spans[edit.id] = (end, end)
        elif span:
            spans[edit.id] = span
            insort(taken, span)
    return spans


def shift_edits(edits: Sequence[Edit], before: str, after: str) -> list[Edit]:
    """Return the edits with their likely offsets in the changed body.

    An edit moves by as much as the nearest preceding line that occurs exactly once in both bodies.
    """
    was = _single_lines(before)
    now = _single_lines(after)
    moved = {start: now[line] - start for line, start in was.items() if line in now}
    if not moved:
        return list(edits)
    starts = sorted(moved)
    shifted = []
    for edit in edits:
        line = starts[max(0, bisect_right(starts, edit.anchor_start) - 1)]
        shifted.append(replace(edit, anchor_start=edit.anchor_start + moved[line]))
    return shifted


class _AnchorText:
    """A note's body and the spans of anchors in it. Each anchor is searched for only once."""

    def __init__(self, body: str) -> None:
        self._body = body
        self._spans: dict[str, list[Span]] = {}

    def nearest(self, edit: Edit, taken: Sequence[Span]) -> Span | None:
        """Return the span where an edit's anchor occurs, or None if it doesn't occur.

        If it occurs several times, choose the span nearest to the old position. Spans that overlap any of the `taken`
        spans don't count.
        """
        anchor = edit.anchor
        old = (edit.anchor_start, edit.anchor_start + len(anchor))
        if self._body.startswith(anchor, old[0]) and _is_free(old, taken):
            return old
        if anchor not in self._spans:
            self._spans[anchor] = list(_occurrences(self._body, anchor)) or self._with_other_line_ends(anchor)
        return min(
            (span for span in self._spans[anchor] if _is_free(span, taken)),
            key=lambda span: abs(span[0] - old[0]),
            default=None,
        )

    def _with_other_line_ends(self, anchor: str) -> list[Span]:
        """Return the spans in the body where an anchor occurs if differences in line ends are ignored."""
        if not re.search(LINE_END, anchor):
            return []
        dropped = [start - number for number, (start, _) in enumerate(_occurrences(self._body, "\r\n"))]
        body, anchor = (re.sub(LINE_END, "\n", text) for text in (self._body, anchor))
        return [
            (start + bisect_left(dropped, start), end + bisect_left(dropped, end))
            for start, end in _occurrences(body, anchor)
        ]


def _occurrences(body: str, anchor: str) -> Iterator[Span]:
    """Yield an anchor's non-overlapping occurrences. Overlapping ones could take quadratic time."""
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
    """Return the stripped lines that occur exactly once in a body, each mapped to its start."""
    starts = {}
    repeated = {""}
    for start, end in pairwise([*line_starts(body), len(body)]):
        if (text := body[start:end].strip()) in starts:
            repeated.add(text)
        starts[text] = start
    return {text: start for text, start in starts.items() if text not in repeated}


@frozen
class Applied:
    """A note's chunks after applying its edits, and the edits with their current positions and flags."""

    chunks: tuple[Chunk, ...]
    edits: tuple[Edit, ...]


def apply(note: Note, chunks: Sequence[Chunk], edits: Sequence[Edit], tokens: Tokens) -> Applied:
    """Apply a note's edits to its chunks.

    A chunk that overlaps an edited region keeps only the text outside the region, or is dropped if that text is blank.
    Other chunks don't change. Raises SourceError if the text is too large to parse.
    """
    if not edits:
        return Applied(tuple(chunks), ())
    spans = places(note.body, edits)
    placed = [edit for edit in edits if edit.id in spans]
    regions = sorted(spans[edit.id] for edit in placed if edit.kind != "add")
    untouched, rests = _split_outside(note.body, chunks, regions)
    kind = chunks[0].kind if chunks else "full_document"
    described = _describe(note, [*rests, *spans.values()], kind, tokens)
    texts: list[Chunk] = []
    added: list[Chunk] = []
    for edit in placed:
        chunk = _pinned_chunk(described[spans[edit.id]], edit, note, tokens)
        (added if edit.kind == "add" else texts).append(chunk)
    # Each remainder of a chunk gets the first id for its text that is unique in the note.
    taken = {chunk.id for chunk in untouched}
    seen = Counter[str]()
    for rest in rests:
        chunk = described[rest]
        while (chunk_id := describe.chunk_id(note.id, chunk.text, seen[chunk.text])) in taken:
            seen[chunk.text] += 1
        seen[chunk.text] += 1
        texts.append(replace(chunk, id=chunk_id))
    by_start = attrgetter("start")
    kept = sorted([*untouched, *texts], key=by_start)
    # Insert each addition after the chunk that ends at its position or, if none does, after the preceding chunk.
    ending = {chunk.end: index for index, chunk in enumerate(kept)}
    additions = defaultdict(list)
    for chunk in sorted(added, key=by_start):
        additions[ending.get(chunk.start, bisect_left(kept, chunk.start, key=by_start) - 1)].append(chunk)
    ordered = additions[-1]
    for index, chunk in enumerate(kept):
        ordered += [chunk, *additions[index]]
    now = []
    for edit in edits:
        if (span := spans.get(edit.id)) is None:
            now.append(replace(edit, flagged=True))
        else:
            start = max(0, span[1] - len(edit.anchor)) if edit.kind == "add" else span[0]
            now.append(replace(edit, anchor_start=start, flagged=False))
    return Applied(tuple(renumbered(ordered)), tuple(now))


def renumbered(chunks: Sequence[Chunk]) -> list[Chunk]:
    """Return the chunks numbered in the given order, each with their total number."""
    return [replace(chunk, index=index, total=len(chunks)) for index, chunk in enumerate(chunks)]


def own_span(body: str, before: Chunk | None, chunk: Chunk) -> Span:
    """Return a chunk's span, excluding the overlap with the previous chunk."""
    start = chunk.start
    if before is not None and start < before.end < chunk.end:
        start = before.end
    return trim(body, start, chunk.end)


def _split_outside(body: str, chunks: Sequence[Chunk], regions: Sequence[Span]) -> tuple[list[Chunk], list[Span]]:
    """Return the chunks that overlap no region, and the spans outside the regions in the remaining chunks.

    The spans exclude overlaps with the previous chunk.
    """
    ends = [end for _, end in regions]
    untouched = []
    rests = []
    before = None
    for chunk in chunks:
        first = bisect_right(ends, chunk.start)
        if first == len(regions) or regions[first][0] >= chunk.end:
            untouched.append(chunk)
        else:
            start, end = own_span(body, before, chunk)
            for begin, stop in regions[first:]:
                if begin >= end:
                    break
                rests.append(trim(body, start, max(start, begin)))
                start = max(start, stop)
            rests.append(trim(body, start, max(start, end)))
        before = chunk
    return untouched, [rest for rest in rests if rest[0] < rest[1]]


def _describe(note: Note, spans: Iterable[Span], kind: ChunkKind, tokens: Tokens) -> dict[Span, Chunk]:
    """Return the chunk for each span of a note."""
    slices = [Slice(start, end, start) for start, end in sorted(set(spans))]
    return {(chunk.start, chunk.end): chunk for chunk in describe.chunks(read(note, tokens), slices, kind)}


def _pinned_chunk(chunk: Chunk, edit: Edit, note: Note, tokens: Tokens) -> Chunk:
    """Return the chunk for an edit. This is the chunk of the edit's region, with the user's text if there is any."""
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


# Turning a user's action on a chunk into the note's new edits.

# Maximum number of characters before an addition that serve as its anchor.
_ANCHOR = 200
# Separator between merged chunks whose text isn't adjacent in the note's body.
_JOINT = "\n\n"


@frozen
class Act:
    """The result of a user's action, with the note's edits and the ids of the chunks created by the action."""

    edits: list[Edit]
    chunk_ids: Texts = ()


@frozen
class ChunkEditor:
    """A note with its chunks and edits. Each method performs one of the user's actions.

    The methods raise ChunkNotFound for an unknown id, and EditError if the action is impossible.
    """

    note: Note
    chunks: Sequence[Chunk]
    edits: Sequence[Edit]
    pictures: Sequence[Chunk] = ()
    """The chunks of the text in pictures. They are among the note's chunks, but can't be edited."""

    @classmethod
    def from_note(cls, note: Note, chunks: Sequence[Chunk], edits: Sequence[Edit]) -> "ChunkEditor":
        """Return an editor for a note, with the chunks of its pictures separated from the chunks of its body."""
        own = renumbered([chunk for chunk in chunks if not chunk.picture])
        return cls(note, own, edits, [chunk for chunk in chunks if chunk.picture])

    def edit(self, chunk_id: str, text: str) -> Act:
        """Replace a chunk's text. Nothing changes if the text is the same."""
        chunk, edit = self._visible_chunk(chunk_id)
        _check(text)
        if text == chunk.text:
            return Act(list(self.edits), (chunk.id,))
        if edit:
            changed = replace(edit, kind="add" if edit.kind == "add" else "text", text=text)
        else:
            changed = self._pin("text", self._own_span(chunk), text)
        return self._act([edit], [changed])

    def merge(self, chunk_id: str, *others: str) -> Act:
        """Merge a chunk with neighbouring chunks, or with the next chunk if `others` is empty."""
        chunk_ids = {chunk_id, *others}
        if len(chunk_ids) == 1:
            chunk, _ = self._visible_chunk(chunk_id)
            if chunk.index + 1 == len(self.chunks):
                raise EditError("This is the note's last chunk, so there is no next chunk to merge it with.")
            chunk_ids.add(self.chunks[chunk.index + 1].id)
        run = self._run(chunk_ids)
        edit_by_chunk = {edit.chunk_id: edit for edit in self.edits}
        edits = [edit_by_chunk.get(chunk.id) for chunk in run]
        written = [bool(edit and edit.text) for edit in edits]
        if not any(written):
            return self._act(edits, [self._pin("merge", (run[0].start, run[-1].end))])
        text = run[0].text
        for number, (chunk, after) in enumerate(pairwise(run), 1):
            if chunk.start == chunk.end or after.start == after.end:
                text += _JOINT + after.text
            elif written[number]:
                text += self.note.body[chunk.end : after.start] + after.text
            else:
                text += self.note.body[chunk.end : after.end]
        if wide := [chunk for chunk in run if chunk.start < chunk.end]:
            merged = self._pin("text", (self._own_span(wide[0])[0], self._own_span(wide[-1])[1]), text)
        else:
            assert edits[0] is not None  # no width, so it is an addition
            merged = replace(edits[0], text=text)
        return self._act(edits, [merged])

    def split(self, chunk_id: str, at: int) -> Act:
        """Split a chunk before the offset `at` in its text."""
        chunk, edit = self._visible_chunk(chunk_id)
        left = chunk.text[: max(0, at)]
        right = chunk.text[max(0, at) :]
        if not left.strip() or not right.strip():
            raise EditError(
                "A split at {at} would leave one part without text. Choose a position inside the chunk's text, "
                "from 1 to {last}.",
                at=at,
                last=len(chunk.text) - 1,
            )
        if not edit or not edit.text:
            middle = chunk.start + at
            parts = [self._pin("split", (chunk.start, middle)), self._pin("split", (middle, chunk.end))]
            return self._act([edit], [replace(part, created_at=parts[0].created_at) for part in parts])
        return self._act([edit], [replace(edit, text=left.rstrip()), self._addition(chunk, edit, right.lstrip("\r\n"))])

    def delete(self, chunk_id: str) -> Act:
        """Exclude a chunk from every search. It can be restored."""
        chunk, edit = self._visible_chunk(chunk_id)
        hidden = edit or self._pin("delete", self._own_span(chunk))
        return self._act([edit], [replace(hidden, deleted=True)])

    def restore(self, chunk_id: str) -> Act:
        """Undo a chunk's deletion, or its edit if it isn't deleted. After undoing an edit, its region is re-chunked.

        Undoing one part of a split also undoes the other part, unless the other part has been changed since the split.
        """
        _, edit = self._chunk(chunk_id)
        if not edit:
            raise EditError("This chunk has no edit to undo.")
        if edit.deleted and edit.kind != "delete":
            return self._act([edit], [replace(edit, deleted=False)])
        undone = [edit]
        if edit.kind == "split":
            undone = [part for part in self.edits if (part.kind, part.created_at) == ("split", edit.created_at)]
        return self._act(undone, [])

    def add(self, text: str, after: str | None) -> Act:
        """Add a chunk after another one, or at the end of the note if `after` is None."""
        _check(text)
        if after is None:
            return self._act([], [self._new("add", (0, 0), text)])
        chunk, edit = self._chunk(after)
        new = self._addition(chunk, edit, text)
        # Put it before all other edits, because the first of several additions at one position is next to the chunk.
        at = self.edits.index(edit) + 1 if edit and edit.kind == "add" else 0
        return Act([*self.edits[:at], new, *self.edits[at:]], (new.chunk_id,))

    def keep(self, edit: Edit) -> Act:
        """Turn a flagged edit's text into an addition at the end of the note."""
        text = edit.text or edit.anchor
        if edit.kind == "delete":
            raise EditError("The deleted text is no longer in the note, so there is nothing to keep. Discard the edit.")
        return self._act([edit], [replace(edit, kind="add", anchor="", anchor_start=0, text=text, deleted=False)])

    def drop(self, edit: Edit) -> Act:
        """Remove an edit."""
        return self._act([edit], [])

    def _chunk(self, chunk_id: str) -> tuple[Chunk, Edit | None]:
        for chunk in self.chunks:
            if chunk.id == chunk_id:
                return chunk, next((edit for edit in self.edits if edit.chunk_id == chunk_id), None)
        if picture := next((chunk.picture for chunk in self.pictures if chunk.id == chunk_id), ""):
            raise EditError(
                "This text comes from the picture {picture} and can't be edited. To leave it "
                "out, hide the chunk that contains the picture.",
                picture=picture,
            )
        raise ChunkNotFound(chunk_id)

    def _visible_chunk(self, chunk_id: str) -> tuple[Chunk, Edit | None]:
        chunk, edit = self._chunk(chunk_id)
        if chunk.state == "deleted":
            raise EditError("Chunk {n} of the note is deleted. Restore it first.", n=chunk.index + 1)
        return chunk, edit

    def _run(self, chunk_ids: set[str]) -> list[Chunk]:
        """Return the chunks with the given ids in reading order. Raises EditError if another chunk is between them."""
        chunks = [self._visible_chunk(chunk_id)[0] for chunk_id in sorted(chunk_ids)]
        run = sorted(chunks, key=attrgetter("index"))
        if run[-1].index - run[0].index >= len(run):
            raise EditError("These chunks are not next to each other. Choose neighbouring chunks.")
        return run

    def _own_span(self, chunk: Chunk) -> Span:
        """Return a chunk's span, excluding the overlap with the previous chunk."""
        before = next((other for other in reversed(self.chunks[: chunk.index]) if other.start < other.end), None)
        return own_span(self.note.body, before, chunk)

    def _addition(self, chunk: Chunk, edit: Edit | None, text: str) -> Edit:
        """Return an addition after a chunk.

        If the chunk is itself an addition, the new addition gets the same anchor.
        """
        if edit and edit.kind == "add":
            return replace(self._new("add", (0, 0), text), anchor=edit.anchor, anchor_start=edit.anchor_start)
        return self._new("add", (max(chunk.start, chunk.end - _ANCHOR), chunk.end), text)

    def _pin(self, kind: EditKind, span: Span, text: str = "") -> Edit:
        return self._new(kind, trim(self.note.body, *span), text)

    def _new(self, kind: EditKind, span: Span, text: str) -> Edit:
        start, end = span
        anchor = self.note.body[start:end]
        name = fresh_id("\0".join((self.note.id, kind, str(start), anchor, text)), {edit.id for edit in self.edits})
        return Edit(name, self.note.id, kind, anchor, start, utc_now(), text)

    def _act(self, old: Iterable[Edit | None], new: Sequence[Edit]) -> Act:
        """Replace old edits with new ones at the index of the first old edit, or at the end if there is none."""
        replaced = {edit.id for edit in old if edit}
        at = next((n for n, edit in enumerate(self.edits) if edit.id in replaced), len(self.edits))
        rest = [edit for edit in self.edits[at:] if edit.id not in replaced]
        return Act([*self.edits[:at], *new, *rest], tuple(edit.chunk_id for edit in new))


def _check(text: str) -> None:
    if not text.strip():
        raise EditError("The text is empty. Write some text, or delete the chunk.")
