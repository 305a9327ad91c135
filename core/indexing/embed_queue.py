"""Embed pending chunks. Each distinct text is embedded only once, and texts that a model refuses are recorded."""

import logging
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import Generic, NamedTuple, TypeVar

import numpy as np

from core import embedding
from core.base.call_log import log_bases, log_call
from core.base.errors import (
    EmbeddingMismatch,
    ModelError,
    NoteNotFound,
    ProviderError,
    ProviderUnavailable,
    TesseraError,
)
from core.base.messages import Message, message
from core.base.text import digest
from core.base.threads import DaemonPool
from core.base.worker_process import ProcessEnded
from core.embedding import Embedder, batch_size, centring, shipped, tokens
from core.embedding.windows import windows_of
from core.indexing.embedding_process import NoteEmbedder, NoteVectors
from core.indexing.models import Models, centre_of
from core.model import KnowledgeBase, Progress, RefusedChunk, no_progress
from core.store import Store
from core.store.pending_table import PER_CHUNK, PendingChunk
from core.store.table import NoteIds

_LOG = logging.getLogger(__name__)

T = TypeVar("T")

# Maximum number of windows, and of their characters, to embed between two progress reports. A job can be stopped at
# each report. A model on a server gets full requests instead, because each request may have to wait its turn there.
_SLICE = 16
_SLICE_CHARACTERS = 100_000
# Text accepted by every working model.
_PLAIN = "a"
# HTTP status returned by a server that is too busy for more requests.
_BUSY = 429

# Texts to embed, keyed by hash.
Texts = Mapping[bytes, str]


class VectorLookup(NamedTuple):
    """The ids of stored vectors, and of refusals for texts without a vector, keyed by text hash."""

    vectors: Mapping[bytes, int]
    refused: Mapping[bytes, int]

    def missing_texts(self, texts: Texts) -> dict[bytes, str]:
        """Return the texts that still have to be embedded."""
        return {key: text for key, text in texts.items() if key not in self.vectors and key not in self.refused}


