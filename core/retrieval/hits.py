"""Hits from ranked candidates, with the scores of every stage, and the candidates that lost."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import accumulate

from core.model import Copy, Hit, Lost, LostAt, NoteCard, Passage, SearchResult
from core.notes.succession import Succession
from core.retrieval import confidence, duplicates, facets, supersession
from core.retrieval.duplicates import Group
from core.retrieval.passages import passage
from core.retrieval.search import Search, placed
from core.store import Store


class Hits:
    """Hits of one search, or of several that take turns; `whole` is the search for the undivided question."""

    def __init__(self, store: Store, succession: Succession, searches: Sequence[Search], whole: Search) -> None:
        self._store = store
        self._successors = succession.successors()
        self._query = query = whole.query
        self._searches = searches
        self._whole = whole
        self._placed = placed(searches)
        order = list(self._placed)
        for search in searches:
            for rowid in search.below:
                self._placed.setdefault(rowid, (0.0, search))
        self._chunks = {rowid: search.chunks[rowid] for rowid, (_, search) in self._placed.items()}
        self._groups = self._grouped_in(order)
        self._matched = store.words.matched(whole.words, list(self._chunks)) if query.explain else {}

    def _grouped_in(self, order: Sequence[int]) -> list[Group]:
        """Return the groups of the hits, those of a superseded note behind those of its successors."""
        groups = duplicates.groups(order, self._chunks, self._query.settings.limit)
        if not self._successors:
            return groups
        shown = [rowid for group in groups for rowid in (group.best, *group.copies)]
        placed = supersession.behind(order, self._chunks, shown, self._successors)
        if placed is order:
            return groups
        scores = accumulate((self._placed[rowid][0] for rowid in placed), min)
        moved = {rowid: (score, self._placed[rowid][1]) for rowid, score in zip(placed, scores, strict=True)}
        self._placed = moved | {rowid: one for rowid, one in self._placed.items() if rowid not in moved}
        return duplicates.groups(placed, self._chunks, self._query.settings.limit)

    def result(self) -> SearchResult:
        """Return the hits with their facets and notices, and with `explain` the candidates that lost."""
        cards = {note_id: card for search in self._searches for note_id, card in search.cards.items()}
        best = {self._chunks[group.best].note_id for group in self._groups}
        successors = {new for note_id in best for new in self._successors.get(note_id, ())}
        cards |= self._store.notes.cards_of(successors - cards.keys()) if successors else {}
        hits = [self._grouped(rank, group, cards) for rank, group in enumerate(self._groups, 1)]
        return SearchResult(
            query=self._query.text,
            mode=self._whole.mode,
            took_ms=0.0,
            hits=tuple(hits),
            spelled={word: near for search in self._searches for word, near in search.corrections.items()},
            notices=tuple(dict.fromkeys(notice for search in self._searches for notice in search.notices)),
            reranker=self._whole.reranker,
            rerank_problem=next((search.rerank_problem for search in self._searches if search.rerank_problem), None),
            facets=facets.count(hits, [base.name for base in self._whole.bases]),
            confident=confidence.confident(self._store, self._whole),
            settings=self._query.settings,
            lost=tuple(self._lost()) if self._query.explain else (),
        )

    def _grouped(self, rank: int, group: Group, cards: Mapping[str, NoteCard]) -> Hit:
        """Return the hit of a group: its best chunk, widened by the joined chunks and by neighbours."""
        hit = self._hit(rank, group.best)
        joined = [self._chunks[rowid] for rowid in group.joined]
        copies = [self._chunks[rowid] for rowid in group.copies]
        scores = dict(hit.scores)
        if scores and len(self._searches) == 1:
            # Duplicates of better hits stood between.
            last = list(scores)[-1]
            scores[last] = replace(scores[last], rank=rank)
        return replace(
            hit,
            scores=scores,
            passage=passage(self._store, hit.note, hit.chunk, self._query.settings.expansion_size, joined),
            joined=tuple(sorted(chunk.index for chunk in joined)),
            copies=tuple(Copy(cards[chunk.note_id], chunk) for chunk in copies),
            superseded_by=tuple(cards[new] for new in self._successors.get(hit.note.id, ())),
        )

    def _hit(self, rank: int, rowid: int) -> Hit:
        """Return a candidate as a hit with its own passage."""
        score, search = self._placed[rowid]
        chunk, card = self._chunks[rowid], search.card(rowid)
        own = Passage(card, chunk.start, chunk.end, chunk.text)
        question_part = search.sub_query.text if len(self._searches) > 1 else ""
        matched = tuple(self._matched.get(rowid, ()))
        return Hit(rank, score, chunk, card, search.scores(rowid), own, matched, asked=question_part)

    def _lost(self) -> list[Lost]:
        best = {group.best for group in self._groups}
        double = {rowid for group in self._groups for rowid in (*group.joined, *group.dropped, *group.copies)}
        lost = []
        for rank, (rowid, (_, search)) in enumerate(self._placed.items(), 1):
            if rowid in best:
                continue
            stage: LostAt = "threshold" if rowid in search.below else "duplicate"
            if rowid not in search.below | double:
                stage = _fell(search.ranks, rowid, self._query.settings.limit)
            lost.append(Lost(self._hit(rank, rowid), stage))
        return lost


def _fell(ranks: dict[str, dict[int, int]], rowid: int, limit: int) -> LostAt:
    """Return the stage at which a candidate fell behind, by its ranks."""

    def within(*stages: str) -> bool:
        return any(ranks.get(stage, {}).get(rowid, limit + 1) <= limit for stage in stages)

    if "literal" in ranks and within("final" if "final" in ranks else "fused"):
        return "literal"
    if "final" in ranks and within("boosted" if "boosted" in ranks else "fused"):
        return "reranking"
    return "fusion" if "fused" in ranks and not within("fused") and within("vector", "keyword") else "limit"
