"""What a person does to a chunk -> the edits their note has then. Pure: nothing is stored or cut here."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import pairwise

from core.anchors import Span
from core.chunking.pieces import trim
from core.edits import own
from core.errors import ChunkNotFound, EditError
from core.model import Chunk, Edit, EditKind, Note
from core.store.notes import fresh_id

_ANCHOR = 200
"""Characters before an addition that say where it stands."""
_JOINT = "\n\n"
"""Between merged texts that have no place of the note between them."""


@dataclass(frozen=True, slots=True)
class Act:
    """The edits a note has after a person's act, and the ids of the chunks that it made."""

    edits: list[Edit]
    chunk_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Desk:
    """A note with its chunks and edits, as a person has it before them.

    Each method is an act on one of the chunks; all raise ChunkNotFound for an id that none has, and
    EditError for what can't be done.
    """

    note: Note
    chunks: Sequence[Chunk]
    edits: Sequence[Edit]

    def edit(self, chunk_id: str, text: str) -> Act:
        """Write a text over a chunk; the same text changes nothing."""
        chunk, edit = self._living(chunk_id)
        _check(text)
        if text == chunk.text:
            return Act(list(self.edits), (chunk.id,))
        if edit is None:
            return self._act([], [self._pin("text", self._own(chunk), text)])
        return self._act([edit], [replace(edit, kind="add" if edit.kind == "add" else "text", text=text)])

    def merge(self, chunk_id: str, *more: str) -> Act:
        """Make one chunk of this one and the next, or of all that are named, which must be neighbours."""
        named = {chunk_id, *more}
        run = self._run(named) if len(named) > 1 else self._with_next(chunk_id)
        of_chunk = {edit.chunk_id: edit for edit in self.edits}
        edits = [of_chunk.get(chunk.id) for chunk in run]
        written = [bool(edit and edit.text) for edit in edits]
        if not any(written):
            return self._act(edits, [self._pin("merge", (run[0].start, run[-1].end))])
        pairs = pairwise(zip(run, written, strict=True))
        text = run[0].text + "".join(self._between(chunk, *after) for (chunk, _), after in pairs)
        wide = [chunk for chunk in run if chunk.start < chunk.end]
        if wide:
            merged = self._pin("text", (self._own(wide[0])[0], self._own(wide[-1])[1]), text)
        else:
            assert edits[0] is not None  # without width: an addition
            merged = replace(edits[0], text=text)
        return self._act(edits, [merged])

    def split(self, chunk_id: str, at: int) -> Act:
        """Make two chunks of one, parted before the character `at` of its text."""
        chunk, edit = self._living(chunk_id)
        left, right = chunk.text[: max(0, at)], chunk.text[max(0, at) :]
        if not left.strip() or not right.strip():
            raise EditError(
                f"A split at {at} would leave one part without text. Choose a place inside the chunk's text,"
                f" from 1 to {len(chunk.text) - 1}."
            )
        if edit is None or not edit.text:
            middle = chunk.start + at
            parts = [self._pin("split", (chunk.start, middle)), self._pin("split", (middle, chunk.end))]
            now = parts[0].created_at
            return self._act([edit], [replace(part, created_at=now) for part in parts])
        first = replace(edit, text=left.rstrip())
        return self._act([edit], [first, self._addition(chunk, edit, right.lstrip("\r\n"))])

    def delete(self, chunk_id: str) -> Act:
        """Take a chunk out of every search; it can be restored."""
        chunk, edit = self._living(chunk_id)
        if edit is None:
            return self._act([], [replace(self._pin("delete", self._own(chunk)), deleted=True)])
        return self._act([edit], [replace(edit, deleted=True)])

    def restore(self, chunk_id: str) -> Act:
        """Take back a deletion, else an edit: its region goes back to the chunker.

        With one part of a split goes the other, unless it was changed since.
        """
        _, edit = self._chunk(chunk_id)
        if edit is None:
            raise EditError("This chunk is as it was cut: there is no edit to take back.")
        if edit.deleted and edit.kind != "delete":
            return self._act([edit], [replace(edit, deleted=False)])
        gone = [edit]
        if edit.kind == "split":
            gone = [part for part in self.edits if (part.kind, part.created_at) == ("split", edit.created_at)]
        return self._act(gone, [])

    def add(self, text: str, after: str | None) -> Act:
        """Add a chunk behind another, at the note's end where `after` is None."""
        _check(text)
        if after is None:
            return self._act([], [self._new("add", (0, 0), text)])
        chunk, edit = self._chunk(after)
        new = self._addition(chunk, edit, text)
        if edit is not None and edit.kind == "add":
            return self._act([edit], [edit, new])
        # Before all other edits: of several additions at one place the first stands next to the chunk.
        return Act([new, *self.edits], (new.chunk_id,))

    def keep(self, edit: Edit) -> Act:
        """Make what a flagged edit holds an addition at the note's end."""
        text = edit.text or edit.anchor
        if edit.kind == "delete":
            raise EditError("The deleted text is no longer in the note, so there is nothing to keep. Drop the edit.")
        return self._act([edit], [replace(edit, kind="add", anchor="", anchor_start=0, text=text, deleted=False)])

    def drop(self, edit: Edit) -> Act:
        return self._act([edit], [])

    def _chunk(self, chunk_id: str) -> tuple[Chunk, Edit | None]:
        for chunk in self.chunks:
            if chunk.id == chunk_id:
                return chunk, next((edit for edit in self.edits if edit.chunk_id == chunk_id), None)
        raise ChunkNotFound(chunk_id)

    def _living(self, chunk_id: str) -> tuple[Chunk, Edit | None]:
        chunk, edit = self._chunk(chunk_id)
        _check_living(chunk)
        return chunk, edit

    def _with_next(self, chunk_id: str) -> list[Chunk]:
        chunk, _ = self._living(chunk_id)
        if chunk.index + 1 == len(self.chunks):
            raise EditError("This is the note's last chunk: there is no next one to merge it with.")
        return [chunk, self._living(self.chunks[chunk.index + 1].id)[0]]

    def _run(self, chunk_ids: set[str]) -> list[Chunk]:
        """The chunks of these ids in their order, which no other chunk may stand between."""
        run = [chunk for chunk in self.chunks if chunk.id in chunk_ids]
        for missing in chunk_ids.difference(chunk.id for chunk in run):
            raise ChunkNotFound(missing)
        for chunk in run:
            _check_living(chunk)
        if run[-1].index - run[0].index >= len(run):
            raise EditError("These chunks are not neighbours. Choose chunks that follow each other.")
        return run

    def _own(self, chunk: Chunk) -> Span:
        """The chunk's span without what it shares with the one before, whose text that is."""
        before = next((other for other in reversed(self.chunks[: chunk.index]) if other.start < other.end), None)
        return own(self.note.body, before, chunk)

    def _between(self, chunk: Chunk, after: Chunk, written: bool) -> str:
        """What follows a chunk's text where the next one's is merged to it, `written` by a person or the note's."""
        if chunk.start == chunk.end or after.start == after.end:
            return _JOINT + after.text
        if written:
            return self.note.body[chunk.end : after.start] + after.text
        return self.note.body[chunk.end : after.end]

    def _addition(self, chunk: Chunk, edit: Edit | None, text: str) -> Edit:
        """An addition behind a chunk; what stands behind an addition has its anchor."""
        if edit is not None and edit.kind == "add":
            return replace(self._new("add", (0, 0), text), anchor=edit.anchor, anchor_start=edit.anchor_start)
        return self._new("add", (max(chunk.start, chunk.end - _ANCHOR), chunk.end), text)

    def _pin(self, kind: EditKind, span: Span, text: str = "") -> Edit:
        return self._new(kind, trim(self.note.body, *span), text)

    def _new(self, kind: EditKind, span: Span, text: str) -> Edit:
        start, end = span
        anchor = self.note.body[start:end]
        name = fresh_id("\0".join((self.note.id, kind, str(start), anchor, text)), {edit.id for edit in self.edits})
        return Edit(name, self.note.id, kind, anchor, start, datetime.now(UTC), text)

    def _act(self, old: Iterable[Edit | None], new: Sequence[Edit]) -> Act:
        """Put the new edits where the first of the old ones was, else behind all."""
        gone = {edit.id for edit in old if edit}
        at = next((n for n, edit in enumerate(self.edits) if edit.id in gone), len(self.edits))
        rest = [edit for edit in self.edits[at:] if edit.id not in gone]
        return Act([*self.edits[:at], *new, *rest], tuple(edit.chunk_id for edit in new))


def _check_living(chunk: Chunk) -> None:
    if chunk.state == "deleted":
        raise EditError(f"Chunk {chunk.index + 1} of the note is deleted. Restore it first.")


def _check(text: str) -> None:
    if not text.strip():
        raise EditError("The text is empty. Write one, or delete the chunk.")
