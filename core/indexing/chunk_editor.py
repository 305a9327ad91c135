"""From a user's act on a chunk to the new edits of its note. Pure: it stores and cuts nothing."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise

from core.base.blobs import Span
from core.base.datetimes import utc_now
from core.base.errors import ChunkNotFound, EditError
from core.base.frozen import frozen
from core.chunking.slices import trim
from core.indexing.edits import own_span
from core.model import Chunk, Edit, EditKind, Note
from core.store.ids import fresh_id

_ANCHOR = 200
"""Maximum number of characters before an addition that mark its place."""
_JOINT = "\n\n"
"""Text between merged texts that aren't neighbours in the note's body."""


@frozen
class Act:
    """The result of a user's act: the note's edits, and the ids of the chunks created by the act."""

    edits: list[Edit]
    chunk_ids: tuple[str, ...] = ()


@frozen
class ChunkEditor:
    """A note with its chunks and edits. Each method is an act of the user on a chunk.

    Raises ChunkNotFound for an unknown id, and EditError for an impossible act.
    """

    note: Note
    chunks: Sequence[Chunk]
    edits: Sequence[Edit]
    pictures: Sequence[Chunk] = ()
    """Chunks of pictures, which are between the others and can't be edited."""

    @classmethod
    def from_note(cls, note: Note, chunks: Sequence[Chunk], edits: Sequence[Edit]) -> "ChunkEditor":
        """Return the editor of a note, with its picture chunks separated from the others."""
        own = [chunk for chunk in chunks if not chunk.picture]
        own = [replace(chunk, index=index, total=len(own)) for index, chunk in enumerate(own)]
        return cls(note, own, edits, [chunk for chunk in chunks if chunk.picture])

    def edit(self, chunk_id: str, text: str) -> Act:
        """Replace the text of a chunk; the same text changes nothing."""
        chunk, edit = self._visible_chunk(chunk_id)
        _check(text)
        if text == chunk.text:
            return Act(list(self.edits), (chunk.id,))
        if edit is None:
            return self._act([], [self._pin("text", self._own_span(chunk), text)])
        return self._act([edit], [replace(edit, kind="add" if edit.kind == "add" else "text", text=text)])

    def merge(self, chunk_id: str, *others: str) -> Act:
        """Merge a chunk with neighbouring chunks, or with the next chunk if `others` is empty."""
        chunk_ids = {chunk_id, *others}
        run = self._run(chunk_ids) if len(chunk_ids) > 1 else self._with_next(chunk_id)
        edit_by_chunk = {edit.chunk_id: edit for edit in self.edits}
        edits = [edit_by_chunk.get(chunk.id) for chunk in run]
        written = [bool(edit and edit.text) for edit in edits]
        if not any(written):
            return self._act(edits, [self._pin("merge", (run[0].start, run[-1].end))])
        pairs = pairwise(zip(run, written, strict=True))
        text = run[0].text + "".join(self._joining_text(chunk, *after) for (chunk, _), after in pairs)
        wide = [chunk for chunk in run if chunk.start < chunk.end]
        if wide:
            merged = self._pin("text", (self._own_span(wide[0])[0], self._own_span(wide[-1])[1]), text)
        else:
            assert edits[0] is not None  # no width, so it is an addition
            merged = replace(edits[0], text=text)
        return self._act(edits, [merged])

    def split(self, chunk_id: str, at: int) -> Act:
        """Split a chunk before offset `at` of its text."""
        chunk, edit = self._visible_chunk(chunk_id)
        left, right = chunk.text[: max(0, at)], chunk.text[max(0, at) :]
        if not left.strip() or not right.strip():
            raise EditError(
                "A split at {at} would leave one part without text. Choose a place inside the chunk's text,"
                " from 1 to {last}.",
                at=at,
                last=len(chunk.text) - 1,
            )
        if edit is None or not edit.text:
            middle = chunk.start + at
            parts = [self._pin("split", (chunk.start, middle)), self._pin("split", (middle, chunk.end))]
            now = parts[0].created_at
            return self._act([edit], [replace(part, created_at=now) for part in parts])
        first = replace(edit, text=left.rstrip())
        return self._act([edit], [first, self._addition(chunk, edit, right.lstrip("\r\n"))])

    def delete(self, chunk_id: str) -> Act:
        """Exclude a chunk from every search; it can be restored."""
        chunk, edit = self._visible_chunk(chunk_id)
        if edit is None:
            return self._act([], [replace(self._pin("delete", self._own_span(chunk)), deleted=True)])
        return self._act([edit], [replace(edit, deleted=True)])

    def restore(self, chunk_id: str) -> Act:
        """Undo a chunk's deletion, else its edit: the chunker cuts its region again.

        Undoing one part of a split also undoes the other part, unless the other part was changed since.
        """
        _, edit = self._chunk(chunk_id)
        if edit is None:
            raise EditError("This chunk has no edit to undo.")
        if edit.deleted and edit.kind != "delete":
            return self._act([edit], [replace(edit, deleted=False)])
        undone = [edit]
        if edit.kind == "split":
            undone = [part for part in self.edits if (part.kind, part.created_at) == ("split", edit.created_at)]
        return self._act(undone, [])

    def add(self, text: str, after: str | None) -> Act:
        """Add a chunk after another, or at the note's end if `after` is None."""
        _check(text)
        if after is None:
            return self._act([], [self._new("add", (0, 0), text)])
        chunk, edit = self._chunk(after)
        new = self._addition(chunk, edit, text)
        if edit is not None and edit.kind == "add":
            return self._act([edit], [edit, new])
        # Before all other edits: of several additions at one place, the first is next to the chunk.
        return Act([new, *self.edits], (new.chunk_id,))

    def keep(self, edit: Edit) -> Act:
        """Turn the text of a flagged edit into an addition at the note's end."""
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
        self._check_own(chunk_id)
        raise ChunkNotFound(chunk_id)

    def _check_own(self, chunk_id: str) -> None:
        """Raise EditError for a chunk with the text of a picture."""
        for chunk in self.pictures:
            if chunk.id == chunk_id:
                raise EditError(
                    (
                        "This text comes from the picture {picture} and can't be edited. To leave it "
                        "out, hide the chunk that contains the picture."
                    ),
                    picture=chunk.picture,
                )

    def _visible_chunk(self, chunk_id: str) -> tuple[Chunk, Edit | None]:
        chunk, edit = self._chunk(chunk_id)
        _check_living(chunk)
        return chunk, edit

    def _with_next(self, chunk_id: str) -> list[Chunk]:
        chunk, _ = self._visible_chunk(chunk_id)
        if chunk.index + 1 == len(self.chunks):
            raise EditError("This is the note's last chunk: there is no next one to merge it with.")
        return [chunk, self._visible_chunk(self.chunks[chunk.index + 1].id)[0]]

    def _run(self, chunk_ids: set[str]) -> list[Chunk]:
        """Return the chunks with these ids in reading order; raises EditError if another chunk is between them."""
        run = [chunk for chunk in self.chunks if chunk.id in chunk_ids]
        for missing in chunk_ids.difference(chunk.id for chunk in run):
            self._check_own(missing)
            raise ChunkNotFound(missing)
        for chunk in run:
            _check_living(chunk)
        if run[-1].index - run[0].index >= len(run):
            raise EditError("These chunks are not next to each other. Choose neighbouring chunks.")
        return run

    def _own_span(self, chunk: Chunk) -> Span:
        """Return the chunk's span without the overlap with the previous chunk."""
        before = next((other for other in reversed(self.chunks[: chunk.index]) if other.start < other.end), None)
        return own_span(self.note.body, before, chunk)

    def _joining_text(self, chunk: Chunk, after: Chunk, written: bool) -> str:
        """Return the text to append to a chunk that is merged with the chunk `after`.

        `written`: the user wrote the text of `after`.
        """
        if chunk.start == chunk.end or after.start == after.end:
            return _JOINT + after.text
        if written:
            return self.note.body[chunk.end : after.start] + after.text
        return self.note.body[chunk.end : after.end]

    def _addition(self, chunk: Chunk, edit: Edit | None, text: str) -> Edit:
        """Return an addition after a chunk; after another addition, it has the same anchor."""
        if edit is not None and edit.kind == "add":
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
        """Replace old edits with new ones, at the place of the first old edit, else at the end."""
        replaced = {edit.id for edit in old if edit}
        at = next((n for n, edit in enumerate(self.edits) if edit.id in replaced), len(self.edits))
        rest = [edit for edit in self.edits[at:] if edit.id not in replaced]
        return Act([*self.edits[:at], *new, *rest], tuple(edit.chunk_id for edit in new))


def _check_living(chunk: Chunk) -> None:
    if chunk.state == "deleted":
        raise EditError("Chunk {n} of the note is deleted. Restore it first.", n=chunk.index + 1)


def _check(text: str) -> None:
    if not text.strip():
        raise EditError("The text is empty. Write some text, or delete the chunk.")