@dataclass
class Vectors:
    """Computes and looks up vectors from a base's embedder, with token bits if the base keeps them."""

    _store: Store
    _base: KnowledgeBase
    _embedder: Embedder

    _size = 0

    def __post_init__(self) -> None:
        self._tokens = tokens.token_embedder(self._embedder) if self._base.keep_tokens else None
        self._slice = batch_size(self._embedder) or _SLICE

    def lookup(self, hashes: Collection[bytes]) -> VectorLookup:
        """Return the ids of the stored vectors and refusals for the given text hashes."""
        vectors = self._store.vectors.ids(self._base.fingerprint, hashes, with_bits=self._tokens is not None)
        return VectorLookup(vectors, self._store.refusals.ids(self._base.fingerprint, {*hashes} - vectors.keys()))

    def embed(self, texts: Texts) -> Generator[Sequence[bytes]]:
        """Embed and store a few texts at a time, and yield their hashes.

        If the model refuses a text, the refusal is stored. Texts of similar length are embedded together, which keeps
        padding small. Raises ModelError or ProviderError if the model currently accepts no text at all, and
        EmbeddingMismatch if the vectors' dimension isn't the base's.
        """
        if texts and not self._store.vectors.centring_settled(self._embedder.fingerprint):
            self._store.settle_centring(self._embedder.fingerprint, centring.load_centring(self._embedder))
        ready = shipped.find(self._embedder.fingerprint, texts)
        # Bits with different centres can't be compared.
        if ready and (
            not self._tokens or np.array_equal(centre_of(self._store, self._tokens), tokens.centre(self._tokens))
        ):
            self._store.vectors.add(
                self._base.fingerprint, ready.keys, ready.vectors, ready.bits if self._tokens else None
            )
            yield ready.keys
            texts = {key: text for key, text in texts.items() if key not in {*ready.keys}}
        if not texts:
            return
        centre = centre_of(self._store, self._tokens) if self._tokens else None
        self._size += sum(len(text.encode(errors="replace")) for text in texts.values())
        notes = NoteEmbedder(self._base.embedder, self._embedder, centre, size=self._size)
        left = sorted(texts, key=lambda key: len(texts[key]), reverse=True)
        with DaemonPool(1, "embed") as pool:
            asked = []
            while left:
                # A slice's token vectors are all in memory at once, so a slice has fewer texts if they are long.
                count = max(1, min(self._slice, _SLICE_CHARACTERS // max(1, len(texts[left[0]]))))
                keys = left[:count]
                left = left[count:]
                asked.append((keys, pool.submit(partial(notes.embed, [texts[key] for key in keys]))))
                if len(asked) > 1:  # the model keeps working while a reply is stored
                    keys, reply = asked.pop(0)
                    yield from self._store_vectors(notes, keys, reply.result, texts)
            for keys, reply in asked:
                yield from self._store_vectors(notes, keys, reply.result, texts)

    def check_base(self) -> None:
        """Raise EmbeddingMismatch if the base has switched to another embedder in the meantime."""
        if self._store.bases.by_id(self._base.id).fingerprint != self._base.fingerprint:
            raise EmbeddingMismatch(
                (
                    "The model of the base '{base}' was changed in the meantime. What was stored so far is "
                    "kept. Start again to process the rest."
                ),
                base=self._base.name,
            )

    def _store_vectors(
        self,
        notes: NoteEmbedder,
        keys: Sequence[bytes],
        embed: Callable[[], NoteVectors],
        texts: Texts,
        *,
        again: bool = False,
    ) -> Iterator[Sequence[bytes]]:
        """Store the vectors of the given texts. If the model refuses them, retry each half, down to single texts."""
        count = len(keys)
        try:
            vectors, bits = embed()
        except (ModelError, ProviderError) as error:
            if isinstance(error, ProviderUnavailable) and error.status in (None, _BUSY):
                raise  # the server is unreachable or busy, so the text isn't the cause
            parts = [keys[: count // 2], keys[count // 2 :]]
            if count == 1:
                notes.embed([_PLAIN])
                # If the process ended, try once more: the text may not be the cause.
                parts = [keys] if isinstance(error.__cause__, ProcessEnded) and not again else []
            for part in parts:
                embed = partial(notes.embed, [texts[key] for key in part])
                yield from self._store_vectors(notes, part, embed, texts, again=count == 1)
            if not parts:
                self._store.refusals.add(self._base.fingerprint, keys[0], error.message)
            return
        if len(vectors) != count:
            raise ModelError(
                "The model '{name}' returned {n} results for {due} texts. Update the model or its package, or choose "
                "another model.",
                name=self._base.embedder,
                n=len(vectors),
                due=count,
            )
        if vectors.shape[1:] != (self._base.dimension,):
            raise EmbeddingMismatch(
                (
                    "The model of the base '{base}' returned {n} numbers per text instead of {due}, so it is "
                    "a different model than before. To use this model, import the notes into a new base."
                ),
                base=self._base.name,
                n=vectors.size // count,
                due=self._base.dimension,
            )
        self._store.vectors.add(self._base.fingerprint, keys, vectors, bits)
        yield keys


# Errors raised if embedding fails. Notes can still be searched by words afterwards.
FAILURES = (ModelError, ProviderError, EmbeddingMismatch)

# Number of chunks to select and sort by length at a time. With 128, 2.7 % of the model's work is padding; with 256, it
# would be 1.6 %. For a model on a server, blocks are rounded down to full requests.
_BLOCK = 128
_COUNTING = 0.05


def are_few(chunks: Collection[str]) -> bool:
    """Return whether the chunks are so few that they are embedded before any other chunks."""
    return len(chunks) <= _BLOCK


@dataclass
class Counted(Generic[T]):
    """The cached result of a counting function. Counting takes up at most a share of `_COUNTING` of the total time."""

    _count: Callable[[], T]
    _due: float = 0.0

    def get(self) -> T:
        """Return the last count, or count again if a new count is due."""
        if (started := time.monotonic()) >= self._due:
            self._last = self._count()
            self._due = started + (time.monotonic() - started) / _COUNTING
        return self._last


class EmbedQueue:
    """The queue of pending chunks in some bases. With `only`, just the chunks with those ids are in the queue.

    `chunks` counts the chunks that got their vectors, and `windows` the texts embedded for them. `embedder_of` returns
    a base's embedder. Only one thread at a time embeds chunks. Queues with just a few chunks in `only` go first.
    """

    chunks = windows = _done = 0

    def __init__(
        self,
        store: Store,
        embedder_of: Callable[[KnowledgeBase], Embedder],
        bases: Sequence[KnowledgeBase],
        only: Collection[str] | None = None,
    ) -> None:
        self._store = store
        self._embedder_of = embedder_of
        self._bases = {base.id: base for base in bases}
        self._only = only
        self._vectors: dict[str, Vectors] = {}
        self._counted = Counted(self._count)
        self._is_urgent = only is not None and are_few(only)

    def embed(self, progress: Progress = no_progress) -> None:
        """Embed the chunks until none are left.

        Chunks are committed every few seconds, and committed chunks are kept after Cancelled. If embedding a base fails
        with one of FAILURES, all other bases are completed before the first such error is raised.
        """
        self._store.index.open()
        left = {base_id: _block(base) for base_id, base in self._bases.items()}
        failure = None
        while True:
            with self._store.pending.turn.take(lambda: self._report(progress), first=self._is_urgent):
                if not (block := self._store.pending.next(left, self._only)):
                    break
                self._report(progress)
                base = self._bases[block[0].base_id]
                try:
                    self._embed(base, block, progress)
                except FAILURES as error:
                    failure = failure or error
                    del left[base.id]
        if failure:
            raise failure
        self._store.drop_unused_vectors()

    def _embed(self, base: KnowledgeBase, block: Sequence[PendingChunk], progress: Progress) -> None:
        """Embed a group of a base's chunks, longest first.

        Stop early if the user opens a note, or if a more urgent queue is waiting.
        """
        embedder = self._embedder_of(base)
        store = self._store
        queue = store.pending
        opened = queue.opened
        turn = queue.turn
        vectors = self._vectors.setdefault(base.id, Vectors(store, base, embedder))
        left = {pending.chunk.id: pending for pending in block}
        texts = {}
        windows = defaultdict(list)
        for title, chunks in groupby(block, key=lambda pending: pending.title):
            for window in windows_of([pending.chunk for pending in chunks], title, embedder):
                key = digest(window.text)
                texts[key] = window.text
                windows[window.chunk_id].append(key)

        def link(embedded: int = 0) -> None:
            self.windows += embedded
            done = [chunk_id for chunk_id in left if computed.issuperset(windows[chunk_id])]
            if not done:
                return
            keys_of = {left.pop(chunk_id): windows[chunk_id] for chunk_id in done}
            with store.changing:
                vectors.check_base()
                ids = vectors.lookup({key for keys in keys_of.values() for key in keys}).vectors
                # Vectors not in use yet may have been deleted in the meantime.
                stored = {
                    pending: [ids[key] for key in keys] for pending, keys in keys_of.items() if ids.keys() >= {*keys}
                }
                self.chunks += store.embed(base, stored)
                self._done += sum(len(pending.chunk.text) + PER_CHUNK for pending in stored)

        known = vectors.lookup(texts)
        computed = set(known.vectors)
        link()
        with closing(vectors.embed(known.missing_texts(texts))) as stored:
            for keys in stored:
                computed.update(keys)
                link(len(keys))
                self._report(progress)
                if queue.opened != opened or (turn.urgent and not self._is_urgent):
                    break
        if left and (refused := store.refusals.ids(base.fingerprint, texts)):
            queue.refuse({left[name]: refused[key] for name in left for key in windows[name] if key in refused})

    def _report(self, progress: Progress) -> None:
        total, state = self._counted.get()
        progress(self._done, max(total, self._done), state)

    def _count(self) -> tuple[int, Message]:
        state = state_of(self._store, self._bases.values())
        return self._done + self._store.pending.work(self._bases, self._only), state


def _block(base: KnowledgeBase) -> int:
    """Return how many of a base's pending chunks to embed at a time."""
    with suppress(TesseraError):  # a model's errors are reported when it embeds
        if size := embedding.batch_size(embedding.build(base.embedder)):
            return size * max(1, _BLOCK // size)
    return _BLOCK


def state_of(store: Store, bases: Collection[KnowledgeBase], notes: int | None = None) -> Message:
    """Return a message that says how many of the bases' notes can be searched.

    `notes` is the total number of notes. By default, it is the number of stored notes.
    """
    ids = [base.id for base in bases]
    stored = store.notes.count(ids)
    numbers = {"notes": stored if notes is None else notes, "words": stored}
    if not any(base.has_vectors for base in bases):
        return message("{words} of {notes} notes can be searched", **numbers)
    return message(
        "{words} of {notes} notes can be searched by keyword, {meaning} by meaning",
        **numbers,
        meaning=stored - store.pending.count(ids).notes,
    )


@dataclass
class PendingChunks:
    """The pending and refused chunks of all bases."""

    _store: Store
    _models: Models

    def count(self, base: str) -> int:
        """Return the number of pending chunks in a base."""
        return self._store.pending.count([self._store.bases.named(base).id]).chunks

    def embed(
        self,
        base: str | None = None,
        *,
        note_ids: NoteIds = (),
        chunk_ids: Sequence[str] = (),
        refused: bool = False,
        progress: Progress = no_progress,
    ) -> int:
        """Embed the pending chunks of a base, or of the given notes and chunks. Return the number of embedded chunks.

        Chunks are embedded in the order of `PendingTable.next`, but requests for a few chunks go first. Refused chunks
        are retried if they are in `chunk_ids`. With `refused`, all of the base's refused chunks are retried. After
        Cancelled, or if the embedder fails, committed chunks are kept. Raises NoteNotFound, ChunkNotFound, ModelError,
        ProviderError and EmbeddingMismatch.
        """
        if base is not None:
            if refused:
                self._store.refusals.try_again([chunk.chunk_id for chunk in self.refused(base)])
            return self.embed_in([self._store.bases.named(base)], progress).chunks
        self._store.refusals.try_again(set(chunk_ids))
        return self.embed_in(
            [item for item, _ in by_base(self._store, [*note_ids, *map(self._store.chunks.note_of, chunk_ids)])],
            progress,
            {*chunk_ids, *self._store.pending.for_notes(note_ids)},
        ).chunks

    def embed_written(self, note_ids: NoteIds) -> None:
        """Embed the given notes' chunks in bases that embed at once. If the model fails, the chunks stay pending."""
        base_ids = {*self._store.notes.base_ids(note_ids).values()}
        bases = [base for base in self._at_once() if base.id in base_ids]
        try:
            self.embed_in(bases, no_progress, self._store.pending.for_notes(note_ids))
        except FAILURES:
            _LOG.warning("Embedding failed; for now, saved notes are found only by keyword search", exc_info=True)

    @log_call("index.embed")
    def embed_again(self, base: str, progress: Progress = no_progress) -> int:
        """Embed a whole base again after its model changed under the same name, and return the number of chunks.

        Until a chunk is embedded, it can be found only by its words. After an interruption, `embed` completes the work.
        Other bases with the same model get the new vectors for equal text too. Raises the same errors as `embed`.
        """
        self._store.forget_vectors(self._store.bases.named(base))
        return self.embed(base, progress=progress)

    def refused(self, base: str | None = None) -> list[RefusedChunk]:
        """Return the chunks whose text the model refused, in a base or in all bases, each with the reason."""
        return self._store.refusals.all(self._store.bases.all() if base is None else [self._store.bases.named(base)])

    def embed_rest(self, progress: Progress = no_progress) -> int:
        """Embed the pending chunks in bases that embed at once, such as those left by an import. Return their number.

        Cancellation and errors are handled as in `embed`.
        """
        return self.embed_in(self._at_once(), progress).chunks

    def any(self) -> bool:
        """Return whether any base that embeds at once has pending chunks."""
        return self._store.pending.any(base.id for base in self._at_once())

    @log_call("index.embed")
    def embed_in(
        self, bases: Sequence[KnowledgeBase], progress: Progress, only: Collection[str] | None = None
    ) -> EmbedQueue:
        """Embed the pending chunks in bases, and return the queue with its counts.

        With `only`, just the chunks with those ids are embedded.
        """
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
    """Return the given note ids grouped by base. Raises NoteNotFound."""
    distinct = list(dict.fromkeys(note_ids))
    bases = store.notes.base_ids(distinct)
    if missing := [note_id for note_id in distinct if note_id not in bases]:
        raise NoteNotFound(missing[0])
    return [
        (base, [note_id for note_id in distinct if bases[note_id] == base.id])
        for base in store.bases.all()
        if base.id in bases.values()
    ]
