"""Load vectors for the notes and guide that ship with Tessera, so that search by meaning works before any indexing.

`python -m tests.sample_vectors` writes the sample notes' vectors, and `python -m tests.guide_pack` writes the guide's.
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
# File with the vectors of the guide's passages. It has no token bits, because Help ranks passages by meaning only.
GUIDE = FILE.with_name("guide.npz")


class ShippedVectors(NamedTuple):
    """Text hashes (`keys`) with the texts' vectors and token bits. The bits are relative to the model's own centre."""

    keys: list[bytes]
    vectors: Matrix
    bits: list[Bits]


def find(fingerprint: str, keys: Collection[bytes], file: Path | None = None) -> ShippedVectors | None:
    """Return the vectors of texts, given the texts' hashes. `file` defaults to the sample notes' file.

    Return None if the file has no such vectors, has another model's vectors, or is unusable.
    """
    try:
        with (file or FILE).open("rb") as opened, np.load(opened, allow_pickle=False) as stored:
            if str(stored["fingerprint"]) != fingerprint:
                return None
            known = [row.tobytes() for row in stored["keys"]]
            rows = [row for row, key in enumerate(known) if key in keys]
            if not rows:
                return None
            bits = np.split(stored["bits"], np.cumsum(stored["lengths"])[:-1])
            return ShippedVectors(
                [known[row] for row in rows], stored["vectors"][rows].astype(np.float32), [bits[row] for row in rows]
            )
    except Exception as error:  # noqa: BLE001 numpy and zipfile raise many kinds of errors for a damaged file
        _warn(type(error).__name__)
        return None


@cache
def _warn(error: str) -> None:
    """Log once why the file can't be used, because the file is read for each batch of chunks."""
    _LOG.warning("The vectors that come with the program can't be used: %s", error)
