"""Filters chosen beside a question, and their combination with the filters in the question."""

from collections.abc import Sequence
from datetime import datetime

from core.errors import QueryError
from core.model import Condition, Filters
from core.query.language import parse


def filters_of(
    *,
    bases: Sequence[str] = (),
    tags: Sequence[str] = (),
    path: str = "",
    after: str = "",
    before: str = "",
    terms: Sequence[str] = (),
) -> Filters:
    """Return the filters for typed values; a note must have every tag. `terms` are in the query language.

    Raises QueryError for an invalid date and for a term that is not a filter.
    """
    conditions = [Condition("tag", (tag,)) for tag in tags]
    if path:
        conditions.append(Condition("path", (path,)))
    chosen = Filters(tuple(bases), tuple(conditions))
    dates = [f'{name}:"{date}"' for name, date in (("after", after), ("before", before)) if date]
    for term in (*terms, *dates):
        understood = parse(term, now=now())
        if understood.text or understood.excluded:
            raise QueryError("'{term}' is no filter. Write it as tag:rust, type:guide or after:2026-01-31.", term=term)
        chosen = both(chosen, understood.filters)
    return chosen


def both(typed: Filters, chosen: Filters) -> Filters:
    """Combine the filters of a question with those chosen beside it; where both name bases, keep the common ones."""
    if typed.bases and chosen.bases:
        bases = tuple(name for name in typed.bases if name in chosen.bases)
        if not bases:
            raise QueryError(
                "The question asks the base {typed}, but only {chosen} is chosen. Take one of the two away.",
                typed=typed.bases,
                chosen=chosen.bases,
            )
    else:
        bases = typed.bases or chosen.bases
    after = max(filter(None, (typed.after, chosen.after)), default=None)
    before = min(filter(None, (typed.before, chosen.before)), default=None)
    return Filters(bases, (*typed.conditions, *chosen.conditions), after, before)


def now() -> datetime:
    return datetime.now().astimezone()
