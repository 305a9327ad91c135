"""Facets of the candidates' notes, by which a person may narrow a search."""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime

from core.model import Facet, FacetField, NoteCard

MOST = 12
"""Maximum number of values of a field."""


def count(cards: Iterable[NoteCard], bases: Sequence[str]) -> tuple[Facet, ...]:
    """Return the notes' values, the most frequent first; a value that all notes share is left out."""
    notes = list(cards)
    values: dict[FacetField, Counter[str]] = {
        "base": Counter(card.base for card in notes if len(bases) > 1),
        "tag": Counter(tag for card in notes for tag in card.tags),
        "type": Counter(card.type for card in notes if card.type),
        "folder": Counter(card.path.rpartition("/")[0] for card in notes if card.path and "/" in card.path),
        "month": Counter(f"{card.updated_at:%Y-%m}" for card in notes if card.updated_at),
    }
    return tuple(
        Facet(field, value, number, _term(field, value))
        for field, counted in values.items()
        for value, number in sorted(counted.items(), key=lambda item: (-item[1], item[0]))[:MOST]
        if number < len(notes)
    )


def _term(field: FacetField, value: str) -> str:
    """Return the term of the query language for a value."""
    if field == "month":
        start = datetime.fromisoformat(f"{value}-01")
        later = f"{start.year + start.month // 12}-{start.month % 12 + 1:02}"
        return f"after:{value} before:{later}"
    name, value = ("path", f"{value}/") if field == "folder" else (field, value)
    return f'{name}:"{value}"' if any(mark in value for mark in ' ,，、:：()"“”「」#') else f"{name}:{value}"
