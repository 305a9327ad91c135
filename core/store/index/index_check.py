"""Checks of the vector index against SQLite and exact search; the seal of a closed index."""

import json
import random
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from core.base.errors import IndexDamaged
from core.base.files import delete, load, open_regular, replace
from core.model import Matrix

_QUESTIONS, _NEAREST, _AGREEMENT = 12, 10, 0.95
"""Number of sample vectors to search for at an opening, hits per vector, and minimum share of exact hits."""
_NEARLY = 1e-3
"""Maximum difference between two cosines due to rounding."""

Windows = Iterable[tuple[list[str], Matrix]]
"""Blocks of a base's ids and vectors."""


def agrees(windows: Callable[[], Windows], search: Callable[[Matrix, int], Mapping[str, float]]) -> bool:
    """Whether searches for a few stored vectors find hits as near as those of exact search."""
    questions = _sample(windows())
    if not len(questions):
        return True
    cosines = np.concatenate([_cosines(questions, vectors) for _, vectors in windows()], axis=1)
    exact = -np.sort(-cosines, axis=1)[:, :_NEAREST]
    hits = [list(search(question, _NEAREST).values()) for question in questions]
    right = sum(score >= nearest[-1] - _NEARLY for scores, nearest in zip(hits, exact, strict=True) for score in scores)
    return bool(right >= _AGREEMENT * exact.size)


def compare(entries: Mapping[str, Matrix], ids: Sequence[str], vectors: Matrix) -> None:
    """Raise IndexDamaged if an entry in the index differs from its stored vector."""
    for key, vector in zip(ids, vectors, strict=True):
        if key in entries and not np.allclose(entries[key], vector, atol=_NEARLY):
            raise IndexDamaged("The search index differs from what was stored in it.")


def _sample(windows: Windows) -> Matrix:
    """Return a random sample of vectors (reservoir sampling), different at each opening."""
    sample = []
    for number, vector in enumerate(vector for _, vectors in windows for vector in vectors):
        if number < _QUESTIONS:
            sample.append(vector)
        elif (place := random.randrange(number + 1)) < _QUESTIONS:
            sample[place] = vector
    return np.array(sample, np.float32)


def _cosines(questions: Matrix, vectors: Matrix) -> Matrix:
    """Return the cosine of each question with each vector, 0 for a zero vector."""
    lengths = np.linalg.norm(questions, axis=1)[:, None] * np.linalg.norm(vectors, axis=1)
    return np.asarray(questions @ vectors.T / np.where(lengths, lengths, 1), np.float32)


# The seal of a closed index: sizes and checksums of its files, in a file next to its folder. An index in use has no
# seal, nor has an index whose process was killed.

Files = Mapping[str, list[int]]
"""Size and CRC-32 of each file in a folder, by path. They detect damage, not forgery."""

_BLOCK = 1 << 20
_HOLLOW = 1 << 26
"""Minimum size in bytes of files that are checked for holes."""


def checksums(folder: Path) -> Files:
    """Return the size and checksum of each file in a folder.

    Raises IndexDamaged for anything other than files and folders, and for a file that is mostly a hole: a killed writer
    of HNSW may leave a sparse file of 137 GB (chroma-core/chroma#7510).
    """
    present = sorted(file for file in folder.rglob("*") if not file.is_dir())
    if not all(file.is_file() for file in present):
        raise IndexDamaged("The files of the search index have changed since it was closed.")
    return {file.relative_to(folder).as_posix(): [file.stat().st_size, _checksum(file)] for file in present}


def seal(folder: Path, present: Files, *, changed: bool) -> None:
    """Seal a folder; `changed`: its files were written since they were last known to be sound."""
    replace(seal_file(folder), json.dumps({"changed": changed, "files": present}))


def unseal(folder: Path, present: Files) -> bool:
    """Delete the seal, and return whether it proves that the files are sound.

    Raises IndexDamaged if the files have changed since the folder was sealed.
    """
    file = seal_file(folder)
    record = load(file, lambda stored: (stored["files"] == present, stored["changed"]), aside=True)
    same, changed = record or (True, True)
    delete(file)
    if not same:
        raise IndexDamaged("The files of the search index have changed since it was closed.")
    return not changed


def seal_file(folder: Path) -> Path:
    """Return the path of a folder's seal."""
    return folder.with_name(f"{folder.name}.seal")


def _checksum(file: Path) -> int:
    stat = file.stat()
    if stat.st_size > _HOLLOW and getattr(stat, "st_blocks", stat.st_size) * 512 < stat.st_size / 2:
        raise IndexDamaged("A file of the search index is mostly empty.")
    checksum = 0
    with open_regular(file) as stream:
        while block := stream.read(_BLOCK):
            checksum = zlib.crc32(block, checksum)
    return checksum
