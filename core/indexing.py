"""Notes -> chunks -> vectors: the only write path to the index."""

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial

from core import chunking
from core.anchors import follow
from core.edits import apply
from core.embedding import Embedder, tokens
from core.embedding.windows import windows_of
from core.errors import EmbeddingMismatch, NoteNotFound, SourceError
from core.model import Bits, Chunk, ChunkingOptions, Edit, KnowledgeBase, Matrix, Note, Progress, Window, unheard
from core.store import Store
from core.store.chunks import Cutting
from core.text import digest

_GROUP = 128
"""Windows that are sorted by length together, for batches of one length waste no padding, and stored together."""
_SLICE = 32
_SLICE_CHARACTERS = 100_000
"""Windows, and their characters, embedded between two looks at the cancel button."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A note as its file is now, to be indexed, with what tells later whether the file changed."""

    note: Note
    mtime_ns: int | None = None
    size: int | None = None


@dataclass(frozen=True, slots=True)
class Indexed:
    """What indexing did: `notes` are the ids of those stored; a failed note is left as it was.

    `flagged` edits lost their place.
    """

    notes: tuple[str, ...] = ()
    chunks: int = 0
    embedded_windows: int = 0
    flagged: int = 0
    failed: tuple[SourceError, ...] = ()


@dataclass(frozen=True, slots=True)
class _Cut:
    """A note that is cut but not embedded; `again` makes it anew from what the store has by then."""

    cutting: Cutting
    windows: Sequence[Window]
    flagged: int
    again: Callable[[], "_Cut"]


def centre_of(store: Store, embedder: tokens.TokenEmbedder) -> Matrix:
    """Return what the bits of a model's tokens are taken against in this workspace, settled at the first asking."""
    centre = store.encoded.centre(embedder.fingerprint)
    if centre is None:
        centre = tokens.centre(embedder)
        if not store.readonly:
            centre = store.encoded.settle_centre(embedder.fingerprint, centre)
    return centre


