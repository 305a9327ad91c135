"""Preparation of a search, once: the question is parsed and classified, its settings are complete and checked."""

from dataclasses import replace

from core import reranking
from core.base.errors import QueryError, UnknownChoice
from core.base.text import fold, keywords
from core.model import CallerContext, Filters, Prepared, Query, SearchOptions, Understood, local_now
from core.model.limits import FILTERS, check_filters, check_part, check_question
from core.query.decomposition import ClassifiedQuestion, classify_question
from core.query.filters import merge_filters
from core.query.language import as_text, parse
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
            "The question has {n} phrases and left-out words; at most {most} can be searched for.",
            n=len(exact),
            most=FILTERS,
        )
    for text in exact:
        check_part(text)
    settings = query.settings
    return replace(query, settings=replace(settings, pool=max(settings.pool, settings.limit)))


def properties_in(store: Store, *typed: str) -> frozenset[str]:
    """Return the folded names of the properties that notes have, none where no text has a colon after a name."""
    is_needed = any(colon in item for item in typed for colon in ":：")
    return frozenset(map(fold, store.properties.names())) if is_needed else frozenset()


def _parse_question(store: Store, typed: str, options: SearchOptions) -> Understood:
    """Return a question as it is meant: in the query language, unless it is plain text or the title of a note."""
    if options.get("plain"):
        return as_text(typed)
    has_filters = merge_filters(Filters(), options) != Filters()
    try:
        understood = parse(typed, now=local_now(), properties=properties_in(store, typed), has_filters=has_filters)
    except QueryError:
        if store.titles.is_title(typed):
            return as_text(typed)
        raise
    is_text = not understood.signs_as_text and all(term.kind == "words" for term in understood.terms)
    return as_text(typed) if not is_text and store.titles.is_title(typed) else understood


def _is_emoji(text: str) -> bool:
    """Return whether a text holds nothing but emoji: to a model most are the same, while each is a word of its own."""
    return not any(map(str.isalnum, text)) and bool(keywords(text))


def prepare(
    store: Store, settings: Settings, typed: str | None, options: SearchOptions, *, like: Prepared | None = None
) -> Prepared:
    """Prepare a question to be searched; `like` is the same question with other options, so it isn't parsed again.

    Without a question the notes that pass the filters are listed, the last changed first. Raises QueryError for an
    invalid question or settings, UnknownChoice for an option, a base, a mode or a reranker.
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
    query = Query(
        text=understood.text,
        filters=filters,
        phrases=understood.phrases,
        emphasised=understood.emphasised,
        typed=typed.strip(),
        excluded=understood.excluded,
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
