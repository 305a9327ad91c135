"""The stages of a search: narrow, collect, complete, fuse, boost, rerank, weigh."""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from core.embedding import tokens
from core.errors import ModelError, ProviderError
from core.model import Rowids
from core.reranking import Candidate, Reranker
from core.retrieval import exact_match, fusion, languages, links
from core.retrieval.candidates import candidates
from core.retrieval.search import Search
from core.store import Store
from core.store.ranking import best


class Stages:
    """The stages of a search whose question is embedded and whose rerankers are loaded."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def run(self, search: Search) -> None:
        """Run all stages after `narrow`."""
        if not search.query.text.strip():
            self._list(search)
            return
        for stage in (
            self._semantic,
            self._keyword,
            self._complete,
            self._fuse,
            self._boost,
            self._rerank,
            self._weigh,
            self._literal,
            self._settle,
        ):
            stage(search)

    def narrow(self, search: Search) -> None:
        """Resolve filters, phrases and exclusions to the allowed chunks, before anything is scored."""
        query, chunks, words = search.query, self._store.chunks, self._store.words
        search.allowed = chunks.allowed(replace(query.filters, bases=()))
        if query.excluded:
            out = set().union(*(words.holding(text, search.allowed) for text in query.excluded))
            every = chunks.rowids() if search.allowed is None else search.allowed
            search.allowed = np.setdiff1d(every, _rowids(out), assume_unique=True)
        if not query.phrases:
            return
        search.phrased = set.intersection(*(words.containing(phrase, search.allowed) for phrase in query.phrases))
        if not search.phrased:
            search.say("phrase_not_found")
        elif query.settings.phrase == "require":
            search.allowed = _rowids(search.phrased)

    def _list(self, search: Search) -> None:
        """List the notes that pass the filters, newest first, for a question without words."""
        search.mode = "listed"
        newest = self._store.chunks.newest(search.bases, search.settings.limit, search.allowed)
        search.keep("listed", dict.fromkeys(newest, 0.0))
        self._read(search, newest)
        search.say("listed")

    def _semantic(self, search: Search) -> None:
        if search.mode == "keyword":
            return
        nearest: dict[int, float] = {}
        for base in search.meant:
            nearest |= self._store.nearest(base, search.vectors[base.fingerprint], search.settings.pool, search.allowed)
        search.pools["vector"] = best(nearest, search.settings.pool)
        if self._store.index.state in ("damaged", "building"):
            search.say("index_damaged")
        if self._store.pending.any(base.id for base in search.bases if base.embed_at_once):
            search.say("unfinished")

    def _keyword(self, search: Search) -> None:
        if search.mode == "semantic":
            return
        base_ids = [base.id for base in search.bases] if search.query.filters.bases else None
        search.pools["keyword"] = self._store.words.ranked(
            search.words, search.settings.pool, base_ids=base_ids, allowed=search.allowed
        )

    def _complete(self, search: Search) -> None:
        """Compute the missing scores of the other stage's candidates, and mark those below the threshold.

        A chunk that isn't indexed yet has no score by meaning, and no threshold.
        """
        search.completed = {stage: dict(scores) for stage, scores in search.pools.items()}
        if search.mode == "hybrid":
            vector, keyword = search.completed["vector"], search.completed["keyword"]
            only_keyword = [rowid for rowid in keyword if rowid not in vector]
            only_vector = [rowid for rowid in vector if rowid not in keyword]
            for base in search.meant:
                vector |= self._store.chunks.cosines(base, search.vectors[base.fingerprint], only_keyword)
            keyword |= dict.fromkeys(only_vector, 0.0)
            keyword |= self._store.words.ranked(search.words, len(only_vector), rowids=only_vector)
        self._read(search, {rowid for scores in search.completed.values() for rowid in scores})
        least = search.settings.score_threshold
        if search.mode != "keyword" and least > 0:
            vector = search.completed["vector"]
            search.below = {rowid for rowid in search.chunks if vector.get(rowid, least) < least}

    def _read(self, search: Search, rowids: Iterable[int]) -> None:
        search.chunks = self._store.chunks.by_rowid(rowids)
        search.cards = self._store.notes.cards_of({chunk.note_id for chunk in search.chunks.values()})

    def _fuse(self, search: Search) -> None:
        settings, completed = search.settings, search.completed
        if search.mode == "hybrid" and settings.fusion == "weighted":
            vector, keyword = completed["vector"], completed["keyword"]
            across = any(self._store.vectors.centring(base).compares_languages for base in search.meant)
            trusted = languages.trusted(keyword, search.groups) if across else {}
            fused = fusion.weighted(vector, keyword, settings.semantic_weight, trusted)
        elif search.mode == "hybrid":
            fused = fusion.reciprocal(search.pools["vector"], search.pools["keyword"])
        else:
            return
        search.keep("fused", best(fused))

    def _boost(self, search: Search) -> None:
        """Raise chunks that hold an optional or emphasised phrase, and those linked with the best."""
        settings = search.settings
        raised: dict[int, float] = {}
        if search.phrased and settings.phrase == "boost":
            raised |= dict.fromkeys(search.phrased & search.order.keys(), fusion.PHRASE)
        for phrase in search.query.emphasised:
            if phrase in search.query.text:
                raised |= dict.fromkeys(self._store.words.containing(phrase, _rowids(search.order)), fusion.PHRASE)
        if settings.link_weight and search.order:
            texts = self._store.notes.links_of(search.cards)
            notes = {rowid: search.chunks[rowid].note_id for rowid in search.order}
            for rowid in links.linked(search.cards, texts, notes):
                raised[rowid] = raised.get(rowid, 0.0) + settings.link_weight
        if raised:
            search.keep("boosted", fusion.raised(search.order, raised))

    def _rerank(self, search: Search) -> None:
        """Rerank the best; a failure keeps the order and records the reason."""
        order = search.order
        if not search.rerankers or not order:
            return
        try:
            judged = self._judged(search, best(order, search.settings.rerank_pool))
        except (ModelError, ProviderError) as error:
            search.rerank_problem = error.message
            return
        scores = {rowid: score for rowid, score in judged.items() if score is not None}
        if scores:
            search.reranker = search.settings.reranker
            search.keep("rerank", best(scores))
            search.keep("final", fusion.blended(order, judged, search.settings.rerank_weight))

    def _weigh(self, search: Search) -> None:
        """Raise the chunks of important notes, and lower those of notes with a negative priority."""
        priorities = {rowid: search.card(rowid).priority for rowid in search.order}
        if search.settings.priority_weight and (most := max(map(abs, priorities.values()), default=0)):
            gains = {rowid: search.settings.priority_weight * one / most for rowid, one in priorities.items()}
            search.keep("priority", fusion.raised(search.order, gains))

    def _settle(self, search: Search) -> None:
        """Put the more important of chunks with equal scores first."""
        if search.pools and any(card.priority for card in search.cards.values()):
            stage, scores = list(search.pools.items())[-1]
            order = sorted(scores, key=lambda rowid: (-scores[rowid], -search.card(rowid).priority))
            search.keep(stage, {rowid: scores[rowid] for rowid in order})

    def _literal(self, search: Search) -> None:
        """Raise the chunks in which the question stands as it was typed."""
        order = search.order
        if search.mode == "semantic" or not order:
            return
        chunks = {rowid: search.chunks[rowid] for rowid in order}
        by_words = best(search.completed["keyword"])
        search.gains = exact_match.gains(search.spelled, by_words, chunks, search.cards, self._store.words.holders)
        if search.gains:
            search.keep("literal", fusion.raised(order, search.gains))

    def _judged(self, search: Search, pool: Iterable[int]) -> dict[int, float | None]:
        """Score with each reranker once. Bases with the same model share one reranker.

        A chunk that isn't indexed yet has no token bits, and gets None: reading it would delay the indexing.
        """
        cards, characters = search.cards, search.settings.rerank_characters
        by_reranker: dict[int, tuple[Reranker, dict[int, Candidate]]] = {}
        for base in search.meant:
            reranker, embedder = search.rerankers[base.id]
            own = {
                rowid: chunk
                for rowid in pool
                if search.card(rowid).base_id == base.id
                if (chunk := search.chunks[rowid]).state != "pending" or not reranker.reads_bits
            }
            if not own:
                continue
            vector = search.vectors.get(base.fingerprint)
            texts = candidates(
                self._store, base, embedder, vector, own, cards, with_bits=reranker.reads_bits, characters=characters
            )
            if reranker.reads_bits and not tokens.of(embedder):
                search.say("tokens_read")
            elif reranker.reads_bits and any(candidate.bits is None for candidate in texts.values()):
                search.say("tokens_missing")
            by_reranker.setdefault(id(reranker), (reranker, {}))[1].update(texts)
        judged: dict[int, float | None] = {}
        for reranker, texts in by_reranker.values():
            scores = dict(zip(texts, reranker.score(search.query.text, list(texts.values())), strict=True))
            if reranker.reads_bits and search.mode != "keyword":
                scores = languages.levelled(scores, search.completed["vector"], search.groups)
            judged |= scores
        if None in judged.values():
            search.say("rerank_partial")
        return {rowid: judged.get(rowid) for rowid in pool}


def _rowids(chunks: Iterable[int]) -> Rowids:
    return np.array(sorted(chunks), dtype=np.int64)