class Indexer:
    """Indexes notes of one base with its embedder; `done` tells at any moment what is stored.

    A note is whole or as it was. One that another thread changed since it was cut is cut again
    before it is written, so that no edit is lost. With `keep_ready` only what waited
    waits afterwards, in a base that embeds when told too. On Cancelled what was stored
    before stays; raises ModelError or ProviderError where the embedder fails, and EmbeddingMismatch
    where the base went over to another one.
    """

    def __init__(self, store: Store, base: KnowledgeBase, embedder: Embedder, *, keep_ready: bool = False) -> None:
        self._store = store
        self._base = base
        self._embedder = embedder
        self._keep_ready = keep_ready
        self._tokens = tokens.of(embedder) if base.keep_tokens else None
        self.done = Indexed()

    def index(self, drafts: Iterable[Draft], total: int, progress: Progress = unheard) -> Indexed:
        """Cut, embed and store notes as their files are, under the edits they have."""
        tasks = ((draft.note.title, partial(self._read, draft)) for draft in drafts)
        return self._run(tasks, total, progress, self._store_group)

    def recut(
        self,
        note_ids: Sequence[str],
        progress: Progress = unheard,
        *,
        options: ChunkingOptions | None = None,
        edits: Sequence[Edit] | None = None,
    ) -> Indexed:
        """Cut, embed and store notes that are stored; those deleted meanwhile are left out.

        `options` become the notes' own; `edits` take the place of those they have.
        """
        tasks = ((self._title(note_id), partial(self._reread, note_id, options, edits)) for note_id in note_ids)
        return self._run(tasks, len(note_ids), progress, self._store_group)

    def embed(self, chosen: Mapping[str, Collection[str]], progress: Progress = unheard) -> Indexed:
        """Embed those chunks of notes, by the note's id, that are pending; nothing is cut."""
        tasks = ((self._title(note_id), partial(self._waiting, note_id, chunks)) for note_id, chunks in chosen.items())
        return self._run(tasks, len(chosen), progress, self._store_group)

    def prepare(self, note_ids: Sequence[str], progress: Progress = unheard) -> int:
        """Embed what cutting notes anew needs, changing none, and return how many windows that were."""
        tasks = ((self._title(note_id), partial(self._reread, note_id, None, None)) for note_id in note_ids)
        self._run(tasks, len(note_ids), progress, self._prepare_group)
        return self.done.embedded_windows

    def missing(self, note_id: str) -> tuple[int, dict[bytes, str]]:
        """Return how many windows a note has when it is cut anew, and those that `prepare` must embed, by hash."""
        windows = self._reread(note_id, None, None).windows
        texts = {digest(window.text): window.text for window in windows}
        known = self._known(texts)
        return len(windows), {key: text for key, text in texts.items() if key not in known}

    def recuttings(self, note_ids: Sequence[str], progress: Progress = unheard) -> Iterator[Cutting]:
        """Yield notes cut anew, to be written; what `prepare` didn't embed is embedded now."""
        for number, note_id in enumerate(note_ids):
            cut = self._reread(note_id, None, None)
            progress(number, len(note_ids), cut.cutting.note.title)
            yield _with_vectors(cut, self._vectors([cut], lambda share: None)[0])

    def cut_by(self, options: ChunkingOptions) -> str:
        """Return what a note's row says that was cut by these options."""
        return json.dumps([asdict(options), self._embedder.fingerprint])

    # cutting

    def _read(self, draft: Draft) -> _Cut:
        note = draft.note
        # First of all: whatever changes after it makes this cut one to be made again.
        generation = self._store.notes.generation(note.id)
        edits: Sequence[Edit] = self._store.edits.of_note(note.id)
        if edits and generation:
            edits = follow(edits, self._store.notes.note(note.id).body, note.body)
        return self._cut(
            replace(draft, note=replace(note, generation=generation + 1)),
            edits,
            self._store.notes.options(note.id),
            partial(self._read, draft),
        )

    def _reread(self, note_id: str, options: ChunkingOptions | None, edits: Sequence[Edit] | None) -> _Cut:
        note = self._store.notes.note(note_id)
        row = self._store.notes.indexed_as(note_id)
        return self._cut(
            Draft(replace(note, generation=note.generation + 1), row["mtime_ns"], row["size"]),
            self._store.edits.of_note(note_id) if edits is None else edits,
            options or self._store.notes.options(note_id),
            partial(self._reread, note_id, options, edits),
        )

    def _waiting(self, note_id: str, chosen: Collection[str]) -> _Cut:
        note = self._store.notes.note(note_id)
        row = self._store.notes.indexed_as(note_id)
        chunks = self._store.chunks.of_note(note_id)
        cutting = Cutting(
            note=replace(note, generation=note.generation + 1),
            chunks=chunks,
            vectors=(),
            strategy=row["strategy"],
            cut_by=row["cut_by"],
            mtime_ns=row["mtime_ns"],
            size=row["size"],
            options=self._store.notes.options(note_id),
        )
        embedded = [chunk for chunk in chunks if chunk.state == "embedded" or _waits(chunk, chosen)]
        return self._windowed(cutting, embedded, 0, partial(self._waiting, note_id, chosen))

    def _cut(self, draft: Draft, edits: Sequence[Edit], own: ChunkingOptions | None, again: Callable[[], _Cut]) -> _Cut:
        note = draft.note
        options = own or self._base.chunking
        cut = chunking.cut(note, options, self._embedder.tokens)
        applied = apply(note, cut.chunks, edits, self._embedder.tokens)
        cutting = Cutting(
            note=note,
            chunks=applied.chunks,
            vectors=(),
            strategy=cut.strategy,
            cut_by=self.cut_by(options),
            mtime_ns=draft.mtime_ns,
            size=draft.size,
            edits=applied.edits,
            options=None if own == self._base.chunking else own,
        )
        lost = sum(now.flagged and not was.flagged for now, was in zip(applied.edits, edits, strict=True))
        return self._windowed(cutting, self._to_embed(applied.chunks), lost, again)

    def _to_embed(self, chunks: Sequence[Chunk]) -> list[Chunk]:
        """All that may be found; in a base that embeds when told, what was embedded and is still the same."""
        living = [chunk for chunk in chunks if chunk.state != "deleted"]
        if self._base.embed_at_once or not living:
            return living
        stored = self._store.chunks.of_note(living[0].note_id)
        if self._keep_ready:
            waiting = {(chunk.id, chunk.text) for chunk in stored if chunk.state == "pending"}
            return [chunk for chunk in living if (chunk.id, chunk.text) not in waiting]
        embedded = {(chunk.id, chunk.text) for chunk in stored if chunk.state == "embedded"}
        return [chunk for chunk in living if (chunk.id, chunk.text) in embedded]

    def _windowed(self, cutting: Cutting, embedded: Sequence[Chunk], lost: int, again: Callable[[], _Cut]) -> _Cut:
        return _Cut(cutting, windows_of(embedded, cutting.note.title, self._embedder), lost, again)

    def _title(self, note_id: str) -> str:
        card = self._store.notes.cards_of([note_id]).get(note_id)
        return card.title if card else ""

    # storing

    def _run(
        self,
        tasks: Iterable[tuple[str, Callable[[], _Cut]]],
        total: int,
        progress: Progress,
        finish: Callable[[Sequence[_Cut], Callable[[float], None]], None],
    ) -> Indexed:
        self._store.open_index()
        group: list[_Cut] = []
        windows = 0
        for number, (title, cut) in enumerate(tasks):
            progress(number - len(group), total, title)
            try:
                group.append(cut())
            except SourceError as error:
                self._add(Indexed(failed=(error,)))
                continue
            except NoteNotFound:
                continue
            windows += len(group[-1].windows)
            if max(windows, len(group)) >= _GROUP:
                finish(group, _telling(group, number + 1 - len(group), total, progress))
                group, windows = [], 0
        if group:
            finish(group, _telling(group, total - len(group), total, progress))
        return self.done

    def _prepare_group(self, group: Sequence[_Cut], told: Callable[[float], None]) -> None:
        self._add(Indexed(embedded_windows=self._vectors(group, told)[1]))

    def _store_group(self, group: Sequence[_Cut], told: Callable[[float], None]) -> None:
        _, embedded = self._vectors(group, told)
        with self._store.changing:
            self._check_base()
            current = [fresh for cut in group if (fresh := self._current(cut)) is not None]
            # Seldom more than a look: a note was changed meanwhile, or one deleted took its vectors along.
            vectors, more = self._vectors(current, told)
            self._store.put(self._base, [_with_vectors(cut, vectors) for cut in current])
        self._add(
            Indexed(
                tuple(cut.cutting.note.id for cut in current),
                sum(len(cut.cutting.chunks) for cut in current),
                embedded + more,
                sum(cut.flagged for cut in current),
            )
        )

    def _current(self, cut: _Cut) -> _Cut | None:
        note = cut.cutting.note
        if self._store.notes.generation(note.id) == note.generation - 1:
            return cut
        try:
            return cut.again()
        except NoteNotFound:
            return None

    def _vectors(self, group: Sequence[_Cut], told: Callable[[float], None]) -> tuple[dict[bytes, int], int]:
        """Embed what is not embedded yet; return all vectors' ids by the hash of their text, and how many are new."""
        texts = {digest(window.text): window.text for cut in group for window in cut.windows}
        known = self._known(texts)
        missing = sorted((key for key in texts if key not in known), key=lambda key: len(texts[key]), reverse=True)
        for at, keys in _sliced(missing, texts):
            told(at / len(missing))
            vectors, bits = self._encode([texts[key] for key in keys])
            self._check(vectors, len(keys))
            self._store.encoded.add(self._embedder.fingerprint, keys, vectors, bits)
        return known | self._known(missing), len(missing)

    def _known(self, hashes: Iterable[bytes]) -> dict[bytes, int]:
        return self._store.encoded.ids(self._embedder.fingerprint, hashes, with_bits=self._tokens is not None)

    def _encode(self, texts: Sequence[str]) -> tuple[Matrix, list[Bits] | None]:
        if self._tokens is None:
            return self._embedder.embed(texts, role="note"), None
        centre = centre_of(self._store, self._tokens)
        vectors, found = self._tokens.embed_tokens(texts, role="note")
        return vectors, [tokens.signs(rows, centre) for rows in found]

    def _add(self, more: Indexed) -> None:
        self.done = Indexed(
            self.done.notes + more.notes,
            self.done.chunks + more.chunks,
            self.done.embedded_windows + more.embedded_windows,
            self.done.flagged + more.flagged,
            self.done.failed + more.failed,
        )

    def _check_base(self) -> None:
        if self._store.notes.base(self._base.name).fingerprint != self._base.fingerprint:
            raise EmbeddingMismatch(
                f"The base '{self._base.name}' went over to another model meanwhile. What was stored before stays:"
                " do the rest again."
            )

    def _check(self, vectors: Matrix, count: int) -> None:
        if vectors.shape != (count, self._base.dimension):
            raise EmbeddingMismatch(
                f"The model of the base '{self._base.name}' gave vectors of shape {vectors.shape}, where"
                f" {(count, self._base.dimension)} was due. Import into a new base to use this model."
            )


def _sliced(keys: Sequence[bytes], texts: Mapping[bytes, str]) -> Iterator[tuple[int, Sequence[bytes]]]:
    """Yield a few texts at a time, fewer of long ones, for the vectors of all their tokens are held together."""
    at = 0
    while at < len(keys):
        count = max(1, min(_SLICE, _SLICE_CHARACTERS // max(1, len(texts[keys[at]]))))
        yield at, keys[at : at + count]
        at += count


def _telling(group: Sequence[_Cut], done: int, total: int, progress: Progress) -> Callable[[float], None]:
    def told(share: float) -> None:
        progress(done + len(group) * share, total, group[0].cutting.note.title)

    return told


def _waits(chunk: Chunk, chosen: Collection[str]) -> bool:
    return chunk.state == "pending" and chunk.id in chosen


def _with_vectors(cut: _Cut, vectors: Mapping[bytes, int]) -> Cutting:
    of_chunk: dict[str, list[int]] = {chunk.id: [] for chunk in cut.cutting.chunks}
    for window in cut.windows:
        of_chunk[window.chunk_id].append(vectors[digest(window.text)])
    return replace(cut.cutting, vectors=list(of_chunk.values()))
