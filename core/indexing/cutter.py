"""Notes -> chunks -> windows: what the indexer embeds and stores."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial

from core import chunking
from core.embedding import Embedder
from core.embedding.windows import windows_of
from core.errors import SourceError
from core.faults import one_file
from core.indexing.anchors import follow
from core.indexing.edits import apply
from core.markdown.outline import Outline
from core.model import Chunk, ChunkingOptions, Edit, KnowledgeBase, Note, Revision, Window
from core.store import Store
from core.store.cutting import Cutting
from core.text import digest


@dataclass(frozen=True, slots=True)
class Draft:
    """A note to be indexed, as its file is now.

    The next sync recognizes a changed file by `mtime_ns` and `size`. `outline` is the body's, if the
    reader of the file parsed it. With a `change` it becomes a new version of the note. `replaces` is the content hash
    of the stored note that a file was compared with, "" without one; it has another one if it was changed since.
    """

    note: Note
    mtime_ns: int | None = None
    size: int | None = None
    outline: Outline | None = None
    change: Revision | None = None
    replaces: str | None = None


@dataclass(frozen=True, slots=True)
class CutNote:
    """A note that is cut, but not embedded; `windows` are those of the chunks that get vectors.

    `flagged` counts the edits that lost their place. `recut` cuts the note again, from its stored state at that time.
    """

    cutting: Cutting
    windows: Sequence[Window]
    flagged: int
    recut: Callable[[], "CutNote"]

    def with_vectors(self, vectors: Mapping[bytes, int]) -> Cutting:
        """Return the note to be stored; `vectors` are the ids of vectors by the hash of their text.

        A chunk gets none if one of its windows has none.
        """
        of_chunk: dict[str, list[bytes]] = {chunk.id: [] for chunk in self.cutting.chunks}
        for window in self.windows:
            of_chunk[window.chunk_id].append(digest(window.text))
        known = [[vectors[key] for key in keys if key in vectors] for keys in of_chunk.values()]
        whole = [ids if len(ids) == len(keys) else [] for ids, keys in zip(known, of_chunk.values(), strict=True)]
        return replace(self.cutting, vectors=whole)


class Cutter:
    """Cuts the notes of one base by its embedder's tokens. Stores nothing.

    In a literal base no chunk gets windows. In a base that doesn't embed at once, a chunk gets windows if it was
    embedded before with the same text; with `keep_ready`, if it isn't pending now.
    """

    def __init__(self, store: Store, base: KnowledgeBase, embedder: Embedder, *, keep_ready: bool = False) -> None:
        self._store = store
        self._base = base
        self._embedder = embedder
        self._keep_ready = keep_ready

    def cut(self, draft: Draft) -> CutNote:
        """Cut a note as its file is, under the edits it has; a note that wasn't stored before has no windows.

        Raises SourceError for a file whose note was changed since they were compared.
        """
        note = draft.note
        # Read before all else: a change after it raises the stored generation, and the note is cut again.
        generation = self._store.notes.generation(note.id)
        edits: Sequence[Edit] = self._store.edits.of_note(note.id)
        stored = self._store.notes.note(note.id) if generation else None
        if stored and draft.replaces not in (None, stored.content_hash):
            raise SourceError(str(note.path), "This note was changed here meanwhile. Sync again.")
        earlier = stored or self._store.versions.newest(note.id)
        if edits and earlier:
            edits = follow(edits, earlier.body, note.body)
        if earlier and draft.change and draft.change.author == "sync":
            note = with_own_fields(note, earlier)
        version = (earlier.version if earlier else 0) + 1 if draft.change else note.version
        return self._cut(
            replace(draft, note=replace(note, generation=generation + 1, version=version)),
            edits,
            self._store.notes.options(note.id),
            partial(self.cut, draft),
            with_windows=generation > 0,
        )

    def recut(
        self, note_id: str, options: ChunkingOptions | None = None, edits: Sequence[Edit] | None = None
    ) -> CutNote:
        """Cut a stored note. `options` become its own; `edits` replace those it has. Raises NoteNotFound."""
        note = self._store.notes.note(note_id)
        row = self._store.notes.indexed_as(note_id)
        return self._cut(
            Draft(replace(note, generation=note.generation + 1), row["mtime_ns"], row["size"]),
            self._store.edits.of_note(note_id) if edits is None else edits,
            options or self._store.notes.options(note_id),
            partial(self.recut, note_id, options, edits),
        )

    def reuse(self, note_id: str) -> CutNote:
        """Return a stored note with its chunks as they are; raises NoteNotFound."""
        note = self._store.notes.note(note_id)
        chunks = self._store.chunks.of_note(note_id)
        cutting = Cutting(
            note=replace(note, generation=note.generation + 1),
            chunks=chunks,
            vectors=(),
            options=self._store.notes.options(note_id),
            **self._store.notes.indexed_as(note_id),
        )
        embedded = [chunk for chunk in chunks if chunk.state == "embedded"]
        return CutNote(cutting, self._windows(note, embedded), 0, partial(self.reuse, note_id))

    def _cut(
        self,
        draft: Draft,
        edits: Sequence[Edit],
        own: ChunkingOptions | None,
        recut: Callable[[], CutNote],
        *,
        with_windows: bool = True,
    ) -> CutNote:
        note = replace(draft.note, plain=self._base.plain)
        options = own or self._base.chunking
        with one_file(note.path or note.title):
            cut = chunking.cut(note, options, self._embedder.tokens, draft.outline)
            applied = apply(note, cut.chunks, edits, self._embedder.tokens)
        chunks = applied.chunks if self._base.has_vectors else _by_words(applied.chunks)
        cutting = Cutting(
            note=note,
            chunks=chunks,
            vectors=(),
            strategy=cut.strategy,
            cut_by=cut_by(options, self._base.fingerprint),
            mtime_ns=draft.mtime_ns,
            size=draft.size,
            edits=applied.edits,
            options=None if own == self._base.chunking else own,
            change=draft.change,
        )
        flagged = sum(now.flagged and not was.flagged for now, was in zip(applied.edits, edits, strict=True))
        windows = self._windows(note, self._to_embed(chunks)) if with_windows else ()
        return CutNote(cutting, windows, flagged, recut)

    def _to_embed(self, chunks: Sequence[Chunk]) -> list[Chunk]:
        living = [chunk for chunk in chunks if chunk.state != "deleted"]
        if not self._base.has_vectors:
            return []
        if self._base.embed_at_once or not living:
            return living
        stored = self._store.chunks.of_note(living[0].note_id)
        if self._keep_ready:
            pending = {(chunk.id, chunk.text) for chunk in stored if chunk.state == "pending"}
            return [chunk for chunk in living if (chunk.id, chunk.text) not in pending]
        embedded = {(chunk.id, chunk.text) for chunk in stored if chunk.state == "embedded"}
        return [chunk for chunk in living if (chunk.id, chunk.text) in embedded]

    def _windows(self, note: Note, chunks: Sequence[Chunk]) -> Sequence[Window]:
        return windows_of(chunks, note.title, self._embedder)


def _by_words(chunks: Sequence[Chunk]) -> list[Chunk]:
    """Return the chunks of a literal base: they are complete without vectors."""
    return [replace(chunk, state="embedded") if chunk.state == "pending" else chunk for chunk in chunks]


def with_own_fields(note: Note, stored: Note) -> Note:
    """Return a note as its file is now, with the fields that a person set over those of the file."""
    own = {name: getattr(stored, name) for name in stored.overridden}
    return replace(note, overridden={name: getattr(note, name) for name in own}, **own)


def cut_by(options: ChunkingOptions, fingerprint: str) -> str:
    """Return the text that identifies, in a note's row, a cut by these options and the tokens of an embedder."""
    return json.dumps([asdict(options), fingerprint])
