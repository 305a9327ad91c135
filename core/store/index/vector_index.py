"""The vector index of a workspace: brought in line with SQLite at its opening, and built again where it is damaged.

While it is not open, or being built again, searches compare with every vector in SQLite: slower, and exact.
"""

import logging
import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from hashlib import sha256
from itertools import islice

from core.base.errors import IndexDamaged, StoreError, UnknownChoice
from core.base.messages import Message
from core.model import IndexState, KnowledgeBase, Matrix, Progress, no_progress
from core.store.base_table import BaseTable
from core.store.chunk_table import ChunkTable
from core.store.database import Database
from core.store.index import index_check
from core.store.index.chroma_process import Backend
from core.store.lock import WriteLock

_BATCH = 100
"""Entries that are brought in line together, in less than a second."""
_MAX_BACKLOG = 5000
"""Entries that the index of a base may lack: a search compares with each of them."""


class IndexQueue:
    """The entries of bases, by the bases' ids, that were written since the index was in line.

    `align` brings some in line with SQLite as it is then; whatever changes meanwhile is noted again. Who writes faster
    than the index can follow waits for it.
    """

    def __init__(self, align: Callable[[str, list[str]], None]) -> None:
        self._align = align
        self._noted: defaultdict[str, dict[str, None]] = defaultdict(dict)
        self._changed = threading.Condition()
        self._at: tuple[str, list[str]] = ("", [])
        """Id of the base whose entries are being brought in line, and these."""
        self._running = False

    def note(self, base_id: str, entries: Iterable[str]) -> None:
        """Queue entries that SQLite's last transaction wrote."""
        with self._changed:
            self._noted[base_id].update(dict.fromkeys(entries))
            if self._noted[base_id] and not self._running:
                self._running = True
                threading.Thread(target=self._run, name="index-follows", daemon=True).start()
            self._changed.wait_for(lambda: not self._running or len(self._noted[base_id]) <= _MAX_BACKLOG)

    def pending_entries(self, base_id: str) -> list[str]:
        """Return the entries of a base that the index may lack."""
        with self._changed:
            return [*self._noted[base_id], *(self._at[1] if self._at[0] == base_id else ())]

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until the index is in line, at most so long; return whether it is."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._running, seconds)

    def wait_for(self, base_id: str) -> None:
        """Wait until the entries of a base are in line."""
        with self._changed:
            self._changed.wait_for(lambda: self._at[0] != base_id and not self._noted[base_id])

    def _run(self) -> None:
        try:
            while batch := self._next():
                self._align(*batch)
        finally:
            with self._changed:
                self._at, self._running = ("", []), False
                self._changed.notify_all()

    def _next(self) -> tuple[str, list[str]] | None:
        with self._changed:
            base_id = next((base_id for base_id, entries in self._noted.items() if entries), "")
            entries = self._noted[base_id]
            batch = list(islice(entries, _BATCH))
            for entry in batch:
                del entries[entry]
            self._at, self._running = (base_id, batch), bool(batch)
            self._changed.notify_all()
            return self._at if batch else None


_CHURN = 3
"""HNSW files never shrink: a collection with this many additions per current window is rebuilt."""
_LAST_SECONDS = 60
"""Longest wait at the end until the index has followed; the next opening does the rest."""
REACH = 0.95
"""Least share of the entries that a search for all returns: a sound graph may miss 2 to 3 in 100."""
_LOG = logging.getLogger(__name__)


