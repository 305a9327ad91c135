"""The work on stored chunks: a person's edits, cutting anew, embedding what waits."""

import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Literal

from core import chunking
from core.embedding import Embedder
from core.errors import EditError, NoteNotFound, UnknownChoice
from core.folder import Failed
from core.indexing import Indexed, Indexer
from core.model import ChunkingOptions, Edit, KnowledgeBase, NoteCard, Progress, unheard
from core.pinning import Act, Desk
from core.store import Store

Decision = Literal["keep", "drop"]
_DECISIONS = {"keep": Desk.keep, "drop": Desk.drop}


@dataclass(frozen=True, slots=True)
class Flagged:
    """An edit that waits for a decision; `note` is None while its note is gone."""

    edit: Edit
    note: NoteCard | None


@dataclass(frozen=True, slots=True)
class Rechunked:
    """What cutting anew did: `unchanged` notes were cut so before, `flagged` edits lost their place."""

    notes: int = 0
    unchanged: int = 0
    chunks: int = 0
    embedded_windows: int = 0
    flagged: int = 0
    failed: tuple[Failed, ...] = ()
    seconds: float = 0.0

    def to_dict(self) -> dict[str, object]:
        """The same as JSON could say it."""
        return {**asdict(self), "failed": [asdict(item) for item in self.failed]}


