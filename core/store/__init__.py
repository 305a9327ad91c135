"""The store. SQLite holds all data, and Chroma holds a vector index that can be rebuilt from SQLite.

Each note is written in a single SQLite transaction, so a reader sees either its old or its new version. A thread
updates Chroma afterwards. Until Chroma is up to date, searches also compare the question with the vectors that are
missing from Chroma. If the process is killed, Chroma is updated the next time the store is opened.
"""

import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import get_type_hints

import numpy as np

from core.base.call_log import log_bases
from core.base.errors import NotWritable, TesseraError
from core.base.faults import DATABASE, translate_errors
from core.base.files import TemporaryFolders, delete
from core.base.frozen import TextValues
from core.embedding.centring import Centring
from core.model import (
    Author,
    ChunksPending,
    IndexState,
    KnowledgeBase,
    Matrix,
    Note,
    Progress,
    Revision,
    Rowids,
    no_progress,
)
from core.settings.sections import INDEX_TOKEN, IndexSettings
from core.store import top_k
from core.store.backups.manifest import OBSOLETE
from core.store.base_table import BaseTable, FloorTable, SwitchTable
from core.store.chunk_table import ChunkTable, RefusalTable
from core.store.database import Database
from core.store.editing_tables import CreationTable, DraftTable, EditTable, IntentTable, ProposalTable, VersionTable
from core.store.events import Events, WriteLock
from core.store.folder import check_exists, take
from core.store.index.chroma_collections import Address, Place
from core.store.index.chroma_process import Backend
from core.store.index.exact_search import ExactSearch
from core.store.index.vector_index import Index
from core.store.note_rows import Moved
from core.store.note_table import FieldTable, NoteTable, PropertyTable, TitleTable
from core.store.note_to_index import NoteToIndex
from core.store.pending_table import PendingChunk, PendingTable
from core.store.picture_table import DocumentTable, ImageTable, PictureTable
from core.store.question_table import QuestionTable
from core.store.remembered import Remembered
from core.store.table import Ids, NoteIds
from core.store.top_k import Scores
from core.store.use_table import ClickTable, SearchTable, UseTable
from core.store.vector_table import NoteVectors, VectorTable
from core.store.words import Words

# Number of vectors to request from Chroma per result, because a chunk may have several vectors and some may be stale.
_WINDOWS = 3
# Factor by which the number of requested vectors grows if too few results pass the filters.
_WIDER = 4


class Tables:
    remembered: Remembered
    bases: BaseTable
    notes: NoteTable
    note_vectors: NoteVectors
    fields: FieldTable
    properties: PropertyTable
    titles: TitleTable
    chunks: ChunkTable
    pending: PendingTable
    words: Words
    vectors: VectorTable
    refusals: RefusalTable
    edits: EditTable
    versions: VersionTable
    drafts: DraftTable
    proposals: ProposalTable
    creations: CreationTable
    intents: IntentTable
    documents: DocumentTable
    pictures: PictureTable
    images: ImageTable
    switches: SwitchTable
    floors: FloorTable
    searches: SearchTable
    uses: UseTable
    clicks: ClickTable
    questions: QuestionTable

    def __init__(self, database: Database) -> None:
        for name, table in get_type_hints(type(self)).items():
            setattr(self, name, table(database))


