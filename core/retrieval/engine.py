"""The search engine, which answers questions using the bases' settings and the user's options."""

import time
from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, islice, zip_longest
from typing import Unpack

from core import embedding, reranking
from core.base.blobs import Span
from core.base.cache import Cache
from core.base.call_log import log_bases, log_call
from core.base.errors import QueryError
from core.base.messages import message
from core.base.text import query_keywords
from core.indexing.models import Models
from core.model import (
    Chunk,
    Click,
    Context,
    Decomposition,
    Filters,
    Highlight,
    Hit,
    NoteSummary,
    Notice,
    Passage,
    Prepared,
    Query,
    SearchOptions,
    SearchResult,
    SubQuery,
    SubQueryResult,
    WhyNot,
)
from core.model.limits import QUESTION
from core.notes.uses import Clicks
from core.query.decomposition import WHOLE, drop_repeats
from core.query.parser import FilterValues, filters_of
from core.query.synonyms import SynonymsFile
from core.retrieval import context, highlights, hits, llm_choice, stages
from core.retrieval.confidence import match_levels
from core.retrieval.highlights import TokenizedHits, add_pages
from core.retrieval.images.index import ImageSearch
from core.retrieval.llm_choice import LlmSteps
from core.retrieval.ranking import Candidates, Ranking, Scope, merge
from core.retrieval.reasons import Reasons
from core.retrieval.requests import SearchRequest, Variants, prepare, properties_in, start_search
from core.settings.config import Settings
from core.store import Store
from core.store.top_k import Scores

# Maximum number of cached results, and of questions with cached candidates or cached tokens.
_CACHED_RESULTS = 64
_CACHED_CANDIDATES = 8
# Notices about temporary states. Results with any of these notices aren't cached.
_PASSING: set[Notice] = {"model_loading", "model_away"}


# Follow-up rounds in an exploratory search. They ask rephrased sub-queries and the best chunks' section titles.

# Maximum number of rounds, including the first.
_ROUNDS = 3

# Reasons for sub-queries in later rounds.
SYNONYM = message("other words")
LEAD = message("a title among the hits")

_PER_ROUND = 3


def follow_ups(
    decomposition: Decomposition,
    done: Sequence[SubQuery],
    tops: Sequence[Sequence[tuple[Chunk, NoteSummary]]],
    variants: Variants,
    number: int,
) -> Sequence[SubQuery]:
    """Return the new sub-queries for the next round. `done` are the sub-queries of earlier rounds.

    The second round rephrases the original sub-queries. For lists and summaries, each round also asks about the section
    titles of the previous round's best chunks, because they name parts of the subject. `tops` holds those chunks for
    each sub-query.
    """
    known = {sub_query.text.casefold() for sub_query in done}
    asked = []
    if number == 2:
        asked += [SubQuery(text, SYNONYM) for part in decomposition.sub_queries for text in variants(part.text)]
    if decomposition.kind in ("list", "summary"):
        subject = decomposition.sub_queries[0].text
        for chunk, card in filter(None, chain.from_iterable(zip_longest(*tops))):
            title = chunk.section_title or card.title
            if title.casefold() not in subject.casefold():
                asked.append(SubQuery(f"{subject} {title}", LEAD))
    return drop_repeats((part for part in asked if part.text.casefold() not in known), _PER_ROUND)


