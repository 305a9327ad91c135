"""The chunks of a workspace's notes, the user's edits to chunks, and re-chunking."""

import logging
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from core import chunking, embedding
from core.base.call_log import log_bases, log_call
from core.base.errors import EditError, UnknownChoice
from core.base.faults import wrap_file_errors
from core.base.frozen import Texts
from core.embedding import Embedder
from core.indexing.cutter import outdated_notes
from core.indexing.edits import Act, ChunkEditor, apply
from core.indexing.embed_queue import PendingChunks, by_base
from core.indexing.indexer import Indexed, Indexer
from core.indexing.models import Models
from core.model import (
    Chunk,
    ChunkingOptions,
    Cut,
    Decision,
    Edit,
    Flagged,
    KnowledgeBase,
    Note,
    Progress,
    Rechunked,
    no_progress,
)
from core.store import Store
from core.store.table import NoteIds

_LOG = logging.getLogger(__name__)
_DECISIONS = {"keep": ChunkEditor.keep, "drop": ChunkEditor.drop}


@dataclass
class Chunks:
    """Reads, edits and re-chunks the chunks of stored notes, in one transaction per note.

    Methods that change chunks raise WorkspaceLocked in a read-only workspace.
    """

    _store: Store
    _models: Models
    _pending: PendingChunks

    def all(self, note_id: str) -> list[Chunk]:
        """Return a note's chunks in reading order. Raises NoteNotFound."""
        return self._store.chunks.for_note(self._store.notes.card(note_id).id)

    def cut(self, note: Note, options: ChunkingOptions, embedder: str) -> Cut:
        """Chunk a note as an import would, with its current edits, but store nothing."""
        tokens = embedding.build(embedder).tokens
        with wrap_file_errors(note.path or note.title):
            cut = chunking.cut(note, options, tokens, own=self.options(note.id) == options)
            return replace(cut, chunks=apply(note, cut.chunks, self._store.edits.for_note(note.id), tokens).chunks)

    def options(self, note_id: str) -> ChunkingOptions | None:
        """Return a note's own chunking options, or None if it uses its base's options."""
        return self._store.notes.options(note_id)

    def notes_of(self, chunk_ids: Iterable[str]) -> list[str]:
        """Return the ids of the notes that the given chunks belong to. Raises ChunkNotFound."""
        return list(dict.fromkeys(map(self._store.chunks.note_of, chunk_ids)))

    def edits(self, note_id: str | None = None) -> list[Edit]:
        """Return the user's edits to a note's chunks, or to the chunks of all notes if `note_id` is None."""
        return self._store.edits.all() if note_id is None else self._store.edits.for_note(note_id)

    # the user's edits: all raise ChunkNotFound, and EditError if the edit is impossible

    def update(self, chunk_id: str, text: str) -> str:
        """Replace a chunk's text, and return the chunk's new id."""
        return self._act(chunk_id, ChunkEditor.edit, text)[0]

    def merge(self, chunk_id: str, *others: str) -> str:
        """Merge a chunk with neighbouring chunks, by default the next one, and return the new chunk's id."""
        return self._act(chunk_id, ChunkEditor.merge, *others)[0]

    def split(self, chunk_id: str, at: int) -> Texts:
        """Split a chunk before the offset `at` in its text, and return the ids of both parts."""
        return self._act(chunk_id, ChunkEditor.split, at)

    def delete(self, chunk_id: str) -> str:
        """Exclude a chunk from every search, and return the id with which it can be restored."""
        return self._act(chunk_id, ChunkEditor.delete)[0]

    def restore(self, chunk_id: str) -> None:
        """Undo a chunk's deletion, or its edit if it isn't deleted.

        After undoing an edit, the text is chunked like the rest of the note.
        """
        self._act(chunk_id, ChunkEditor.restore)

    def add(self, note_id: str, text: str, after: str | None = None) -> str:
        """Add a chunk with the user's text, and return its id.

        The chunk is added after the chunk with the id `after`, or at the end of the note if `after` is None.
        """
        return self._act_on_note(note_id, lambda editor: editor.add(text, after))[0]

    def revert(self, note_id: str, edits: Sequence[Edit], *, expected: Sequence[Edit]) -> None:
        """Replace a note's edits with earlier ones. Raises EditError if its current edits don't equal `expected`."""

        def act(editor: ChunkEditor) -> Act:
            if list(editor.edits) != list(expected):
                raise EditError("These chunks have been edited again since then. Restore them one by one.")
            return Act(list(edits))

        self._act_on_note(note_id, act)

    def _act(self, chunk_id: str, act: Callable[..., Act], *parts: object) -> Texts:
        """Perform an action on a chunk, and return the ids of the chunks it creates."""
        return self._act_on_note(self._store.chunks.note_of(chunk_id), lambda editor: act(editor, chunk_id, *parts))

    @log_call("chunk.edit")
    def _act_on_note(self, note_id: str, act: Callable[[ChunkEditor], Act]) -> Texts:
        """Perform an action on a note, and return the ids of the chunks it creates. Raises NoteNotFound."""
        with self._store.changing:
            ((base, _),) = by_base(self._store, [note_id])
            log_bases([base])
            base, embedder = self._opened(base)
            indexer = Indexer(self._store, base, embedder)
            editor = ChunkEditor.from_note(
                self._store.notes.note(note_id),
                self._store.chunks.for_note(note_id),
                self._store.edits.for_note(note_id),
            )
            result = act(editor)
            if result.edits != editor.edits:
                indexer.recut([note_id], edits=result.edits)
            if indexer.done.failed:
                raise indexer.done.failed[0]
            return result.chunk_ids

    def flagged(self) -> list[Flagged]:
        """Return the edits that lost their position and await a decision."""
        edits = self._store.edits.all(flagged=True)
        cards = self._store.notes.cards_of({edit.note_id for edit in edits})
        return [Flagged(edit, cards.get(edit.note_id)) for edit in edits]

    @log_call("chunk.resolve")
    def resolve(self, edit_id: str, decision: Decision) -> None:
        """Keep a flagged edit as an addition at the end of the note, or drop the edit.

        Raises UnknownChoice for an unknown decision, EditError if the edit isn't flagged or has no text to keep, and
        NoteNotFound if the edit is to be kept but its note was deleted.
        """
        if decision not in _DECISIONS:
            raise UnknownChoice("decision", decision, _DECISIONS)
        with self._store.changing:
            self._store.database.check_writable()
            edit = self._store.edits.edit(edit_id)
            if not edit.flagged:
                raise EditError(
                    "This edit still matches the text, so there is nothing to decide. To undo the edit, restore its "
                    "chunk."
                )
            if decision == "drop" and not self._store.notes.generation(edit.note_id):
                self._store.edits.drop(edit_id)
            else:
                self._act_on_note(edit.note_id, lambda editor: _DECISIONS[decision](editor, edit))

    @log_call("index.rechunk")
    def rechunk(
        self,
        base: str | None = None,
        *,
        note_ids: NoteIds = (),
        options: ChunkingOptions | None = None,
        progress: Progress = no_progress,
    ) -> Rechunked:
        """Re-chunk a base or some notes, and embed the chunks with new text. Edits keep their positions.

        `options` are stored for the base or the notes. A note's own options are removed if the new options equal the
        base's. With `options`, a base's notes are re-chunked only if they were chunked with different options. Notes
        with their own options keep them. Raises UnknownChoice or ConfigError for invalid options, and NoteNotFound.
        """
        started = time.perf_counter()
        done = Indexed()
        unchanged = 0
        stored = [(self._store.bases.named(base), list[str]())] if base else by_base(self._store, note_ids)
        log_bases(changed for changed, _ in stored)
        for changed, ids in stored:
            opened, embedder = self._opened(changed)
            if options is not None:
                chunking.check(options, opened.chunking)
            if base:
                if options is not None:
                    opened = self._store.bases.change(opened, chunking=options)
                notes = list(self._store.notes.cut_by(opened))
                ids = notes if options is None else outdated_notes(self._store, opened)
                unchanged = len(notes) - len(ids)
            done += Indexer(self._store, opened, embedder).recut(ids, progress, options=None if base else options)
        return done.report(unchanged, started)

    def reindex(self, base: str | None, note_ids: NoteIds, progress: Progress) -> Rechunked:
        """Re-chunk a base or the given notes, and embed all their pending chunks.

        Raises the same errors as `rechunk` and `EmbedQueue.embed`.
        """
        done = self.rechunk(base, note_ids=note_ids, progress=progress)
        bases = [self._store.bases.named(base)] if base else [item for item, _ in by_base(self._store, note_ids)]
        rest = self._pending.embed_in(bases, progress, None if base else self._store.pending.for_notes(note_ids))
        return replace(done, indexed=done.indexed + rest.chunks, embedded_windows=done.embedded_windows + rest.windows)

    def _opened(self, base: KnowledgeBase) -> tuple[KnowledgeBase, Embedder]:
        """Open the index, and return the current base and its embedder."""
        self._store.database.check_writable()
        self._store.index.open()
        base = self._store.bases.by_id(base.id)
        return base, self._models.embedder(base)
