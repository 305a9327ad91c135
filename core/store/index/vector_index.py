"""The workspace's vector index. It is updated from SQLite when opened, and rebuilt if damaged.

While the index is closed or being rebuilt, searches compare the question with every vector in SQLite. This is slower,
but exact.
"""

import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice
from logging import getLogger
from threading import Condition, Lock, RLock, Thread

import numpy as np

from core.base.errors import IndexDamaged, StoreError, UnknownChoice
from core.base.messages import Message
from core.model import IndexState, KnowledgeBase, Matrix, Progress, no_progress
from core.store.base_table import BaseTable
from core.store.chunk_table import ChunkTable
from core.store.database import Database
from core.store.events import WriteLock
from core.store.index.chroma_process import Backend

# Number of entries to update at a time. Updating a batch takes less than a second.
_BATCH = 100
# Maximum number of queued entries per base. It is limited because a search has to compare the question with each one.
_MAX_BACKLOG = 5000


class IndexQueue:
    """A queue of entries that were written to SQLite, by base id.

    A thread passes the entries to `align`, which updates the index. An entry that changes during its update is queued
    again. If writers are faster than the index, they have to wait.
    """

    _running = False

    def __init__(self, align: Callable[[str, list[str]], None]) -> None:
        self._align = align
        self._noted: defaultdict[str, dict[str, None]] = defaultdict(dict)
        self._changed = Condition()
        # The batch being processed: the base's id and its entries.
        self._at: tuple[str, list[str]] = ("", [])

    def note(self, base_id: str, entries: Iterable[str]) -> None:
        """Queue the last transaction's entries. If the base's backlog is too long, wait until it is shorter."""
        with self._changed:
            self._noted[base_id].update(dict.fromkeys(entries))
            if self._noted[base_id] and not self._running:
                self._running = True
                Thread(target=self._run, name="index-follows", daemon=True).start()
            self._changed.wait_for(lambda: not self._running or len(self._noted[base_id]) <= _MAX_BACKLOG)

    def pending_entries(self, base_id: str) -> list[str]:
        """Return a base's entries that may not be in the index yet."""
        with self._changed:
            return [*self._noted[base_id], *(self._at[1] if self._at[0] == base_id else ())]

    def wait(self, seconds: float | None = None) -> bool:
        """Wait up to the given number of seconds for the queue to empty, and return whether it did."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._running, seconds)

    def wait_for(self, base_id: str) -> None:
        with self._changed:
            self._changed.wait_for(lambda: self._at[0] != base_id and not self._noted[base_id])

    def _run(self) -> None:
        try:
            while True:
                with self._changed:
                    base_id = next((base_id for base_id, entries in self._noted.items() if entries), "")
                    entries = self._noted[base_id]
                    batch = list(islice(entries, _BATCH))
                    for entry in batch:
                        del entries[entry]
                    self._at = (base_id, batch)
                    self._running = bool(batch)
                    self._changed.notify_all()
                if not batch:
                    break
                self._align(base_id, batch)
        finally:
            with self._changed:
                self._at = ("", [])
                self._running = False
                self._changed.notify_all()


# HNSW files never shrink. A collection is rebuilt once the number of additions per window exceeds this limit.
_CHURN = 3
# Minimum share of a collection's entries that a search for all of them must find. Undamaged graphs may miss 2 to 3%.
REACH = 0.95
# Time limit in seconds for emptying the queue before closing. Any remaining entries are added when the index is next
# opened.
_LAST_SECONDS = 60
_LOG = getLogger(__name__)


@dataclass
class Index:
    """The collections of all bases, in a single backend. Only the writing process opens the index.

    `state` says whether searches can use the index. If they can't, `problem` may say why. `_changing` is the lock for
    writing notes. In a workspace without an index, the state is always `none`, and searches compare the question with
    every vector.
    """

    _backend: Backend
    _database: Database
    _changing: WriteLock
    state: IndexState
    problem: Message | None = None

    def __post_init__(self) -> None:
        self._bases = BaseTable(self._database)
        self._chunks = ChunkTable(self._database)
        self._opening = Lock()
        # Held while collections are written or replaced. To prevent deadlocks, acquire it after `_changing`.
        self._writing = RLock()
        self._queue = IndexQueue(self._align)
        # Names of deleted collections. If a search is still running in one of these, it may fail.
        self._dropped: set[str] = set()
        # Ids of bases whose newly built graph disagrees with exact search.
        self._exact: set[str] = set()

    @staticmethod
    def name(base: KnowledgeBase) -> str:
        """Return the ASCII name of a base's collection.

        It contains the base's id, a hash of the model's fingerprint, the dimension, and the index generation.
        """
        model = sha256(base.fingerprint.encode()).hexdigest()[:10]
        return f"vectors-{base.id}-m-{model}-d{base.dimension}-g{base.index_generation}"

    @property
    def ready(self) -> bool:
        return self.state == "ready"

    # opening

    def open(self, progress: Progress = no_progress, *, heal: bool = True) -> None:
        """Open Chroma and update every collection from SQLite. Do nothing if the index is open or being opened.

        With `heal`, a damaged index is rebuilt. A failure is stored in `problem`, and the next call tries again.
        """
        # Opening blocks writers only at the end, while the entries written in the meantime are added.
        if self.state == "none" or self._database.readonly or not self._opening.acquire(blocking=False):
            return
        try:
            if not self.ready:
                try:
                    self._inspect()
                except IndexDamaged as error:
                    if not heal:
                        raise
                    _LOG.warning("Rebuilding the search index: %s", error)
                    self._renew(progress)
        except StoreError as error:
            self._fault(error)
        finally:
            self._opening.release()

    def rebuild(self, progress: Progress = no_progress) -> None:
        """Rebuild every collection from the vectors in SQLite. No model is needed. Raises StoreError on failure."""
        if self.state == "none":
            return
        with self._opening:
            try:
                self._renew(progress)
            except StoreError as error:
                self._fault(error)
                raise

    def close(self) -> None:
        """Close Chroma, and seal the index if it is undamaged and has no queued entries."""
        with self._opening:
            if self.state not in ("closed", "none"):
                followed = self._queue.wait(_LAST_SECONDS)
                with suppress(StoreError), self._writing:
                    self._backend.close(sealed=self.ready and followed)
                self.state = "closed"

    # use

    def nearest(self, base: KnowledgeBase, query: Matrix, count: int) -> dict[str, float] | None:
        """Return the entries nearest to the query, with their cosines.

        Entries that aren't in the index yet are all included. Return None if the index can't be used for this base at
        the moment.
        """
        if not self.ready or base.id in self._exact:
            return None
        name = self.name(base)
        backlog = self._queue.pending_entries(base.id)
        try:
            nearest = self._backend.search(name, query, count)
        except StoreError as error:
            if name not in self._dropped:
                self._fault(error)
            return None
        entries, vectors = self._chunks.vectors(base, backlog)
        return nearest | dict(zip(entries, (vectors @ query).tolist(), strict=True))

    def follow(self, base: KnowledgeBase, ids: Sequence[str]) -> None:
        """Queue entries. A thread then adds or removes them, so that the index matches SQLite."""
        if self.ready:
            self._queue.note(base.id, ids)

    def build(self, base: KnowledgeBase) -> None:
        self._write(lambda: self._build(self._backend, base))

    def drop(self, base: KnowledgeBase) -> None:
        """Delete a base's collection, which must no longer be in use."""
        self._dropped.add(self.name(base))
        self._write(lambda: self._backend.drop(self.name(base)))

    def ids(self, base: KnowledgeBase) -> set[str]:
        """Return the ids of a base's entries in the index. Raises IndexDamaged if they can't be read."""
        self._queue.wait_for(base.id)
        return set() if self.state == "none" else self._backend.ids(self.name(base))

    def _write(self, write: Callable[[], object]) -> None:
        """Write to the index if it is ready. Otherwise, the missing data is written when the index is next opened.

        A failure is stored in `problem`.
        """
        if self.ready:
            try:
                with self._writing:
                    write()
            except StoreError as error:
                self._fault(error)

    def _align(self, base_id: str, ids: list[str]) -> None:
        """Add the given entries if they are used by any window in the base, and remove them otherwise."""

        def write() -> None:
            with suppress(UnknownChoice):  # the base was deleted
                base = self._bases.by_id(base_id)
                unused = set(self._chunks.unused_entries(base, ids))
                self._backend.remove(self.name(base), sorted(unused))
                self._backend.add(
                    self.name(base), *self._chunks.vectors(base, [key for key in ids if key not in unused])
                )

        self._write(write)

    def _fault(self, error: StoreError) -> None:
        _LOG.warning("The search index is out of use: %s", error)
        self.state = "damaged"
        self.problem = error.message

    # opening

    def _inspect(self) -> None:
        """Open the backend, update its collections, and rebuild any that are damaged or have grown too large."""
        sound = self._backend.open()
        self.state = "opening"
        version = self._database.version()
        names = self._backend.names()
        for base in self._bases.all():
            with self._database.read():  # a snapshot, because notes may be written at the same time
                name = self.name(base)
                good = name in names and self._bases.index_added(base) <= _CHURN * max(
                    self._chunks.count(base).windows, 1000
                )
                if good:
                    self._reconcile(self._backend, base, compare=not sound)
                    good = (sound or self._backend.reach(name) >= REACH) and self._agrees(self._backend, base)
            if not good:
                _LOG.info("Rebuilding the index of a base")
                self._renew_base(self._backend, base)
        self._begin(version)

    def _renew(self, progress: Progress) -> None:
        """Build all collections in an empty backend, and then replace the current backend's contents with them."""
        fresh = self._backend.rebuild_backend()
        if not self.ready:
            self.state = "building"
        fresh.open(empty=True)
        version = self._database.version()
        bases = self._bases.all()
        total = sum(self._chunks.count(base).windows for base in bases)
        done = 0
        for base in bases:
            done = self._renew_base(fresh, base, progress, done, total)
        with self._changing:
            self.state = "building"
            if self._database.version() != version:
                self._complete(fresh)
            with self._writing:
                self._backend.take_over(fresh)
                self._backend.open()
                self._begin(self._database.version())

    def _renew_base(
        self, backend: Backend, base: KnowledgeBase, progress: Progress = no_progress, done: int = 0, total: int = 0
    ) -> int:
        """Build a base's collection from a single snapshot, and check the collection.

        Return the number of entries processed so far, which is `done` plus the base's entries.
        """
        self._bases.count_index_added(base, None)
        with self._database.read():
            done = self._build(backend, base, progress, done, total)
            agrees = self._agrees(backend, base)
        if agrees:
            self._exact.discard(base.id)
        else:
            # If a base's new graph disagrees with exact search, search the base exactly from now on.
            self._exact.add(base.id)
            _LOG.warning("The base '%s' is searched exactly: its graph misses too many near vectors", base.name)
        return done

    def _begin(self, version: int) -> None:
        """Update the collections if the database is newer than `version`, delete unused ones, and set `ready`."""
        with self._changing:
            if self._database.version() != version:
                self._complete(self._backend)
            for name in self._backend.names() - {self.name(base) for base in self._bases.all()}:
                self._backend.drop(name)
            self.state = "ready"
            self.problem = None
            _LOG.info("The search index is in use")

    def _complete(self, backend: Backend) -> None:
        """Bring the collections up to date with notes written while they were being built."""
        names = backend.names()
        for base in self._bases.all():
            if self.name(base) in names:
                self._reconcile(backend, base)
            else:
                self._build(backend, base)

    def _build(
        self, backend: Backend, base: KnowledgeBase, progress: Progress = no_progress, done: int = 0, total: int = 0
    ) -> int:
        """Create and fill a base's collection. Return `done` plus the number of the base's entries."""
        name = self.name(base)
        backend.drop(name)
        backend.create(name)
        for ids, vectors in self._chunks.windows(base):
            backend.add(name, ids, vectors)
            done += len(ids)
            progress(done, total, "")
        return done

    def _reconcile(self, backend: Backend, base: KnowledgeBase, *, compare: bool = False) -> None:
        """Add missing entries to a collection, and remove stale ones.

        With `compare`, raise IndexDamaged if an entry differs from its vector in SQLite.
        """
        name = self.name(base)
        present = backend.ids(name)
        expected = set()
        for ids, vectors in self._chunks.windows(base):
            expected.update(ids)
            if compare:
                entries = backend.vectors(name, [key for key in ids if key in present])
                for key, vector in zip(ids, vectors, strict=True):
                    if key in entries and not np.allclose(entries[key], vector, atol=_NEARLY):
                        raise IndexDamaged("The search index differs from the stored notes.")
            missing = [number for number, key in enumerate(ids) if key not in present]
            backend.add(name, [ids[number] for number in missing], vectors[missing])
        backend.remove(name, sorted(present - expected))

    def _agrees(self, backend: Backend, base: KnowledgeBase) -> bool:
        """Return whether index searches for a few stored vectors find hits as near as those of an exact search."""
        questions = _sample(self._chunks.windows(base))
        if not len(questions):
            return True
        cosines = np.concatenate([_cosines(questions, vectors) for _, vectors in self._chunks.windows(base)], axis=1)
        exact = -np.sort(-cosines, axis=1)[:, :_NEAREST]
        hits = [backend.search(self.name(base), question, _NEAREST).values() for question in questions]
        right = sum(
            score >= nearest[-1] - _NEARLY for scores, nearest in zip(hits, exact, strict=True) for score in scores
        )
        return bool(right >= _AGREEMENT * exact.size)


# Checks that compare the index with SQLite and with exact search.

# Number of sample vectors to search for when opening the index, number of hits per vector, and minimum share of hits
# that are as near as those of exact search.
_QUESTIONS = 12
_NEAREST = 10
_AGREEMENT = 0.95
# Maximum rounding difference between two cosines.
_NEARLY = 1e-3


def _sample(windows: Iterable[tuple[list[str], Matrix]]) -> Matrix:
    """Return a random sample of vectors (reservoir sampling), different each time the index is opened."""
    sample = []
    for number, vector in enumerate(vector for _, vectors in windows for vector in vectors):
        if number < _QUESTIONS:
            sample.append(vector)
        elif (place := random.randrange(number + 1)) < _QUESTIONS:
            sample[place] = vector
    return np.array(sample, np.float32)


def _cosines(questions: Matrix, vectors: Matrix) -> Matrix:
    """Return the cosine between each question and each vector, or 0 for a zero vector."""
    lengths = np.linalg.norm(questions, axis=1)[:, None] * np.linalg.norm(vectors, axis=1)
    return np.asarray(questions @ vectors.T / np.where(lengths, lengths, 1), np.float32)
