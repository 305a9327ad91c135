"""A question as it is typed -> a search at its level, by the settings of the base and the person's own choices."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from datetime import datetime
from pathlib import Path
from typing import TypedDict, TypeVar, get_args

from core import reranking
from core.config import Settings
from core.embedding import Embedder
from core.errors import ConfigError, ProviderError, QueryError, UnknownChoice
from core.evaluation.metrics import FOUND_SHARE
from core.model import (
    Classified,
    Condition,
    Context,
    Decomposition,
    Diagnosis,
    Filters,
    Fusion,
    GoldSpan,
    Hit,
    KnowledgeBase,
    Level,
    Mode,
    Passage,
    PhraseRule,
    Query,
    SearchResult,
    SubQuery,
    Understood,
    WhyNot,
)
from core.providers.chat import Chat
from core.reranking import Reranker
from core.retrieval import Retriever, context
from core.retrieval.decomposition import decompose, decompose_by_model
from core.retrieval.language import parse
from core.retrieval.levels import classify
from core.retrieval.queries import checked
from core.retrieval.rounds import WHOLE
from core.retrieval.synonyms import Synonyms, load
from core.store import Store

_KEPT = 64
"""Results that are kept until the index changes."""
_PASSING = {"model_loading"}
"""Notices of a state that is over soon: such results aren't kept."""

_T = TypeVar("_T")
_K = TypeVar("_K")


class SearchOptions(TypedDict, total=False):
    """What a person may choose for one search; None stands for what the base, else the settings say.

    `filters` are added to those of the question. `reranker` is a name of the table or `none`; by default hybrid
    search is reranked, and the semantic and keyword modes show their own order. Without `wait`, a base whose
    model is still loading answers by keyword and says so.
    """

    filters: Filters | None
    mode: Mode
    level: Level
    limit: int | None
    fusion: Fusion | None
    semantic_weight: float | None
    link_weight: float | None
    phrase: PhraseRule | None
    score_threshold: float | None
    expansion_size: int
    reranker: str | None
    rerank_weight: float | None
    explain: bool
    wait: bool


