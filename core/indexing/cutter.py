"""Split notes, and the text in their pictures, into chunks and windows for the indexer."""

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from functools import partial

from core import chunking
from core.base.errors import SourceError
from core.base.faults import wrap_file_errors
from core.base.frozen import attributes, frozen
from core.chunking import build, describe
from core.chunking.describe import SectionFields
from core.chunking.reading import Slice, Tokens, read
from core.embedding import Embedder
from core.embedding.windows import windows_of
from core.indexing.edits import apply, renumbered, shift_edits
from core.markdown.body import pictures_in
from core.markdown.outline import Outline
from core.model import Chunk, ChunkingOptions, Edit, KnowledgeBase, Note, NotePicture, own_starts
from core.store import Store
from core.store.note_to_index import NoteToIndex


def list_pictures(note: Note, before: Sequence[NotePicture]) -> tuple[NotePicture, ...]:
    """Return the pictures shown in a note's text, including anything that `before` already records about them."""
    known = {picture.target: picture for picture in before}
    try:
        places = {} if note.plain else pictures_in(note.body, str(note.path))
    except SourceError:
        places = {}
    return tuple(replace(known.get(target, NotePicture(target)), start=start) for target, start in places.items())


def merge_picture_chunks(
    note: Note,
    chunks: Sequence[Chunk],
    pictures: Sequence[NotePicture],
    options: ChunkingOptions,
    tokens: Tokens,
    outline: Outline | None,
) -> tuple[list[Chunk], tuple[NotePicture, ...]]:
    """Insert each picture's chunks after the chunk that shows the picture. Return all chunks and the pictures.

    The chunks of a picture belong to the section that shows it. If a picture is shown twice, its first position counts.
    Pictures in hidden passages are ignored.
    """
    first = {picture.hash: picture for picture in sorted(pictures, key=lambda picture: -picture.start) if picture.text}
    shown = [
        picture
        for picture in first.values()
        if {chunk.state for chunk in chunks if chunk.start < picture.start <= chunk.end} != {"deleted"}
    ]
    placed = tuple(replace(picture, placed=picture.is_known) for picture in pictures)
    if not shown:
        return list(chunks), placed
    cutter = build(replace(options, strategy="recursive"))
    places = sorted({picture.start for picture in shown})
    sections = describe.chunks(
        read(note, tokens, outline), [Slice(place, place, place) for place in places], "recursive_character"
    )
    at = dict(zip(places, sections, strict=True))
    waiting = [
        replace(
            chunk,
            id=describe.chunk_id(note.id, f"{picture.hash}\0{number}", 0),
            start=picture.start,
            end=picture.start,
            **attributes(at[picture.start], SectionFields._fields),
            lead="",
            picture=picture.place,
        )
        for picture in sorted(shown, key=lambda picture: picture.start)
        for text in [replace(note, body=str(picture.text).strip(), plain=False)]
        for number, chunk in enumerate(cutter.cut(read(text, tokens)))
    ]
    ordered = []
    for chunk in chunks:
        while waiting and waiting[0].start <= chunk.start:
            ordered.append(waiting.pop(0))
        ordered.append(chunk)
    ordered += waiting
    return renumbered(ordered), placed