class Store(Tables):
    """All data in a workspace. Only one process can write to it. Any other process must open the store with `readonly`.

    Raises WorkspaceLocked if another process already has the store open for writing, and NewerSchema if the workspace
    comes from a newer version. With `readonly`, raises StoreError if there is no workspace in the folder.
    """

    def __init__(
        self, folder: Path, *, readonly: bool = False, patience: float = 0.0, index: IndexSettings | None = None
    ) -> None:
        self.folder = folder = Path(os.path.realpath(folder))
        self.readonly = readonly
        file = folder / DATABASE
        if readonly:
            with translate_errors(folder):
                check_exists(folder)
        self._lock = None if readonly else take(folder, patience)
        self.temporary = TemporaryFolders(folder)
        try:
            self.database = Database(file, readonly=readonly)
        except BaseException:
            self._unlock()
            raise
        if readonly and self.database.outdated:
            self.database.close()
            try:
                Store(folder).close()
            except NotWritable as error:
                raise NotWritable(
                    (
                        "{folder} comes from an earlier version of Tessera and must be updated before it can "
                        "be read, but it can't be written to. Make it writable, or copy it to a disk that you "
                        "can write to."
                    ),
                    folder=folder,
                ) from error
            self.database = Database(file, readonly=True)
        super().__init__(self.database)
        # What callers ask for most.
        self.check_writable = self.database.check_writable
        self.base = self.bases.by_id
        self.note = self.notes.note
        if not readonly:
            for name in OBSOLETE:
                with suppress(OSError):  # the next opening tries again
                    delete(folder / name)
            self.words.bring_up_to_date()
        elif self.words.outdated:
            with suppress(TesseraError):  # in use, or not writable
                Store(folder).close()
        # Maps authors to functions called within the transaction that writes a note by that author.
        self.recorders: dict[Author, Callable[[Note], None]] = {}
        chosen = index or IndexSettings()
        self.exact_search = ExactSearch(self.database, alone=chosen.kind == "none")
        # A lock to hold from reading a note's generation and edits until its new version is written.
        self.changing = WriteLock()
        self.events = Events(self.database, self.changing)
        place: Place = folder / "chroma"
        if chosen.kind == "chroma" and chosen.url:
            place = Address(
                chosen.url, self.database.owner, chosen.database, chosen.tenant, os.environ.get(INDEX_TOKEN, "")
            )
        state: IndexState = "none" if chosen.kind == "none" else "closed"
        self.index = Index(Backend(place), self.database, self.changing, state)

    # index

    def rebuild_index(self, progress: Progress = no_progress) -> int:
        """Rebuild the index from the vectors in SQLite, and return the number of windows. No model is needed.

        Chunks with a damaged vector become pending.
        """
        self.database.check_writable()
        self.pending.drop_damaged()
        self.index.rebuild(progress)
        return sum(self.chunks.count(base).windows for base in self.bases.all())

    def settle_centring(self, fingerprint: str, centring: Centring) -> None:
        """Store a model's centring and, unless it is all zeros, rebuild the indexes of the model's bases with it."""
        with self.changing:
            stale = self.bases.for_model(fingerprint) if centring.constants.any() else []
            with self.database.write():
                self.vectors.settle_centring(fingerprint, centring)
                for base in stale:
                    self._renew_index(base)
            for base in stale:
                self.index.drop(base)

    def _renew_index(self, base: KnowledgeBase) -> None:
        """Build an index of the next generation for a base, and store its embedder, within the caller's transaction."""
        fresh = replace(base, index_generation=base.index_generation + 1)
        self.index.build(fresh)
        self.bases.switch_index(fresh)

    # writing

    def leave_pending(self) -> None:
        """Publish the event `ChunksPending`, because there may be pending chunks."""
        self.events.publish(ChunksPending())

    def log_notes(self, note_ids: Ids) -> None:
        """Add the notes' bases to the log entry for the call that this thread is handling."""
        log_bases(self.bases.for_notes(note_ids))

    def put(self, base: KnowledgeBase, cuts: Sequence[NoteToIndex]) -> None:
        """Write notes with their chunks and windows in a single transaction."""
        with self.changing:
            base = self.bases.by_id(base.id)
            old = self.chunks.entries([cut.note.id for cut in cuts])
            vectors = chain.from_iterable(chain(*(cut.vectors for cut in cuts)))
            with self._indexing(base, vectors, old), self.database.write():
                for cut in cuts:
                    self._write(cut)

    def embed(self, base: KnowledgeBase, vectors: Mapping[PendingChunk, Sequence[int]]) -> int:
        """Store the vectors of pending chunks in a single transaction, and return the number of chunks updated.

        `vectors` maps each chunk to the ids of its windows' vectors. Chunks that have changed since they were read are
        skipped.
        """
        with self.changing:
            base = self.bases.by_id(base.id)
            vectors = self.pending.unchanged(vectors)
            with self._indexing(base, chain.from_iterable(vectors.values())), self.database.write():
                self.pending.embed(vectors)
        return len(vectors)

    @contextmanager
    def _indexing(self, base: KnowledgeBase, vectors: Iterable[int], old: Sequence[str] = ()) -> Iterator[None]:
        """Update the index when the `with` block ends.

        Add the given vectors if they are new, and remove unused `old` entries.
        """
        fresh = self.chunks.unused_entries(base, self.vectors.entry_ids(vectors))
        yield
        self.bases.count_index_added(base, len(fresh))
        # This runs after the commit, because it reads committed data.
        self.changing.follow(self.index.follow, base, [*fresh, *old])

    def _write(self, cut: NoteToIndex) -> None:
        """Write a note with its chunks, pictures and edits, within the caller's transaction."""
        self.notes.put(cut)
        self.chunks.put(cut)
        if cut.pictures is not None:
            self.pictures.put(cut.note.id, cut.pictures)
        if cut.edits is not None:
            self.edits.put(cut.note, cut.edits)
        if cut.change:
            self._put_version(cut.note, cut.change)
            if record := self.recorders.get(cut.change.author):
                record(cut.note)

    def describe(self, notes: Iterable[Note], change: Revision) -> None:
        """Store new versions of notes whose fields have changed. The notes' titles and text must be unchanged."""
        with self.changing, self.database.write():
            for note in notes:
                self.notes.describe(note)
                self._put_version(note, change)

    def _put_version(self, note: Note, change: Revision) -> None:
        """Store the version created by a change. If the change accepts the note's proposal, delete the proposal."""
        self.versions.put(note, change)
        if change.kind == "propose":
            self.proposals.drop(note.id)

    def move(self, moves: Sequence[Moved]) -> None:
        """Record renamed files in a single transaction. The files' notes keep their text and vectors."""
        with self.changing, self.database.write():
            self.notes.move(moves)
            for move in moves:
                note = self.notes.note(move.note_id)
                self.describe([replace(note, version=note.version + 1)], Revision("sync", "sync"))

    def switch(self, target: KnowledgeBase, cuts: Iterable[NoteToIndex]) -> KnowledgeBase:
        """Switch a base to the embedder in `target`, and return the changed base.

        `cuts` are the base's notes, chunked for the new embedder. Everything is written in a single transaction. The
        new collection is filled before the commit. If the process is killed in between, the collection stays unused.
        """
        old = self.bases.by_id(target.id)
        with self.changing, self.database.write():
            for cut in cuts:
                self._write(cut)
            self._renew_index(target)
            self.switches.end(target)
            self.drop_unused_vectors()
        self.index.drop(old)
        return self.bases.by_id(target.id)

    def delete_notes(self, base: KnowledgeBase, note_ids: NoteIds, change: Revision | None = None) -> int:
        """Delete notes, and return the number of flagged edits.

        If a `change` is given, the notes' versions and edits are kept. If the change comes from a sync, the edits are
        also flagged, because a missing file may come back with different text. Without a change, nothing is kept.
        """
        flagged = 0
        with self.changing:
            base = self.bases.by_id(base.id)
            with self._indexing(base, (), self.chunks.entries(note_ids)), self.database.write():
                if change is None:
                    self.forget_notes(note_ids)
                else:
                    for note in map(self.notes.note, note_ids):
                        self.versions.put(replace(note, version=note.version + 1), change)
                    flagged = self.edits.flag(note_ids) if change.author == "sync" else 0
                self.notes.delete(note_ids)
        return flagged

    def forget_notes(self, note_ids: NoteIds) -> None:
        """Delete the versions, edits and uses of deleted notes.

        Unless a sync deleted the note, its file is recorded, so that later syncs skip it.
        """
        chosen = set(note_ids)
        with self.database.write():
            for base in self.bases.all():
                files = defaultdict[str, TextValues](dict)
                for item in self.versions.deleted(base.id):
                    if item.version.note_id in chosen and item.version.author != "sync" and item.source_ref:
                        files[item.source_ref][str(item.path)] = self.versions.trashed(
                            item.version.note_id
                        ).content_hash
                for folder, stamps in files.items():
                    self.bases.record_deleted_files(base, folder, stamps)
            for forget in (self.versions.drop, self.edits.delete, self.uses.drop):
                forget(note_ids)

    def drop_unused_vectors(self) -> None:
        """Delete vectors and refusals that aren't used by any chunk. A running import recomputes any that it needs."""
        with self.changing:
            self.vectors.drop_unused()
            self.refusals.drop_unused()

    def forget_vectors(self, base: KnowledgeBase) -> None:
        """Delete a base's vectors. Its chunks become pending, and so do other bases' chunks that share a vector."""
        self.index.open()
        with self.changing:
            sharing = self.bases.for_model(base.fingerprint)
            stale = [(other, self.chunks.entries(list(self.notes.cut_by(other)))) for other in sharing]
            self.pending.forget_vectors(base)
            for other, entries in stale:
                self.index.follow(other, entries)

    def delete_base(self, base: KnowledgeBase) -> None:
        with self.changing, self.database.write():
            self.bases.delete(base)
            self.drop_unused_vectors()
        self.index.drop(base)

    # searching

    def nearest(self, base: KnowledgeBase, query: Matrix, count: int, allowed: Rowids | None = None) -> Scores:
        """Return a base's best chunks with the cosine of their best window, best first.

        With `allowed`, search only those chunks. Bases that exceed the budget of `ExactSearch` are searched by Chroma
        while the index is open and undamaged. Chroma may miss some chunks. All other searches are exact.
        """
        if (best := self.exact_search.nearest(base, query, count, allowed)) is None:
            best = self._from_index(base, query, count, allowed)
        return self.chunks.nearest(base, query, count, allowed) if best is None else best

    def _from_index(self, base: KnowledgeBase, query: Matrix, count: int, allowed: Rowids | None) -> Scores | None:
        """Query the index for more and more vectors until enough allowed chunks are found, and return the best chunks.

        Return None if the index can't be used, or if an exact search is cheaper.
        """
        share = 1.0 if allowed is None else len(allowed) / max(self.chunks.count_all(), 1)
        wanted = int(_WINDOWS * count / share) + 1 if share else 0
        centring = self.vectors.centring(base)
        centred = centring.centred(query, role="query")
        while allowed is None or wanted < len(allowed):
            if (cosines := self.index.nearest(base, centred, wanted)) is None:
                return None
            best: Scores = {}
            for rowid, entry in self.chunks.by_entries(base, cosines):
                best[rowid] = max(best.get(rowid, -1.0), cosines[entry])
            if allowed is not None:
                best = {
                    rowid: score
                    for (rowid, score), passes in zip(best.items(), np.isin(list(best), allowed), strict=True)
                    if passes
                }
            if len(best) >= count or len(cosines) < wanted:
                return {rowid: centring.similarity(cosine) for rowid, cosine in top_k.best(best, count).items()}
            wanted *= _WIDER
        return None

    # closing

    def close(self) -> None:
        """Close SQLite and Chroma, and seal the index so that the next start can trust it."""
        self.index.close()
        self.database.close()
        self.temporary.close()
        self._unlock()

    def _unlock(self) -> None:
        if self._lock:
            self._lock.release()
