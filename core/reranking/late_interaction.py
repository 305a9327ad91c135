"""Reranking by late interaction: the best-matching chunk token for each question token, from bits stored at import."""

import time
from collections.abc import Sequence
from hashlib import sha256

from core.embedding.tokens import TokenEmbedder, interaction, signs
from core.model import Bits, Matrix
from core.reranking import Candidate, Judged

BUDGET_SECONDS = 1.0
"""Time limit for computing missing bits, in seconds; enough for about 20 chunks on two processor cores."""


class LateInteraction:
    """ColBERT's MaxSim over sign bits; `centre` is the mean token vector, to which the stored bits are relative."""

    reads_bits = True

    def __init__(self, embedder: TokenEmbedder, centre: Matrix, *, seconds: float = BUDGET_SECONDS) -> None:
        self._embedder, self._centre, self._seconds = embedder, centre, seconds

    @property
    def fingerprint(self) -> str:
        return f"late-interaction:{self._embedder.fingerprint}:{sha256(self._centre.tobytes()).hexdigest()[:10]}"

    def score(self, query: str, candidates: Sequence[Candidate]) -> Judged:
        """Score candidates; missing bits are computed in order, until the time limit."""
        _, (question,) = self._embedder.embed_tokens([query], role="query")
        passages: dict[int, Bits] = {}
        began = time.monotonic()
        for number, candidate in enumerate(candidates):
            if candidate.bits is not None:
                passages[number] = candidate.bits
            elif time.monotonic() - began <= self._seconds:
                _, (rows,) = self._embedder.embed_tokens([candidate.text], role="note")
                passages[number] = signs(rows, self._centre)
        scores: Judged = [None] * len(candidates)
        for number, cosine in zip(passages, interaction(question, self._centre, [*passages.values()]), strict=True):
            scores[number] = (1 + cosine) / 2
        return scores

    def warm(self) -> None:
        self._embedder.warm()
