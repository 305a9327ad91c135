"""Search of typed questions, at their level, with the settings of the base and the person's choices."""

import threading
import time
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, replace
from typing import TypeVar, Unpack

from core import embedding, reranking
from core.config import Settings
from core.errors import ConfigError, ProviderError, QueryError, UnknownChoice
from core.limits import check_question
from core.messages import Message, message
from core.model import (
    Choice,
    Classified,
    CompleteSettings,
    Context,
    Decomposition,
    Filters,
    Highlight,
    Hit,
    KnowledgeBase,
    Notice,
    Passage,
    Query,
    SearchOptions,
    SearchResult,
    SearchSettings,
    SubQuery,
    Understood,
    WhyNot,
    complete,
)
from core.models import Models
from core.notes.succession import Succession
from core.providers.chat import Chat
from core.query import limits
from core.query.decomposition import decompose, decompose_by_model
from core.query.filters import both, filters_beside, filters_of, now
from core.query.language import parse
from core.query.levels import classify
from core.query.synonyms import SynonymsFile
from core.retrieval import context, file_state, highlights, llm_choice, passages
from core.retrieval.reasons import Reasons
from core.retrieval.retriever import Retriever
from core.retrieval.rounds import WHOLE
from core.store import Store
from core.text import query_keywords

_CACHED = 64
"""Maximum number of cached results."""
_PASSING: set[Notice] = {"model_loading"}
"""Notices of a temporary state: such results aren't cached."""

_T = TypeVar("_T")
_K = TypeVar("_K")


