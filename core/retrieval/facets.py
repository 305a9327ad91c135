"""Facets of the hits, by which a person may narrow a search."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from datetime import datetime

from core.markdown.tags import key, with_parents
from core.model import FACETS, NOTE_FIELDS, Facet, Hit, NoteSummary, day_of
from core.query.dates import YEARS

MOST = 12
"""Maximum number of values of a field."""
_FIELDS = {name: field.typed[0] for name, field in NOTE_FIELDS.items() if field.is_facet}


def count(hits: Sequence[Hit], bases: Sequence[str]) -> tuple[Facet, ...]:
    """Return the values of the hits' notes and their copies', the most frequent first.

    A value that all hits share is left out.
    """
    values: defaultdict[str, Counter[str]] = defaultdict(Counter)
    spelled: dict[str, str] = {}
    for hit in hits:
        pairs = [pair for card in (hit.note, *(copy.note for copy in hit.copies)) for pair in _values(card)]
        own = {(field, spelled.setdefault(key(value), value) if field == "tag" else value) for field, value in pairs}
        for field, value in own:
            values[field][value] += 1
    if len(bases) < 2:
        values.pop("base", None)
    return tuple(
        Facet(field, value, number, _term(field, value))
        for field in FACETS
        for value, number in sorted(values[field].items(), key=lambda item: (-item[1], item[0]))[:MOST]
        if number < len(hits)
    )


def _values(card: NoteSummary) -> Iterator[tuple[str, str]]:
    yield "base", card.base
    for name, facet in _FIELDS.items():
        value = getattr(card, name)
        values = value if isinstance(value, tuple) else filter(None, [value])
        named = (parent for entry in values for parent in (with_parents(entry) if name == "tags" else [str(entry)]))
        yield from ((facet, entry) for entry in named)
    if card.path and "/" in card.path:
        yield "folder", card.path.rpartition("/")[0]
    if card.updated_at and card.updated_at.year in YEARS[:-1]:
        yield "month", day_of(card.updated_at)[:7]


def _term(field: str, value: str) -> str:
    """Return the term of the query language for a value."""
    if field == "month":
        start = datetime.fromisoformat(f"{value}-01")
        later = f"{start.year + start.month // 12}-{start.month % 12 + 1:02}"
        return f"after:{value} before:{later}"
    name, value = ("path", f"{value}/") if field == "folder" else (field, value)
    return f'{name}:"{value}"' if any(mark in value for mark in ' ,，、:：()"“”「」#') else f"{name}:{value}"
