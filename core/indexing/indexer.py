"""Notes -> chunks -> vectors: the only write path to the index."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from core.embedding import Embedder, tokens
from core.errors import EmbeddingMismatch, NoteNotFound, SourceError
from core.indexing.cutter import CutNote, Cutter, Draft
from core.model import Bits, ChunkingOptions, Edit, KnowledgeBase, Matrix, Progress, unheard
from core.models import centre_of, settle_centring
from core.store import Store
from core.store.cutting import Cutting
from core.text import digest

_GROUP = 128
"""Windows, or notes, that are embedded and stored together.

Windows of a group are sorted by length: equal lengths in a batch waste no padding.
"""
_SLICE = 32
_SLICE_CHARACTERS = 100_000
"""Windows, and their characters, that are embedded between two reports of progress, at which a job can be stopped."""

_Report = Callable[[float], None]
"""Takes the share of a group that is embedded."""


@dataclass(frozen=True, slots=True)
class Indexed:
    """Result of indexing. `notes`: ids that were stored. A note that fails keeps its previous state.

    `flagged` counts the edits that lost their place.
    """

    notes: tuple[str, ...] = ()
    chunks: int = 0
    embedded_windows: int = 0
    flagged: int = 0
    failed: tuple[SourceError, ...] = ()

    def __add__(self, other: "Indexed") -> "Indexed":
        return Indexed(*(getattr(self, name) + getattr(other, name) for name in Indexed.__slots__))


class Indexer:
    """Indexes notes of one base with its embedder. `done` is the result so far.

    A note is stored whole or keeps its previous state. If another thread changed a note after it was
    cut, it is cut again before it is stored, so that no edit is lost. `keep_ready`: in a base that
    doesn't embed at once, only the chunks that are pending now are pending afterwards.

    On Cancelled the notes stored before stay. Raises ModelError or ProviderError if the embedder
    fails, and EmbeddingMismatch if the base got another embedder meanwhile.
    """

    def __init__(self, store: Store, base: KnowledgeBase, embedder: Embedder, *, keep_ready: bool = False) -> None:
        self._store = store
        self._base = base
        self._embedder = embedder
        self._cutter = Cutter(store, base, embedder, keep_ready=keep_ready)
        self._tokens = tokens.of(embedder) if base.keep_tokens else None
        self.done = Indexed()

    def index(self, drafts: Iterable[Draft], total: int, progress: Progress = unheard) -> Indexed:
        """Cut, embed and store notes as their files are, under the edits they have."""
        tasks = ((draft.note.title, partial(self._cutter.cut, draft)) for draft in drafts)
        return self._run(tasks, total, progress, self._store_group)

    def recut(
        self,
        note_ids: Sequence[str],
        progress: Progress = unheard,
        *,
        options: ChunkingOptions | None = None,
        edits: Sequence[Edit] | None = None,
    ) -> Indexed:
        """Cut, embed and store stored notes; notes deleted meanwhile are left out.

        `options` become the notes' own; `edits` replace the edits they have.
        """
        tasks = ((self._title(note_id), partial(self._cutter.recut, note_id, options, edits)) for note_id in note_ids)
        return self._run(tasks, len(note_ids), progress, self._store_group)

    def embed(self, chunk_ids: Mapping[str, Collection[str]], progress: Progress = unheard) -> Indexed:
        """Embed the pending ones of some chunks, by the note's id, without cutting the notes."""
        tasks = (
            (self._title(note_id), partial(self._cutter.reuse, note_id, ids)) for note_id, ids in chunk_ids.items()
        )
        return self._run(tasks, len(chunk_ids), progress, self._store_group)

    def prepare(self, note_ids: Sequence[str], progress: Progress = unheard) -> None:
        """Embed the windows that notes will have when they are cut again, without changing the notes."""
        tasks = ((self._title(note_id), partial(self._cutter.recut, note_id)) for note_id in note_ids)
        self._run(tasks, len(note_ids), progress, self._embed_missing)

    def missing(self, note_id: str) -> tuple[int, dict[bytes, str]]:
        """Return how many windows a note will have when it is cut again, and the texts to embed by their hash."""
        windows = self._cutter.recut(note_id).windows
        texts = {digest(window.text): window.text for window in windows}
        stored = self._vector_ids(texts)
        return len(windows), {key: text for key, text in texts.items() if key not in stored}

    def recuttings(self, note_ids: Sequence[str], progress: Progress = unheard) -> Iterator[Cutting]:
        """Yield notes that are cut again, to be stored; windows that `prepare` didn't embed are embedded now."""
        for number, note_id in enumerate(note_ids):
            cut = self._cutter.recut(note_id)
            progress(number, len(note_ids), cut.cutting.note.title)
            yield cut.with_vectors(self._embed_missing([cut], lambda share: None)[0])

    def _title(self, note_id: str) -> str:
        """Return the title of a stored note, "" if it was deleted meanwhile."""
        try:
            return self._store.notes.title(note_id)
        except NoteNotFound:
            return ""

    def _run(
        self,
        tasks: Iterable[tuple[str, Callable[[], CutNote]]],
        total: int,
        progress: Progress,
        finish: Callable[[Sequence[CutNote], _Report], object],
    ) -> Indexed:
        """Run the tasks, each the title of a note and what cuts it, and finish the cut notes in groups."""
        self._store.open_index()
        group: list[CutNote] = []
        windows = 0
        for number, (title, cut) in enumerate(tasks):
            progress(number - len(group), total, title)
            try:
                group.append(cut())
            except SourceError as error:
                self.done += Indexed(failed=(error,))
                continue
            except NoteNotFound:
                continue
            windows += len(group[-1].windows)
            if max(windows, len(group)) >= _GROUP:
                finish(group, _reporter(group, number + 1 - len(group), total, progress))
                group, windows = [], 0
        if group:
            finish(group, _reporter(group, total - len(group), total, progress))
        return self.done

    def _store_group(self, group: Sequence[CutNote], report: _Report) -> None:
        _, embedded = self._embed_missing(group, report)
        with self._store.changing:
            self._check_base()
            current = [fresh for cut in group if (fresh := self._current(cut)) is not None]
            # Usually nothing is missing now, unless a note was changed, or deleted with its vectors, meanwhile.
            vectors, embedded_late = self._embed_missing(current, report)
            self._store.put(self._base, [cut.with_vectors(vectors) for cut in current])
        self.done += Indexed(
            tuple(cut.cutting.note.id for cut in current),
            sum(len(cut.cutting.chunks) for cut in current),
            embedded + embedded_late,
            sum(cut.flagged for cut in current),
        )

    def _current(self, cut: CutNote) -> CutNote | None:
        """Cut a note again if it was changed since; return None if it was deleted."""
        note = cut.cutting.note
        if self._store.notes.generation(note.id) == note.generation - 1:
            return cut
        try:
            return cut.recut()
        except NoteNotFound:
            return None

    def _embed_missing(self, group: Sequence[CutNote], report: _Report) -> tuple[dict[bytes, int], int]:
        """Embed the windows without a vector; return the ids of all vectors by their text's hash, and the new count."""
        texts = {digest(window.text): window.text for cut in group for window in cut.windows}
        stored = self._vector_ids(texts)
        missing = sorted((key for key in texts if key not in stored), key=lambda key: len(texts[key]), reverse=True)
        if missing:
            settle_centring(self._store, self._embedder)
        for at, keys in _sliced(missing, texts):
            report(at / len(missing))
            vectors, bits = self._encode([texts[key] for key in keys])
            self._check(vectors, len(keys))
            self._store.vectors.add(self._embedder.fingerprint, keys, vectors, bits)
        return stored | self._vector_ids(missing), len(missing)

    def _vector_ids(self, hashes: Iterable[bytes]) -> dict[bytes, int]:
        return self._store.vectors.ids(self._embedder.fingerprint, hashes, with_bits=self._tokens is not None)

    def _encode(self, texts: Sequence[str]) -> tuple[Matrix, list[Bits] | None]:
        if self._tokens is None:
            return self._embedder.embed(texts, role="note"), None
        centre = centre_of(self._store, self._tokens)
        vectors, token_rows = self._tokens.embed_tokens(texts, role="note")
        return vectors, [tokens.signs(rows, centre) for rows in token_rows]

    def _check_base(self) -> None:
        if self._store.bases.named(self._base.name).fingerprint != self._base.fingerprint:
            raise EmbeddingMismatch(
                "The base '{base}' changed its model meanwhile. What was stored before stays: do the rest again.",
                base=self._base.name,
            )

    def _check(self, vectors: Matrix, count: int) -> None:
        if vectors.shape != (count, self._base.dimension):
            raise EmbeddingMismatch(
                "The model of the base '{base}' gave {shape} numbers in place of {due}: it is another model than "
                "before. Import into a new base to use it.",
                base=self._base.name,
                shape=str(vectors.shape),
                due=str((count, self._base.dimension)),
            )


def _sliced(keys: Sequence[bytes], texts: Mapping[bytes, str]) -> Iterator[tuple[int, Sequence[bytes]]]:
    """Yield the position and the keys of a few texts at a time, fewer if they are long.

    The vectors of all tokens of a slice are in memory together.
    """
    at = 0
    while at < len(keys):
        count = max(1, min(_SLICE, _SLICE_CHARACTERS // max(1, len(texts[keys[at]]))))
        yield at, keys[at : at + count]
        at += count


def _reporter(group: Sequence[CutNote], done: int, total: int, progress: Progress) -> _Report:
    """Return a function that reports the share of a group that is embedded, after `done` notes."""

    def report(share: float) -> None:
        progress(done + len(group) * share, total, group[0].cutting.note.title)

    return report
