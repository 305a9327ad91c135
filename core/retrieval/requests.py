"""The start of a search: prepares the question, corrects unknown words, loads vectors and rerankers."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Self

from core import embedding, reranking
from core.base.codec import assemble
from core.base.errors import (
    ConfigError,
    EmbeddingMismatch,
    ModelError,
    ProviderError,
    ProviderUnavailable,
    QueryError,
    UnknownChoice,
)
from core.base.messages import Message
from core.base.text import fold, keywords, query_keywords, respell
from core.embedding import Embedder
from core.embedding.windows import fit
from core.indexing.models import Models
from core.model import (
    ORDERING,
    CallerContext,
    Filters,
    KnowledgeBase,
    Matrix,
    Notice,
    Prepared,
    Query,
    ResultMode,
    SearchOptions,
    SubQuery,
    Understood,
    local_now,
)
from core.model.limits import FILTERS, check_filters, check_part, check_question
from core.query import metadata
from core.query.decomposition import ClassifiedQuestion, classify_question
from core.query.parser import as_text, merge_filters, parse
from core.query.synonyms import Spelling, correct, is_word
from core.reranking import NONE, Reranker
from core.settings.config import Settings, check
from core.store import Store


def check_query(query: Query) -> Query:
    """Return a query with a pool at least as large as its limit; raises QueryError or UnknownChoice with advice."""
    check(query.settings, QueryError, of_question=True)
    check_question(query.text)
    check_filters(query.filters)
    exact = (*query.phrases, *query.emphasised, *query.excluded)
    if len(exact) > FILTERS:
        raise QueryError(
            "The question has {n} phrases and excluded words; the limit is {most}.",
            n=len(exact),
            most=FILTERS,
        )
    for text in exact:
        check_part(text)
    settings = query.settings
    return replace(query, settings=replace(settings, pool=max(settings.pool, settings.limit)))


def properties_in(store: Store, *typed: str) -> frozenset[str]:
    """Return the folded names of all properties; empty if no text has a colon, so that none could be named."""
    is_needed = any(colon in item for item in typed for colon in ":：")
    return frozenset(map(fold, store.properties.names())) if is_needed else frozenset()


def _parse_question(store: Store, typed: str, options: SearchOptions) -> Understood:
    """Return a parsed question: in the query language, unless it is plain text or the exact title of a note."""
    if options.get("plain"):
        return as_text(typed)
    has_filters = merge_filters(Filters(), options) != Filters()
    known = metadata.vocabulary(store.fields.metadata()) if metadata.asks_for_notes(typed) else {}
    try:
        understood = parse(
            typed,
            now=local_now(),
            properties=properties_in(store, typed),
            vocabulary=known,
            has_filters=has_filters,
        )
    except QueryError:
        if store.titles.is_title(typed):
            return as_text(typed)
        raise
    is_text = all(term.kind in ("words", *ORDERING) for term in understood.terms)
    is_text = is_text and not (understood.signs_as_text or understood.colons)
    return as_text(typed) if not is_text and store.titles.is_title(typed) else understood


def _is_emoji(text: str) -> bool:
    """Return whether a text is only emoji: models can't tell them apart, but keyword search can."""
    return not any(map(str.isalnum, text)) and bool(keywords(text))


def prepare(
    store: Store, settings: Settings, typed: str | None, options: SearchOptions, *, like: Prepared | None = None
) -> Prepared:
    """Prepare a question for a search; `like` is the same question with other options, already parsed.

    An empty question lists the notes that pass the filters, the last changed first. Raises QueryError for an invalid
    question or settings, UnknownChoice for an option, a base, a mode or a reranker.
    """
    typed = typed or ""
    for name in options:
        if name not in SearchOptions.__annotations__:
            raise UnknownChoice("option", name, SearchOptions.__annotations__)
    understood = like.understood if like else _parse_question(store, typed, options)
    filters = merge_filters(understood.filters, options)
    try:
        bases = store.bases.chosen(filters.bases)
    except UnknownChoice as error:
        if place := next(((term.start, term.end) for term in understood.terms if term.kind == "base"), None):
            raise QueryError(error.message, place) from error
        raise
    completed = settings.search_in(bases, options)
    if completed.mode == "auto" and _is_emoji(understood.text):
        completed = replace(completed, mode="keyword")
    if options.get("reranker") is None and completed.mode not in ("auto", "hybrid"):
        completed = replace(completed, reranker=reranking.NONE)
    if completed.reranker != reranking.NONE:
        reranking.check(completed.reranker)
    chooses = False
    if bases and not any(base.has_vectors for base in bases):
        completed = replace(completed, mode="keyword", reranker=reranking.NONE)
        chooses = bool(understood.text.strip()) and settings.search.choose == "auto" and options.get("choose", True)
    query = assemble(
        Query,
        understood,
        filters=filters,
        typed=typed.strip(),
        settings=completed,
        explain=options.get("explain", False),
        as_typed=options.get("as_typed", False),
        choose=chooses,
        indexed=options.get("indexed", False),
        caller=options.get("caller") or CallerContext(),
    )
    if like and like.query.settings.level == completed.level:
        question = ClassifiedQuestion(like.classified, like.decomposition)
    else:
        question = classify_question(understood, completed.level)
    asks_model, wait = chooses and settings.llm.is_set_up, options.get("wait", True)
    checked = check_query(query)
    return Prepared(typed, understood, question.level, checked, question.parts, asks_model=asks_model, wait=wait)


@dataclass(frozen=True)
class BaseReranker:
    """The reranker of a base, and the embedder whose windows and tokens it reads."""

    reranker: Reranker
    embedder: Embedder


