"""Estimate of the time to cut and embed notes again."""

import time
from collections.abc import Sequence

from core.embedding import Embedder
from core.indexing.indexer import Indexer
from core.model import ChangeCost, KnowledgeBase, Progress

_SAMPLE = 8
"""Windows embedded to estimate how long the rest takes."""


def measure(
    indexer: Indexer, target: KnowledgeBase, embedder: Embedder, note_ids: Sequence[str], progress: Progress
) -> ChangeCost:
    """Cut the notes as the indexer of the target would, and time the embedding of a few windows; nothing is stored.

    Raises ModelError or ProviderError if the embedder fails.
    """
    chunks = windows = 0
    texts: dict[bytes, str] = {}
    for number, note_id in enumerate(note_ids):
        progress(number, len(note_ids), "")
        cut = indexer.missing(note_id)
        chunks += cut.chunks
        windows += cut.windows
        texts |= cut.texts
    seconds = _seconds(embedder, list(texts.values())) if texts else 0.0
    return ChangeCost(target.embedder, target.chunking, len(note_ids), chunks, windows, len(texts), seconds)


def _seconds(embedder: Embedder, texts: Sequence[str]) -> float:
    embedder.warm()
    step = max(1, len(texts) // _SAMPLE)
    sample = sorted(texts, key=len)[step // 2 :: step][:_SAMPLE]
    started = time.perf_counter()
    embedder.embed(sample, role="note")
    per_character = (time.perf_counter() - started) / sum(map(len, sample))
    return per_character * sum(map(len, texts))
