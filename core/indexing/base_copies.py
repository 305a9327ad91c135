"""Copies of a base with different chunking or a different embedder. The base itself doesn't change."""

import json
import logging
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, replace
from pathlib import Path

from core import chunking, embedding
from core.base import files
from core.base.errors import DiskFull, IndexAway, NoteNotFound, NotWritable, StoreError, WorkspaceLocked
from core.base.faults import translate_errors
from core.base.frozen import TextValues, attributes
from core.base.text import digest
from core.embedding import Embedder
from core.indexing.embed_queue import EmbedQueue
from core.indexing.indexer import Indexer
from core.model import ChunkingOptions, Filters, KnowledgeBase, Progress, no_progress
from core.store import Store
from core.store.folder import take
from core.store.note_to_index import NoteToIndex

# Name of the folder for copies in a workspace. Each copy is itself a workspace.
FOLDER = "scratch"

# Number of copies to keep, because embedding takes minutes. The least recently used copies are deleted.
KEPT = 6

_NOTES = "notes.json"
# Errors that don't indicate a damaged copy.
_NO_DAMAGE = (WorkspaceLocked, DiskFull, NotWritable, IndexAway)
_LOG = logging.getLogger(__name__)


class Scratch:
    """The copies of a workspace's bases."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.folder = store.folder / FOLDER

    @contextmanager
    def opened(
        self, base: KnowledgeBase, options: ChunkingOptions, embedder: str, progress: Progress = no_progress
    ) -> Iterator[Store]:
        """Open a copy of a base's active notes, chunked with the given options and embedded by the given embedder.

        Notes keep their ids and edits, and the base keeps its name. All chunks are embedded. Notes changed since the
        copy was created are indexed again. After Cancelled, the notes indexed so far are kept for the next time. A
        damaged copy is rebuilt once. Raises UnknownChoice or ConfigError for invalid options, ModelError or
        ProviderError if the embedder fails, and WorkspaceLocked if another process has the same copy open.
        """
        built = embedding.build(embedder)
        chunking.check(options, base.chunking)
        kind = [] if base.has_vectors else [base.kind]
        key = json.dumps([base.id, built.fingerprint, base.keep_tokens, asdict(options), *kind])
        with translate_errors(self._store.folder):
            place = files.folder(self.folder) / digest(key).hex()[:16]
            if os.path.lexists(place) and not place.is_dir():
                files.delete(place)

        def open_filled() -> Store:
            store = Store(place)
            try:
                store.index.open()
                if bases := store.bases.all():
                    target = bases[0]
                else:
                    target = store.bases.add(
                        base.name,
                        embedder=embedder,
                        fingerprint=built.fingerprint,
                        dimension=built.dimension,
                        chunking=options,
                        kind=base.kind,
                    )
                    store.index.build(target)
                self._fill(
                    store,
                    base,
                    store.bases.change(target, **attributes(base, ("name", "keep_tokens", "search", "read_pictures"))),
                    built,
                    progress,
                )
            except BaseException:
                store.close()
                raise
            return store

        try:
            store = open_filled()
        except StoreError as error:
            if isinstance(error, _NO_DAMAGE):
                raise
            _LOG.warning("A copy of a base is damaged. Rebuilding it.", exc_info=True)
            with translate_errors(self.folder):
                files.delete(place)
            store = open_filled()
        try:
            place.touch()
            with suppress(OSError):  # another process may delete a copy at the same time
                for older in sorted(self._copies(), key=lambda copy: copy.stat().st_mtime, reverse=True)[KEPT:]:
                    _delete(older)
            yield store
        finally:
            store.close()

    def drop(self) -> None:
        """Delete all copies that aren't open."""
        for copy in self._copies():
            _delete(copy)

    def bytes(self) -> int:
        """Return the size of the copies on disk, in bytes."""
        return files.size(self.folder)

    def _fill(
        self, store: Store, base: KnowledgeBase, target: KnowledgeBase, embedder: Embedder, progress: Progress
    ) -> None:
        """Bring a copy's notes up to date. The file `notes.json` records each note's state when it was copied."""
        ours = self._store
        record = store.folder / _NOTES
        before: TextValues = files.load(record, dict, aside=True) or {}
        now = {
            card.id: digest(f"{ours.notes.generation(card.id)} {replace(card, base='')!r}").hex()
            for card in ours.notes.cards(Filters(bases=(base.name,)))
        }

        def drafts() -> Iterator[NoteToIndex]:
            for note_id in missing:
                with suppress(NoteNotFound):  # deleted in the meantime
                    note = replace(ours.notes.note(note_id), base_id=target.id, generation=0)
                    store.edits.put(note, ours.edits.for_note(note_id))
                    yield NoteToIndex(note, pictures=ours.pictures.for_note(note_id))

        stale = [note_id for note_id in store.notes.ids() if now.get(note_id) != before.get(note_id)]
        store.delete_notes(target, stale)
        present = store.notes.ids()
        missing = [note_id for note_id in now if note_id not in present]
        if missing:
            store.vectors.take_over(ours.database.file, base.id, embedder.fingerprint)
            if ours.vectors.centring_settled(embedder.fingerprint):
                store.settle_centring(embedder.fingerprint, ours.vectors.centring(target))
            Indexer(store, target, embedder).write(drafts(), len(missing))
            EmbedQueue(store, lambda _: embedder, [target]).embed(progress)
        if missing or stale:
            store.drop_unused_vectors()
            files.replace(record, json.dumps(now))

    def _copies(self) -> list[Path]:
        return list(self.folder.glob("*"))


def _delete(copy: Path) -> None:
    """Delete a copy unless it is open."""
    if not copy.is_dir():
        files.delete(copy)
        return
    with suppress(WorkspaceLocked, OSError):
        lock = take(copy)
        shutil.rmtree(copy, ignore_errors=True)
        lock.release()
