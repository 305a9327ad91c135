"""How near notes are by meaning: a vector for each note, kept in memory, and read again when its windows change."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from core.base.cache import Cache
from core.embedding.tokens import unit
from core.model import Matrix
from core.store import Store
from core.store.remembered import PerNote

_FEW = 10
"""Number of notes at which half of their mean vector is subtracted. With fewer notes less is subtracted, because the
mean of a few notes depends too much on each.
"""


@dataclass(frozen=True, slots=True, eq=False)
class VectorSpace:
    """The notes with vectors of one model. `vectors` are centred, of unit length; `rows` maps notes to rows."""

    rows: Mapping[str, int]
    vectors: Matrix


class Meaning:
    """Similarity of meaning between the notes of a workspace. Thread-safe."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._means = PerNote(self._read_means)
        self._spaces: Cache[int, Mapping[str, VectorSpace]] = Cache(1)

    def cosines(self, note_id: str) -> dict[str, float]:
        """Return the cosines of a note to the others of its model, the nearest first; empty for one without vectors."""
        for space in self.spaces().values():
            if note_id in space.rows:
                cosines = space.vectors @ space.vectors[space.rows[note_id]]
                ids = [*space.rows]
                return {ids[row]: float(cosines[row]) for row in np.argsort(-cosines) if ids[row] != note_id}
        return {}

    @property
    def is_read(self) -> bool:
        """Whether the vectors in memory are up to date."""
        return self._spaces.get(self._store.database.version()) is not None

    def spaces(self) -> Mapping[str, VectorSpace]:
        """Return the notes with vectors, by the fingerprint of their model."""
        return self._spaces.get_or_compute(self._store.database.version(), self._read)

    def _read(self) -> Mapping[str, VectorSpace]:
        with self._store.database.read():
            means = self._means.get(self._store.note_vectors.signs())
        of_model: defaultdict[str, list[str]] = defaultdict(list)
        for note_id, (model, _) in means.items():
            of_model[model].append(note_id)
        return {
            model: VectorSpace(
                {note_id: row for row, note_id in enumerate(ids)}, _centre(np.stack([means[item][1] for item in ids]))
            )
            for model, ids in of_model.items()
        }

    def _read_means(self, note_ids: Collection[str]) -> Iterator[tuple[str, tuple[str, Matrix]]]:
        """Yield note ids with the fingerprint of the note's model and the mean of the note's vectors."""
        base_of = self._store.notes.base_ids(note_ids)
        for base in self._store.bases.all():
            ids = [note_id for note_id in note_ids if base_of.get(note_id) == base.id]
            for note_id, mean in self._store.note_vectors.means(base, ids):
                yield note_id, (base.fingerprint, mean)


def _centre(vectors: Matrix) -> Matrix:
    """Return centred note vectors of unit length."""
    share = np.float32(len(vectors) / (len(vectors) + _FEW))
    return unit(vectors - share * vectors.mean(axis=0))
