"""The truth (SQLite) and its rebuildable index (Chroma), as one thing.

A note is written in this order: its windows go into Chroma under the next generation, one SQLite
transaction makes that generation the note's own, the old windows leave Chroma. A reader sees the old
note or the new one; a kill leaves at worst ids in Chroma that no note owns, which the next opening
takes out.
"""

import json
import os
import sys
import threading
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

import numpy as np
from filelock import FileLock, Timeout

from core.errors import IndexDamaged, StoreError, WorkspaceLocked
from core.model import KnowledgeBase, Matrix, Rowids
from core.store.chunks import Chunks, Cutting, window_id
from core.store.database import Database
from core.store.edits import Edits
from core.store.encoded import Encoded
from core.store.notes import Notes
from core.store.questions import Questions
from core.store.runs import Runs
from core.store.switches import Switches
from core.store.usage import Usage
from core.store.vectors import VectorIndex

_WINDOWS = 3
"""What Chroma is asked for per chunk that is wanted: one may have several windows, and some ids are of the past."""
_WIDER = 4
"""How many times as many it is asked for where too few of those are allowed."""
_CHURN = 3
"""HNSW files never shrink: a collection with this many additions per living window is built anew."""


class Store:
    """Everything a workspace keeps. One process may write; others open it `readonly`.

    Raises WorkspaceLocked for a second writer, NewerSchema, and StoreError for a folder without a
    workspace when `readonly`.
    """

    def __init__(self, folder: Path, *, readonly: bool = False) -> None:
        self.folder = folder.resolve()
        self.readonly = readonly
        file = self.folder / "notes.db"
        if readonly and not file.exists():
            raise StoreError(f"There is no workspace in {folder} yet. Import notes first: tessera import FOLDER")
        self._lock = None if readonly else take(self.folder)
        try:
            self.database = Database(file, readonly=readonly)
        except BaseException:
            self._unlock()
            raise
        if readonly and self.database.outdated:
            self.database.close()
            Store(folder).close()
            self.database = Database(file, readonly=True)
        self.notes = Notes(self.database)
        self.chunks = Chunks(self.database)
        self.encoded = Encoded(self.database)
        self.edits = Edits(self.database)
        self.switches = Switches(self.database)
        self.usage = Usage(self.database)
        self.questions = Questions(self.database)
        self.runs = Runs(self.database)
        self.vectors = VectorIndex(self.folder / "chroma")
        self.index_ready = False
        self.index_problem = ""
        self._opening = threading.Lock()
        self._left: set[str] = set()
        """Collections that a search under way may still ask for."""
        self.changing = threading.RLock()
        """Held from reading a note's generation and edits until what was made of them is written."""

    # index

    def open_index(self, progress: Callable[[int, int], None] = lambda done, total: None) -> None:
        """Open Chroma and bring every base's collection to what SQLite says; does nothing when that is done."""
        with self._opening:
            if self.readonly or self.index_ready:
                return
            trusted = self.vectors.open()
            bases = self.notes.bases()
            for number, base in enumerate(bases):
                progress(number, len(bases))
                if self.vectors.name(base) not in trusted or self._churned(base) or not self._reconciled(base):
                    self._build(base)
            self._guarded(lambda: self.vectors.drop_all_but(self.notes.bases()))
            self.index_ready = True

    def rebuild_index(self, progress: Callable[[int, int], None] = lambda done, total: None) -> int:
        """Build every collection anew from SQLite's vectors, without a model, and return how many windows it holds."""
        self.open_index()
        with self.changing:
            bases = self.notes.bases()
            for number, base in enumerate(bases):
                progress(number, len(bases))
                self._build(base)
            self.index_problem = ""
        return sum(self.chunks.count(base)[2] for base in bases)

    def add_base_index(self, base: KnowledgeBase) -> None:
        """Make the empty collection of a new base."""
        self.open_index()
        self._guarded(lambda: self.vectors.build(base, ()))

    def _build(self, base: KnowledgeBase) -> None:
        fresh = self.notes.next_index(base)
        self.vectors.build(fresh, self.chunks.windows(base))
        self.notes.switch_index(fresh)
        self._leave(base)

    def _leave(self, base: KnowledgeBase) -> None:
        self._left.add(self.vectors.name(base))
        self.vectors.drop(base)

    def _reconciled(self, base: KnowledgeBase) -> bool:
        """Add what a collection lacks and remove what no note owns; False where it can't be read or written."""
        try:
            there = self.vectors.ids(base)
            expected: set[str] = set()
            for ids, vectors in self.chunks.windows(base):
                expected.update(ids)
                missing = [number for number, key in enumerate(ids) if key not in there]
                self.vectors.add(base, [ids[number] for number in missing], vectors[missing])
            self.vectors.remove(base, sorted(there - expected))
        except IndexDamaged:
            return False
        return True

    def _churned(self, base: KnowledgeBase) -> bool:
        added, living = self.notes.index_added(base), self.chunks.count(base)[2]
        return added > _CHURN * max(living, 1000)

    def _guarded(self, write: Callable[[], None]) -> None:
        """Write to the index; where it fails, remember why: SQLite holds all, a rebuild brings it back."""
        try:
            write()
        except IndexDamaged as error:
            self.index_problem = str(error)

    # writing

    def put(self, base: KnowledgeBase, cuttings: Sequence[Cutting]) -> None:
        """Write notes with their chunks and windows; each is whole or not there.

        The index must have been opened before the windows' vectors were added.
        """
        base = self.notes.base(base.name)
        old = [key for cutting in cuttings for key in self.chunks.window_ids(cutting.note.id)]
        ids: list[str] = []
        vector_ids: list[int] = []
        for cutting in cuttings:
            for chunk, windows in zip(cutting.chunks, cutting.vectors, strict=True):
                ids += [
                    window_id(cutting.note.id, cutting.note.generation, chunk.index, number)
                    for number in range(len(windows))
                ]
                vector_ids += windows
        stored = self.encoded.vectors(vector_ids, base.dimension)
        if ids:
            matrix = np.stack([stored[number] for number in vector_ids])
            self._guarded(lambda: self.vectors.add(base, ids, matrix))
        with self.database.write():
            self.chunks.put(cuttings)
            for cutting in cuttings:
                if cutting.edits is not None:
                    self.edits.put(cutting.note, cutting.edits)
            self.notes.count_index_added(base, len(ids))
        self._guarded(lambda: self.vectors.remove(base, old))

    def switch(self, fresh: KnowledgeBase, cuttings: Iterable[Cutting]) -> KnowledgeBase:
        """Give a base another embedder with all its notes cut for it, in one transaction, and return it so.

        The new collection is filled before that is committed; a kill leaves one that no base names.
        """
        old = self.notes.base(fresh.name)
        with self.database.write():
            for cutting in cuttings:
                self.chunks.put([cutting])
                if cutting.edits is not None:
                    self.edits.put(cutting.note, cutting.edits)
            self._guarded(lambda: self.vectors.build(fresh, self.chunks.windows(fresh)))
            self.notes.switch_embedder(fresh)
            self.switches.end(fresh)
        self._guarded(lambda: self._leave(old))
        self.drop_unused_vectors()
        return self.notes.base(fresh.name)

    def delete_notes(self, base: KnowledgeBase, note_ids: Sequence[str], *, keep_edits: bool = False) -> int:
        """Delete notes with all that belongs to them, and return how many edits were kept.

        With `keep_edits` their edits stay, flagged: the notes may come back under the same ids.
        """
        self.open_index()
        kept = 0
        with self.changing:
            base = self.notes.base(base.name)
            old = [key for note_id in note_ids for key in self.chunks.window_ids(note_id)]
            with self.database.write():
                if keep_edits:
                    kept = self.edits.flag(note_ids)
                else:
                    self.edits.delete(note_ids)
                for note_id in note_ids:
                    self.chunks.delete_note(note_id)
            self._guarded(lambda: self.vectors.remove(base, old))
        return kept

    def drop_unused_vectors(self) -> None:
        """Delete the vectors that no window uses; what an import is about to store it computes again."""
        with self.changing:
            self.encoded.drop_unused()

    def delete_base(self, base: KnowledgeBase) -> None:
        self.open_index()
        self.notes.delete_base(base)
        self.drop_unused_vectors()
        self._guarded(lambda: self._leave(base))

    # searching

    def nearest(
        self, base: KnowledgeBase, query: Matrix, count: int, allowed: Rowids | None = None
    ) -> dict[int, float]:
        """Return the best chunks of a base with the cosine of their best window, best first.

        Only `allowed` chunks where they are given. A few of them are scored exactly, and so is everything while
        Chroma is not open or damaged.
        """
        found = None
        if self.index_ready and not self.index_problem:
            try:
                found = self._from_index(base, query, count, allowed)
            except IndexDamaged as error:
                if self.vectors.name(base) not in self._left:
                    self.index_problem = str(error)
        return self.chunks.nearest(base, query, count, allowed) if found is None else found

    def _from_index(
        self, base: KnowledgeBase, query: Matrix, count: int, allowed: Rowids | None
    ) -> dict[int, float] | None:
        """Ask Chroma for so many that enough of them are allowed, None where scoring those is less work."""
        share = 1.0 if allowed is None else len(allowed) / max(self.chunks.count_all(), 1)
        asked = int(_WINDOWS * count / share) + 1 if share else 0
        while allowed is None or asked < len(allowed):
            windows = self.vectors.search(base, query, asked)
            chunks = self.chunks.of_windows(list(windows))
            best: dict[int, float] = {}
            for key, score in windows.items():
                if key in chunks:
                    best.setdefault(chunks[key], score)
            if allowed is not None:
                passing = np.isin(list(best), allowed)
                best = {rowid: score for (rowid, score), passes in zip(best.items(), passing, strict=True) if passes}
            if len(best) >= count or len(windows) < asked:
                return dict(islice(best.items(), count))
            asked *= _WIDER
        return None

    # closing

    def close(self) -> None:
        """Close both; the next start finds a clean index."""
        self.vectors.close()
        self.database.close()
        self._unlock()

    def _unlock(self) -> None:
        if self._lock is not None:
            self._lock.release()


def take(folder: Path) -> FileLock:
    """Take the workspace for this process, or say who has it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(
            f"{folder} can't be made: {error.strerror}. Choose another folder for the workspace."
        ) from error
    holder = folder / "lock.json"
    lock = FileLock(folder / "lock")
    try:
        lock.acquire(blocking=False)
    except Timeout as error:
        raise WorkspaceLocked(
            f"{folder} is in use by {_describe(holder)}. Close it, or use another workspace."
        ) from error
    about = {
        "pid": os.getpid(),
        "command": Path(sys.argv[0]).name,
        "since": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    holder.write_text(json.dumps(about), encoding="utf-8")
    return lock


def _describe(holder: Path) -> str:
    try:
        about = json.loads(holder.read_text(encoding="utf-8"))
        return f"another Tessera (process {about['pid']}, '{about['command']}', since {about['since']})"
    except (OSError, ValueError, KeyError):
        return "another Tessera"
