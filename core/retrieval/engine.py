"""Search of typed questions, at their level, with the settings of the base and the person's choices."""

import threading
import time
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar, Unpack

from core import embedding, reranking
from core.base.call_log import log_bases, log_call
from core.base.errors import ConfigError, EmbeddingMismatch, ModelError, ProviderError, QueryError
from core.base.messages import Message
from core.base.text import query_keywords
from core.embedding.windows import fit
from core.indexing.models import Models
from core.model import (
    Context,
    Decomposition,
    Filters,
    Highlight,
    Hit,
    KnowledgeBase,
    LlmSelection,
    Notice,
    Passage,
    Prepared,
    Query,
    ResultMode,
    SearchOptions,
    SearchResult,
    SubQuery,
    SubQueryResult,
    WhyNot,
)
from core.model.limits import QUESTION
from core.notes.clicks import Clicks
from core.providers.chat import Chat
from core.query import spelling
from core.query.decomposition import WHOLE, decompose_by_model
from core.query.filters import filters_of
from core.query.synonyms import SynonymsFile
from core.reranking import NONE
from core.retrieval import context, highlights, hits, llm_choice, passages, rounds, stages
from core.retrieval.clicks import rank_by_clicks, relevant_clicks
from core.retrieval.highlights import TokenizedHit
from core.retrieval.images.search import ImageSearch
from core.retrieval.pages import with_pages
from core.retrieval.prepare import prepare, properties_in
from core.retrieval.reasons import Reasons
from core.retrieval.state import SearchState
from core.retrieval.supersession import Successors
from core.settings.config import Settings
from core.store import Store

# The start of a search: unknown words get their nearest spelling, questions their vectors, bases their rerankers.


def start_search(
    store: Store,
    models: Models,
    query: Query,
    bases: Sequence[KnowledgeBase],
    parts: Sequence[SubQuery],
    *,
    wait: bool,
    cached: bool,
) -> list[SearchState]:
    """Return a search for each part of a question; nothing is searched yet.

    Without `wait` a model that still loads is skipped, with a notice. Without `cached` rerankers judge every question
    again. Raises ModelError, and EmbeddingMismatch for a base of another model unless the mode is `auto`.
    """
    mode: ResultMode = "hybrid" if query.settings.mode == "auto" else query.settings.mode
    words = store.words
    searches = []
    for part in parts:
        spelled = (part.text, {}) if query.as_typed else spelling.correct(part.text, words.indexed_words, words.counts)
        searches.append(SearchState(replace(query, text=part.text), part, bases, mode, *spelled))
    with words.read_ahead([word for search in searches if search.mode != "semantic" for word in search.words]):
        _embed(models, searches, wait=wait)
    for search in searches:
        _load_rerankers(models, search, wait=wait, cached=cached)
    return searches


def _embed(models: Models, searches: Sequence[SearchState], *, wait: bool) -> None:
    """Embed all questions at once, for each model of the bases."""
    by_meaning = [search for search in searches if search.mode != "keyword" and search.query.text.strip()]
    for base in searches[0].vector_bases if by_meaning else ():
        if base.fingerprint in by_meaning[0].vectors:
            continue
        if not (wait or models.ready(base)):
            _fall_back_to_words(by_meaning, "model_loading")
            return
        try:
            embedder = models.embedder(base)
        except EmbeddingMismatch:
            if searches[0].query.settings.mode != "auto":
                raise
            _fall_back_to_words(by_meaning, "other_model")
            return
        fitted = [fit(search.query.text, embedder) for search in by_meaning]
        rows = embedder.embed([text for text, _ in fitted], role="query")
        for search, row, (_, whole) in zip(by_meaning, rows, fitted, strict=True):
            search.vectors[base.fingerprint] = row
            if not whole:
                search.say("query_cut")


