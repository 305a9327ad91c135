"""Chunk, embed and store notes. All notes are written by this module."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import partial

from core.base.codec import assemble
from core.base.errors import NoteNotFound, SourceError
from core.base.frozen import Texts
from core.base.text import digest
from core.embedding import Embedder
from core.indexing.cutter import Cutter
from core.indexing.embed_queue import VectorLookup, Vectors
from core.model import ChangeCost, ChunkingOptions, Edit, Failed, KnowledgeBase, Progress, Rechunked, no_progress
from core.store import Store
from core.store.note_to_index import NoteToIndex
from core.store.table import NoteIds

# Number of windows or notes to embed and store together, sorted by length.
_GROUP = 128
# Number of notes to write together if nothing is embedded.
_WRITTEN = 16
# Number of windows to embed to estimate the total time.
_SAMPLE = 8
# Number of characters at which a group of notes is full. A note's chunks take ten times as much memory as the note.
_CHARACTERS = 1_000_000

# A callback that takes the share of a group that has been embedded so far.
_Report = Callable[[float], None]
# A function that embeds, stores or writes a group of chunked notes.
_Finish = Callable[[Sequence[NoteToIndex], _Report], object]


@dataclass(frozen=True, slots=True)
class Indexed:
    """The result of indexing. A note that fails keeps its previous state.

    `notes` are the ids of the stored notes, `indexed` counts the chunks with newly computed vectors, and `flagged`
    counts the edits that lost their position.
    """

    notes: Texts = ()
    chunks: int = 0
    indexed: int = 0
    embedded_windows: int = 0
    flagged: int = 0
    failed: tuple[SourceError, ...] = ()

    def __add__(self, other: "Indexed") -> "Indexed":
        return Indexed(*(getattr(self, name) + getattr(other, name) for name in Indexed.__slots__))

    def report(self, unchanged: int, started: float) -> Rechunked:
        """Return a report on re-chunking. `started` is the value of `time.perf_counter` at its start."""
        return assemble(
            Rechunked,
            self,
            notes=len(self.notes),
            unchanged=unchanged,
            failed=tuple(Failed(error.path, error.reason) for error in self.failed),
            seconds=round(time.perf_counter() - started, 3),
        )


class Indexer:
    """Indexes notes of one base with its embedder. `done` is the result so far.

    A note is either stored completely or keeps its previous state. If another thread changes a note after it was
    chunked, the note is re-chunked before it is stored, so that no edit is lost. With `keep_ready`, in a base that
    doesn't embed at once, only chunks that are pending now are pending afterwards.

    After Cancelled, notes already stored are kept. Raises ModelError or ProviderError if the embedder fails, and
    EmbeddingMismatch if the base has switched to another embedder in the meantime.
    """

    def __init__(self, store: Store, base: KnowledgeBase, embedder: Embedder, *, keep_ready: bool = False) -> None:
        self._store = store
        self.base = base
        self._cutter = Cutter(store, base, embedder, keep_ready=keep_ready)
        self._vectors = Vectors(store, base, embedder)
        self.done = Indexed()

    def write(self, drafts: Iterable[NoteToIndex], total: int, progress: Progress = no_progress) -> Indexed:
        """Chunk and store notes as read from their files, with their current edits, but don't embed them.

        Chunks with unchanged text keep their vectors. All other chunks are pending.
        """
        return self._run((partial(self._cutter.cut, draft) for draft in drafts), total, progress, self._write_group)

    def recut_words(self, note_ids: NoteIds) -> Indexed:
        """Re-chunk stored notes and, like `write`, store them without embedding them. Skip deleted notes."""
        return self._run_stored(note_ids, self._cutter.recut, no_progress, self._write_group)

    def recut(
        self,
        note_ids: NoteIds,
        progress: Progress = no_progress,
        *,
        options: ChunkingOptions | None = None,
        edits: Sequence[Edit] | None = None,
    ) -> Indexed:
        """Re-chunk and embed stored notes and store them again. Skip deleted notes.

        `options` become the notes' own, and `edits` replace their current edits.
        """
        return self._run_stored(
            note_ids, partial(self._cutter.recut, options=options, edits=edits), progress, self._store_group
        )

    def embed_again(self, note_ids: NoteIds, progress: Progress = no_progress) -> Indexed:
        """Compute whatever the windows of stored notes lack, such as token bits. The notes aren't re-chunked."""
        return self._run_stored(note_ids, self._cutter.reuse, progress, self._store_group)

    def prepare(self, note_ids: NoteIds, progress: Progress = no_progress) -> None:
        """Embed the windows that notes will have once they are re-chunked, without changing the notes."""
        self._run_stored(note_ids, self._cutter.recut, progress, self._embed_missing)

    def cost(self, note_ids: NoteIds, progress: Progress) -> ChangeCost:
        """Estimate the cost of re-chunking notes by chunking them and timing the embedding of a few windows.

        Nothing is stored. Raises ModelError or ProviderError if the embedder fails.
        """
        base = self.base
        embedder = self._cutter.embedder
        seconds = 0.0
        chunks = windows = 0
        missing = set[str]()
        for number, note_id in enumerate(note_ids):
            progress(number, len(note_ids), "")
            cut = self._cutter.recut(note_id)
            chunks += len(cut.chunks)
            windows += len(cut.windows)
            texts = _texts([cut])
            missing.update(self._vectors.lookup(texts).missing_texts(texts).values())
        if missing:
            embedder.warm()
            step = max(1, len(missing) // _SAMPLE)
            sample = sorted(missing, key=len)[step // 2 :: step][:_SAMPLE]
            started = time.perf_counter()
            embedder.embed(sample, role="note")
            seconds = (time.perf_counter() - started) / sum(map(len, sample)) * sum(map(len, missing))
        return ChangeCost(base.embedder, base.chunking, len(note_ids), chunks, windows, len(missing), seconds)

    def cut_again(self, note_ids: NoteIds, progress: Progress) -> Iterator[NoteToIndex]:
        """Yield re-chunked notes, ready to be stored. Embed any windows that `prepare` didn't embed."""
        for number, note_id in enumerate(note_ids):
            cut = self._cutter.recut(note_id)
            progress(number, len(note_ids), cut.note.title)
            yield cut.with_vectors(*self._embed_missing([cut], lambda share: None)[0])

    def _run_stored(
        self,
        note_ids: NoteIds,
        cut: Callable[[str], NoteToIndex],
        progress: Progress,
        finish: _Finish,
    ) -> Indexed:
        """Call `_run` with a task for each stored note."""
        return self._run((partial(cut, note_id) for note_id in note_ids), len(note_ids), progress, finish)

    def _run(
        self,
        tasks: Iterable[Callable[[], NoteToIndex]],
        total: int,
        progress: Progress,
        finish: _Finish,
    ) -> Indexed:
        """Chunk notes, and pass them to `finish` in groups. Each task is a function that chunks a note."""
        self._store.index.open()
        notes = _WRITTEN if finish == self._write_group else _GROUP
        group: list[NoteToIndex] = []
        windows = characters = 0

        def finish_group(done: int) -> None:
            """Pass the current group to `finish`. `done` is the number of notes up to the end of the group."""
            title = group[0].note.title
            before = done - len(group)
            finish(group, lambda share: progress(before + len(group) * share, total, title))

        for number, cut in enumerate(tasks):
            try:
                group.append(cut())
            except SourceError as error:
                self.done += Indexed(failed=(error,))
                continue
            except NoteNotFound:  # deleted in the meantime
                continue
            progress(number + 1 - len(group), total, group[-1].note.title)
            windows += len(group[-1].windows)
            characters += len(group[-1].note.body)
            if windows >= _GROUP or len(group) >= notes or characters >= _CHARACTERS:
                finish_group(number + 1)
                group = []
                windows = 0
                characters = 0
        if group:
            finish_group(total)
        return self.done

    def _store_group(self, group: Sequence[NoteToIndex], report: _Report) -> None:
        _, embedded = self._embed_missing(group, report)
        with self._store.changing:
            current = self._still_current(group)
            # A vector is missing only if a note was changed, or deleted with its vectors, in the meantime.
            known, embedded_late = self._embed_missing(current, report)
            self._put(current, known, embedded | embedded_late)

    def _write_group(self, group: Sequence[NoteToIndex], report: _Report) -> None:
        with self._store.changing:
            current = self._still_current(group)
            self._put(current, self._vectors.lookup(_texts(current)))

    def _put(self, group: Sequence[NoteToIndex], known: VectorLookup, embedded: Set[bytes] = frozenset()) -> None:
        self._store.put(self.base, [cut.with_vectors(*known) for cut in group])
        self.done += Indexed(
            tuple(cut.note.id for cut in group),
            sum(len(cut.chunks) for cut in group),
            len({window.chunk_id for cut in group for window in cut.windows if digest(window.text) in embedded}),
            len(embedded),
            sum(cut.flagged for cut in group),
        )

    def _still_current(self, group: Sequence[NoteToIndex]) -> list[NoteToIndex]:
        """Return a group's notes, re-chunking those that have changed since they were chunked.

        Deleted notes and notes that now fail are left out. Raises EmbeddingMismatch.
        """
        self._vectors.check_base()
        current = []
        for cut in group:
            if self._store.notes.generation(cut.note.id) == cut.note.generation - 1:
                current.append(cut)
                continue
            assert cut.recut is not None
            try:
                with suppress(NoteNotFound):
                    current.append(cut.recut())
            except SourceError as error:
                self.done += Indexed(failed=(error,))
        return current

    def _embed_missing(self, group: Sequence[NoteToIndex], report: _Report) -> tuple[VectorLookup, Set[bytes]]:
        """Embed the windows that lack a vector. Return a lookup for all windows, and the hashes of the new vectors."""
        texts = _texts(group)
        known = self._vectors.lookup(texts)
        missing = known.missing_texts(texts)
        done = set[bytes]()
        report(0)
        with closing(self._vectors.embed(missing)) as stored:
            for keys in stored:
                done.update(keys)
                report(len(done) / len(missing))
        return self._vectors.lookup(texts) if missing else known, done


def _texts(group: Sequence[NoteToIndex]) -> dict[bytes, str]:
    """Return the text of each window in a group, keyed by hash."""
    return {digest(window.text): window.text for cut in group for window in cut.windows}
