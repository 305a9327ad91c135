"""Filters chosen beside a question, and their combination with the filters in the question."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from core.errors import QueryError
from core.limits import check_terms
from core.model import Condition, Filters, SearchOptions, fields_of, in_utc
from core.query.fields import stored
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

    Raises QueryError for an invalid date, for a term that is not a filter, and for too many or too long ones.
    """
    check_terms([*tags, *filter(None, (path, after, before)), *terms])
    conditions = [Condition("tag", (tag,)) for tag in tags]
    if path:
        conditions.append(Condition("path", (path,)))
    chosen = Filters(tuple(bases), tuple(conditions))
    dates = [f'{name}:"{date}"' for name, date in (("after", after), ("before", before)) if date]
    for term in (*terms, *dates):
        understood = parse(term, now=datetime.now().astimezone())
        if understood.text or understood.excluded:
            raise QueryError("'{term}' is no filter. Write it as tag:rust, type:guide or after:2026-01-31.", term=term)
        chosen = both(chosen, understood.filters)
    return chosen


def narrowed(typed: Filters, options: SearchOptions) -> Filters:
    """Return the filters of a question together with those of a search's options; raises UnknownChoice for a status."""
    given: list[tuple[str, Iterable[str]]] = [
        *((name, _several(options.get(name))) for name in fields_of("word")),  # type: ignore[arg-type]
        ("status", [stored("status", status) for status in _several(options.get("status"))]),
        ("tag", _several(options.get("any_tags"))),
        *(("tag", (tag,)) for tag in _several(options.get("all_tags"))),
    ]
    if (least := options.get("min_priority")) is not None:
        given.append(("priority", [f"{int(least)}.."]))
    conditions = tuple(Condition(field, tuple(values)) for field, values in given if values)
    beside = Filters(tuple(_several(options.get("bases"))), conditions)
    return both(typed, both(options.get("filters") or Filters(), beside))


def _several(words: str | Iterable[str] | None) -> list[str]:
    return [words] if isinstance(words, str) and words else list(words or ())


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
    after = max((in_utc(at) for at in (typed.after, chosen.after) if at), default=None)
    before = min((in_utc(at) for at in (typed.before, chosen.before) if at), default=None)
    return Filters(bases, (*typed.conditions, *chosen.conditions), after, before)