@frozen
class Cutter:
    """Chunks a base's notes by its embedder's token counts, but stores nothing.

    In a literal base, which has no vectors, chunks get no windows. In a base that doesn't embed at once, a chunk gets
    windows only if it was embedded before with the same text. With `keep_ready`, a chunk gets windows unless it is
    pending now.
    """

    store: Store
    base: KnowledgeBase
    embedder: Embedder
    keep_ready: bool = False

    def cut(self, draft: NoteToIndex) -> NoteToIndex:
        """Chunk a note as read from its file, with its current edits. A note that isn't stored yet gets no windows.

        Raises SourceError if the note has changed since it was compared with its file.
        """
        note = draft.note
        # Read the generation first. If the note changes later, its stored generation rises, and the note is re-chunked.
        generation = self.store.notes.generation(note.id)
        edits = self.store.edits.for_note(note.id)
        stored = self.store.notes.note(note.id) if generation else None
        if stored and draft.replaces not in (None, stored.content_hash):
            raise SourceError(str(note.path), "This note was changed in Tessera in the meantime. Update again.")
        earlier = stored or self.store.versions.newest(note.id)
        if edits and earlier:
            edits = shift_edits(edits, earlier.body, note.body)
        if earlier and draft.change and draft.change.author == "sync":
            # Fields set by the user replace the file's.
            own_fields = attributes(earlier, earlier.overridden)
            note = replace(note, overridden=attributes(note, own_fields), **own_fields)
        version = (earlier.version if earlier else 0) + 1 if draft.change else note.version
        note = replace(note, generation=generation + 1, version=version)
        return self._cut(
            replace(draft, note=note, recut=partial(self.cut, draft)),
            edits,
            self.store.notes.options(note.id) if stored else None,
            with_windows=generation > 0,
        )

    def recut(
        self, note_id: str, options: ChunkingOptions | None = None, edits: Sequence[Edit] | None = None
    ) -> NoteToIndex:
        """Re-chunk a stored note. Raises NoteNotFound.

        `options` become the note's own, and `edits` replace its current edits.
        """
        stored = self._stored_note(note_id, partial(self.recut, note_id, options, edits))
        edits = self.store.edits.for_note(note_id) if edits is None else edits
        return self._cut(stored, edits, options or stored.options)

    def reuse(self, note_id: str) -> NoteToIndex:
        """Return a stored note with its current chunks. Raises NoteNotFound."""
        stored = self._stored_note(note_id, partial(self.reuse, note_id))
        chunks = self.store.chunks.for_note(note_id)
        embedded = [chunk for chunk in chunks if chunk.state in ("embedded", "refused")]
        return replace(stored, chunks=chunks, windows=windows_of(embedded, stored.note.title, self.embedder))

    def _stored_note(self, note_id: str, recut: Callable[[], NoteToIndex]) -> NoteToIndex:
        note = self.store.notes.note(note_id)
        return NoteToIndex(
            replace(note, generation=note.generation + 1),
            options=self.store.notes.options(note_id),
            recut=recut,
            **self.store.notes.indexed_as(note_id),
        )

    def _cut(
        self, ready: NoteToIndex, edits: Sequence[Edit], own: ChunkingOptions | None, *, with_windows: bool = True
    ) -> NoteToIndex:
        note = replace(ready.note, plain=self.base.plain)
        options = own or self.base.chunking
        with wrap_file_errors(note.path or note.title):
            cut = chunking.cut(note, options, self.embedder.tokens, ready.outline)
            applied = apply(note, cut.chunks, edits, self.embedder.tokens)
            chunks: Sequence[Chunk] = applied.chunks
            shown: Sequence[NotePicture] = ()
            if self.store.pictures.is_read(self.base):
                known = self.store.pictures.for_note(note.id) if ready.pictures is None else ready.pictures
                chunks, shown = merge_picture_chunks(
                    note, chunks, list_pictures(note, known), options, self.embedder.tokens, ready.outline
                )
        if not self.base.has_vectors:  # chunks are complete without vectors
            chunks = [replace(chunk, state="embedded") if chunk.state == "pending" else chunk for chunk in chunks]
        if (document := note.document) and document.pages:
            # A chunk's page is the page of its first letter after the overlap.
            chunks = [
                replace(chunk, page=document.page_at(chunk.end - len(note.body[start : chunk.end].lstrip())))
                for chunk, start in zip(chunks, own_starts(chunks), strict=True)
            ]
        return replace(
            ready,
            note=note,
            chunks=chunks,
            strategy=cut.strategy,
            cut_by=cut_by(options, self.base.fingerprint),
            edits=applied.edits,
            options=None if own == self.base.chunking else own,
            windows=windows_of(self._to_embed(chunks) if with_windows else [], note.title, self.embedder),
            pictures=shown,
            flagged=sum(now.flagged and not was.flagged for now, was in zip(applied.edits, edits, strict=True)),
        )

    def _to_embed(self, chunks: Sequence[Chunk]) -> list[Chunk]:
        living = [chunk for chunk in chunks if chunk.state != "deleted"] if self.base.has_vectors else []
        if self.base.embed_at_once or not living:
            return living
        stored = self.store.chunks.for_note(living[0].note_id)
        states = ("pending",) if self.keep_ready else ("embedded", "refused")
        known = {(chunk.id, chunk.text) for chunk in stored if chunk.state in states}
        return [chunk for chunk in living if ((chunk.id, chunk.text) in known) is not self.keep_ready]


def cut_by(options: ChunkingOptions, fingerprint: str) -> str:
    """Return the string that identifies chunking options and an embedder's tokens. It is stored in a note's row."""
    return json.dumps([asdict(options), fingerprint])


def outdated_notes(store: Store, base: KnowledgeBase) -> list[str]:
    """Return the ids of a base's notes that must be re-chunked, because their options or the embedder have changed."""
    return [
        note_id
        for note_id, stored in store.notes.cut_by(base).items()
        if stored != cut_by(store.notes.options(note_id) or base.chunking, base.fingerprint)
    ]
