"""A model that embeds many notes, in a process of its own: `python -m core.indexing.embedding_worker FOLDER`.

FOLDER is the one from which the other process names its models.
"""

import os
import pickle
import sys
from typing import Any, BinaryIO

from core import embedding
from core.indexing.embedding_process import EmbeddingRequest, OtherModel


def serve(requests: BinaryIO, replies: BinaryIO) -> None:
    """Answer requests until none comes, each by what the embedder returns or raises."""
    while True:
        try:
            request = pickle.load(requests)
        except EOFError:
            return
        pickle.dump(_answer(request), replies, pickle.HIGHEST_PROTOCOL)
        replies.flush()


def _answer(request: EmbeddingRequest) -> Any:
    try:
        embedder = embedding.build(request.name)
        if embedder.fingerprint != request.fingerprint:
            return OtherModel()
        return getattr(embedder, request.verb)(request.texts, role="note")
    except MemoryError:  # ends this process, which gives it back
        raise
    except Exception as error:  # noqa: BLE001 the other process raises it
        return error


def main(folder: str) -> None:
    """Serve the standard streams; what libraries print goes nowhere."""
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    os.chdir(folder)
    serve(sys.stdin.buffer, replies)


if __name__ == "__main__":
    main(*sys.argv[1:])
