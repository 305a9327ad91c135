"""Notes by what a person types of their names: titles, aliases, paths."""

from collections.abc import Iterable

from core.store.note_rows import Named
from core.text import fold


def best(notes: Iterable[Named], text: str, limit: int) -> list[str]:
    """Return the ids of the notes whose names hold all words of a text, the nearest names first."""
    words = fold(text).split()
    whole = " ".join(words)
    ranked = []
    for named in notes:
        names, path = [fold(name) for name in (named.title, *named.aliases)], fold(named.path or "")
        if not all(any(word in name for name in (*names, path)) for word in words):
            continue
        near = min((_distance(name, whole), len(name)) for name in names)
        ranked.append((*near, path, named.id))
    return [note_id for *_, note_id in sorted(ranked)[:limit]]


def _distance(name: str, text: str) -> int:
    """Return how far a name is from a text: equal, begins with it, a word of it begins with it, holds it."""
    if name == text:
        return 0
    if name.startswith(text):
        return 1
    if f" {text}" in name:
        return 2
    return 3 if text in name else 4