def _load_rerankers(models: Models, search: SearchState, *, wait: bool, cached: bool) -> None:
    """Load the reranker of each base; if one of them fails or still loads, none is used."""
    name = search.query.settings.reranker
    if name == NONE or "model_loading" in search.notices:
        return
    try:
        for base in search.vector_bases:
            if not (wait or (models.reranker_ready(base, name) and models.ready(base))):
                search.say("model_loading")
                search.rerankers.clear()
                return
            search.rerankers[base.id] = models.reranker(base, name, cached=cached), models.embedder(base)
    except (ConfigError, ModelError, ProviderError, EmbeddingMismatch) as error:
        search.rerankers.clear()
        search.rerank_problem = error.message


def _fall_back_to_words(searches: Sequence[SearchState], notice: Notice) -> None:
    """Let searches go on by words only, and say why."""
    for search in searches:
        search.mode = "keyword"
        search.say(notice)


_CACHED, _COLLECTED = 64, 8
"""Most results that are cached, and most searches whose candidates are."""
_PASSING: set[Notice] = {"model_loading"}
"""Notices of a temporary state: such results aren't cached."""

_T = TypeVar("_T")
_K = TypeVar("_K")


def _notices(prepared: Prepared) -> Iterator[Notice]:
    """Yield the notices on how a question was read."""
    if prepared.understood.signs_as_text:
        yield "signs_as_text"
    if len(prepared.typed) > QUESTION:
        yield "text_cut"


