"""Follow-up rounds of an exploratory search: its parts in other words, and section titles from the best chunks."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import chain, islice, zip_longest

from core.base.frozen import frozen
from core.base.messages import Message, message
from core.model import Chunk, Decomposition, NoteSummary, SubQuery, SubQueryResult
from core.retrieval.ranking import Ranking, merge
from core.retrieval.requests import SearchRequest, Variants
from core.store import Store
from core.store.top_k import Scores

MOST = 3
"""Maximum number of rounds, including the first."""

SYNONYM, LEAD = message("other words"), message("a title among the hits")
"""Reasons for the sub-queries in later rounds."""

_PER_ROUND = 3


@frozen
class Rounds:
    """The rankings of all rounds, and the number of hits of each sub-query."""

    rankings: Sequence[Ranking]
    summaries: Sequence[SubQueryResult]


def run_follow_ups(
    store: Store,
    first: Sequence[Ranking],
    decomposition: Decomposition,
    variants: Variants,
    search: Callable[[Sequence[SubQuery]], Sequence[Ranking]],
) -> Rounds:
    """Run the rounds after the `first`, whose last ranking is for the whole question; return all rounds.

    `search` runs a round. More rounds follow while new chunks are as near to the question as those of the first round.
    """
    whole, rankings, latest = first[-1], list(first), list(first)
    known: set[int] = set()
    summaries = [_summary(1, ranking, known) for ranking in first]
    shown = list(merge(first))[: whole.request.query.settings.limit]
    floor = min(_nearness(store, whole.request, shown).values(), default=0.0)
    for number in range(2, MOST + 1):
        done = [ranking.request.sub_query for ranking in rankings]
        parts = follow_ups(decomposition, done, [ranking.best(3) for ranking in latest], variants, number)
        if not parts:
            break
        latest = [_keep_near(store, whole.request, ranking, floor) for ranking in search(parts)]
        summaries += [_summary(number, ranking, known) for ranking in latest]
        rankings += latest
        if not any(part.new for part in summaries if part.round == number):
            break
    return Rounds(rankings, summaries)


def _keep_near(store: Store, whole: SearchRequest, ranking: Ranking, floor: float) -> Ranking:
    """Return a ranking without chunks whose similarity to the whole question is below the floor."""
    near = _nearness(store, whole, list(ranking.order))
    kept = {rowid: score for rowid, score in ranking.order.items() if near.get(rowid, floor) >= floor}
    return replace(ranking, trace=ranking.trace.add("near", kept))


def follow_ups(
    decomposition: Decomposition,
    done: Sequence[SubQuery],
    tops: Sequence[Sequence[tuple[Chunk, NoteSummary]]],
    variants: Variants,
    number: int,
) -> list[SubQuery]:
    """Return the new sub-queries for the next round; `done` are the earlier ones.

    The second round has the parts in other words. Lists and summaries also follow the section titles of the best chunks
    (`tops`, for each sub-query of the last round), which name parts of the subject.
    """
    known = {sub_query.text.casefold() for sub_query in done}
    result: list[SubQuery] = []

    def ask(text: str, why: Message) -> None:
        if len(result) < _PER_ROUND and text.casefold() not in known:
            known.add(text.casefold())
            result.append(SubQuery(text, why))

    if number == 2:
        for part in decomposition.sub_queries:
            for variant in variants(part.text):
                ask(variant, SYNONYM)
    if decomposition.kind in ("list", "summary"):
        subject = decomposition.sub_queries[0].text
        for chunk, card in filter(None, chain.from_iterable(zip_longest(*tops))):
            title = chunk.section_title or card.title
            if title.casefold() not in subject.casefold():
                ask(f"{subject} {title}", LEAD)
    return result


def _summary(number: int, ranking: Ranking, known: set[int]) -> SubQueryResult:
    """Count the hits of a sub-query and the new ones among them, and add these to `known`."""
    shown = set(islice(ranking.order, ranking.request.query.settings.limit))
    new = shown - known
    known |= new
    sub_query = ranking.request.sub_query
    return SubQueryResult(sub_query.text, sub_query.why, number, len(shown), len(new))


def _nearness(store: Store, whole: SearchRequest, rowids: Sequence[int]) -> Scores:
    """Return the cosine between each chunk and the whole question; empty in keyword mode."""
    scores: Scores = {}
    for base in whole.vector_bases:
        if base.fingerprint in whole.vectors:
            scores |= store.chunks.cosines(base, whole.vectors[base.fingerprint], rowids)
    return scores
