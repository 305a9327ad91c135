"""How good a ranking is, from character spans alone.

A span is (path, start, end), half-open. Ranks count from 1; None is 'not found'.
"""

from collections.abc import Sequence

Span = tuple[str, int, int]

FOUND_SHARE = 0.5
"""A gold passage is found when this share of its characters was retrieved."""


def coverage(gold: Span, retrieved: Sequence[Span]) -> float:
    """Return the share of the gold span's characters that the retrieved spans hold together.

    |gold ∩ ∪ retrieved| / |gold|: the token recall of Smith and Troynikov, 'Evaluating Chunking
    Strategies for Retrieval' (Chroma, 2024), for one passage and in characters.
    """
    path, start, end = gold
    covered, reached = 0, start
    for left, right in sorted((left, right) for place, left, right in retrieved if place == path):
        covered += max(0, min(right, end) - max(left, reached))
        reached = max(reached, min(right, end))
    return covered / (end - start)


def iou(golds: Sequence[Span], retrieved: Sequence[Span]) -> float:
    """Return how exactly the retrieved spans are the gold ones: 1 for the same characters, 0 for others only.

    |gold ∩ retrieved| / |gold ∪ retrieved|: the IoU of Smith and Troynikov (2024), in characters, each
    counted once.
    """
    wanted = sum(_length(golds, place) for place in {place for place, _, _ in golds})
    got = sum(_length(retrieved, place) for place in {place for place, _, _ in retrieved})
    either = sum(_length([*golds, *retrieved], place) for place in {place for place, _, _ in [*golds, *retrieved]})
    return (wanted + got - either) / either if either else 0.0


def _length(spans: Sequence[Span], path: str) -> int:
    total, reached = 0, 0
    for start, end in sorted((start, end) for place, start, end in spans if place == path):
        total += max(0, end - max(start, reached))
        reached = max(reached, end)
    return total


def found_at(golds: Sequence[Span], hits: Sequence[Span], *, any: bool) -> int | None:
    """Return the first rank by which a gold span is found, or, without `any`, by which all are."""
    enough = min(1, len(golds)) if any else len(golds)
    for rank in range(1, len(hits) + 1):
        found = sum(coverage(gold, hits[:rank]) >= FOUND_SHARE for gold in golds)
        if golds and found >= enough:
            return rank
    return None


def hit_at(rank: int | None, k: int) -> float:
    """Return 1 where the answer is among the first k hits, else 0.

    Averaged over questions this is success@k (Craswell, 'Success at n', Encyclopedia of Database
    Systems, 2009), also called hit rate.
    """
    return float(rank is not None and rank <= k)


def reciprocal_rank(rank: int | None, k: int) -> float:
    """Return 1 / rank within the first k hits, else 0.

    Averaged over questions this is MRR@k (Voorhees, 'The TREC-8 Question Answering Track Report',
    1999, with k = 5 there).
    """
    return 1 / rank if rank is not None and rank <= k else 0.0


def within_budget(hits: Sequence[Span], budget: int) -> list[Span]:
    """Return the hits in order as far as a budget of characters reaches, the last one cut there.

    Compares systems whose passages differ in length: a fixed number of hits favours long ones.
    """
    kept: list[Span] = []
    for path, start, end in hits:
        if budget <= 0:
            break
        kept.append((path, start, min(end, start + budget)))
        budget -= end - start
    return kept
