"""Reranking by late interaction: the best-matching chunk token for each question token, from bits stored at import."""

import time
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256

from core.embedding.tokens import TokenEmbedder, interaction, signs
from core.model import Matrix
from core.reranking import Candidate, Judged

BUDGET_SECONDS = 1.0
"""Time limit for computing missing bits, in seconds; enough for about 20 chunks on two processor cores."""


class LateInteraction:
    """ColBERT's MaxSim over sign bits; `centre` is the mean token vector, to which the stored bits are relative."""

    reads_bits = True

    def __init__(self, embedder: TokenEmbedder, centre: Matrix, *, seconds: float = BUDGET_SECONDS) -> None:
        self._embedder = embedder
        self._centre = centre
        self._seconds = seconds

    @property
    def fingerprint(self) -> str:
        return f"late-interaction:{self._embedder.fingerprint}:{sha256(self._centre.tobytes()).hexdigest()[:10]}"

    def score(self, query: str, candidates: Sequence[Candidate]) -> Judged:
        _, (question,) = self._embedder.embed_tokens([query], role="query")
        filled = self._filled(candidates)
        passages = {number: bits for number, candidate in enumerate(filled) if (bits := candidate.bits) is not None}
        scores: Judged = [None] * len(candidates)
        for number, cosine in zip(passages, interaction(question, self._centre, [*passages.values()]), strict=True):
            scores[number] = (1 + cosine) / 2
        return scores

    def warm(self) -> None:
        self._embedder.warm()

    def _filled(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Compute missing bits of candidates in order, until the time limit."""
        filled = list(candidates)
        began = time.monotonic()
        for number, candidate in enumerate(candidates):
            if candidate.bits is None:
                if time.monotonic() - began > self._seconds:
                    break
                _, (rows,) = self._embedder.embed_tokens([candidate.text], role="note")
                filled[number] = replace(candidate, bits=signs(rows, self._centre))
        return filled