class SearchEngine:
    """Answers typed questions; results are cached until the index changes."""

    def __init__(
        self,
        store: Store,
        settings: Settings,
        models: Models,
        synonyms: SynonymsFile,
        clicks: Clicks | None = None,
        *,
        images: ImageSearch | None = None,
        cached: bool = True,
    ) -> None:
        """Take the parts of a search.

        Without `clicks` none rank hits. Without `cached` rerankers judge every question again, to measure them.
        """
        self._images = images
        self._store = store
        self._settings = settings
        self._models = models
        self._synonyms = synonyms
        self.prepare = partial(prepare, store, settings)
        self._start_search = partial(start_search, store, models, cached=cached)
        self.clicks_on, self._by_clicks = partial(relevant_clicks, clicks), partial(rank_by_clicks, clicks)
        self._cached = cached
        self._successors = Successors(store)
        self._results: OrderedDict[object, SearchResult] = OrderedDict()
        self._by_models: OrderedDict[str, Decomposition] = OrderedDict()
        self._collected: OrderedDict[object, SearchState] = OrderedDict()
        self._reads: OrderedDict[object, dict[str, TokenizedHit]] = OrderedDict()
        self._choices: OrderedDict[tuple[str, tuple[str, ...]], LlmSelection] = OrderedDict()
        self._lock = threading.Lock()

    def answer(self, prepared: Prepared) -> SearchResult:
        """Return the hits of a question; raises ModelError, ConfigError, EmbeddingMismatch."""
        with log_call("search") as line:
            result = self._cached_or_answered(prepared)
            result = self._images.add_pictures(prepared, result) if self._images else result
            bases = self._store.bases.chosen(prepared.query.filters.bases)
            log_bases(bases)
            line |= {"level": result.classified.level, "mode": result.mode, "hits": len(result.hits)}
            return result

    def _cached_or_answered(self, prepared: Prepared) -> SearchResult:
        started = time.perf_counter()
        stamps = self._store.fields.version(), self._synonyms.stamp(), self._stamp(prepared.query)
        llm = (self._settings.llm.base_url, self._settings.llm.model) if prepared.query.choose else ()
        key = prepared, stamps, llm
        with self._lock:
            cached = self._results.get(key)
        result = cached or self._compute_answer(prepared)
        failed = result.decompose_problem or result.rerank_problem or (result.choice and result.choice.problem)
        if not (cached or _PASSING & set(result.notices) or failed):
            self._cache(self._results, key, result)
        return replace(
            result,
            hits=hits.with_file_states(self._store, self._by_clicks(result)),
            cached=cached is not None,
            took_ms=(time.perf_counter() - started) * 1000,
        )

    def context(self, prepared: Prepared, budget: int | None = None) -> Context:
        """Return the passages of a question's hits as a block for a prompt; `budget` in tokens, else from the settings.

        Raises what `answer` raises, and QueryError for a budget below 1.
        """
        budget = self._settings.search.context_tokens if budget is None else budget
        if budget < 1:
            raise QueryError("The budget is {n} tokens; it must be at least 1.", n=budget)
        result = self.answer(prepared)
        if not result.hits:
            return Context("", (), 0, budget, confident=result.confident)
        first = self._store.bases.by_id(result.hits[0].note.base_id)
        words = query_keywords(result.understood.text)
        block = context.build(self._store, result.hits, words, embedding.build(first.embedder).tokens, budget)
        return replace(block, confident=result.confident)

    def highlights(self, result: SearchResult) -> dict[str, Highlight]:
        """Return where each hit answers, by the id of its chunk; see `Highlight`."""
        return highlights.highlights(result, self._store, self.reads(result))

    def reads(self, result: SearchResult) -> dict[str, TokenizedHit]:
        """Return the tokens of the question and of each hit by the id of its chunk; the last results have theirs."""
        key = result.query, tuple((hit.asked, hit.chunk.id) for hit in result.hits), self._store.fields.version()
        with self._lock:
            tokenized = self._reads.get(key)
        if tokenized is None:
            tokenized = highlights.tokenize_hits(result, self._store, self._models)
            if len(tokenized) == len(result.hits):  # with a model that still loads there are none yet
                self._cache(self._reads, key, tokenized, _COLLECTED)
        return tokenized

    def filters(self, *, terms: Sequence[str] = (), **typed: Any) -> Filters:
        """Return the filters for typed values; takes and raises what `filters_of` does."""
        return filters_of(terms=terms, properties=properties_in(self._store, *terms), **typed)

    words = staticmethod(query_keywords)

    def why_not(self, typed: str, note_id: str, **options: Unpack[SearchOptions]) -> WhyNot:
        """Return why a note is no hit of a question at the simple level; raises NoteNotFound and what a search does."""
        with self.explained(typed, options) as reasons:
            return reasons.why_not(self._store.notes.card(note_id))

    @contextmanager
    def explained(self, typed: str, options: SearchOptions) -> Iterator[Reasons]:
        """Search at the simple level and hold its snapshot open, to explain any chunk; raises what a search does."""
        prepared = self.prepare(typed, {**options, "explain": True})
        whole = SubQuery(prepared.query.text, WHOLE)
        with self._open_search(prepared.query, [whole], wait=prepared.wait) as (search,):
            result = hits.result_of(self._store, self._successors.read(), [search], search)
            yield Reasons(self._store, search, result)

    def passage(self, hit: Hit, size: int) -> Passage:
        """Return a hit widened by up to `size` chunks on each side."""
        chunks = self._store.chunks.for_note(hit.note.id) if hit.joined else []
        joined = [chunk for chunk in chunks if chunk.index in hit.joined]
        return passages.passage(self._store, hit.note, hit.chunk, size, joined)

    def _compute_answer(self, prepared: Prepared) -> SearchResult:
        decompositions, problem = self._decompositions(prepared)
        query = llm_choice.widen_query(prepared.query) if prepared.asks_model else prepared.query
        parts = [*(decompositions[0].sub_queries if decompositions else ()), SubQuery(query.text, WHOLE)]
        with self._open_search(query, parts, wait=prepared.wait) as first:
            searches, summaries = first, list[SubQueryResult]()
            if decompositions:

                def search(parts: Sequence[SubQuery]) -> list[SearchState]:
                    searches = self._start_search(query, first[0].bases, parts, wait=prepared.wait)
                    self._run(searches, first[-1])
                    return searches

                searches, summaries = rounds.run_follow_ups(
                    self._store, first, decompositions[0], self._synonyms.variants, search
                )
            result = hits.result_of(self._store, self._successors.read(), searches, first[-1])
        if query.choose:
            result = self._apply_llm_choice(prepared, result)
        answered = replace(
            result,
            query=prepared.typed,
            classified=prepared.classified,
            understood=prepared.understood,
            notices=(*_notices(prepared), *result.notices),
            asked=tuple(summaries),
            decompositions=decompositions,
            decompose_problem=problem,
        )
        return with_pages(answered, self._store, self._models)

    @contextmanager
    def _open_search(self, query: Query, parts: Sequence[SubQuery], *, wait: bool) -> Iterator[list[SearchState]]:
        """Search the parts of a question, all in one snapshot so that the stages agree, and hold it open."""
        while True:
            bases = self._store.bases.chosen(query.filters.bases)
            searches = self._start_search(query, bases, parts, wait=wait)
            with self._store.database.read():
                if bases != self._store.bases.chosen(query.filters.bases):
                    continue  # a base changed its embedder meanwhile
                stages.narrow(self._store, searches[0])
                self._run(searches, searches[0])
                yield searches
                return

    def _run(self, searches: Sequence[SearchState], narrowed: SearchState) -> None:
        """Run the parts of a question, all with the allowed chunks of `narrowed`.

        The candidates of a question are collected once for its early answer, its last one and its lost candidates.
        """
        stamps = self._store.fields.version(), self._stamp(narrowed.query)
        for search in searches:
            settings = replace(search.query.settings, reranker=reranking.NONE)
            key = replace(search.query, explain=False, choose=False, settings=settings), search.mode, stamps
            with self._lock:
                collected = self._collected.get(key) if self._cached else None
            if collected:
                search.take_over(collected)
            else:
                search.allowed, search.phrased = narrowed.allowed, narrowed.phrased
                stages.collect(self._store, search)
                self._cache(self._collected, key, search.collected(), _COLLECTED)
            stages.rank(self._store, search)

    def _decompositions(self, prepared: Prepared) -> tuple[tuple[Decomposition, ...], Message | None]:
        """Return the decompositions of an exploratory question, the one to use first, and why a model gave none."""
        query = prepared.query
        by_rules = prepared.decomposition
        if by_rules is None:
            return (), None
        llm, chosen = self._settings.llm, self._settings.search.decompose
        if chosen != "llm" and not (chosen == "auto" and llm.is_set_up):
            return (by_rules,), None
        # A page searches the same question several times: before and after reranking, and for its context.
        if query.text not in self._by_models:
            try:
                by_model = decompose_by_model(query.text, by_rules.kind, Chat(llm))
            except (ProviderError, ConfigError) as error:
                return (by_rules,), error.message
            self._cache(self._by_models, query.text, by_model)
        return (self._by_models[query.text], by_rules), None

    def _apply_llm_choice(self, prepared: Prepared, result: SearchResult) -> SearchResult:
        """Return a result in the order of the language model; where none is set up, or it fails, in that of words."""
        choice, llm, query = LlmSelection(), self._settings.llm, prepared.query
        if result.hits and llm.is_set_up:
            candidates = llm_choice.candidates(result.hits, llm.input_characters)
            material = llm_choice.material(query.text, candidates, llm.input_characters)
            key = repr(material), tuple(hit.chunk.id for hit in candidates)
            try:
                # A page searches the same question several times: for its hits, its context and what was lost.
                choice = self._choices.get(key) or llm_choice.choose(Chat(llm), material, candidates)
            except (ProviderError, ConfigError) as error:
                choice = LlmSelection(problem=error.message)
            else:
                self._cache(self._choices, key, choice)
        bases = [base.name for base in self._store.bases.chosen(query.filters.bases)]
        return llm_choice.apply_choice(result, choice, query, bases)

    def _stamp(self, query: Query) -> tuple[object, ...]:
        """Return values that change with the uses of notes that decide what a question finds; most have none."""
        if any(condition.field == "use" for condition in query.filters.conditions):
            return self._store.uses.stamp()
        return self._store.uses.stamp(verdicts=True) if query.settings.feedback_weight else ()

    def _cache(self, cache: OrderedDict[_K, _T], key: _K, value: _T, most: int = _CACHED) -> None:
        with self._lock:
            cache[key] = value
            while len(cache) > most:
                cache.popitem(last=False)
