"""A query -> hits: one search through the stages, or for an exploratory question several that take turns."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice

from core.embedding import Embedder
from core.errors import ConfigError, EmbeddingMismatch, ModelError, ProviderError
from core.model import (
    Asked,
    Decomposition,
    Diagnosis,
    GoldSpan,
    KnowledgeBase,
    Mode,
    Query,
    SearchResult,
    SubQuery,
    WhyNot,
)
from core.reranking import Reranker
from core.retrieval import diagnosis, queries, rounds
from core.retrieval.hits import Hits
from core.retrieval.reasons import Reasons
from core.retrieval.search import Search, placed
from core.retrieval.stages import Stages
from core.store import Store

EmbedderOf = Callable[[KnowledgeBase], Embedder | None]
"""The embedder of a base, None while its model is not loaded and the caller doesn't want to wait."""

RerankerOf = Callable[[KnowledgeBase, str], Reranker | None]
"""The reranker of this name for a base's chunks, None while its model is not loaded."""

Variants = Callable[[str], Sequence[str]]
"""The same question in other words."""


class Retriever:
    """Finds the chunks that answer a question."""

    def __init__(self, store: Store, embedder_of: EmbedderOf, reranker_of: RerankerOf) -> None:
        self._store = store
        self._stages = Stages(store)
        self._embedder_of = embedder_of
        self._reranker_of = reranker_of

    def search(self, query: Query) -> SearchResult:
        """Return the best hits, with what every stage said of them.

        Raises QueryError for a question that can't be asked, UnknownChoice for an unknown base or
        mode, ModelError where the base's model can't be loaded.
        """
        return self._asked(query, [SubQuery(query.text, rounds.WHOLE)])

    def explore(self, query: Query, decomposition: Decomposition, variants: Variants = lambda text: ()) -> SearchResult:
        """Ask a question and what it was taken apart into side by side, each with its share of the hits.

        Up to three rounds, while new chunks appear that are as near to the question as those of the
        first. Raises what `search` raises.
        """
        parts = [*decomposition.sub_queries, SubQuery(query.text, rounds.WHOLE)]
        return self._asked(query, parts, lambda first: self._rounds(first, decomposition, variants))

    def why_not(self, query: Query, note_id: str) -> WhyNot:
        """Return why a note is no hit of a search; raises NoteNotFound and what `search` raises."""
        with self._explained(query) as reasons:
            return reasons.why_not(self._store.notes.card(note_id))

    def diagnose(self, query: Query, golds: Sequence[tuple[int, GoldSpan]], found_share: float) -> list[Diagnosis]:
        """Return why right passages, each with its number in the question, are in no hit; found ones are left out.

        A passage is found from `found_share` of its characters on. Raises what `search` raises.
        """
        with self._explained(query) as reasons:
            return diagnosis.of(self._store, reasons, golds, found_share)

    @contextmanager
    def _explained(self, query: Query) -> Iterator[Reasons]:
        """Ask a question, and stay in the snapshot in which it was answered, to look at what became of any chunks."""
        query = queries.checked(replace(query, explain=True))
        with self._snapshot(query, [SubQuery(query.text, rounds.WHOLE)]) as searches:
            self._run(searches, searches[0])
            result = Hits(self._store, query, searches, whole=searches[0]).result()
            yield Reasons(self._store, self._stages, searches[0], result)

    def _asked(
        self,
        query: Query,
        parts: Sequence[SubQuery],
        go_on: Callable[[list[Search]], tuple[list[Search], list[Asked]]] = lambda first: (first, []),
    ) -> SearchResult:
        started = time.perf_counter()
        query = queries.checked(query)
        with self._snapshot(query, parts) as first:
            self._run(first, first[0])
            searches, asked = go_on(first)
            result = Hits(self._store, query, searches, whole=first[-1]).result()
        took = (time.perf_counter() - started) * 1000
        return replace(result, took_ms=took, asked=tuple(asked))

    @contextmanager
    def _snapshot(self, query: Query, parts: Sequence[SubQuery]) -> Iterator[list[Search]]:
        """Begin the parts of a question and narrow the first, in one snapshot: a chunk is the same to all stages."""
        while True:
            begun = self._begun(query, parts)
            with self._store.database.read():
                if begun[0].bases != self._bases(query):
                    continue  # a base went over to another embedder meanwhile
                self._stages.narrow(begun[0])
                yield begun
                return

    def _run(self, searches: Sequence[Search], narrowed: Search) -> None:
        """Run the parts of a question, for all of which the same chunks may answer."""
        for search in searches:
            search.allowed, search.phrased = narrowed.allowed, narrowed.phrased
            self._stages.run(search)

    def _begun(self, query: Query, parts: Sequence[SubQuery]) -> list[Search]:
        bases = self._bases(query)
        mode: Mode = "hybrid" if query.mode == "auto" else query.mode
        searches = [
            Search(replace(query, text=part.text), part, bases, mode, queries.words(part.text)) for part in parts
        ]
        words = [word for search in searches if search.mode != "semantic" for word in search.words]
        with self._store.chunks.reading_words(words):
            self._embed(searches)
        for search in searches:
            self._load_rerankers(search)
        return searches

    def _bases(self, query: Query) -> list[KnowledgeBase]:
        named = query.filters.bases
        return [self._store.notes.base(name) for name in named] if named else self._store.notes.bases()

    def _embed(self, searches: Sequence[Search]) -> None:
        """Embed all questions at once, for each model that there is among the bases."""
        meant = [search for search in searches if search.mode != "keyword" and search.query.text.strip()]
        for base in searches[0].bases if meant else ():
            if base.fingerprint in meant[0].vectors:
                continue
            embedder = self._embedder_of(base)
            if embedder is None:
                for search in meant:
                    search.mode = "keyword"
                    search.say("model_loading")
                return
            fitted = [queries.fit(search.query.text, embedder) for search in meant]
            rows = embedder.embed([text for text, _ in fitted], role="query")
            for search, row, (_, whole) in zip(meant, rows, fitted, strict=True):
                search.vectors[base.fingerprint] = row
                if not whole:
                    search.say("query_cut")

    def _load_rerankers(self, search: Search) -> None:
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

    def _rounds(
        self, first: list[Search], decomposition: Decomposition, variants: Variants
    ) -> tuple[list[Search], list[Asked]]:
        """Ask on, as long as there is something new to ask and what it brings is near enough to the question."""
        whole, searches = first[-1], list(first)
        known: set[int] = set()
        told = [self._told(1, search, known) for search in first]
        floor = min(self._nearness(whole, list(placed(first))[: whole.query.limit]).values(), default=0.0)
        latest = first
        for number in range(2, rounds.MOST + 1):
            asked = [search.sub_query for search in searches]
            parts = rounds.follow_ups(decomposition, asked, [search.best(3) for search in latest], variants, number)
            if not parts:
                break
            latest = self._begun(whole.query, parts)
            self._run(latest, whole)
            for search in latest:
                near = self._nearness(whole, list(search.order))
                search.keep(
                    "near", {key: score for key, score in search.order.items() if near.get(key, floor) >= floor}
                )
            told += [self._told(number, search, known) for search in latest]
            searches += latest
            if not any(one.new for one in told if one.round == number):
                break
        return searches, told

    def _told(self, number: int, search: Search, known: set[int]) -> Asked:
        """What a part brought, beyond what is known, to which it is added."""
        found = set(islice(search.order, search.query.limit))
        new = found - known
        known |= new
        return Asked(number, search.sub_query, len(found), len(new))

    def _nearness(self, whole: Search, rowids: Sequence[int]) -> dict[int, float]:
        """The cosine of chunks with the whole question; nothing where it is asked by words alone."""
        found: dict[int, float] = {}
        for base in whole.bases:
            if base.fingerprint in whole.vectors:
                found |= self._store.chunks.cosines(base, whole.vectors[base.fingerprint], rowids)
        return found