class SearchEngine:
    """Answers typed questions; results are cached until the index changes."""

    def __init__(
        self, store: Store, settings: Settings, models: Models, synonyms: SynonymsFile, *, cached: bool = True
    ) -> None:
        """Take the parts of a search; without `cached` rerankers judge every question again, to measure them."""
        self._store = store
        self._settings = settings
        self._models = models
        self._synonyms = synonyms
        self._cached = cached
        self._succession = Succession(store)
        self._results: OrderedDict[object, SearchResult] = OrderedDict()
        self._by_models: OrderedDict[str, Decomposition] = OrderedDict()
        self._choices: OrderedDict[tuple[str, tuple[str, ...]], Choice] = OrderedDict()
        self._lock = threading.Lock()

    def search(self, typed: str, options: SearchOptions) -> SearchResult:
        """Return the hits of a question; raises QueryError, UnknownChoice, ModelError, ConfigError."""
        started = time.perf_counter()
        understood, query = self._query(typed, options)
        level = query.settings.level
        classified = (
            classify(understood) if level == "auto" else Classified(level, message("You chose this kind of search."))
        )
        stamps = self._store.database.version(), self._store.fields.expired(), self._synonyms.stamp()
        llm = (self._settings.llm.base_url, self._settings.llm.model) if query.choose else ()
        key = (typed, query, classified, *stamps, *llm)
        with self._lock:
            cached = self._results.get(key)
        if cached:
            hits = file_state.marked(self._store, cached.hits)
            return replace(cached, hits=hits, cached=True, took_ms=(time.perf_counter() - started) * 1000)
        decompositions, problem = self._decompositions(query, classified)
        retriever, asked = self._retriever(options), self._widened(query)
        if decompositions:
            result = retriever.explore(asked, decompositions[0], self._synonyms.variants)
        else:
            result = retriever.search(asked)
        if query.choose:
            result = self._chosen(query, result)
        result = replace(
            result,
            query=typed,
            classified=classified,
            understood=understood,
            decompositions=decompositions,
            decompose_problem=problem,
        )
        failed = problem or result.rerank_problem or (result.choice.problem if result.choice else None)
        if not (_PASSING & set(result.notices) or failed):
            with self._lock:
                _cache(self._results, key, result)
        return replace(result, hits=file_state.marked(self._store, result.hits))

    def settings(self, options: SearchOptions, typed: str = "any") -> dict[str, object]:
        """Return the complete settings of a search with these options, from the options, the base and the settings.

        Raises QueryError for invalid settings.
        """
        return asdict(limits.checked(self._query(typed, options)[1]).settings)

    def chooses(self, typed: str, options: SearchOptions) -> bool:
        """Return whether a language model is asked to choose among the hits; raises QueryError and UnknownChoice."""
        return self._query(typed, options)[1].choose and self._settings.llm.is_set_up

    def context(self, typed: str, options: SearchOptions, budget: int | None = None) -> Context:
        """Return the passages of a question's hits as a block for a prompt; `budget` in tokens, else from the settings.

        Raises what `search` raises, and QueryError for a budget below 1.
        """
        budget = self._settings.search.context_tokens if budget is None else budget
        if budget < 1:
            raise QueryError("The budget is {n} tokens; it must be at least 1.", n=budget)
        result = self.search(typed, options)
        if not result.hits:
            return Context("", (), 0, budget, confident=result.confident)
        first = next(base for base in self._store.bases.all() if base.id == result.hits[0].note.base_id)
        words = query_keywords(result.understood.text)
        built = context.build(self._store, result.hits, words, embedding.build(first.embedder).tokens, budget)
        return replace(built, confident=result.confident)

    def highlights(self, result: SearchResult) -> dict[str, Highlight]:
        """Return where each hit answers, by the id of its chunk; see `Highlight`."""
        return highlights.highlights(result, self._store, self._models)

    filters = staticmethod(filters_of)
    words = staticmethod(query_keywords)

    def why_not(self, typed: str, note_id: str, **options: Unpack[SearchOptions]) -> WhyNot:
        """Return why a note is no hit of a question at the simple level; raises NoteNotFound and what `search` does."""
        return self._retriever(options).why_not(self._query(typed, options)[1], note_id)

    def explained(self, typed: str, options: SearchOptions) -> AbstractContextManager[Reasons]:
        """Search at the simple level and hold its snapshot open, to explain any chunk; raises what `search` raises."""
        return self._retriever(options).explained(self._query(typed, options)[1])

    def passage(self, hit: Hit, size: int) -> Passage:
        """Return a hit widened by up to `size` chunks on each side."""
        chunks = self._store.chunks.of_note(hit.note.id) if hit.joined else []
        joined = [chunk for chunk in chunks if chunk.index in hit.joined]
        return passages.passage(self._store, hit.note, hit.chunk, size, joined)

    def _query(self, typed: str, options: SearchOptions) -> tuple[Understood, Query]:
        check_question(typed)
        understood = parse(typed, now=now())
        for name in options:
            if name not in SearchOptions.__annotations__:
                raise UnknownChoice("option", name, SearchOptions.__annotations__)
        filters = both(understood.filters, filters_beside(options))
        bases = self._bases(understood, filters)
        settings = self._complete(options, bases)
        choose = False
        if bases and not any(base.has_vectors for base in bases):
            settings = replace(settings, mode="keyword", reranker=reranking.NONE)
            choose = bool(understood.text.strip()) and self._settings.search.choose == "auto"
        query = Query(
            text=understood.text,
            filters=filters,
            phrases=understood.phrases,
            emphasised=understood.emphasised,
            excluded=understood.excluded,
            settings=settings,
            explain=options.get("explain", False),
            as_typed=options.get("as_typed", False),
            choose=choose and options.get("choose", True),
        )
        return understood, query

    def _bases(self, understood: Understood, filters: Filters) -> list[KnowledgeBase]:
        """Return the bases to search; an unknown base raises with its place in the question."""
        if not filters.bases:
            return self._store.bases.all()
        try:
            return [self._store.bases.named(name) for name in filters.bases]
        except UnknownChoice as error:
            typed = next((term for term in understood.terms if term.kind == "base"), None)
            if typed is None:
                raise
            raise QueryError(error.message, (typed.start, typed.end)) from error

    def _complete(self, options: SearchOptions, bases: Sequence[KnowledgeBase]) -> CompleteSettings:
        """Complete the options from the bases and the settings; their reranker applies to hybrid search only."""
        chosen = SearchSettings.of(options)
        settings = complete(chosen, self._settings.search_in(bases))
        if chosen.reranker is None and settings.mode not in ("auto", "hybrid"):
            settings = replace(settings, reranker=reranking.NONE)
        if settings.reranker != reranking.NONE:
            reranking.check(settings.reranker)
        return settings

    def _decompositions(self, query: Query, classified: Classified) -> tuple[tuple[Decomposition, ...], Message | None]:
        """Return the decompositions of an exploratory question, the one to use first, and why a model gave none."""
        if classified.level != "exploratory" or not query.text.strip():
            return (), None
        whole = Decomposition("summary", (SubQuery(query.text, WHOLE),))
        by_rules = decompose(query.text, phrases=(*query.phrases, *query.emphasised)) or whole
        llm, chosen = self._settings.llm, self._settings.search.decompose
        if chosen != "llm" and not (chosen == "auto" and llm.is_set_up):
            return (by_rules,), None
        # A page searches the same question several times: before and after reranking, and for its context.
        if query.text not in self._by_models:
            try:
                by_model = decompose_by_model(query.text, Chat(llm))
            except (ProviderError, ConfigError) as error:
                return (by_rules,), error.message
            _cache(self._by_models, query.text, by_model)
        return (self._by_models[query.text], by_rules), None

    def _widened(self, query: Query) -> Query:
        """Return a question with as many hits as a language model chooses among, if it is asked."""
        if not (query.choose and self._settings.llm.is_set_up):
            return query
        limits.checked(query)  # here, because the limit becomes another one
        return replace(query, settings=replace(query.settings, limit=max(query.settings.limit, llm_choice.CANDIDATES)))

    def _chosen(self, query: Query, result: SearchResult) -> SearchResult:
        """Return a result in the order of the language model; where none is set up, or it fails, in that of words."""
        started = time.perf_counter()
        choice, llm = Choice(), self._settings.llm
        if result.hits and llm.is_set_up:
            candidates = llm_choice.candidates(result.hits, llm.input_characters)
            given = llm_choice.material(query.text, candidates, llm.input_characters)
            key = repr(given), tuple(hit.chunk.id for hit in candidates)
            try:
                # A page searches the same question several times: for its hits, its context and what was lost.
                choice = self._choices.get(key) or llm_choice.choose(Chat(llm), given, candidates)
            except (ProviderError, ConfigError) as error:
                choice = Choice(problem=error.message)
            else:
                _cache(self._choices, key, choice)
        bases = query.filters.bases or [base.name for base in self._store.bases.all()]
        took_ms = result.took_ms + (time.perf_counter() - started) * 1000
        return replace(llm_choice.ordered(result, choice, query, bases), took_ms=took_ms)

    def _retriever(self, options: SearchOptions) -> Retriever:
        wait = options.get("wait", True)
        return Retriever(self._store, self._models, self._succession, wait=wait, cached=self._cached)


def _cache(cache: OrderedDict[_K, _T], key: _K, value: _T) -> None:
    cache[key] = value
    while len(cache) > _CACHED:
        cache.popitem(last=False)
