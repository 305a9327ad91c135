"""The check of a query."""

from dataclasses import replace

from core.config import check
from core.errors import QueryError
from core.limits import FILTERS, check_filters, check_part, check_question
from core.model import Filters, Query
from core.text import is_punctuation


def checked(query: Query) -> Query:
    """Return a query with a pool at least as large as its limit; raises QueryError or UnknownChoice with advice."""
    check(query.settings, QueryError, of_question=True)
    if not query.text.strip() and query.filters == Filters():
        raise QueryError("The question is empty. Type a word or a sentence to search for.")
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
    if query.text.strip() and is_punctuation(query.text):
        raise QueryError("The question is only punctuation. Type a word or a sentence to search for.")
    settings = query.settings
    return replace(query, settings=replace(settings, pool=max(settings.pool, settings.limit)))
