"""The stages of a search: narrow, collect, complete, fuse, boost, rerank."""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from core.embedding import tokens
from core.errors import ModelError, ProviderError
from core.model import Rowids
from core.reranking import Candidate, Reranker
from core.retrieval import fusion, links
from core.retrieval.rerank import candidates
from core.retrieval.search import Search
from core.store import Store


class Stages:
    """What happens to a search whose question is embedded and whose rerankers are there."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def run(self, search: Search) -> None:
        """Let a search that was narrowed go through all that follows."""
        if not search.query.text.strip():
            self._list(search)
            return
        for stage in (self._semantic, self._keyword, self._complete, self._fuse, self._boost, self._rerank):
            stage(search)

    def narrow(self, search: Search) -> None:
        """Resolve filters, phrases and exclusions to the chunks that may answer, before anything is scored."""
        query, chunks = search.query, self._store.chunks
        search.allowed = chunks.allowed(replace(query.filters, bases=()))
        if query.excluded:
            out = set().union(*(chunks.holding(text, search.allowed) for text in query.excluded))
            every = chunks.rowids() if search.allowed is None else search.allowed
            search.allowed = np.setdiff1d(every, _rowids(out), assume_unique=True)
        if not query.phrases:
            return
        found = [chunks.containing(phrase, search.allowed) for phrase in query.phrases]
        search.phrased = set.intersection(*found)
        if not search.phrased:
            search.say("phrase_not_found")
        elif query.phrase == "require":
            search.allowed = _rowids(search.phrased)

    def _list(self, search: Search) -> None:
        """Without words to look for, what passes the filters: the notes changed last first."""
        search.mode = "keyword"
        newest = self._store.chunks.newest(search.bases, search.query.limit, search.allowed)
        search.keep("listed", dict.fromkeys(newest, 0.0))
        self._read(search, newest)
        search.say("listed")

    def _semantic(self, search: Search) -> None:
        if search.mode == "keyword":
            return
        found: dict[int, float] = {}
        for base in search.bases:
            found |= self._store.nearest(base, search.vectors[base.fingerprint], search.query.pool, search.allowed)
        search.pools["vector"] = fusion.best(found, search.query.pool)
        if self._store.index_problem:
            search.say("index_damaged")

    def _keyword(self, search: Search) -> None:
        if search.mode == "semantic":
            return
        base_ids = [base.id for base in search.bases] if search.query.filters.bases else None
        search.pools["keyword"] = self._store.chunks.matching_words(
            search.words, search.query.pool, base_ids=base_ids, allowed=search.allowed
        )

    def _complete(self, search: Search) -> None:
        """Compute what a stage did not say of the other stage's candidates, and drop what is too far away."""
        search.completed = {stage: dict(scores) for stage, scores in search.pools.items()}
        if search.mode == "hybrid":
            vector, keyword = search.completed["vector"], search.completed["keyword"]
            only_keyword = [rowid for rowid in keyword if rowid not in vector]
            only_vector = [rowid for rowid in vector if rowid not in keyword]
            for base in search.bases:
                vector |= self._store.chunks.cosines(base, search.vectors[base.fingerprint], only_keyword)
            keyword |= dict.fromkeys(only_vector, 0.0)
            keyword |= self._store.chunks.matching_words(search.words, len(only_vector), rowids=only_vector)
        self._read(search, {rowid for scores in search.completed.values() for rowid in scores})
        least = search.query.score_threshold
        if search.mode != "keyword" and least > 0:
            vector = search.completed["vector"]
            search.below = {rowid for rowid in search.chunks if vector.get(rowid, 0.0) < least}

    def _read(self, search: Search, rowids: Iterable[int]) -> None:
        search.chunks = self._store.chunks.by_rowid(rowids)
        search.cards = self._store.notes.cards_of({chunk.note_id for chunk in search.chunks.values()})

    def _fuse(self, search: Search) -> None:
        query, completed = search.query, search.completed
        if search.mode == "hybrid" and query.fusion == "weighted":
            fused = fusion.weighted(completed["vector"], completed["keyword"], query.semantic_weight)
        elif search.mode == "hybrid":
            fused = fusion.reciprocal(search.pools["vector"], search.pools["keyword"])
        else:
            return
        search.keep("fused", fusion.best(fused, len(fused)))

    def _boost(self, search: Search) -> None:
        """Raise what holds a phrase that isn't required, and what is linked with the best."""
        query = search.query
        raised: dict[int, float] = {}
        if search.phrased and query.phrase == "boost":
            raised |= dict.fromkeys(search.phrased & search.order.keys(), fusion.PHRASE)
        if query.link_weight and search.order:
            texts = self._store.notes.links_of(search.cards)
            notes = {rowid: search.chunks[rowid].note_id for rowid in search.order}
            for rowid in links.linked(search.cards, texts, notes):
                raised[rowid] = raised.get(rowid, 0.0) + query.link_weight
        if raised:
            search.keep("boosted", fusion.raised(search.order, raised))

    def _rerank(self, search: Search) -> None:
        """Judge the best; where that fails, the order stays and the reason is told."""
        order = search.order
        if not search.rerankers or not order:
            return
        try:
            judged = self._judged(search, fusion.best(order, search.query.rerank_pool))
        except (ModelError, ProviderError) as error:
            search.rerank_problem = str(error)
            return
        scores = {rowid: score for rowid, score in judged.items() if score is not None}
        if len(scores) < len(judged):
            search.say("rerank_partial")
        if scores:
            search.reranker = search.query.reranker
            search.keep("rerank", fusion.best(scores, len(scores)))
            search.keep("final", fusion.blended(order, judged, search.query.rerank_weight))

    def _judged(self, search: Search, pool: Iterable[int]) -> dict[int, float | None]:
        """Ask each reranker once, for bases of one model share theirs."""
        titles = {note_id: card.title for note_id, card in search.cards.items()}
        asked: dict[int, tuple[Reranker, dict[int, Candidate]]] = {}
        for base in search.bases:
            own = {rowid: search.chunks[rowid] for rowid in pool if search.card(rowid).base_id == base.id}
            if not own:
                continue
            reranker, embedder = search.rerankers[base.id]
            vector = search.vectors.get(base.fingerprint)
            found = candidates(
                self._store,
                base,
                embedder,
                vector,
                own,
                titles,
                with_bits=reranker.reads_bits,
                characters=search.query.rerank_characters,
            )
            unread = [own[rowid].state for rowid, candidate in found.items() if candidate.bits is None]
            if reranker.reads_bits and not tokens.of(embedder):
                search.say("tokens_read")
            elif reranker.reads_bits and "embedded" in unread:
                search.say("tokens_missing")
            asked.setdefault(id(reranker), (reranker, {}))[1].update(found)
        judged: dict[int, float | None] = {}
        for reranker, found in asked.values():
            judged |= zip(found, reranker.score(search.query.text, list(found.values())), strict=True)
        return {rowid: judged[rowid] for rowid in pool}


def _rowids(found: Iterable[int]) -> Rowids:
    return np.array(sorted(found), dtype=np.int64)
