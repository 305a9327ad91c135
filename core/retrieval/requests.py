"""Prepare searches by parsing questions, correcting unknown words, embedding the questions and loading rerankers."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

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
from core.query.decomposition import classify_question
from core.query.own_words import asks_for_notes, vocabulary
from core.query.parser import as_text, merge_filters, parse
from core.query.synonyms import Spelling, correct, is_word
from core.reranking import NONE, Reranker
from core.settings.config import Settings, check
from core.store import Store


def properties_in(store: Store, *typed: str) -> frozenset[str]:
    """Return the folded names of all properties, or an empty set if none of the typed strings contains a colon.

    Without a colon, a question can't filter by a property.
    """
    if {*":："}.isdisjoint("".join(typed)):
        return frozenset()
    return frozenset(map(fold, store.properties.names()))


def _parse_question(store: Store, typed: str, options: SearchOptions) -> Understood:
    """Parse a question in the query language, unless it is plain text or exactly a note's title."""
    if options.get("plain"):
        return as_text(typed)
    known = vocabulary(store.fields.metadata()) if asks_for_notes(typed) else {}
    try:
        understood = parse(
            typed,
            now=local_now(),
            properties=properties_in(store, typed),
            vocabulary=known,
            has_filters=merge_filters(Filters(), options) != Filters(),
        )
    except QueryError:
        if store.titles.is_title(typed):
            return as_text(typed)
        raise
    has_signs = (
        understood.signs_as_text
        or understood.colons
        or any(term.kind not in ("words", *ORDERING) for term in understood.terms)
    )
    return as_text(typed) if has_signs and store.titles.is_title(typed) else understood


