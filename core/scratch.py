"""A base cut or embedded in another way, in a place beside it: nothing of the base is touched."""

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, replace
from pathlib import Path

from core import chunking
from core.embedding import Embedder
from core.errors import NoteNotFound, UnknownChoice, WorkspaceLocked
from core.indexing import Draft, Indexer
from core.model import ChunkingOptions, Filters, KnowledgeBase, NoteCard, Progress, unheard
from core.store import Store, take
from core.text import digest

FOLDER = "scratch"
"""Where in a workspace the places are, each a workspace of its own."""

KEPT = 6
"""Places that are kept, for embedding takes minutes; the ones used longest ago go."""

_NOTES = "notes.json"


class Scratch:
    """The places beside the bases of a workspace; `build` makes an embedder by its name."""

    def __init__(self, store: Store, build: Callable[[str], Embedder]) -> None:
        self._store = store
        self._build = build
        self.folder = store.folder / FOLDER

    @contextmanager
    def opened(
        self, base: KnowledgeBase, options: ChunkingOptions, embedder: str, progress: Progress = unheard
    ) -> Iterator[Store]:
        """Open a place where the base's active notes are cut by the options and embedded by the embedder.

        They are under the edits they have, all embedded, and under the ids and names of the base. What
        changed since it was made is made anew; on Cancelled what was made stays for the next time. Raises
        UnknownChoice or ConfigError for the options, ModelError or ProviderError where the embedder fails, and
        WorkspaceLocked where another process makes the same.
        """
        built = self._build(embedder)
        chunking.build(options, built.tokens)
        wanted = json.dumps([base.id, built.fingerprint, base.keep_tokens, asdict(options)])
        folder = self.folder / digest(wanted).hex()[:16]
        store = Store(folder)
        try:
            target = self._base(store, base, options, embedder, built)
            self._fill(store, base, target, built, progress)
            folder.touch()
            self._leave_the_latest()
            yield store
        finally:
            store.close()

    def drop(self) -> None:
        """Delete all places that nobody uses."""
        for place in self._places():
            _delete(place)

    def bytes(self) -> int:
        """Return what the places take on disk."""
        return sum(size for place in self._places() for size in map(_size, place.rglob("*")))

    def _base(
        self, store: Store, base: KnowledgeBase, options: ChunkingOptions, embedder: str, built: Embedder
    ) -> KnowledgeBase:
        """The base's likeness, which is searched as the base is."""
        store.open_index()
        try:
            target = store.notes.base(base.name)
        except UnknownChoice:
            for renamed in store.notes.bases():
                store.delete_base(renamed)
            target = store.notes.add_base(
                base.name,
                embedder=embedder,
                fingerprint=built.fingerprint,
                dimension=built.dimension,
                chunking=options,
            )
            store.add_base_index(target)
        target = replace(
            store.notes.set_keep_tokens(target, base.keep_tokens),
            limit=base.limit,
            score_threshold=base.score_threshold,
            semantic_weight=base.semantic_weight,
            rerank_weight=base.rerank_weight,
            reranker=base.reranker,
        )
        store.notes.set_search(target)
        return target

    def _fill(
        self, store: Store, base: KnowledgeBase, target: KnowledgeBase, embedder: Embedder, progress: Progress
    ) -> None:
        """Bring the notes to what they are in the base; `notes.json` says as what each was taken over."""
        record = store.folder / _NOTES
        before: dict[str, str] = json.loads(record.read_text("utf-8")) if record.exists() else {}
        now = {card.id: self._state(card) for card in self._store.notes.cards(Filters(bases=(base.name,)))}
        stale = [note_id for note_id in store.notes.ids() if now.get(note_id) != before.get(note_id)]
        store.delete_notes(target, stale)
        there = store.notes.ids()
        missing = [note_id for note_id in now if note_id not in there]
        if missing:
            store.encoded.take_over(self._store.database.file, base.id, embedder.fingerprint)
            drafts = (draft for note_id in missing if (draft := self._draft(store, target, note_id)))
            Indexer(store, target, embedder).index(drafts, len(missing), progress)
        if missing or stale:
            store.drop_unused_vectors()
            beside = record.with_suffix(".new")
            beside.write_text(json.dumps(now), encoding="utf-8")
            beside.replace(record)

    def _state(self, card: NoteCard) -> str:
        return digest(f"{self._store.notes.generation(card.id)} {card!r}").hex()

    def _draft(self, store: Store, target: KnowledgeBase, note_id: str) -> Draft | None:
        try:
            note = replace(self._store.notes.note(note_id), base_id=target.id, generation=0)
        except NoteNotFound:
            return None  # deleted meanwhile
        store.edits.put(note, self._store.edits.of_note(note_id))
        return Draft(note)

    def _leave_the_latest(self) -> None:
        for place in sorted(self._places(), key=_used, reverse=True)[KEPT:]:
            _delete(place)

    def _places(self) -> list[Path]:
        return list(self.folder.iterdir()) if self.folder.exists() else []


def _delete(place: Path) -> None:
    """Delete a place unless somebody has it open."""
    with suppress(WorkspaceLocked, OSError):
        lock = take(place)
        shutil.rmtree(place, ignore_errors=True)
        lock.release()


def _used(place: Path) -> float:
    """When a place was last used; one that another process deletes meanwhile was so long ago."""
    try:
        return place.stat().st_mtime
    except OSError:
        return 0.0


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError:
        return 0  # gone since it was listed
