"""The vectors of the sample notes, so that a new workspace finds them by meaning before a model is loaded.

`python -m tests.sample_vectors` writes the file.
"""

import logging
from collections.abc import Collection
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from core.model import Bits, Matrix

_LOG = logging.getLogger(__name__)

FILE = Path(__file__).with_name("sample.npz")


class ShippedVectors(NamedTuple):
    """Vectors by the hashes of their texts, with token bits relative to the model's own centre."""

    keys: list[bytes]
    vectors: Matrix
    bits: list[Bits]


def find(fingerprint: str, keys: Collection[bytes]) -> ShippedVectors | None:
    """Return the shipped vectors of some texts; None without any, for another model, or if the file is unusable."""
    try:
        with FILE.open("rb") as file, np.load(file, allow_pickle=False) as stored:
            if str(stored["fingerprint"]) != fingerprint:
                return None
            known = [row.tobytes() for row in stored["keys"]]
            rows = [row for row, key in enumerate(known) if key in keys]
            if not rows:
                return None
            bits = np.split(stored["bits"], np.cumsum(stored["lengths"])[:-1])
            return ShippedVectors([known[row] for row in rows], stored["vectors"][rows], [bits[row] for row in rows])
    except Exception as error:  # noqa: BLE001 damage raises whatever numpy and zipfile raise
        _warn(type(error).__name__)
        return None


@cache
def _warn(error: str) -> None:
    """Log once why the file can't be used: it is read for each block of chunks."""
    _LOG.warning("The vectors of the sample can't be used: %s", error)


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
