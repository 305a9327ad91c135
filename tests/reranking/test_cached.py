"""The cache of scores by question and text."""

from collections.abc import Sequence

import pytest

from core import reranking
from core.reranking import Cached, Candidate


class Shared:
    """Scores a text by the share of its letters that the question has."""

    reads_bits = False

    def __init__(self) -> None:
        self.judged: list[tuple[str, list[str]]] = []

    def score(self, query: str, candidates: Sequence[Candidate]) -> list[float | None]:
        self.judged.append((query, [candidate.text for candidate in candidates]))
        return [len(set(query) & set(candidate.text)) / len(set(candidate.text)) for candidate in candidates]

    def warm(self) -> None:
        pass


def candidates(*texts: str) -> list[Candidate]:
    return [Candidate(text) for text in texts]


def test_only_new_texts_are_scored() -> None:
    inner = Shared()
    reranker = Cached(inner)
    assert reranker.score("ab", candidates("ab", "cd", "ac", "ab")) == [1, 0, 0.5, 1]
    assert reranker.score("ab", candidates("ac", "bd", "cd")) == [0.5, 0.5, 0]
    assert reranker.score("a", candidates("ab")) == [0.5]
    assert inner.judged == [("ab", ["ab", "cd", "ac"]), ("ab", ["bd"]), ("a", ["ab"])]


def test_the_oldest_scores_are_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reranking, "_CACHE_SIZE", 2)
    inner = Shared()
    reranker = Cached(inner)
    reranker.score("a", candidates("a", "b", "c"))
    reranker.score("a", candidates("c", "b", "a"))
    assert [texts for _, texts in inner.judged] == [["a", "b", "c"], ["a"]]


def test_a_failure_is_not_cached() -> None:
    class Once(Shared):
        def score(self, query: str, candidates: Sequence[Candidate]) -> list[float | None]:
            if not self.judged:
                self.judged.append((query, []))
                raise RuntimeError
            return super().score(query, candidates)

    reranker = Cached(Once())
    with pytest.raises(RuntimeError):
        reranker.score("a", candidates("a"))
    assert reranker.score("a", candidates("a")) == [1]


def test_missing_scores_are_not_cached() -> None:
    class Slow(Shared):
        def score(self, query: str, candidates: Sequence[Candidate]) -> list[float | None]:
            super().score(query, candidates)
            return [None if len(self.judged) == 1 else 1.0 for _ in candidates]

    reranker = Cached(Slow())
    assert reranker.score("a", candidates("a")) == [None]
    assert reranker.score("a", candidates("a")) == [1]
