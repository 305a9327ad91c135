"""Filters chosen in addition to a question, and their combination with the filters in the question."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, TypedDict, Unpack

from core.base.errors import QueryError, UnknownChoice
from core.base.messages import message
from core.model import CallerContext, Condition, Filters, SearchOptions, fields_of, in_utc, local_now
from core.model.limits import check_terms
from core.query.fields import stored
from core.query.language import parse

_CALLER = ("type", "tags", "scope")
"""The parts of a caller's context, in the order of `CallerContext`."""


class FilterValues(TypedDict, total=False):
    """Filters as the user types them, as keyword arguments; a note must have every tag.

    `after` and `before` are dates, `terms` are in the query language.
    """

    bases: Sequence[str]
    tags: Sequence[str]
    path: str
    after: str
    before: str
    terms: Sequence[str]


def filters_of(*, properties: Collection[str] = (), **values: Unpack[FilterValues]) -> Filters:
    """Return the filters for typed values; in terms the names of `properties` are fields too.

    Raises QueryError for an invalid date, for a term that is not a filter, and for too many or too long ones.
    """
    tags, path, terms = values.get("tags", ()), values.get("path", ""), values.get("terms", ())
    dates = {"after": values.get("after", ""), "before": values.get("before", "")}
    check_terms([*tags, *filter(None, (path, *dates.values())), *terms])
    conditions = [Condition("tag", (tag,)) for tag in tags]
    if path:
        conditions.append(Condition("path", (path,)))
    chosen = Filters(tuple(values.get("bases", ())), tuple(conditions))
    for term in (*terms, *(f'{name}:"{date}"' for name, date in dates.items() if date)):
        understood = parse(term, now=local_now(), properties=properties)
        if understood.text or understood.excluded:
            raise QueryError("'{term}' is no filter. Write it as tag:rust, type:guide or after:2026-01-31.", term=term)
        chosen = combine(chosen, understood.filters)
    return chosen


def merge_filters(typed: Filters, options: SearchOptions) -> Filters:
    """Return the filters of a question together with those of a search's options; raises UnknownChoice for a status."""
    caller = options.get("caller") or CallerContext()
    given: list[tuple[str, Iterable[str]]] = [
        ("type", caller.types),
        ("tag", caller.tags),
        *((name, _several(options.get(name))) for name in fields_of("word")),  # type: ignore[arg-type]
        ("status", [stored("status", status) for status in _several(options.get("status"))]),
        ("tag", _several(options.get("any_tags"))),
        *(("tag", (tag,)) for tag in _several(options.get("all_tags"))),
    ]
    if (least := options.get("min_priority")) is not None:
        given.append(("priority", [f"{int(least)}.."]))
    conditions = tuple(Condition(field, tuple(values)) for field, values in given if values)
    from_options = Filters(tuple(_several(options.get("bases"))), conditions)
    return combine(typed, combine(options.get("filters") or Filters(), from_options))


def caller_of(context: Mapping[str, Any] | None) -> CallerContext:
    """Return who asks, of one or several `type`, `tags` and `scope`; raises UnknownChoice and QueryError for others."""
    terms: dict[str, tuple[str, ...]] = dict.fromkeys(_CALLER, ())
    for name, value in (context or {}).items():
        if name not in terms:
            raise UnknownChoice("part of the context", name, _CALLER)
        texts = value if isinstance(value, list | tuple) else [value]
        if not all(isinstance(text, str | None) for text in texts):
            raise QueryError("'{name}' must be {kind}.", name=name, kind=message("text"))
        terms[name] = tuple(filter(None, texts))
    check_terms([text for texts in terms.values() for text in texts])
    return CallerContext(*terms.values())


def _several(words: str | Iterable[str] | None) -> list[str]:
    return [words] if isinstance(words, str) and words else list(words or ())


def combine(typed: Filters, chosen: Filters) -> Filters:
    """Combine the filters of a question with those chosen in addition; where both name bases, keep the common ones."""
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