@dataclass(frozen=True)
class SearchRequest:
    """A sub-query, ready to be searched.

    `words`: for keyword search. `others`: the words in other spellings, or of synonyms. `vectors`: by model
    fingerprint. `rerankers`: by base id.
    """

    query: Query
    sub_query: SubQuery
    bases: Sequence[KnowledgeBase]
    mode: ResultMode
    spelling: Spelling
    words: Sequence[str]
    others: Sequence[Sequence[str]] = ()
    vectors: Mapping[str, Matrix] = field(default_factory=dict)
    rerankers: Mapping[str, BaseReranker] = field(default_factory=dict)
    rerank_problem: Message | None = None
    notices: tuple[Notice, ...] = ()

    @property
    def vector_bases(self) -> list[KnowledgeBase]:
        """The bases with vectors, which can be searched by meaning."""
        return [base for base in self.bases if base.has_vectors]

    @property
    def has_meaning(self) -> bool:
        """Whether the request is searched by meaning."""
        return self.mode != "keyword" and bool(self.query.text.strip())

    def with_notice(self, notice: Notice) -> Self:
        return replace(self, notices=tuple(dict.fromkeys((*self.notices, notice))))

    def by_words(self, notice: Notice) -> Self:
        """Return the request for keyword search only, with the reason as a notice."""
        return replace(self, mode="keyword").with_notice(notice)

    def with_vector(self, fingerprint: str, vector: Matrix, *, whole: bool) -> Self:
        """Return the request with its vector from a model; `whole` is false if the model read only the beginning."""
        embedded = replace(self, vectors={**self.vectors, fingerprint: vector})
        return embedded if whole else embedded.with_notice("query_cut")


Variants = Callable[[str], Sequence[str]]
"""Returns variants of a question in other words."""


def start_search(
    store: Store,
    models: Models,
    query: Query,
    bases: Sequence[KnowledgeBase],
    parts: Sequence[SubQuery],
    *,
    wait: bool,
    cached: bool,
    variants: Variants,
) -> list[SearchRequest]:
    """Return a request for each sub-query; nothing is searched yet.

    Without `wait`, a model that is still loading is skipped, with a notice. A server that doesn't answer is skipped
    too, unless searches are measured (without `cached`). Raises ModelError, and EmbeddingMismatch for a base with
    another model unless the mode is `auto`.
    """
    mode: ResultMode = "hybrid" if query.settings.mode == "auto" else query.settings.mode
    words, is_known = store.words, partial(is_word, tokens=lambda word: embedding.build("bundled").tokens(word))
    requests = []
    for part in parts:
        text = part.text
        spelling = Spelling(text) if query.as_typed else correct(text, words.indexed_words, words.counts, is_known)
        keywords = query_keywords(spelling.text)
        requests.append(SearchRequest(replace(query, text=text), part, bases, mode, spelling, keywords))
    asked = [request for request in requests if request.has_meaning]
    embedded = iter(_embed(models, asked, wait=wait, measured=not cached))
    requests = [next(embedded) if request.has_meaning else request for request in requests]
    return [_load_rerankers(models, _with_others(request, variants), wait=wait, cached=cached) for request in requests]


def _with_others(request: SearchRequest, variants: Variants) -> SearchRequest:
    """Return the request with words of other spellings, and with synonyms if no model embeds the text."""
    if request.query.as_typed:
        return request
    texts = respell(request.spelling.text)
    if not request.has_meaning or all(base.embedder == "tfidf" for base in request.vector_bases):
        texts += variants(request.query.text)
    return replace(request, others=[query_keywords(text) for text in texts])


def _embed(models: Models, requests: Sequence[SearchRequest], *, wait: bool, measured: bool) -> Sequence[SearchRequest]:
    """Return the requests with their vectors; each model embeds all questions at once."""

    def by_words(notice: Notice) -> Sequence[SearchRequest]:
        return [request.by_words(notice) for request in requests]

    for base in requests[0].vector_bases if requests else ():
        if base.fingerprint in requests[0].vectors:
            continue
        if not measured and models.is_away(base):
            return by_words("model_away")
        if not (wait or models.ready(base)):
            return by_words("model_loading")
        try:
            embedder = models.embedder(base)
            fitted = [fit(request.query.text, embedder) for request in requests]
            vectors = embedder.embed([text for text, _ in fitted], role="query")
        except EmbeddingMismatch:
            if requests[0].query.settings.mode != "auto":
                raise
            return by_words("other_model")
        except ProviderUnavailable:
            if measured:
                raise
            models.set_away(base.embedder)
            return by_words("model_away")
        requests = [
            request.with_vector(base.fingerprint, vector, whole=whole)
            for request, vector, (_, whole) in zip(requests, vectors, fitted, strict=True)
        ]
    return requests


def _load_rerankers(models: Models, request: SearchRequest, *, wait: bool, cached: bool) -> SearchRequest:
    """Return a request with the reranker of each base; none is used if one of them fails or is still loading.

    Without `cached`, rerankers judge every question again.
    """
    name = request.query.settings.reranker
    if name == NONE or not {"model_loading", "model_away"}.isdisjoint(request.notices):
        return request
    rerankers: dict[str, BaseReranker] = {}
    try:
        for base in request.vector_bases:
            if not (wait or (models.reranker_ready(base, name) and models.ready(base))):
                return request.with_notice("model_loading")
            rerankers[base.id] = BaseReranker(models.reranker(base, name, cached=cached), models.embedder(base))
    except (ConfigError, ModelError, ProviderError, EmbeddingMismatch) as error:
        return replace(request, rerank_problem=error.message)
    return replace(request, rerankers=rerankers)
