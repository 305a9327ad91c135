"""Follow-up rounds of an exploratory search: its parts in other words, and titles of the best chunks."""

from collections.abc import Callable, Sequence
from itertools import chain, islice, zip_longest

from core.base.messages import Message, message
from core.model import Chunk, Decomposition, NoteSummary, SubQuery, SubQueryResult
from core.retrieval.state import SearchState, rank_candidates
from core.store import Store

MOST = 3
"""Maximum number of rounds."""

SYNONYM, LEAD = message("other words"), message("a title among the hits")
"""Reasons of the sub-queries of later rounds."""

_PER_ROUND = 3


Variants = Callable[[str], Sequence[str]]
"""Returns a question in other words."""


def run_follow_ups(
    store: Store,
    first: Sequence[SearchState],
    decomposition: Decomposition,
    variants: Variants,
    search: Callable[[Sequence[SubQuery]], list[SearchState]],
) -> tuple[list[SearchState], list[SubQueryResult]]:
    """Run the rounds after the `first`, whose last search is the whole question; return the searches of all rounds.

    `search` runs a round. It follows as long as new chunks are as near to the question as those of the first round.
    Returns also the hits of each search, counted.
    """
    whole, searches, latest = first[-1], list(first), list(first)
    known: set[int] = set()
    summaries = [_summary(1, search_state, known) for search_state in first]
    floor = min(
        _nearness(store, whole, list(rank_candidates(first))[: whole.query.settings.limit]).values(), default=0.0
    )
    for number in range(2, MOST + 1):
        done = [search_state.sub_query for search_state in searches]
        parts = follow_ups(decomposition, done, [search_state.best(3) for search_state in latest], variants, number)
        if not parts:
            break
        latest = search(parts)
        for search_state in latest:
            order, near = search_state.order, _nearness(store, whole, list(search_state.order))
            search_state.keep("near", {key: score for key, score in order.items() if near.get(key, floor) >= floor})
        summaries += [_summary(number, search_state, known) for search_state in latest]
        searches += latest
        if not any(part.new for part in summaries if part.round == number):
            break
    return searches, summaries


def follow_ups(
    decomposition: Decomposition,
    done: Sequence[SubQuery],
    tops: Sequence[Sequence[tuple[Chunk, NoteSummary]]],
    variants: Variants,
    number: int,
) -> list[SubQuery]:
    """Return the new sub-queries of the next round; `done` are those of earlier rounds.

    The second round has the parts in other words. Lists and summaries also follow the titles of the best
    chunks (`tops`, of each sub-query of the last round), which name the parts of a subject.
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


def _summary(number: int, search: SearchState, known: set[int]) -> SubQueryResult:
    """Count the hits of a part and those that are new; adds them to `known`."""
    shown = set(islice(search.order, search.query.settings.limit))
    new = shown - known
    known |= new
    return SubQueryResult(search.sub_query.text, search.sub_query.why, number, len(shown), len(new))


def _nearness(store: Store, whole: SearchState, rowids: Sequence[int]) -> dict[int, float]:
    """Return the cosine of chunks with the whole question, nothing in keyword mode."""
    scores: dict[int, float] = {}
    for base in whole.vector_bases:
        if base.fingerprint in whole.vectors:
            scores |= store.chunks.cosines(base, whole.vectors[base.fingerprint], rowids)
    return scores
