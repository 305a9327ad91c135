"""Notes -> chunks -> vectors: the only write path to the index."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

from core import chunking
from core.embedding import Embedder
from core.embedding.windows import windows_of
from core.errors import EmbeddingMismatch, SourceError
from core.model import Cut, KnowledgeBase, Matrix, Note, Progress, Window, unheard
from core.store import Store
from core.store.chunks import Cutting
from core.text import digest

_GROUP = 256
"""Windows that are sorted by length together, for batches of one length waste no padding, and stored together."""
_SLICE = 32
"""Windows embedded between two looks at the cancel button."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A note to be indexed, with what tells later whether its file changed."""

    note: Note
    mtime_ns: int | None = None
    size: int | None = None


@dataclass(frozen=True, slots=True)
class Indexed:
    """What indexing did: `notes` are the ids of those stored; a failed note is left as it was."""

    notes: tuple[str, ...] = ()
    chunks: int = 0
    embedded_windows: int = 0
    failed: tuple[SourceError, ...] = ()


@dataclass(frozen=True, slots=True)
class _Cut:
    draft: Draft
    cut: Cut
    windows: Sequence[Window]


class Indexer:
    """Indexes notes of one base with its embedder; `done` tells at any moment what is stored."""

    def __init__(self, store: Store, base: KnowledgeBase, embedder: Embedder) -> None:
        self._store = store
        self._base = base
        self._embedder = embedder
        self.done = Indexed()
        self._cut_by = json.dumps([asdict(base.chunking), embedder.fingerprint])

    def index(self, drafts: Iterable[Draft], total: int, progress: Progress = unheard) -> Indexed:
        """Cut, embed and store notes in groups, each note whole or not at all.

        On Cancelled what was stored before stays. Raises ModelError where the embedder fails.
        """
        group: list[_Cut] = []
        for number, draft in enumerate(drafts):
            progress(number - len(group), total, draft.note.title)
            try:
                group.append(self._cut(draft))
            except SourceError as error:
                self._add(Indexed(failed=(error,)))
                continue
            if sum(len(cut.windows) for cut in group) >= _GROUP:
                self._store_group(group, number + 1 - len(group), total, progress)
                group = []
        self._store_group(group, total - len(group), total, progress)
        return self.done

    def _cut(self, draft: Draft) -> _Cut:
        cut = chunking.cut(draft.note, self._base.chunking, self._embedder.tokens)
        return _Cut(draft, cut, windows_of(cut.chunks, draft.note.title, self._embedder))

    def _store_group(self, group: Sequence[_Cut], done: int, total: int, progress: Progress) -> None:
        if not group:
            return
        texts = {digest(window.text): window.text for cut in group for window in cut.windows}
        known = self._store.chunks.vector_ids(self._embedder.fingerprint, texts)
        missing = sorted((key for key in texts if key not in known), key=lambda key: len(texts[key]), reverse=True)
        for at in range(0, len(missing), _SLICE):
            progress(done + len(group) * at / len(missing), total, group[0].draft.note.title)
            keys = missing[at : at + _SLICE]
            vectors = self._embedder.embed([texts[key] for key in keys], role="note")
            self._check(vectors, len(keys))
            self._store.chunks.add_vectors(self._embedder.fingerprint, keys, vectors)
        known |= self._store.chunks.vector_ids(self._embedder.fingerprint, missing)
        self._store.put(self._base, [self._cutting(cut, known) for cut in group])
        self._add(
            Indexed(tuple(cut.draft.note.id for cut in group), sum(len(cut.cut.chunks) for cut in group), len(missing))
        )

    def _cutting(self, cut: _Cut, vectors: dict[bytes, int]) -> Cutting:
        of_chunk: dict[str, list[int]] = {chunk.id: [] for chunk in cut.cut.chunks}
        for window in cut.windows:
            of_chunk[window.chunk_id].append(vectors[digest(window.text)])
        return Cutting(
            note=cut.draft.note,
            chunks=cut.cut.chunks,
            vectors=list(of_chunk.values()),
            strategy=cut.cut.strategy,
            cut_by=self._cut_by,
            mtime_ns=cut.draft.mtime_ns,
            size=cut.draft.size,
        )

    def _add(self, more: Indexed) -> None:
        self.done = Indexed(
            self.done.notes + more.notes,
            self.done.chunks + more.chunks,
            self.done.embedded_windows + more.embedded_windows,
            self.done.failed + more.failed,
        )

    def _check(self, vectors: Matrix, count: int) -> None:
        if vectors.shape != (count, self._base.dimension):
            raise EmbeddingMismatch(
                f"The model of the base '{self._base.name}' gave vectors of shape {vectors.shape}, where"
                f" {(count, self._base.dimension)} was due. Import into a new base to use this model."
            )
