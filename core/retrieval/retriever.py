"""Retrieval: one search through the stages, or several that take turns for an exploratory question."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice

from core.embedding import Embedder
from core.errors import ConfigError, EmbeddingMismatch, ModelError, ProviderError
from core.model import Asked, Decomposition, KnowledgeBase, Notice, Query, ResultMode, SearchResult, SubQuery, WhyNot
from core.models import Models
from core.notes.succession import Succession
from core.query import limits, spelling
from core.reranking import NONE, Reranker
from core.retrieval import rounds
from core.retrieval.hits import Hits
from core.retrieval.reasons import Reasons
from core.retrieval.search import Search, placed
from core.retrieval.stages import Stages
from core.store import Store

Variants = Callable[[str], Sequence[str]]
"""Returns a question in other words."""


class Retriever:
    """Finds the chunks that answer a question."""

    def __init__(
        self, store: Store, models: Models, succession: Succession, *, wait: bool = True, cached: bool = True
    ) -> None:
        """Take the models of the bases; without `wait` a model that still loads is skipped, with a notice."""
        self._store = store
        self._succession = succession
        self._stages = Stages(store)
        self._models = models
        self._wait = wait
        self._cached = cached

    def search(self, query: Query) -> SearchResult:
        """Return the best hits, with the scores of every stage.

        Raises QueryError for an invalid question, UnknownChoice for an unknown base or
        mode, ModelError where the base's model can't be loaded.
        """
        return self._answer(query, [SubQuery(query.text, rounds.WHOLE)])

    def explore(self, query: Query, decomposition: Decomposition, variants: Variants = lambda text: ()) -> SearchResult:
        """Search a question and its parts side by side, each with its share of the hits.

        Runs up to three rounds, as long as new chunks are as near to the question as those of the first
        round. Raises what `search` raises.
        """
        parts = [*decomposition.sub_queries, SubQuery(query.text, rounds.WHOLE)]
        return self._answer(query, parts, lambda first: self._rounds(first, decomposition, variants))

    def why_not(self, query: Query, note_id: str) -> WhyNot:
        """Return why a note is no hit of a search; raises NoteNotFound and what `search` raises."""
        with self.explained(query) as reasons:
            return reasons.why_not(self._store.notes.card(note_id))

    @contextmanager
    def explained(self, query: Query) -> Iterator[Reasons]:
        """Search a question and hold its snapshot open, to explain the outcome of any chunks."""
        query = limits.checked(replace(query, explain=True))
        with self._snapshot(query, [SubQuery(query.text, rounds.WHOLE)]) as searches:
            self._run(searches, searches[0])
            yield Reasons(self._store, self._stages, searches[0], self._hits(searches, searches[0]))

    def _answer(
        self,
        query: Query,
        parts: Sequence[SubQuery],
        go_on: Callable[[list[Search]], tuple[list[Search], list[Asked]]] = lambda first: (first, []),
    ) -> SearchResult:
        started = time.perf_counter()
        query = limits.checked(query)
        with self._snapshot(query, parts) as first:
            self._run(first, first[0])
            searches, sub_queries = go_on(first)
            result = self._hits(searches, first[-1])
        return replace(result, took_ms=(time.perf_counter() - started) * 1000, asked=tuple(sub_queries))

    def _hits(self, searches: Sequence[Search], whole: Search) -> SearchResult:
        return Hits(self._store, self._succession, searches, whole).result()

    @contextmanager
    def _snapshot(self, query: Query, parts: Sequence[SubQuery]) -> Iterator[list[Search]]:
        """Begin the parts of a question and narrow the first, in one snapshot so that all stages agree."""
        while True:
            begun = self._begun(query, parts)
            with self._store.database.read():
                if begun[0].bases != self._bases(query):
                    continue  # a base changed its embedder meanwhile
                self._stages.narrow(begun[0])
                yield begun
                return

    def _run(self, searches: Sequence[Search], narrowed: Search) -> None:
        """Run the parts of a question, all with the allowed chunks of `narrowed`."""
        for search in searches:
            search.allowed, search.phrased = narrowed.allowed, narrowed.phrased
            self._stages.run(search)

    def _begun(self, query: Query, parts: Sequence[SubQuery]) -> list[Search]:
        bases = self._bases(query)
        mode: ResultMode = "hybrid" if query.settings.mode == "auto" else query.settings.mode
        known, counts = self._store.words.known, self._store.words.counts
        searches = []
        for part in parts:
            spelled = (part.text, {}) if query.as_typed else spelling.corrected(part.text, known, counts)
            searches.append(Search(replace(query, text=part.text), part, bases, mode, *spelled))
        words = [word for search in searches if search.mode != "semantic" for word in search.words]
        with self._store.words.read_ahead(words):
            self._embed(searches)
        for search in searches:
            self._load_rerankers(search)
        return searches

    def _bases(self, query: Query) -> list[KnowledgeBase]:
        named = query.filters.bases
        return [self._store.bases.named(name) for name in named] if named else self._store.bases.all()

    def _embed(self, searches: Sequence[Search]) -> None:
        """Embed all questions at once, for each model of the bases."""
        meant = [search for search in searches if search.mode != "keyword" and search.query.text.strip()]
        for base in searches[0].meant if meant else ():
            if base.fingerprint in meant[0].vectors:
                continue
            try:
                embedder = self._embedder(base)
            except EmbeddingMismatch:
                if searches[0].settings.mode != "auto":
                    raise
                _by_words(meant, "other_model")
                return
            if embedder is None:
                _by_words(meant, "model_loading")
                return
            fitted = [limits.fit(search.query.text, embedder) for search in meant]
            rows = embedder.embed([text for text, _ in fitted], role="query")
            for search, row, (_, whole) in zip(meant, rows, fitted, strict=True):
                search.vectors[base.fingerprint] = row
                if not whole:
                    search.say("query_cut")

    def _load_rerankers(self, search: Search) -> None:
        if search.settings.reranker == NONE or "model_loading" in search.notices:
            return
        try:
            for base in search.meant:
                reranker, embedder = self._reranker(base, search.settings.reranker), self._embedder(base)
                if reranker is None or embedder is None:
                    search.say("model_loading")
                    search.rerankers.clear()
                    return
                search.rerankers[base.id] = reranker, embedder
        except (ConfigError, ModelError, ProviderError, EmbeddingMismatch) as error:
            search.rerankers.clear()
            search.rerank_problem = error.message

    def _embedder(self, base: KnowledgeBase) -> Embedder | None:
        return self._models.embedder(base) if self._wait or self._models.ready(base) else None

    def _reranker(self, base: KnowledgeBase, name: str) -> Reranker | None:
        if not (self._wait or self._models.reranker_ready(base, name)):
            return None
        return self._models.reranker(base, name, cached=self._cached)

    def _rounds(
        self, first: list[Search], decomposition: Decomposition, variants: Variants
    ) -> tuple[list[Search], list[Asked]]:
        """Run further rounds while there are new sub-queries and their chunks are near enough to the question."""
        whole, searches = first[-1], list(first)
        known: set[int] = set()
        summaries = [self._summary(1, search, known) for search in first]
        floor = min(self._nearness(whole, list(placed(first))[: whole.settings.limit]).values(), default=0.0)
        latest = first
        for number in range(2, rounds.MOST + 1):
            done = [search.sub_query for search in searches]
            parts = rounds.follow_ups(decomposition, done, [search.best(3) for search in latest], variants, number)
            if not parts:
                break
            latest = self._begun(whole.query, parts)
            self._run(latest, whole)
            for search in latest:
                order, near = search.order, self._nearness(whole, list(search.order))
                search.keep("near", {key: score for key, score in order.items() if near.get(key, floor) >= floor})
            summaries += [self._summary(number, search, known) for search in latest]
            searches += latest
            if not any(part.new for part in summaries if part.round == number):
                break
        return searches, summaries

    def _summary(self, number: int, search: Search, known: set[int]) -> Asked:
        """Count the hits of a part and those that are new; adds them to `known`."""
        shown = set(islice(search.order, search.settings.limit))
        new = shown - known
        known |= new
        return Asked(number, search.sub_query, len(shown), len(new))

    def _nearness(self, whole: Search, rowids: Sequence[int]) -> dict[int, float]:
        """Return the cosine of chunks with the whole question, nothing in keyword mode."""
        scores: dict[int, float] = {}
        for base in whole.meant:
            if base.fingerprint in whole.vectors:
                scores |= self._store.chunks.cosines(base, whole.vectors[base.fingerprint], rowids)
        return scores


def _by_words(searches: Sequence[Search], notice: Notice) -> None:
    """Let searches go on by words only, and say why."""
    for search in searches:
        search.mode = "keyword"
        search.say(notice)
