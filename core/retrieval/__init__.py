"""A query -> hits: collect, complete, fuse, rerank, expand."""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from core.embedding import Embedder, tokens
from core.errors import ConfigError, EmbeddingMismatch, ModelError, ProviderError
from core.model import Hit, KnowledgeBase, Matrix, Mode, Query, SearchResult, StageScore
from core.reranking import Candidate, Reranker
from core.retrieval import fusion, queries
from core.retrieval.context import passage
from core.retrieval.rerank import candidates
from core.store import Store

EmbedderOf = Callable[[KnowledgeBase], Embedder | None]
"""The embedder of a base, None while its model is not loaded and the caller doesn't want to wait."""

RerankerOf = Callable[[KnowledgeBase, str], Reranker | None]
"""The reranker of this name for a base's chunks, None while its model is not loaded."""


@dataclass
class _Search:
    """What the stages of one search hand on: per stage, the score of each chunk by its rowid."""

    query: Query
    bases: Sequence[KnowledgeBase]
    note_ids: Sequence[str] | None
    mode: Mode
    words: Sequence[str]
    vectors: dict[str, Matrix] = field(default_factory=dict)
    pools: dict[str, dict[int, float]] = field(default_factory=dict)
    completed: dict[str, dict[int, float]] = field(default_factory=dict)
    notices: list[str] = field(default_factory=list)
    rerankers: dict[str, tuple[Reranker, Embedder]] = field(default_factory=dict)
    reranker: str = ""
    rerank_problem: str = ""

    def say(self, notice: str) -> None:
        """Tell the person, once."""
        if notice not in self.notices:
            self.notices.append(notice)


