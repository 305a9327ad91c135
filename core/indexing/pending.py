"""The chunks that wait for their vectors, and those that their model refused."""

import logging
from collections.abc import Collection, Iterable, Sequence

from core.base.call_log import log_bases, log_call
from core.base.errors import NoteNotFound
from core.indexing.embed_queue import FAILURES, EmbedQueue
from core.indexing.models import Models
from core.model import KnowledgeBase, Progress, RefusedChunk, no_progress
from core.store import Store

_LOG = logging.getLogger(__name__)


class PendingChunks:
    """The pending and the refused chunks of all bases."""

    def __init__(self, store: Store, models: Models) -> None:
        self._store, self._models = store, models

    def count(self, base: str) -> int:
        """Return the number of pending chunks of a base."""
        return self._store.pending.count([self._store.bases.named(base).id]).chunks

    def embed(
        self,
        base: str | None = None,
        *,
        note_ids: Sequence[str] = (),
        chunk_ids: Sequence[str] = (),
        refused: bool = False,
        progress: Progress = no_progress,
    ) -> int:
        """Embed the pending chunks of a base, or of the given notes and chunks; return their number.

        The order is that of `PendingTable.next`, but a request for a few chunks comes before all others. Refused chunks
        are tried again if they are named, or all those of a base with `refused`. After Cancelled or a failure of the
        embedder, committed chunks are kept. Raises NoteNotFound, ChunkNotFound, ModelError, ProviderError and
        EmbeddingMismatch.
        """
        if base is not None:
            if refused:
                self._store.refusals.try_again([chunk.chunk_id for chunk in self.refused(base)])
            return self.embed_in([self._store.bases.named(base)], progress).chunks
        self._store.refusals.try_again(set(chunk_ids))
        stored = by_base(self._store, [*note_ids, *map(self._store.chunks.note_of, chunk_ids)])
        return self.embed_in(
            [item for item, _ in stored], progress, {*chunk_ids, *self._store.pending.for_notes(note_ids)}
        ).chunks

    def embed_written(self, note_ids: Sequence[str]) -> None:
        """Embed the chunks of notes in bases that embed at once; if the model fails, they stay pending."""
        base_ids = {*self._store.notes.base_ids(note_ids).values()}
        bases = [base for base in self._at_once() if base.id in base_ids]
        try:
            self.embed_in(bases, no_progress, self._store.pending.for_notes(note_ids))
        except FAILURES:
            _LOG.warning("Notes that were written are found by words only", exc_info=True)

    @log_call("index.embed")
    def embed_again(self, base: str, progress: Progress = no_progress) -> int:
        """Embed a whole base again, for a model that changed under the same name; return the number of chunks.

        Until a chunk is done, it is found only by words. An interrupted run continues like `embed`. Bases with the same
        model and equal texts get the new vectors too. Raises the errors of `embed`.
        """
        self._store.forget_vectors(self._store.bases.named(base))
        return self.embed_in([self._store.bases.named(base)], progress).chunks

    def refused(self, base: str | None = None) -> list[RefusedChunk]:
        """Return the chunks, in a base or in all bases, with a text that their model refuses, and the reasons."""
        bases = self._store.bases.all() if base is None else [self._store.bases.named(base)]
        return self._store.refusals.all(bases)

    def embed_rest(self, progress: Progress = no_progress) -> int:
        """Embed chunks that an unfinished import left pending in bases that embed at once; return their number.

        Stops and fails like `embed`.
        """
        return self.embed_in(self._at_once(), progress).chunks

    def any(self) -> bool:
        """Return whether a base that embeds at once has pending chunks."""
        return self._store.pending.any(base.id for base in self._at_once())

    @log_call("index.embed")
    def embed_in(
        self, bases: Sequence[KnowledgeBase], progress: Progress, only: Collection[str] | None = None
    ) -> EmbedQueue:
        """Embed the pending chunks in bases, or `only` those with these ids; return the queue with its counts."""
        self._store.database.check_writable()
        log_bases(bases)
        waiting = EmbedQueue(self._store, self._models.embedder, bases, only)
        waiting.embed(progress)
        for base in bases if waiting.chunks else ():
            self._models.settle_floor(base)
        return waiting

    def _at_once(self) -> list[KnowledgeBase]:
        return [base for base in self._store.bases.all() if base.embed_at_once and base.has_vectors]


def by_base(store: Store, note_ids: Iterable[str]) -> list[tuple[KnowledgeBase, list[str]]]:
    """Return notes by base; raises NoteNotFound."""
    distinct = list(dict.fromkeys(note_ids))
    bases = store.notes.base_ids(distinct)
    if missing := [note_id for note_id in distinct if note_id not in bases]:
        raise NoteNotFound(missing[0])
    return [
        (base, [note_id for note_id in distinct if bases[note_id] == base.id])
        for base in store.bases.all()
        if base.id in bases.values()
    ]
