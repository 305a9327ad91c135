"""A reranker with a cache of its scores, which lets a server rest that can't be reached."""

from collections.abc import Sequence
from threading import Lock
from time import monotonic

from core.base.errors import ProviderUnavailable
from core.reranking import Candidate, Reranker

_REST_SECONDS = 60.0
"""How long a server isn't asked that gave no answer."""
_CACHE_SIZE = 10_000
"""Scores in the cache; the oldest ones are dropped first."""


class Cached:
    """A reranker that reads texts, with its scores cached by question and text.

    Where its server gave no answer, its error is raised again for a minute.
    """

    reads_bits = False

    def __init__(self, reranker: Reranker) -> None:
        self._reranker = reranker
        self._scores: dict[tuple[str, str], float] = {}
        self._lock = Lock()
        self._failure: tuple[float, ProviderUnavailable] | None = None

    @property
    def fingerprint(self) -> str:
        return self._reranker.fingerprint

    def score(self, query: str, candidates: Sequence[Candidate]) -> list[float | None]:
        keys = [(query, candidate.text) for candidate in candidates]
        with self._lock:
            known: dict[tuple[str, str], float | None] = {key: self._scores[key] for key in keys if key in self._scores}
        missing = {key: candidate for key, candidate in zip(keys, candidates, strict=True) if key not in known}
        if missing:
            known |= zip(missing, self._request_scores(query, list(missing.values())), strict=True)
            with self._lock:
                self._scores |= {key: score for key in missing if (score := known[key]) is not None}
                while len(self._scores) > _CACHE_SIZE:
                    del self._scores[next(iter(self._scores))]
        return [known[key] for key in keys]

    def _request_scores(self, query: str, candidates: list[Candidate]) -> list[float | None]:
        if self._failure and monotonic() < self._failure[0]:
            raise ProviderUnavailable(self._failure[1].message)
        try:
            scores = self._reranker.score(query, candidates)
        except ProviderUnavailable as error:
            if error.status is None:
                self._failure = monotonic() + _REST_SECONDS, error
            raise
        self._failure = None
        return scores

    def warm(self) -> None:
        self._reranker.warm()
