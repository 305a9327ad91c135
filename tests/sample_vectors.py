"""Writes the vectors of the sample, as an import computes them in float32: python -m tests.sample_vectors"""

import tempfile
from pathlib import Path
from unittest.mock import patch

import numpy as np
import torch

from core.embedding import sentence, shipped
from core.indexing import embedding_process
from core.model import Device
from core.settings.config import Settings
from core.workspace import Workspace

IN_FLOAT32 = Device("cpu", "float32", "")


def computed(folder: Path) -> tuple[str, shipped.ShippedVectors]:
    """Import the sample into a workspace, and return the fingerprint of its model and the vectors that it stored."""
    with (
        patch.object(shipped, "find", lambda fingerprint, keys: None),
        patch.object(sentence, "choose_device", lambda: IN_FLOAT32),
        patch.object(embedding_process, "_TORCH", ()),
        Workspace(folder, settings=Settings(embedder="bundled")) as workspace,
    ):
        workspace.packs.install("sample")
        [base] = workspace.bases.all()
        rows = workspace.store.database.rows(
            "SELECT text_hash, vectors.vector, bits FROM vectors JOIN tokens ON tokens.vector = vectors.id ORDER BY 1"
        )
        keys, vectors, bits = zip(*rows, strict=True)
    return base.fingerprint, shipped.ShippedVectors(
        list(keys),
        np.stack([np.frombuffer(vector, "<f4") for vector in vectors]),
        [np.frombuffer(signs, np.uint8).reshape(-1, base.dimension // 8) for signs in bits],
    )


def store(fingerprint: str, vectors: shipped.ShippedVectors, file: Path = shipped.FILE) -> None:
    """Write vectors to ship with the program to a file, by default the sample's."""
    np.savez_compressed(
        file,
        fingerprint=np.array(fingerprint),
        keys=np.stack([np.frombuffer(key, np.uint8) for key in vectors.keys]),
        vectors=vectors.vectors,
        bits=np.concatenate(vectors.bits),
        lengths=np.array([len(rows) for rows in vectors.bits]),
    )


def main() -> None:
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        store(*computed(Path(folder)))


if __name__ == "__main__":
    main()
