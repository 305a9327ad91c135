"""Run as `python -m core.store.probe FOLDER`: print which collections of a Chroma directory can be read.

A separate process, because a broken HNSW file can end the process that reads it.
"""

import json
import sys
from pathlib import Path

import numpy as np

from core.store.chroma import client

_REACHABLE = 0.95
"""Least share of the rows that a query for all returns: a sound HNSW graph may miss 2 to 3 in 100."""


def main(folder: Path) -> list[str]:
    """Return the names of the collections whose rows and vectors can be read."""
    sound = []
    for collection in client(folder).list_collections():
        ids = collection.get(include=[])["ids"]
        if ids:
            first = collection.get(ids=ids[:1], include=["embeddings"])["embeddings"]
            reached = collection.query(
                query_embeddings=np.array(first, dtype=np.float32), n_results=len(ids), include=[]
            )["ids"][0]
            if len(reached) < _REACHABLE * len(ids):
                continue
        sound.append(collection.name)
    return sound


if __name__ == "__main__":
    sys.stdout.write(json.dumps(main(Path(sys.argv[1]))))
