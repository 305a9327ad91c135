"""The tools on notes, each a function of the workspace, and notes by their addresses, `tessera://BASE/PATH`."""

from bisect import bisect_right
from typing import Annotated, Any
from urllib.parse import quote, unquote

from pydantic import ConfigDict, Field, create_model

from core.assistants.answers import MOST, MOST_CHARACTERS, Answer, at_least_one, bounded
from core.assistants.searches import Base, Names, Tags, Terms, narrowed
from core.errors import NoteNotFound
from core.model import NOTE_FIELDS, Note, NoteCard, Proposal
from core.workspace import Workspace

SCHEME = "tessera"
_PAGE = 500
"""Addresses of notes in one answer at most."""

Name = Annotated[str, Field(description="The note's id, path, title, or address such as tessera://base/path.md")]


_TYPES: dict[str, Any] = {
    name: (Annotated[field.type | None, Field(description=str(field.about))], None)
    for name, field in NOTE_FIELDS.items()
    if field.by_programs
}
Fields: Any = create_model(
    "Fields",
    __config__=ConfigDict(extra="forbid"),
    __doc__="Fields of a note; those left out stay as they are.",
    **_TYPES,
)


def note_read(workspace: Workspace, note: Name) -> Answer:
    """Read a whole note with its fields, whatever its status. A very long one is shortened, and says so.

    `hidden` are the parts of the content, from and up to a character, that the person hid: they answer nothing.
    """
    card = _named(workspace, note)
    whole = workspace.notes.get(card.id)
    content = {"content": whole.body[:MOST_CHARACTERS], "hidden": [[*part] for part in workspace.notes.hidden(card.id)]}
    return Answer(_fields(card, whole) | _card(card) | content, remarks=_cut(whole.body))


def note_list(
    workspace: Workspace,
    bases: Names = None,
    tags: Tags = None,
    filters: Terms = None,
    text: Annotated[str, Field(description="A part of the title or the path")] = "",
    limit: int = 50,
) -> Answer:
    """List notes without their texts, by base and path: those that answer questions and pass the filters.

    A filter such as status:pending lists the others: pending, archived or expired.
    """
    cards = workspace.notes.all(narrowed(workspace, bases, tags, filters), text=text, answering=True)
    return bounded(map(_card, cards), at_least_one(limit, MOST))


def note_add(
    workspace: Workspace,
    text: Annotated[str, Field(description="The note in Markdown")],
    base: Base,
    fields: Fields | None = None,
) -> Answer:
    """Write a new note into a knowledge base. It is `pending`, and not found, until the person accepts it."""
    note = workspace.proposals.add(base, text, **_given(fields))
    return Answer({"id": note.id, "version": note.version, "path": note.path or "", "status": note.status})


def note_update(
    workspace: Workspace,
    note: Name,
    text: Annotated[str | None, Field(description="The whole new text; left out, it stays")] = None,
    fields: Fields | None = None,
    expected_version: Annotated[int | None, Field(description="The version that you read")] = None,
) -> Answer:
    """Change a note's text or fields. The change is `pending`, and the note as it was, until the person accepts it."""
    card = _named(workspace, note)
    done = workspace.proposals.update(card.id, body=text, expected_version=expected_version, **_given(fields))
    status = "pending" if isinstance(done, Proposal) else done.status
    return Answer({"id": card.id, "version": done.version, "path": card.path or "", "status": status})


READING = (note_read, note_list)
WRITING = (note_add, note_update)


def address(card: NoteCard) -> str:
    """Return the address of a note, by its base and its path there."""
    return f"{SCHEME}://{quote(card.base, safe='')}/{quote(card.path or '')}"


def page(workspace: Workspace, after: str) -> tuple[list[tuple[str, NoteCard]], bool]:
    """Return the next notes that answer, with their addresses, in the order of these, and whether there are more."""
    cards = {address(card): card for card in workspace.notes.all(answering=True)}
    addresses = sorted(one for one, card in cards.items() if card.path)
    first = bisect_right(addresses, after)
    return [(one, cards[one]) for one in addresses[first : first + _PAGE]], first + _PAGE < len(addresses)


def texts(workspace: Workspace, uri: str) -> list[str]:
    """Return what answers of the note at an address, and what is left out; raises NoteNotFound for any other note."""
    body = workspace.notes.shown(_at(workspace, uri, answering=True).id)
    return [body[:MOST_CHARACTERS], *_cut(body)]


def _cut(body: str) -> tuple[str, ...]:
    most, whole = MOST_CHARACTERS, len(body)
    if whole <= most:
        return ()
    return (f"The content is shortened: these are {most} of its {whole} characters. Search it for the rest.",)


def _named(workspace: Workspace, name: str) -> NoteCard:
    return _at(workspace, name) if name.startswith(f"{SCHEME}://") else workspace.notes.resolve(name)


def _at(workspace: Workspace, uri: str, *, answering: bool = False) -> NoteCard:
    base, _, path = uri.removeprefix(f"{SCHEME}://").partition("/")
    base, path = unquote(base), unquote(path)
    for card in workspace.notes.all(narrowed(workspace, [base], None, None), text=path, answering=answering):
        if card.path == path:
            return card
    raise NoteNotFound(uri)


def _given(fields: Fields | None) -> dict[str, Any]:
    return fields.model_dump(exclude_none=True) if fields else {}


def _card(card: NoteCard) -> dict[str, Any]:
    return {
        "id": card.id,
        "base": card.base,
        "path": card.path or "",
        "title": card.title,
        "tags": list(card.tags),
        "type": card.type,
        "category": card.category,
        "status": "expired" if card.expired else card.status,
        "priority": card.priority,
        "version": card.version,
        "updated_at": card.updated_at.isoformat() if card.updated_at else "",
    }


def _fields(card: NoteCard, note: Note) -> dict[str, Any]:
    """Return the fields that a card doesn't show, and the note's address."""
    fields = {name: getattr(note, name) for name in NOTE_FIELDS}
    plain = {name: list(value) if isinstance(value, tuple) else value for name, value in fields.items()}
    expires = note.expires_at.isoformat() if note.expires_at else ""
    return plain | {"expires_at": expires, "address": address(card) if card.path else ""}
