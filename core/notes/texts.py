"""The text of a note, with the tags and links that it holds."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from core.base.text import fold
from core.intake.encoding import unreadable
from core.intake.folder import content_hash
from core.markdown.body import BodyMetadata, look_into
from core.markdown.tags import key
from core.model import NOTE_FIELDS, Note
from core.notes import naming
from core.notes.fields import check_body, with_fields


@dataclass(frozen=True, slots=True)
class NoteChange:
    """A note with another text, and what the text says of it, None where the text stays."""

    note: Note
    inside: BodyMetadata | None


def with_body(note: Note, body: str, inside: BodyMetadata | None = None) -> NoteChange:
    """Return a note with another text, whose tags and links are the note's.

    `inside` is what the text says of the note, if it was checked and read. Raises EditError as `check_body` does.
    """
    if inside is None:
        check_body(body)
    if body == note.body and body:
        return NoteChange(note, inside)
    path = note.path or "note.md"
    inside = inside or look_into(body, path, plain=note.plain)
    if note.plain:
        return NoteChange(_with_body(note, body, ()), inside)
    gone = _tags_in(note, inside.tags)
    own = [tag for tag in note.tags if tag.casefold() not in gone]
    note = with_fields(note, {"tags": [*own, *inside.tags]})
    return NoteChange(_with_body(note, body, inside.targets(path)), inside)


def title_of(body: str, inside: BodyMetadata | None = None) -> str:
    """Return the title that a text gives its note; `inside` is what the text says, if it was read."""
    return (inside.title if inside else "") or naming.first_words(body)


def with_title(note: Note, changed: Note, inside: BodyMetadata | None = None) -> Note:
    """Return a changed note with the title of its text, where it has none or had the one of the text before.

    A file names its own title.
    """
    follows = changed.title == note.title == title_of(note.body) and changed.body != note.body
    if note.in_file or not (follows or not changed.title):
        return changed
    return replace(changed, title=title_of(changed.body, inside))


def at_path(note: Note, path: str) -> Note:
    """Return a note at another path, from which its links lead; raises as `with_body`."""
    links = () if note.plain else look_into(note.body, path).targets(path)
    return replace(note, path=path, links=links)


def restore_version(note: Note, old: Note) -> Note:
    """Return a note with the text and the fields of one of its versions."""
    note = replace(note, **{name: getattr(old, name) for name in NOTE_FIELDS})
    if note.body == old.body:
        return note
    return replace(_with_body(note, old.body, old.links), left_out=old.left_out)


def _tags_in(note: Note, new: Iterable[str]) -> set[str]:
    """Return the tags in a note's text, which is parsed only if it may hold one that isn't in `new`."""
    text = fold(note.body) if note.tags else ""
    there = {tag.casefold() for tag in note.tags if key(tag) in text}
    if there <= {tag.casefold() for tag in new}:
        return there
    return {tag.casefold() for tag in look_into(note.body, note.path or "note.md").tags}


def _with_body(note: Note, body: str, links: tuple[str, ...]) -> Note:
    document = note.document and note.document.edited(note.body, body)
    left_out = note.left_out
    if document is None:
        of_fields = [omission for omission in left_out if omission.kind != "character"]
        left_out = (*of_fields, *unreadable((note.front or "") + body))
    hashed = content_hash(body.encode("utf-8"))
    return replace(note, body=body, links=links, content_hash=hashed, document=document, left_out=left_out)