class Editing:
    """Changes the chunks of stored notes; each note is changed as a whole or not at all.

    A workspace open for reading only raises WorkspaceLocked.
    """

    def __init__(self, store: Store, embedder_of: Callable[[KnowledgeBase], Embedder]) -> None:
        self._store = store
        self._embedder_of = embedder_of

    # edits

    def act(self, chunk_id: str, act: Callable[[Desk], Act]) -> tuple[str, ...]:
        """Do something to the note of a chunk and return the ids of the chunks it made."""
        with self._store.changing:
            self._store.database.check_writable()
            return self.act_on_note(self._store.chunks.note_of(chunk_id), act)

    def act_on_note(self, note_id: str, act: Callable[[Desk], Act]) -> tuple[str, ...]:
        """Do something to a note and return the ids of the chunks it made; raises NoteNotFound."""
        with self._store.changing:
            ((base, _),) = self._by_base([note_id])
            base, embedder = self._opened(base)
            indexer = Indexer(self._store, base, embedder)
            desk = Desk(
                self._store.notes.note(note_id),
                self._store.chunks.of_note(note_id),
                self._store.edits.of_note(note_id),
            )
            done = act(desk)
            if done.edits != desk.edits:
                indexer.recut([note_id], edits=done.edits)
            if indexer.done.failed:
                raise indexer.done.failed[0]
            return done.chunk_ids

    def flagged(self) -> list[Flagged]:
        """Return the edits that wait for a decision."""
        edits = self._store.edits.all(flagged=True)
        cards = self._store.notes.cards_of({edit.note_id for edit in edits})
        return [Flagged(edit, cards.get(edit.note_id)) for edit in edits]

    def resolve(self, edit_id: str, decision: Decision) -> None:
        """Decide on a flagged edit: keep it as an addition at the note's end, or drop it.

        Raises EditError for an edit that isn't flagged or holds nothing to keep, NoteNotFound where
        there is no note to keep it in, UnknownChoice.
        """
        if decision not in _DECISIONS:
            raise UnknownChoice("decision", decision, _DECISIONS)
        with self._store.changing:
            self._store.database.check_writable()
            edit = self._store.edits.edit(edit_id)
            if not edit.flagged:
                raise EditError("This edit is in its place. To take it back, restore its chunk.")
            if decision == "drop" and not self._store.notes.generation(edit.note_id):
                self._store.edits.drop(edit_id)
            else:
                self.act_on_note(edit.note_id, lambda desk: _DECISIONS[decision](desk, edit))

    # cutting anew

    def rechunk_base(
        self, base: KnowledgeBase, options: ChunkingOptions | None = None, progress: Progress = unheard
    ) -> Rechunked:
        """Cut the notes of a base anew, by options that become the base's where they are given.

        Notes that are cut so already are left alone then; without options all are cut. A note with
        options of its own keeps them. Raises UnknownChoice or ConfigError for the options.
        """
        started = time.perf_counter()
        base, embedder = self._opened(base)
        if options is not None:
            chunking.build(options, embedder.tokens)
            base = self._store.notes.set_chunking(base, options)
        indexer = Indexer(self._store, base, embedder)
        notes = self._store.notes.cut_by(base)
        asked = [note_id for note_id in notes if options is None or not self._is_cut(indexer, base, note_id, notes)]
        return _report([indexer.recut(asked, progress)], len(notes) - len(asked), started)

    def rechunk_notes(
        self, note_ids: Iterable[str], options: ChunkingOptions | None = None, progress: Progress = unheard
    ) -> Rechunked:
        """Cut some notes anew, by options that become their own where they are given.

        Given its base's options, a note goes with its base again. Raises as `rechunk_base` does, and
        NoteNotFound.
        """
        started = time.perf_counter()
        done = []
        for base, ids in self._by_base(note_ids):
            base, embedder = self._opened(base)
            if options is not None:
                chunking.build(options, embedder.tokens)
            done.append(Indexer(self._store, base, embedder).recut(ids, progress, options=options))
        return _report(done, 0, started)

    def _is_cut(self, indexer: Indexer, base: KnowledgeBase, note_id: str, cut_by: Mapping[str, str]) -> bool:
        return cut_by[note_id] == indexer.cut_by(self._store.notes.options(note_id) or base.chunking)

    # embedding

    def embed_base(self, base: KnowledgeBase, progress: Progress = unheard) -> int:
        """Embed all chunks of a base that are pending, and return how many those were."""
        return self._embed(base, self._store.chunks.pending(base), progress)

    def embed_notes(self, note_ids: Iterable[str], progress: Progress = unheard) -> int:
        """Embed the pending chunks of notes; raises NoteNotFound."""
        chosen = {}
        for base, ids in self._by_base(note_ids):
            waiting = self._store.chunks.pending(base)
            chosen[base] = {note_id: waiting[note_id] for note_id in ids if note_id in waiting}
        return sum(self._embed(base, chunks, progress) for base, chunks in chosen.items())

    def embed_chunks(self, chunk_ids: Iterable[str], progress: Progress = unheard) -> int:
        """Embed those of the chunks that are pending; raises ChunkNotFound."""
        asked = set(chunk_ids)
        total = 0
        for base, ids in self._by_base({self._store.chunks.note_of(chunk_id) for chunk_id in asked}):
            waiting = self._store.chunks.pending(base)
            chosen = {note_id: asked.intersection(waiting.get(note_id, ())) for note_id in ids}
            total += self._embed(base, {note_id: chunks for note_id, chunks in chosen.items() if chunks}, progress)
        return total

    def _embed(self, base: KnowledgeBase, chosen: Mapping[str, Collection[str]], progress: Progress) -> int:
        base, embedder = self._opened(base)
        Indexer(self._store, base, embedder).embed(chosen, progress)
        return sum(len(chunks) for chunks in chosen.values())

    # shared

    def _opened(self, base: KnowledgeBase) -> tuple[KnowledgeBase, Embedder]:
        """Return the base as it is once the index is open, which may give it another name there."""
        self._store.database.check_writable()
        self._store.open_index()
        base = self._store.notes.base(base.name)
        return base, self._embedder_of(base)

    def _by_base(self, note_ids: Iterable[str]) -> list[tuple[KnowledgeBase, list[str]]]:
        wanted = list(dict.fromkeys(note_ids))
        bases = self._store.notes.base_ids(wanted)
        for note_id in wanted:
            if note_id not in bases:
                raise NoteNotFound(note_id)
        return [
            (base, [note_id for note_id in wanted if bases[note_id] == base.id])
            for base in self._store.notes.bases()
            if base.id in bases.values()
        ]


def _report(done: Sequence[Indexed], unchanged: int, started: float) -> Rechunked:
    return Rechunked(
        notes=sum(len(part.notes) for part in done),
        unchanged=unchanged,
        chunks=sum(part.chunks for part in done),
        embedded_windows=sum(part.embedded_windows for part in done),
        flagged=sum(part.flagged for part in done),
        failed=tuple(Failed(error.path, error.reason) for part in done for error in part.failed),
        seconds=round(time.perf_counter() - started, 3),
    )
