"""Preparation of a search, once: the question is parsed and classified, its settings are complete and checked."""

from collections.abc import Sequence
from dataclasses import replace

from core import reranking
from core.config import Settings
from core.errors import QueryError, UnknownChoice
from core.limits import check_question
from core.messages import message
from core.model import (
    Classified,
    CompleteSettings,
    Filters,
    KnowledgeBase,
    Prepared,
    Query,
    SearchOptions,
    SearchSettings,
    Understood,
    complete,
)
from core.query import limits
from core.query.filters import both, filters_beside, now
from core.query.language import parse
from core.query.levels import classify
from core.store import Store


def prepare(
    store: Store, settings: Settings, typed: str, options: SearchOptions, *, understood: Understood | None = None
) -> Prepared:
    """Prepare a question; it isn't parsed if it is `understood` already.

    Raises QueryError for an invalid question or settings, UnknownChoice for an option, a base, a mode or a reranker.
    """
    check_question(typed)
    understood = understood or parse(typed, now=now())
    for name in options:
        if name not in SearchOptions.__annotations__:
            raise UnknownChoice("option", name, SearchOptions.__annotations__)
    filters = both(understood.filters, filters_beside(options))
    bases = _bases(store, understood, filters)
    completed = _completed(settings, options, bases)
    chooses = False
    if bases and not any(base.has_vectors for base in bases):
        completed = replace(completed, mode="keyword", reranker=reranking.NONE)
        chooses = bool(understood.text.strip()) and settings.search.choose == "auto" and options.get("choose", True)
    query = Query(
        text=understood.text,
        filters=filters,
        phrases=understood.phrases,
        emphasised=understood.emphasised,
        excluded=understood.excluded,
        settings=completed,
        explain=options.get("explain", False),
        as_typed=options.get("as_typed", False),
        choose=chooses,
    )
    if (level := completed.level) == "auto":
        classified = classify(understood)
    else:
        classified = Classified(level, message("You chose this kind of search."))
    return Prepared(
        typed,
        understood,
        classified,
        limits.checked(query),
        asks_model=chooses and settings.llm.is_set_up,
        wait=options.get("wait", True),
    )


def _bases(store: Store, understood: Understood, filters: Filters) -> list[KnowledgeBase]:
    """Return the bases to search; an unknown base raises with its place in the question."""
    try:
        return store.bases.chosen(filters.bases)
    except UnknownChoice as error:
        typed = next((term for term in understood.terms if term.kind == "base"), None)
        if typed is None:
            raise
        raise QueryError(error.message, (typed.start, typed.end)) from error


def _completed(settings: Settings, options: SearchOptions, bases: Sequence[KnowledgeBase]) -> CompleteSettings:
    """Complete the options from the bases and the settings; their reranker applies to hybrid search only."""
    chosen = SearchSettings.of(options)
    completed = complete(chosen, settings.search_in(bases))
    if chosen.reranker is None and completed.mode not in ("auto", "hybrid"):
        completed = replace(completed, reranker=reranking.NONE)
    if completed.reranker != reranking.NONE:
        reranking.check(completed.reranker)
    return completed
