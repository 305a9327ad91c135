"""The check of a query."""

from dataclasses import replace

from core.base.errors import QueryError
from core.model import Query
from core.model.limits import FILTERS, check_filters, check_part, check_question
from core.settings.config import check


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
