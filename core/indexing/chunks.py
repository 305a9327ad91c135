"""The chunks of a workspace: how notes are cut, the user's edits, and cutting again."""

import logging
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from core import chunking, embedding
from core.base.call_log import log_bases, log_call
from core.base.errors import EditError, UnknownChoice
from core.base.faults import wrap_file_errors
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

_LOG = logging.getLogger(__name__)
_DECISIONS = {"keep": ChunkEditor.keep, "drop": ChunkEditor.drop}


@dataclass
class Chunks:
    """Edits the chunks of stored notes, one transaction per note.

    Changes raise WorkspaceLocked in a read-only workspace.
    """

    _store: Store
    _models: Models
    _pending: PendingChunks

    def all(self, note_id: str) -> list[Chunk]:
        """Return the chunks of a note, in reading order; raises NoteNotFound."""
        return self._store.chunks.for_note(self._store.notes.card(note_id).id)

    def cut(self, note: Note, options: ChunkingOptions, embedder: str) -> Cut:
        """Cut a note as an import would, with its current edits; nothing is stored."""
        tokens = embedding.build(embedder).tokens
        with wrap_file_errors(note.path or note.title):
            cut = chunking.cut(note, options, tokens, own=self.options(note.id) == options)
            return replace(cut, chunks=apply(note, cut.chunks, self._store.edits.for_note(note.id), tokens).chunks)

    def options(self, note_id: str) -> ChunkingOptions | None:
        """Return the chunking options set for a note, or None if it uses its base's."""
        return self._store.notes.options(note_id)

    def notes_of(self, chunk_ids: Iterable[str]) -> list[str]:
        """Return the ids of the notes with the given chunks; raises ChunkNotFound."""
        return [*dict.fromkeys(map(self._store.chunks.note_of, chunk_ids))]

    def edits(self, note_id: str | None = None) -> list[Edit]:
        """Return the edits of a note, or of all notes."""
        return self._store.edits.all() if note_id is None else self._store.edits.for_note(note_id)

    # the user's edits: all raise ChunkNotFound, and EditError for an impossible act

    def update(self, chunk_id: str, text: str) -> str:
        """Replace the text of a chunk; return the chunk's new id."""
        return self._act(chunk_id, ChunkEditor.edit, text)[0]

    def merge(self, chunk_id: str, *others: str) -> str:
        """Merge a chunk with neighbouring chunks, by default the next one; return the new chunk's id."""
        return self._act(chunk_id, ChunkEditor.merge, *others)[0]

    def split(self, chunk_id: str, at: int) -> tuple[str, ...]:
        """Split a chunk before offset `at` of its text; return both ids."""
        return self._act(chunk_id, ChunkEditor.split, at)

    def delete(self, chunk_id: str) -> str:
        """Exclude a chunk from every search; return the id by which it can be restored."""
        return self._act(chunk_id, ChunkEditor.delete)[0]

    def restore(self, chunk_id: str) -> None:
        """Undo a chunk's deletion, else its edit, which cuts its text like the rest of the note."""
        self._act(chunk_id, ChunkEditor.restore)

    def add(self, note_id: str, text: str, after: str | None = None) -> str:
        """Add a chunk with the user's text after another chunk, or at the note's end; return its id."""
        return self._act_on_note(note_id, lambda editor: editor.add(text, after))[0]

    def revert(self, note_id: str, edits: Sequence[Edit], *, expected: Sequence[Edit]) -> None:
        """Restore a note's earlier edits; raises EditError unless it has the expected edits now."""

        def act(editor: ChunkEditor) -> Act:
            if [*editor.edits] != [*expected]:
                raise EditError("These chunks have been edited again since then. Restore them one by one.")
            return Act([*edits])

        self._act_on_note(note_id, act)

    def _act(self, chunk_id: str, act: Callable[..., Act], *parts: object) -> tuple[str, ...]:
        """Perform an act on a chunk; return the ids of the created chunks."""
        return self._act_on_note(self._store.chunks.note_of(chunk_id), lambda editor: act(editor, chunk_id, *parts))

    @log_call("chunk.edit")
    def _act_on_note(self, note_id: str, act: Callable[[ChunkEditor], Act]) -> tuple[str, ...]:
        """Perform an act on a note; return the ids of the created chunks. Raises NoteNotFound."""
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
        """Return the edits that lost their place and await a decision."""
        edits = self._store.edits.all(flagged=True)
        cards = self._store.notes.cards_of({edit.note_id for edit in edits})
        return [Flagged(edit, cards.get(edit.note_id)) for edit in edits]

    @log_call("chunk.resolve")
    def resolve(self, edit_id: str, decision: Decision) -> None:
        """Decide on a flagged edit: keep it as an addition at the note's end, or drop it.

        Raises UnknownChoice, EditError for an edit that isn't flagged or has no text to keep, and NoteNotFound if the
        note of an edit to keep was deleted.
        """
        if decision not in _DECISIONS:
            raise UnknownChoice("decision", decision, _DECISIONS)
        with self._store.changing:
            self._store.database.check_writable()
            edit = self._store.edits.edit(edit_id)
            if not edit.flagged:
                raise EditError("This edit is in its place. To undo it, restore its chunk.")
            if decision == "drop" and not self._store.notes.generation(edit.note_id):
                self._store.edits.drop(edit_id)
            else:
                self._act_on_note(edit.note_id, lambda editor: _DECISIONS[decision](editor, edit))

    @log_call("index.rechunk")
    def rechunk(
        self,
        base: str | None = None,
        *,
        note_ids: Sequence[str] = (),
        options: ChunkingOptions | None = None,
        progress: Progress = no_progress,
    ) -> Rechunked:
        """Cut a base or some notes again, and embed the chunks with new text; edits keep their places.

        `options` are stored for the base or the notes; a note's own options are removed if the new ones equal the
        base's. In a base, only notes that were cut with other options are cut again, and notes with their own options
        keep them. Raises UnknownChoice or ConfigError for the options, and NoteNotFound.
        """
        started, done, unchanged = time.perf_counter(), Indexed(), 0
        stored = [(self._store.bases.named(base), list[str]())] if base else by_base(self._store, note_ids)
        log_bases(changed for changed, _ in stored)
        for changed, ids in stored:
            opened, embedder = self._opened(changed)
            if options is not None:
                chunking.check(options, opened.chunking)
            own = options
            if base:
                if options is not None:
                    opened = self._store.bases.change(opened, chunking=options)
                notes, own = [*self._store.notes.cut_by(opened)], None
                ids = notes if options is None else outdated_notes(self._store, opened)
                unchanged = len(notes) - len(ids)
            done += Indexer(self._store, opened, embedder).recut(ids, progress, options=own)
        return done.report(unchanged, started)

    def reindex(self, base: str | None, note_ids: Sequence[str] = (), progress: Progress = no_progress) -> Rechunked:
        """Cut a base, or the given notes, again, and embed all its pending chunks; raises the errors of both steps."""
        done = self.rechunk(base, note_ids=note_ids, progress=progress)
        bases = [self._store.bases.named(base)] if base else [item for item, _ in by_base(self._store, note_ids)]
        rest = self._pending.embed_in(bases, progress, None if base else self._store.pending.for_notes(note_ids))
        return replace(done, indexed=done.indexed + rest.chunks, embedded_windows=done.embedded_windows + rest.windows)

    def _opened(self, base: KnowledgeBase) -> tuple[KnowledgeBase, Embedder]:
        """Open the index; return the current base with its embedder."""
        self._store.database.check_writable()
        self._store.open_index()
        base = self._store.bases.by_id(base.id)
        return base, self._models.embedder(base)
