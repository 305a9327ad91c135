"""The vectors of the notes that come as a sample: a new workspace finds them by meaning before a model is loaded.

`python -m tests.sample_vectors` writes the file.
"""

from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

import numpy as np

from core.model import Bits, Matrix

FILE = Path(__file__).with_name("sample.npz")


class ShippedVectors(NamedTuple):
    """Vectors by the hashes of their texts, with the bits of their tokens about the model's own centre."""

    keys: list[bytes]
    vectors: Matrix
    bits: list[Bits]


def find(fingerprint: str, keys: Collection[bytes]) -> ShippedVectors | None:
    """Return what the file has of some texts, None if it has nothing or is of another model."""
    if not FILE.is_file():
        return None
    with np.load(FILE, allow_pickle=False) as stored:
        if str(stored["fingerprint"]) != fingerprint:
            return None
        known = [row.tobytes() for row in stored["keys"]]
        rows = [row for row, key in enumerate(known) if key in keys]
        if not rows:
            return None
        bits = np.split(stored["bits"], np.cumsum(stored["lengths"])[:-1])
        vectors = stored["vectors"][rows]
        return ShippedVectors([known[row] for row in rows], vectors, [bits[row] for row in rows])


def store(fingerprint: str, shipped: ShippedVectors) -> None:
    """Write the file."""
    np.savez_compressed(
        FILE,
        fingerprint=np.array(fingerprint),
        keys=np.stack([np.frombuffer(key, np.uint8) for key in shipped.keys]),
        vectors=shipped.vectors,
        bits=np.concatenate(shipped.bits),
        lengths=np.array([len(rows) for rows in shipped.bits]),
    )