class Searching:
    """Answers typed questions; results are kept until the index changes."""

    def __init__(
        self,
        store: Store,
        settings: Settings,
        embedder_of: Callable[[KnowledgeBase, bool], Embedder | None],
        reranker_of: Callable[[KnowledgeBase, str, bool], Reranker | None],
        synonyms_file: Callable[[], Path],
    ) -> None:
        """Take what returns a base's models, where it shall `wait` for them or else None while they load."""
        self._store = store
        self._settings = settings
        self._embedder_of = embedder_of
        self._reranker_of = reranker_of
        self._synonyms_file = synonyms_file
        self._results: OrderedDict[object, SearchResult] = OrderedDict()
        self._by_models: OrderedDict[str, Decomposition] = OrderedDict()
        self._lock = threading.Lock()
        self._synonyms: tuple[int, Synonyms] | None = None

    def search(self, typed: str, options: SearchOptions) -> SearchResult:
        """Return the hits of a question; raises QueryError, UnknownChoice, ModelError, ConfigError."""
        understood, query = self._query(typed, options)
        classified = self._classified(understood, options.get("level", "auto"))
        key = (typed, query, classified, self._store.database.version(), self._synonyms_stamp())
        with self._lock:
            kept = self._results.get(key)
        if kept:
            return replace(kept, cached=True)
        decompositions, problem = self._decompositions(query, classified)
        retriever = self._retriever(options)
        if decompositions:
            found = retriever.explore(query, decompositions[0], self._variants())
        else:
            found = retriever.search(query)
        result = replace(
            found,
            query=typed,
            classified=classified,
            understood=understood,
            decompositions=decompositions,
            decompose_problem=problem,
        )
        if not (_PASSING & set(result.notices) or result.rerank_problem or problem):
            with self._lock:
                _keep(self._results, key, result)
        return result

    def settings(self, options: SearchOptions, typed: str = "any") -> dict[str, object]:
        """Return all that a search with these options goes by, what the base and the settings choose included.

        Raises QueryError where it can't be asked so.
        """
        query = checked(self._query(typed, options)[1])
        of_question = ("text", "filters", "phrases", "excluded", "explain")
        chosen = {name: value for name, value in asdict(query).items() if name not in of_question}
        return chosen | {"level": options.get("level", "auto"), "reranker": query.reranker or reranking.NONE}

    def context(self, typed: str, options: SearchOptions, budget: int) -> Context:
        """Return the passages of a question's hits as a block for a prompt, within a budget of tokens.

        Raises what `search` raises, and QueryError for a budget below 1.
        """
        if budget < 1:
            raise QueryError(f"The budget is {budget} tokens; it must be at least 1.")
        hits = self.search(typed, options).hits
        if not hits:
            return Context("", (), 0, budget)
        first = next(base for base in self._store.notes.bases() if base.id == hits[0].note.base_id)
        embedder = self._embedder_of(first, True)
        assert embedder is not None, "asked to wait"
        return context.build(self._store, hits, embedder.tokens, budget)

    def why_not(self, typed: str, note_id: str, options: SearchOptions) -> WhyNot:
        """Return why a note is no hit of a question at the simple level; raises NoteNotFound and what `search` does."""
        return self._retriever(options).why_not(self._query(typed, options)[1], note_id)

    def diagnose(self, typed: str, golds: Sequence[tuple[int, GoldSpan]], options: SearchOptions) -> list[Diagnosis]:
        """Return why right passages, each with its number in the question, are in no hit; found ones are left out.

        The question is asked whole, at the simple level, whatever its own is. Raises what `search` raises.
        """
        return self._retriever(options).diagnose(self._query(typed, options)[1], golds, FOUND_SHARE)

    def passage(self, hit: Hit, size: int) -> Passage:
        """Return a hit widened by up to `size` chunks on each side."""
        also = {*hit.joined}
        joined = [chunk for chunk in self._store.chunks.of_note(hit.note.id) if chunk.index in also] if also else []
        return context.passage(self._store, hit.note, hit.chunk, size, joined)

    def _query(self, typed: str, options: SearchOptions) -> tuple[Understood, Query]:
        understood = parse(typed, now=_now())
        filters = _both(understood.filters, options.get("filters") or Filters())
        defaults = self._settings.search
        bases = self._bases(understood, filters)
        own = bases[0] if len(bases) == 1 else None
        mode = options.get("mode", "auto")
        query = Query(
            text=understood.text,
            filters=filters,
            phrases=understood.phrases,
            excluded=understood.excluded,
            mode=mode,
            limit=_first(options.get("limit"), (own.limit or None) if own else None, defaults.limit),
            pool=defaults.pool,
            fusion=_first(options.get("fusion"), defaults.fusion),
            semantic_weight=_first(
                options.get("semantic_weight"), own.semantic_weight if own else None, defaults.semantic_weight
            ),
            link_weight=_first(options.get("link_weight"), defaults.link_weight),
            phrase=_first(options.get("phrase"), defaults.phrase),
            score_threshold=_first(options.get("score_threshold"), own.score_threshold if own else None, 0.0),
            expansion_size=options.get("expansion_size", 0),
            reranker=self._reranker(mode, own, options.get("reranker")),
            rerank_pool=defaults.rerank_pool,
            rerank_weight=_first(
                options.get("rerank_weight"), own.rerank_weight if own else None, defaults.rerank_weight
            ),
            rerank_characters=defaults.rerank_characters,
            explain=options.get("explain", False),
        )
        return understood, query

    def _bases(self, understood: Understood, filters: Filters) -> list[KnowledgeBase]:
        """The bases that are asked; one that isn't there is pointed at where it was typed."""
        if not filters.bases:
            return self._store.notes.bases()
        try:
            return [self._store.notes.base(name) for name in filters.bases]
        except UnknownChoice as error:
            typed = next((term for term in understood.terms if term.kind == "base"), None)
            if typed is None:
                raise
            raise QueryError(str(error), (typed.start, typed.end)) from error

    def _reranker(self, mode: Mode, own: KnowledgeBase | None, asked: str | None) -> str:
        if asked is None:
            usual = (own and own.reranker) or self._settings.search.reranker
            name = usual if mode in ("auto", "hybrid") else reranking.NONE
        else:
            name = asked
        if name == reranking.NONE:
            return ""
        reranking.check(name)
        return name

    def _classified(self, understood: Understood, level: Level) -> Classified:
        if level not in get_args(Level):
            raise UnknownChoice("level", level, get_args(Level))
        return classify(understood) if level == "auto" else Classified(level, "You chose this level.")

    def _decompositions(self, query: Query, classified: Classified) -> tuple[tuple[Decomposition, ...], str]:
        """The ways to take an exploratory question apart, the one to use first, and why a model gave none."""
        if classified.level != "exploratory" or not query.text.strip():
            return (), ""
        by_rules = decompose(query.text, phrases=query.phrases) or Decomposition(
            "summary", (SubQuery(query.text, WHOLE),)
        )
        if not self._by_model():
            return (by_rules,), ""
        # A page asks the same question several times: before and after reranking, for its context.
        if query.text not in self._by_models:
            try:
                by_model = decompose_by_model(query.text, Chat(self._settings.llm))
            except (ProviderError, ConfigError) as error:
                return (by_rules,), str(error)
            _keep(self._by_models, query.text, by_model)
        return (self._by_models[query.text], by_rules), ""

    def _by_model(self) -> bool:
        llm, chosen = self._settings.llm, self._settings.search.decompose
        return chosen == "llm" or (chosen == "auto" and bool(llm.base_url and llm.model))

    def _retriever(self, options: SearchOptions) -> Retriever:
        wait = options.get("wait", True)
        return Retriever(
            self._store,
            lambda base: self._embedder_of(base, wait),
            lambda base, name: self._reranker_of(base, name, wait),
        )

    # synonyms

    def _synonyms_stamp(self) -> int:
        return self._synonyms_file().stat().st_mtime_ns

    def _variants(self) -> Callable[[str], list[str]]:
        stamp = self._synonyms_stamp()
        if self._synonyms is None or self._synonyms[0] != stamp:
            self._synonyms = stamp, load(self._synonyms_file())
        return self._synonyms[1].variants


