"""Ranked candidates -> hits, with what every stage said of them, and those that lost."""

from collections.abc import Sequence
from dataclasses import replace

from core.model import Copy, Hit, Lost, LostAt, Query, SearchResult
from core.retrieval import duplicates, facets
from core.retrieval.context import passage
from core.retrieval.search import Search, placed
from core.store import Store


class Hits:
    """What one search found, or several that took turns; `whole` asked the question as it is."""

    def __init__(self, store: Store, query: Query, searches: Sequence[Search], whole: Search) -> None:
        self._store = store
        self._query = query
        self._searches = searches
        self._whole = whole
        self._placed = placed(searches)
        order = list(self._placed)
        for search in searches:
            for rowid in search.below:
                self._placed.setdefault(rowid, (0.0, search))
        self._chunks = {rowid: search.chunks[rowid] for rowid, (_, search) in self._placed.items()}
        self._groups = duplicates.groups(order, self._chunks, query.limit)
        self._matched = store.chunks.matched(whole.words, list(self._chunks)) if query.explain else {}

    def result(self) -> SearchResult:
        """Return the hits with their facets and notices, and where the query says so, what lost."""
        cards = {note_id: card for search in self._searches for note_id, card in search.cards.items()}
        hits = []
        for rank, group in enumerate(self._groups, 1):
            copies = [self._chunks[rowid] for rowid in group.copies]
            hit = self._hit(rank, group.best, group.joined, self._query.expansion_size)
            hits.append(replace(hit, copies=tuple(Copy(cards[chunk.note_id], chunk) for chunk in copies)))
        return SearchResult(
            query=self._query.text,
            mode=self._whole.mode,
            took_ms=0.0,
            hits=tuple(hits),
            notices=tuple(dict.fromkeys(notice for search in self._searches for notice in search.notices)),
            reranker=self._whole.reranker,
            rerank_problem=next((search.rerank_problem for search in self._searches if search.rerank_problem), ""),
            facets=facets.count(cards.values(), [base.name for base in self._whole.bases]),
            lost=tuple(self._lost()) if self._query.explain else (),
        )

    def _hit(self, rank: int, rowid: int, joined: Sequence[int] = (), expansion_size: int = 0) -> Hit:
        score, search = self._placed[rowid]
        chunk, card = self._chunks[rowid], search.card(rowid)
        also = [self._chunks[other] for other in joined]
        return Hit(
            rank=rank,
            score=score,
            chunk=chunk,
            note=card,
            scores=search.scores(rowid),
            passage=passage(self._store, card, chunk, expansion_size, also),
            matched=tuple(self._matched.get(rowid, ())),
            joined=tuple(sorted(one.index for one in also)),
            asked=search.sub_query.text if len(self._searches) > 1 else "",
        )

    def _lost(self) -> list[Lost]:
        best = {group.best for group in self._groups}
        double = {rowid for group in self._groups for rowid in (*group.joined, *group.dropped, *group.copies)}
        found = []
        for rank, (rowid, (_, search)) in enumerate(self._placed.items(), 1):
            if rowid in best:
                continue
            stage: LostAt = "threshold" if rowid in search.below else "duplicate"
            if rowid not in search.below | double:
                stage = _fell(search.ranks, rowid, self._query.limit)
            found.append(Lost(self._hit(rank, rowid), stage))
        return found


def _fell(ranks: dict[str, dict[int, int]], rowid: int, limit: int) -> LostAt:
    """Where a candidate fell behind, by the ranks that the stages gave it."""

    def within(*stages: str) -> bool:
        return any(ranks.get(stage, {}).get(rowid, limit + 1) <= limit for stage in stages)

    if "final" in ranks and within("boosted" if "boosted" in ranks else "fused"):
        return "reranking"
    return "fusion" if "fused" in ranks and not within("fused") and within("vector", "keyword") else "limit"
