"""A reranker that judges no text twice for the same question."""

from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock

from core.reranking import Candidate, Reranker

_KEPT = 10_000
"""Scores, of the questions asked last."""


class Cached:
    """`reranker` with its scores kept by question and text."""

    def __init__(self, reranker: Reranker) -> None:
        self._reranker = reranker
        self._scores: OrderedDict[tuple[str, str], float | None] = OrderedDict()
        self._lock = Lock()

    @property
    def fingerprint(self) -> str:
        return self._reranker.fingerprint

    @property
    def reads_bits(self) -> bool:
        return self._reranker.reads_bits

    def score(self, query: str, candidates: Sequence[Candidate]) -> list[float | None]:
        keys = [(query, candidate.text) for candidate in candidates]
        with self._lock:
            known = {key: self._scores[key] for key in keys if key in self._scores}
        missing = {key: candidate for key, candidate in zip(keys, candidates, strict=True) if key not in known}
        if missing:
            known |= zip(missing, self._reranker.score(query, list(missing.values())), strict=True)
            with self._lock:
                for key in missing:
                    if known[key] is not None:
                        self._scores[key] = known[key]
                while len(self._scores) > _KEPT:
                    self._scores.popitem(last=False)
        return [known[key] for key in keys]

    def warm(self) -> None:
        self._reranker.warm()