class Retriever:
    """Finds the chunks that answer a question."""

    def __init__(self, store: Store, embedder_of: EmbedderOf, reranker_of: RerankerOf) -> None:
        self._store = store
        self._embedder_of = embedder_of
        self._reranker_of = reranker_of

    def search(self, query: Query) -> SearchResult:
        """Return the best hits, with what every stage said of them.

        Raises QueryError for a question that can't be asked, UnknownChoice for an unknown base or
        mode, ModelError where the base's model can't be loaded.
        """
        started = time.perf_counter()
        while True:
            search = self._understand(query)
            self._embed(search)
            self._load_rerankers(search)
            # One snapshot: what a stage found must not be another chunk for the next one.
            with self._store.database.read():
                if search.bases != self._bases(query):
                    continue  # a base went over to another embedder meanwhile
                for stage in (self._semantic, self._keyword, self._complete, self._fuse, self._rerank):
                    stage(search)
                hits = self._hits(search)
            break
        took = (time.perf_counter() - started) * 1000
        return SearchResult(
            query.text, search.mode, took, hits, tuple(search.notices), search.reranker, search.rerank_problem
        )

    def _understand(self, query: Query) -> _Search:
        query = queries.checked(query)
        return _Search(
            query=query,
            bases=self._bases(query),
            note_ids=self._store.notes.matching(replace(query.filters, bases=())),
            mode="hybrid" if query.mode == "auto" else query.mode,
            words=queries.words(query),
        )

    def _bases(self, query: Query) -> list[KnowledgeBase]:
        named = query.filters.bases
        return [self._store.notes.base(name) for name in named] if named else self._store.notes.bases()

    def _embed(self, search: _Search) -> None:
        if search.mode == "keyword":
            return
        for base in search.bases:
            if base.fingerprint in search.vectors:
                continue
            embedder = self._embedder_of(base)
            if embedder is None:
                search.mode = "keyword"
                search.say("model_loading")
                return
            text, whole = queries.fit(search.query.text, embedder)
            if not whole:
                search.say("query_cut")
            search.vectors[base.fingerprint] = embedder.embed([text], role="query")[0]

    def _load_rerankers(self, search: _Search) -> None:
        if not search.query.reranker or "model_loading" in search.notices:
            return
        try:
            for base in search.bases:
                reranker, embedder = self._reranker_of(base, search.query.reranker), self._embedder_of(base)
                if reranker is None or embedder is None:
                    search.say("model_loading")
                    search.rerankers.clear()
                    return
                search.rerankers[base.id] = reranker, embedder
        except (ConfigError, ModelError, ProviderError, EmbeddingMismatch) as error:
            search.rerankers.clear()
            search.rerank_problem = str(error)

    def _semantic(self, search: _Search) -> None:
        if search.mode == "keyword":
            return
        found: dict[int, float] = {}
        for base in search.bases:
            found |= self._store.nearest(base, search.vectors[base.fingerprint], search.query.pool, search.note_ids)
        search.pools["vector"] = fusion.best(found, search.query.pool)
        if self._store.index_problem:
            search.say("index_damaged")

    def _keyword(self, search: _Search) -> None:
        if search.mode == "semantic":
            return
        base_ids = [base.id for base in search.bases] if search.query.filters.bases else None
        search.pools["keyword"] = self._store.chunks.matching_words(
            search.words, search.query.pool, base_ids=base_ids, note_ids=search.note_ids
        )

    def _complete(self, search: _Search) -> None:
        """Compute what a stage did not say of the other stage's candidates."""
        search.completed = {stage: dict(scores) for stage, scores in search.pools.items()}
        if search.mode != "hybrid":
            return
        vector, keyword = search.completed["vector"], search.completed["keyword"]
        only_keyword = [rowid for rowid in keyword if rowid not in vector]
        only_vector = [rowid for rowid in vector if rowid not in keyword]
        for base in search.bases:
            vector |= self._store.chunks.cosines(base, search.vectors[base.fingerprint], only_keyword)
        keyword |= dict.fromkeys(only_vector, 0.0)
        keyword |= self._store.chunks.matching_words(search.words, len(only_vector), rowids=only_vector)

    def _fuse(self, search: _Search) -> None:
        if search.mode == "hybrid":
            fused = fusion.weighted(
                search.completed["vector"], search.completed["keyword"], search.query.semantic_weight
            )
            search.pools["fused"] = search.completed["fused"] = fusion.best(fused, len(fused))

    def _rerank(self, search: _Search) -> None:
        """Judge the best; where that fails, the order stays and the reason is told."""
        fused = list(search.pools.values())[-1]
        if not search.rerankers or not fused:
            return
        try:
            judged = self._judged(search, fusion.best(fused, search.query.rerank_pool))
        except (ModelError, ProviderError) as error:
            search.rerank_problem = str(error)
            return
        scores = {rowid: score for rowid, score in judged.items() if score is not None}
        if len(scores) < len(judged):
            search.say("rerank_partial")
        if scores:
            search.reranker = search.query.reranker
            search.pools["rerank"] = search.completed["rerank"] = fusion.best(scores, len(scores))
            weight = search.query.rerank_weight
            search.pools["final"] = search.completed["final"] = fusion.blended(fused, judged, weight)

    def _judged(self, search: _Search, pool: Iterable[int]) -> dict[int, float | None]:
        """Ask each reranker once, for bases of one model share theirs."""
        chunks = self._store.chunks.by_rowid(pool)
        cards = self._store.notes.cards_of({chunk.note_id for chunk in chunks.values()})
        titles = {note_id: card.title for note_id, card in cards.items()}
        asked: dict[int, tuple[Reranker, dict[int, Candidate]]] = {}
        for base in search.bases:
            own = {rowid: chunks[rowid] for rowid in pool if cards[chunks[rowid].note_id].base_id == base.id}
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

    def _hits(self, search: _Search) -> tuple[Hit, ...]:
        top = dict(islice(list(search.pools.values())[-1].items(), search.query.limit))
        ranks = {stage: {rowid: rank for rank, rowid in enumerate(scores, 1)} for stage, scores in search.pools.items()}
        chunks = self._store.chunks.by_rowid(top)
        cards = self._store.notes.cards_of({chunk.note_id for chunk in chunks.values()})
        hits: list[Hit] = []
        for rowid, score in top.items():
            chunk = chunks[rowid]
            card = cards[chunk.note_id]
            scores = {
                stage: StageScore(said[rowid], ranks[stage].get(rowid))
                for stage, said in search.completed.items()
                if rowid in said
            }
            around = passage(self._store, card, chunk, search.query.expansion_size)
            hits.append(Hit(len(hits) + 1, score, chunk, card, scores, around))
        return tuple(hits)