class Index:
    """The collections of all bases in one backend; only the process that may write opens it.

    `state` tells whether searches can use it, and `problem` why not. `changing` is held while a note is written. In a
    workspace without an index the state is always `none`: searches compare with every vector.
    """

    def __init__(self, backend: Backend, database: Database, changing: WriteLock, state: IndexState = "closed") -> None:
        self.state = state
        self.problem: Message | None = None
        self._backend = backend
        self._database = database
        self._bases, self._chunks = BaseTable(database), ChunkTable(database)
        self._changing = changing
        self._opening = threading.Lock()
        self._writing = threading.RLock()
        """Held while collections are written or replaced; who waits for it may hold `changing`, not the other way."""
        self._queue = IndexQueue(self._align)
        self._dropped: set[str] = set()
        """Names of dropped collections, which a running search may still use."""
        self._exact: set[str] = set()
        """Ids of the bases whose graph disagrees with exact search even when it is new."""

    @staticmethod
    def name(base: KnowledgeBase) -> str:
        """Return the ASCII name of the collection in use: base, model, dimension and index generation."""
        model = sha256(base.fingerprint.encode()).hexdigest()[:10]
        return f"vectors-{base.id}-m-{model}-d{base.dimension}-g{base.index_generation}"

    @property
    def ready(self) -> bool:
        """Whether searches use the index."""
        return self.state == "ready"

    # opening

    def open(self, progress: Progress = no_progress, *, heal: bool = True) -> None:
        """Open Chroma and bring every collection in line with SQLite; does nothing if it is open, or being opened.

        With `heal`, damage of any kind is healed by building the index again. What isn't healed is `problem`, and the
        next opening tries again.
        """
        # Who writes notes meanwhile doesn't wait: the opening waits for them, and brings in what they wrote.
        if self.state == "none" or self._database.readonly or not self._opening.acquire(blocking=False):
            return
        try:
            if not self.ready:
                self._open(progress, heal=heal)
        except StoreError as error:
            self._fault(error)
        finally:
            self._opening.release()

    def _open(self, progress: Progress, *, heal: bool) -> None:
        try:
            self._inspect()
        except IndexDamaged as error:
            if not heal:
                raise
            _LOG.warning("The search index is built again: %s", error)
            self._renew(progress)

    def rebuild(self, progress: Progress = no_progress) -> None:
        """Build every collection from SQLite's vectors, without a model; raises a StoreError if that fails."""
        if self.state == "none":
            return
        with self._opening:
            try:
                self._renew(progress)
            except StoreError as error:
                self._fault(error)
                raise

    def close(self) -> None:
        """Close Chroma. The next opening trusts the files of an index that was in use without a fault."""
        with self._opening:
            if self.state not in ("closed", "none"):
                followed = self._queue.wait(_LAST_SECONDS)
                with suppress(StoreError), self._writing:
                    self._backend.close(sealed=self.ready and followed)
                self.state = "closed"

    # use

    def nearest(self, base: KnowledgeBase, query: Matrix, count: int) -> dict[str, float] | None:
        """Return the best windows with their cosine, None while the index can't be used for this base."""
        if not self.ready or base.id in self._exact:
            return None
        name, backlog = self.name(base), self._queue.pending_entries(base.id)
        try:
            nearest = self._backend.search(name, query, count)
        except StoreError as error:
            if name not in self._dropped:
                self._fault(error)
            return None
        entries, vectors = self._chunks.vectors(base, backlog)
        return nearest | dict(zip(entries, (vectors @ query).tolist(), strict=True))

    def follow(self, base: KnowledgeBase, ids: Sequence[str]) -> None:
        """Queue entries, which the thread then adds or removes as SQLite has them."""
        if self.ready:
            self._queue.note(base.id, ids)

    def build(self, base: KnowledgeBase) -> None:
        """Make the collection of a base and fill it with the windows that SQLite has."""
        self._write(lambda: self._build(self._backend, base))

    def drop(self, base: KnowledgeBase) -> None:
        """Delete the collection of a base that is no longer in use."""
        self._dropped.add(self.name(base))
        self._write(lambda: self._backend.drop(self.name(base)))

    def ids(self, base: KnowledgeBase) -> set[str]:
        """Return the ids of a base's windows in the index; raises IndexDamaged."""
        self._queue.wait_for(base.id)
        return set() if self.state == "none" else self._backend.ids(self.name(base))

    def names(self) -> set[str]:
        """Return the names of all collections; raises IndexDamaged."""
        return set() if self.state == "none" else self._backend.names()

    def _write(self, write: Callable[[], None]) -> None:
        """Write to the index if it is in use, else its next opening does. A failure becomes `problem`."""
        if self.ready:
            try:
                with self._writing:
                    write()
            except StoreError as error:
                self._fault(error)

    def _align(self, base_id: str, ids: list[str]) -> None:
        """Add the missing entries of a base's windows, and remove the entries that no window has."""
        with self._writing, suppress(UnknownChoice):  # the base was deleted

            def write() -> None:
                base = self._bases.by_id(base_id)
                unused = set(self._chunks.unused_entries(base, ids))
                self._backend.remove(self.name(base), sorted(unused))
                self._backend.add(
                    self.name(base), *self._chunks.vectors(base, [key for key in ids if key not in unused])
                )

            self._write(write)

    def _fault(self, error: StoreError) -> None:
        _LOG.warning("The search index is out of use: %s", error)
        self.state, self.problem = "damaged", error.message

    # opening

    def _inspect(self) -> None:
        """Open the backend, complete what was written without it, build anew the collections that aren't sound."""
        sound = self._backend.open()
        self.state = "opening"
        version = self._database.version()
        names = self._backend.names()
        for base in self._bases.all():
            with self._database.read():  # as it is at one moment: notes may be written meanwhile
                good = self.name(base) in names and not self._churned(base) and self._is_sound(base, trusted=sound)
            if not good:
                _LOG.info("The index of a base is built again")
                self._renew_base(self._backend, base)
        self._begin(version)

    def _is_sound(self, base: KnowledgeBase, *, trusted: bool) -> bool:
        """Complete a collection, and return whether it answers as exact search does."""
        self._reconcile(self._backend, base, compare=not trusted)
        return (trusted or self._backend.reach(self.name(base)) >= REACH) and self._agrees(self._backend, base)

    def _renew(self, progress: Progress) -> None:
        """Build all collections in an empty place, and put it in the place of the one there is."""
        fresh = self._backend.rebuild_backend()
        self.state = self.state if self.ready else "building"
        fresh.open(empty=True)
        version, bases = self._database.version(), self._bases.all()
        total, done = sum(self._chunks.count(base).windows for base in bases), 0
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
        """Build the collection of a base from one snapshot, and check it against that; return the new `done`."""
        self._create(backend, base)
        more = 0
        with self._database.read():
            for more in self._fill(backend, base):
                progress(done + more, total, "")
            self._judge(backend, base)
        return done + more

    def _begin(self, version: int) -> None:
        """Bring in what was written since that version of the database, and put the index into use."""
        with self._changing:
            if self._database.version() != version:
                self._complete(self._backend)
            for name in self._backend.names() - {self.name(base) for base in self._bases.all()}:
                self._backend.drop(name)
            self.state, self.problem = "ready", None
            _LOG.info("The search index is in use")

    def _complete(self, backend: Backend) -> None:
        """Bring in what was written while the collections were built."""
        names = backend.names()
        for base in self._bases.all():
            if self.name(base) in names:
                self._reconcile(backend, base)
            else:
                self._build(backend, base)

    def _build(self, backend: Backend, base: KnowledgeBase) -> None:
        """Make a collection and fill it, from nothing."""
        self._create(backend, base)
        for _ in self._fill(backend, base):
            pass

    def _create(self, backend: Backend, base: KnowledgeBase) -> None:
        """Make an empty collection."""
        backend.drop(self.name(base))
        backend.create(self.name(base))
        self._bases.reset_index_added(base)

    def _fill(self, backend: Backend, base: KnowledgeBase) -> Iterator[int]:
        """Fill a collection, and yield how many windows it has so far."""
        done = 0
        for ids, vectors in self._chunks.windows(base):
            backend.add(self.name(base), ids, vectors)
            done += len(ids)
            yield done

    def _reconcile(self, backend: Backend, base: KnowledgeBase, *, compare: bool = False) -> None:
        """Add the missing windows to a collection and remove the stale ones.

        With `compare`, raises IndexDamaged where an entry isn't the vector that SQLite has.
        """
        name = self.name(base)
        present = backend.ids(name)
        expected = set()
        for ids, vectors in self._chunks.windows(base):
            expected.update(ids)
            if compare:
                index_check.compare(backend.vectors(name, [key for key in ids if key in present]), ids, vectors)
            missing = [number for number, key in enumerate(ids) if key not in present]
            backend.add(name, [ids[number] for number in missing], vectors[missing])
        backend.remove(name, sorted(present - expected))

    def _churned(self, base: KnowledgeBase) -> bool:
        added, living = self._bases.index_added(base), self._chunks.count(base).windows
        return added > _CHURN * max(living, 1000)

    # against exact search

    def _judge(self, backend: Backend, base: KnowledgeBase) -> None:
        """Switch a base to exact search if its new graph disagrees with exact search."""
        agrees = self._agrees(backend, base)
        (self._exact.discard if agrees else self._exact.add)(base.id)
        if not agrees:
            _LOG.warning("The base '%s' is searched exactly: its graph misses too many of the nearest.", base.name)

    def _agrees(self, backend: Backend, base: KnowledgeBase) -> bool:
        """Whether stored vectors that are searched for find themselves and what exact search finds."""
        return index_check.agrees(partial(self._chunks.windows, base), partial(backend.search, self.name(base)))
