"""A reranker with a cache of its scores."""

from collections.abc import Sequence
from threading import Lock

from core.reranking import Candidate, Reranker

_CACHE_SIZE = 10_000
"""Scores in the cache; the oldest ones are dropped first."""


class Cached:
    """A reranker that reads texts, with its scores cached by question and text."""

    reads_bits = False

    def __init__(self, reranker: Reranker) -> None:
        self._reranker = reranker
        self._scores: dict[tuple[str, str], float] = {}
        self._lock = Lock()

    @property
    def fingerprint(self) -> str:
        return self._reranker.fingerprint

    def score(self, query: str, candidates: Sequence[Candidate]) -> list[float | None]:
        keys = [(query, candidate.text) for candidate in candidates]
        with self._lock:
            known: dict[tuple[str, str], float | None] = {key: self._scores[key] for key in keys if key in self._scores}
        missing = {key: candidate for key, candidate in zip(keys, candidates, strict=True) if key not in known}
        if missing:
            known |= zip(missing, self._reranker.score(query, list(missing.values())), strict=True)
            with self._lock:
                self._scores |= {key: score for key in missing if (score := known[key]) is not None}
                while len(self._scores) > _CACHE_SIZE:
                    del self._scores[next(iter(self._scores))]
        return [known[key] for key in keys]

    def warm(self) -> None:
        self._reranker.warm()
