"""How near notes are by meaning: one vector for each, in memory, read again when its windows change."""

import threading
from collections.abc import Container, Iterable
from dataclasses import dataclass
from itertools import islice

import numpy as np

from core.model import Matrix
from core.store import Store
from core.store.note_vectors import Sign, unit

_FEW = 10
"""Notes at which half of what all notes have in common is taken away: less of a few, for their mean is their own."""


@dataclass(frozen=True, slots=True, eq=False)
class _Space:
    """The notes whose vectors are of one model; `vectors` have unit length, without what the notes have in common."""

    rows: dict[str, int]
    vectors: Matrix


class Nearness:
    """The notes of a workspace by meaning. Safe to share."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._reading = threading.Lock()
        self._version = -1
        self._means: dict[str, tuple[Sign, Matrix]] = {}
        self._spaces: dict[str, _Space] = {}
        self._space_of: dict[str, str] = {}

    def nearest(self, note_id: str, count: int, allowed: Container[str]) -> dict[str, float]:
        """Return the allowed notes nearest to a note, with their cosines, best first; empty for one without vectors."""
        self._read()
        space = self._spaces.get(self._space_of.get(note_id, ""))
        if space is None:
            return {}
        cosines = space.vectors @ space.vectors[space.rows[note_id]]
        ids = [*space.rows]
        best = (row for row in np.argsort(-cosines) if ids[row] != note_id and ids[row] in allowed)
        return {ids[row]: float(cosines[row]) for row in islice(best, count)}

    def cosines(self, note_id: str, others: Iterable[str]) -> dict[str, float]:
        """Return the cosines of a note to others; those of another model, or without vectors, are left out."""
        self._read()
        space = self._spaces.get(self._space_of.get(note_id, ""))
        if space is None:
            return {}
        own = space.vectors[space.rows[note_id]]
        return {other: float(space.vectors[space.rows[other]] @ own) for other in others if other in space.rows}

    def _read(self) -> None:
        """Read the vectors of the notes whose windows changed since the last time."""
        with self._reading, self._store.database.read():
            version = self._store.database.version()
            if version == self._version:
                return
            signs = self._store.note_vectors.signs()
            bases = self._store.notes.base_ids(signs)
            means: dict[str, tuple[Sign, Matrix]] = {}
            spaces: dict[str, list[str]] = {}
            for base in self._store.bases.all():
                ids = [note_id for note_id in signs if bases.get(note_id) == base.id]
                stale = [item for item in ids if item not in self._means or self._means[item][0] != signs[item]]
                means |= {item: self._means[item] for item in ids if item in self._means}
                means |= {item: (signs[item], mean) for item, mean in self._store.note_vectors.means(base, stale)}
                spaces.setdefault(base.fingerprint, []).extend(item for item in ids if item in means)
            self._means = means
            self._spaces = {
                name: _Space(
                    {item: row for row, item in enumerate(ids)}, _apart(np.stack([means[item][1] for item in ids]))
                )
                for name, ids in spaces.items()
                if ids
            }
            self._space_of = {item: name for name, ids in spaces.items() for item in ids}
            self._version = version


def _apart(vectors: Matrix) -> Matrix:
    """Return vectors of notes without what they have in common, of unit length."""
    share = np.float32(len(vectors) / (len(vectors) + _FEW))
    return unit(vectors - share * vectors.mean(axis=0))