def prepare(
    store: Store, settings: Settings, typed: str | None, options: SearchOptions, *, like: Prepared | None = None
) -> Prepared:
    """Prepare a question for a search.

    `like` is the same question prepared earlier with different options, so that it needn't be parsed again. An empty
    question lists the notes that pass the filters, latest first. Raises QueryError for an invalid question or invalid
    settings, and UnknownChoice for an unknown option, base, mode or reranker.
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
    if completed.mode == "auto" and not any(map(str.isalnum, understood.text)) and keywords(understood.text):
        completed = replace(completed, mode="keyword")  # only emoji, which models can't tell apart
    if options.get("reranker") is None and completed.mode not in ("auto", "hybrid"):
        completed = replace(completed, reranker=NONE)
    if completed.reranker != NONE:
        reranking.check(completed.reranker)
    chooses = False
    if bases and not any(base.has_vectors for base in bases):
        completed = replace(completed, mode="keyword", reranker=NONE)
        chooses = bool(understood.text.strip()) and settings.search.choose == "auto" and options.get("choose", True)
    check(completed, QueryError, of_question=True)
    check_question(understood.text)
    check_filters(filters)
    exact = (*understood.phrases, *understood.emphasised, *understood.excluded)
    if len(exact) > FILTERS:
        raise QueryError(
            "The question has {n} phrases and excluded words; the limit is {most}.", n=len(exact), most=FILTERS
        )
    for text in exact:
        check_part(text)
    query = assemble(
        Query,
        understood,
        filters=filters,
        typed=typed.strip(),
        settings=replace(completed, pool=max(completed.pool, completed.limit)),
        explain=options.get("explain", False),
        as_typed=options.get("as_typed", False),
        choose=chooses,
        indexed=options.get("indexed", False),
        caller=options.get("caller") or CallerContext(),
    )
    level, parts = (
        (like.classified, like.decomposition)
        if like and like.query.settings.level == completed.level
        else classify_question(understood, completed.level)
    )
    return Prepared(
        typed, understood, level, query, parts, chooses and settings.llm.is_set_up, options.get("wait", True)
    )


@dataclass
class SearchRequest:
    """A sub-query that is ready to run.

    `words` are the words for keyword search. `others` are the words of the question's other spellings and of its
    variants with synonyms. `vectors` holds the question's vector for each model fingerprint. `rerankers` maps each
    base's id to its reranker and to the embedder whose windows and tokens the reranker reads.
    """

    query: Query
    sub_query: SubQuery
    bases: Sequence[KnowledgeBase]
    mode: ResultMode
    spelling: Spelling
    words: Sequence[str]
    others: Sequence[Sequence[str]] = ()
    vectors: dict[str, Matrix] = field(default_factory=dict)
    rerankers: Mapping[str, tuple[Reranker, Embedder]] = field(default_factory=dict)
    rerank_problem: Message | None = None
    notices: list[Notice] = field(default_factory=list)

    @property
    def vector_bases(self) -> list[KnowledgeBase]:
        """The bases with vectors, which support semantic search."""
        return [base for base in self.bases if base.has_vectors]

    @property
    def has_meaning(self) -> bool:
        """Whether semantic search applies to the request."""
        return self.mode != "keyword" and bool(self.query.text.strip())


# A function that returns variants of a question with synonyms.
Variants = Callable[[str], Sequence[str]]


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
    """Return a request for each sub-query, ready for searching.

    If `wait` is False, a model that is still loading is skipped, and a notice is added. If `cached` is True, a server
    that doesn't answer is treated in the same way. Raises ModelError, or EmbeddingMismatch if a base was built with a
    different model and the mode isn't `auto`.
    """
    mode: ResultMode = "hybrid" if query.settings.mode == "auto" else query.settings.mode
    words = store.words
    is_known = partial(is_word, tokens=lambda word: embedding.build("bundled").tokens(word))
    requests = []
    for part in parts:
        text = part.text
        spelling = Spelling(text) if query.as_typed else correct(text, words.indexed_words, words.counts, is_known)
        requests.append(
            SearchRequest(replace(query, text=text), part, bases, mode, spelling, query_keywords(spelling.text))
        )
    _embed(models, [request for request in requests if request.has_meaning], wait=wait, measured=not cached)
    for request in requests:
        if not query.as_typed:
            # Synonyms are used only if no model embeds the text.
            texts = respell(request.spelling.text)
            if not request.has_meaning or all(base.embedder == "tfidf" for base in request.vector_bases):
                texts += variants(request.query.text)
            request.others = list(map(query_keywords, texts))
        _load_rerankers(models, request, wait=wait, cached=cached)
    return requests


def _embed(models: Models, requests: Sequence[SearchRequest], *, wait: bool, measured: bool) -> None:
    """Embed the questions in one batch per model. If any model is unavailable, all requests become keyword searches."""
    notice: Notice | None = None
    for base in requests[0].vector_bases if requests else ():
        if base.fingerprint in requests[0].vectors:
            continue
        if not measured and models.is_away(base):
            notice = "model_away"
        elif not (wait or models.ready(base)):
            notice = "model_loading"
        else:
            try:
                embedder = models.embedder(base)
                fitted = [fit(request.query.text, embedder) for request in requests]
                vectors = embedder.embed([text for text, _ in fitted], role="query")
            except EmbeddingMismatch:
                if requests[0].query.settings.mode != "auto":
                    raise
                notice = "other_model"
            except ProviderUnavailable:
                if measured:
                    raise
                models.set_away(base.embedder)
                notice = "model_away"
        for number, request in enumerate(requests):
            if notice:
                request.mode = "keyword"
                request.notices.append(notice)
                continue
            request.vectors[base.fingerprint] = vectors[number]
            if not fitted[number][1]:
                request.notices.append("query_cut")
        if notice:
            return


def _load_rerankers(models: Models, request: SearchRequest, *, wait: bool, cached: bool) -> None:
    """Add each base's reranker to a request. If any reranker fails or is still loading, add none.

    If `cached` is False, rerankers don't cache their scores.
    """
    name = request.query.settings.reranker
    if name == NONE or not {"model_loading", "model_away"}.isdisjoint(request.notices):
        return
    rerankers = {}
    try:
        for base in request.vector_bases:
            if not (wait or (models.reranker_ready(base, name) and models.ready(base))):
                request.notices.append("model_loading")
                return
            rerankers[base.id] = models.reranker(base, name, cached=cached), models.embedder(base)
    except (ConfigError, ModelError, ProviderError, EmbeddingMismatch) as error:
        request.rerank_problem = error.message
    else:
        request.rerankers = rerankers