@dataclass(eq=False)
class SearchEngine:
    """Answers questions. Results are cached until the index changes.

    For measurements, `cached=False` disables the caches for candidates and reranker scores.
    """

    _store: Store
    _settings: Settings
    _models: Models
    _synonyms: SynonymsFile
    _clicks: Clicks | None = None
    _images: ImageSearch | None = None
    cached: bool = True

    def __post_init__(self) -> None:
        self._llm = LlmSteps(self._settings)
        self.prepare = partial(prepare, self._store, self._settings)
        """Parses a question and resolves its options before a search. See `prepare` in `core.retrieval.requests`."""
        variants = self._synonyms.variants
        self._start_search = partial(start_search, self._store, self._models, cached=self.cached, variants=variants)
        self._results: Cache[Hashable, SearchResult] = Cache(_CACHED_RESULTS)
        self._candidates: Cache[Hashable, Candidates] = Cache(_CACHED_CANDIDATES)
        self._tokenized_hits: Cache[Hashable, TokenizedHits] = Cache(_CACHED_CANDIDATES)

    def clicks_on(self, result: SearchResult) -> Sequence[Click]:
        """Return the clicks that affect the order of a result's hits."""
        return hits.relevant_clicks(self._clicks, result)

    def answer(self, prepared: Prepared) -> SearchResult:
        """Return a question's hits. Raises ModelError, ConfigError or EmbeddingMismatch."""
        with log_call("search") as line:
            started = time.perf_counter()
            key = prepared, self._stamps(prepared.query), self._synonyms.stamp(), self._llm.stamp(prepared)
            cached = self._results.get(key)
            result = cached or self._compute_answer(prepared)
            failed = result.decompose_problem or result.rerank_problem or (result.choice and result.choice.problem)
            if not (cached or _PASSING & set(result.notices) or failed):
                self._results.put(key, result)
            result = replace(
                result,
                hits=hits.with_file_states(self._store, hits.rank_by_clicks(self._clicks, result)),
                cached=cached is not None,
                took_ms=(time.perf_counter() - started) * 1000,
            )
            result = self._images.add_pictures(prepared, result) if self._images else result
            log_bases(self._store.bases.chosen(prepared.query.filters.bases))
            line |= {"level": result.classified.level, "mode": result.mode, "hits": len(result.hits)}
            return result

    def context(self, prepared: Prepared, budget: int | None = None) -> Context:
        """Return the passages of a question's hits, joined into one text for a prompt.

        `budget` is in tokens. None means the budget in the settings. Raises the same errors as `answer`, and QueryError
        if the budget is below 1.
        """
        budget = self._settings.search.context_tokens if budget is None else budget
        if budget < 1:
            raise QueryError("The budget is {n} tokens but must be at least 1.", n=budget)
        result = self.answer(prepared)
        block = Context("", (), 0, budget)
        if result.hits:
            block = context.build(
                self._store,
                result.hits,
                query_keywords(result.understood.text),
                embedding.build(self._store.bases.by_id(result.hits[0].note.base_id).embedder).tokens,
                budget,
            )
        return replace(block, confident=result.confident, notices=result.notices)

    def highlights(self, result: SearchResult) -> dict[str, Highlight]:
        """Return each hit's highlights by chunk id. See `Highlight`."""
        return highlights.highlights(result, self._store, self.tokenized_hits(result))

    def below_background(self, result: SearchResult) -> set[str]:
        """Return the ids of hits' chunks that are less similar to the question than unrelated text usually is.

        If the question names a note's metadata, the note's chunks are never included.
        """
        floors = {base.name: self._store.floors.get(base) for base in self._store.bases.all()}
        return {
            hit.chunk.id
            for hit in result.hits
            if "vector" in hit.scores
            and (floor := floors.get(hit.note.base))
            and hit.scores["vector"].score < floor.mean
            and not ("named" in hit.scores and hit.scores["named"].score > 1)
        }

    def tokenized_hits(self, result: SearchResult) -> TokenizedHits:
        """Return each hit's tokens together with the question's, by chunk id. The latest results' are cached."""
        key = result.query, tuple((hit.asked, hit.chunk.id) for hit in result.hits), self._store.fields.version()
        tokenized = self._tokenized_hits.get(key)
        if tokenized is None:
            tokenized = highlights.tokenize_hits(result, self._store, self._models)
            if len(tokenized) == len(result.hits):  # some hits have no tokens while a model is loading
                self._tokenized_hits.put(key, tokenized)
        return tokenized

    def filters(self, **values: Unpack[FilterValues]) -> Filters:
        """Return the filters for typed values. Raises the same errors as `filters_of`."""
        return filters_of(properties=properties_in(self._store, *values.get("terms", ())), **values)

    matches = staticmethod(match_levels)
    count_facets = staticmethod(hits.count_facets)

    def marks(self, text: str, question: str) -> Sequence[Span]:
        """Return the spans in the text that match the question's content words."""
        return highlights.words_in(text, highlights.telling_words(query_keywords(question)), self._store.words.stems)[0]

    def why_not(self, typed: str, note_id: str, **options: Unpack[SearchOptions]) -> WhyNot:
        """Explain why a note isn't a hit when a question is searched for at the simple level.

        Raises NoteNotFound, and the same errors as a search.
        """
        with self.explained(typed, options) as reasons:
            return reasons.why_not(self._store.notes.card(note_id))

    @contextmanager
    def explained(self, typed: str, options: SearchOptions) -> Iterator[Reasons]:
        """Search at the simple level, and yield an object that explains why notes aren't hits.

        The snapshot that it reads stays open during the `with` block. Raises the same errors as a search.
        """
        prepared = self.prepare(typed, {**options, "explain": True})
        whole = SubQuery(prepared.query.text, WHOLE)
        with self._open_search(prepared.query, [whole], wait=prepared.wait) as (ranking,):
            yield Reasons(self._store, ranking, hits.build_result(self._store, [ranking], ranking))

    def passage(self, hit: Hit, size: int) -> Passage:
        """Return a hit's passage, extended by up to `size` chunks on each side."""
        chunks = self._store.chunks.for_note(hit.note.id) if hit.joined else []
        return context.build_passage(
            self._store, hit.note, hit.chunk, size, [chunk for chunk in chunks if chunk.index in hit.joined]
        )

    def _compute_answer(self, prepared: Prepared) -> SearchResult:
        found, problem = self._llm.decompose(prepared)
        query = llm_choice.widen_query(prepared.query) if prepared.asks_model else prepared.query
        parts = [*(found[0].sub_queries if found else ()), SubQuery(query.text, WHOLE)]
        with self._open_search(query, parts, wait=prepared.wait) as first:
            rankings = first
            asked = list[SubQueryResult]()
            if found:
                rankings, asked = self._follow_up(first, found[0], wait=prepared.wait)
            result = hits.build_result(self._store, rankings, first[-1])
        if query.choose:
            choice = self._llm.select(prepared.query, result.hits)
            result = llm_choice.apply_choice(result, choice, prepared.query)
        notices: dict[Notice, object] = {
            "signs_as_text": prepared.understood.signs_as_text,
            "colon_as_text": prepared.understood.colons,
            "text_cut": len(prepared.typed) > QUESTION,
            **dict.fromkeys(result.notices, True),
            "no_notes": not (result.hits or self._store.notes.count([base.id for base in self._store.bases.all()])),
        }
        answered = replace(
            result,
            query=prepared.typed,
            classified=prepared.classified,
            understood=prepared.understood,
            notices=tuple(notice for notice, holds in notices.items() if holds),
            asked=tuple(asked),
            decompositions=found,
            decompose_problem=problem,
            expired=hits.count_expired(self._store, prepared.query),
        )
        return add_pages(answered, self._store, self._models)

    def _follow_up(
        self, first: Sequence[Ranking], decomposition: Decomposition, *, wait: bool
    ) -> tuple[list[Ranking], list[SubQueryResult]]:
        """Run the follow-up rounds, and return the rankings from all rounds and each sub-query's hit counts.

        `first` holds the first round's rankings, the last of which is for the whole question. A follow-up round keeps
        only chunks at least as near to the question as the farthest of the first round's hits. If a round finds no new
        chunks, it is the last one.
        """
        whole = first[-1].request
        rankings = list(first)
        latest = list(first)
        limit = whole.query.settings.limit
        known: set[int] = set()
        summaries = []

        def nearness(rowids: Sequence[int]) -> Scores:
            """Return the cosine between each chunk and the whole question, or an empty dict in keyword mode."""
            scores: Scores = {}
            for base in whole.vector_bases:
                if base.fingerprint in whole.vectors:
                    scores |= self._store.chunks.cosines(base, whole.vectors[base.fingerprint], rowids)
            return scores

        def summarise(number: int) -> bool:
            """Record each sub-query's hits and new hits in a round. Return whether there are any new hits."""
            before = len(known)
            for ranking in latest:
                shown = {*islice(ranking.order, limit)}
                sub_query = ranking.request.sub_query
                summaries.append(SubQueryResult(sub_query.text, sub_query.why, number, len(shown), len(shown - known)))
                known.update(shown)
            return len(known) > before

        summarise(1)
        floor = min(nearness(list(merge(first))[:limit]).values(), default=0.0)
        for number in range(2, _ROUNDS + 1):
            parts = follow_ups(
                decomposition,
                [ranking.request.sub_query for ranking in rankings],
                [ranking.best(3) for ranking in latest],
                self._synonyms.variants,
                number,
            )
            if not parts:
                break
            requests = self._start_search(whole.query, whole.bases, parts, wait=wait)
            latest = []
            for ranking in self._rank(requests, first[-1].scope):
                near = nearness(list(ranking.order))
                kept = {rowid: score for rowid, score in ranking.order.items() if near.get(rowid, floor) >= floor}
                latest.append(replace(ranking, trace=ranking.trace.add("near", kept)))
            rankings += latest
            if not summarise(number):
                break
        return rankings, summaries

    @contextmanager
    def _open_search(self, query: Query, parts: Sequence[SubQuery], *, wait: bool) -> Iterator[list[Ranking]]:
        """Search for each part of a question.

        All stages read the same snapshot, which stays open while the `with` block runs.
        """
        while True:
            bases = self._store.bases.chosen(query.filters.bases)
            requests = self._start_search(query, bases, parts, wait=wait)
            with self._store.database.read():
                if bases != self._store.bases.chosen(query.filters.bases):
                    continue  # a base changed its embedder in the meantime
                yield self._rank(requests, stages.narrow(self._store, requests[0].query, bases))
                return

    def _rank(self, requests: Sequence[SearchRequest], scope: Scope) -> list[Ranking]:
        """Collect and rank the candidates of each request.

        Searches that differ only in reranking or explaining share their candidates.
        """
        rankings = []
        for request in requests:
            collect = partial(stages.collect, self._store, request, scope)
            settings = replace(request.query.settings, reranker=reranking.NONE)
            query = replace(request.query, explain=False, choose=False, settings=settings)
            key = query, request.mode, self._stamps(request.query)
            candidates = self._candidates.get_or_compute(key, collect) if self.cached else collect()
            rankings.append(stages.rank(self._store, request, scope, candidates))
        return rankings

    def _stamps(self, query: Query) -> tuple[object, ...]:
        """Return values that change with the index, and with uses of notes if uses affect the results."""
        by_use = any(condition.field == "use" for condition in query.filters.conditions)
        matters = by_use or query.settings.feedback_weight
        return self._store.fields.version(), matters and self._store.uses.stamp(verdicts=not by_use)