def _keep(kept: OrderedDict[_K, _T], key: _K, value: _T) -> None:
    kept[key] = value
    while len(kept) > _KEPT:
        kept.popitem(last=False)


def _first(*values: _T | None) -> _T:
    """The first that was chosen."""
    return next(value for value in values if value is not None)


def _both(typed: Filters, chosen: Filters) -> Filters:
    """The filters of a question and those chosen beside it; named bases are those that both name."""
    if typed.bases and chosen.bases:
        bases = tuple(name for name in typed.bases if name in chosen.bases)
        if not bases:
            raise QueryError(
                f"The question asks the base {', '.join(typed.bases)}, but only {', '.join(chosen.bases)} is chosen."
                " Take one of the two away."
            )
    else:
        bases = typed.bases or chosen.bases
    after = max(filter(None, (typed.after, chosen.after)), default=None)
    before = min(filter(None, (typed.before, chosen.before)), default=None)
    return Filters(bases, (*typed.conditions, *chosen.conditions), after, before)


def filters_of(
    *,
    bases: Sequence[str] = (),
    tags: Sequence[str] = (),
    path: str = "",
    after: str = "",
    before: str = "",
    terms: Sequence[str] = (),
) -> Filters:
    """Return the filters that a person typed; a note must have every tag. `terms` are in the query language.

    Raises QueryError for a date that is none and for a term that is no filter.
    """
    conditions = [Condition("tag", (tag,)) for tag in tags]
    if path:
        conditions.append(Condition("path", (path,)))
    chosen = Filters(tuple(bases), tuple(conditions))
    dates = [f'{name}:"{date}"' for name, date in (("after", after), ("before", before)) if date]
    for term in (*terms, *dates):
        understood = parse(term, now=_now())
        if understood.text or understood.excluded:
            raise QueryError(f"'{term}' is no filter. Write it as tag:rust, type:guide or after:2026-01-31.")
        chosen = _both(chosen, understood.filters)
    return chosen


def _now() -> datetime:
    return datetime.now().astimezone()
