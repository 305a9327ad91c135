"""The text of a note, and what follows from it."""

from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache

from core.intake.folder import content_hash
from core.intake.notefile import look_into
from core.model import Note
from core.notes.fields import check_body, with_fields


def with_body(note: Note, body: str) -> Note:
    """Return a note with another text, whose tags and links are the note's; raises EditError as `check_body` does."""
    check_body(body)
    if body == note.body and body:
        return note
    if note.plain:
        return _of_text(note, body, ())
    path = note.path or "note.md"
    (before, _), (tags, links) = _inside(note.body, path), _inside(body, path)
    gone = {tag.casefold() for tag in before}
    own = [tag for tag in note.tags if tag.casefold() not in gone]
    return _of_text(with_fields(note, {"tags": [*own, *tags]}), body, links)


def of_version(note: Note, old: Note, names: Iterable[str]) -> Note:
    """Return a note with the text of one of its versions, and with the fields of these names."""
    fields = {name: getattr(old, name) for name in names}
    note = replace(note, **fields)
    return note if note.body == old.body else _of_text(note, old.body, old.links)


@lru_cache(maxsize=4)
def _inside(body: str, path: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the tags and links in a text; the one that is edited was read when it was written."""
    inside = look_into(body, path)
    return inside.tags, inside.links


def _of_text(note: Note, body: str, links: tuple[str, ...]) -> Note:
    return replace(note, body=body, links=links, content_hash=content_hash(body.encode("utf-8")))
