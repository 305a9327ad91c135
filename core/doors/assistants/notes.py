"""The tools for notes, each a function that takes the workspace, and notes by address, `tessera://BASE/PATH`."""

from bisect import bisect_right
from typing import Annotated

from pydantic import Field

from core.doors.assistants.searches import (
    MOST,
    MOST_CHARACTERS,
    Item,
    Names,
    Tags,
    Terms,
    ToolAnswer,
    build_filters,
    check_limit,
    limit_results,
)
from core.model import NOTE_FIELDS, Note, NoteSummary
from core.operations import names
from core.workspace import Workspace

_PAGE = 500
"""Maximum number of note addresses in one answer."""

Name = Annotated[str, Field(description="The note's id, path, title, or address such as tessera://base/path.md")]


def note_read(workspace: Workspace, note: Name) -> ToolAnswer:
    """Read a whole note with its fields, whatever its status. A very long one is shortened, and says so.

    `left_out` is what the note's file holds and its content lacks.
    `hidden` are the parts of the content, from and up to a character, that the person hid: they answer nothing.
    """
    card = workspace.notes.cards_of([item := names.id_of(workspace, note)])[item]
    whole = workspace.notes.get(card.id)
    workspace.uses.note("read", [(card.id, "")])
    content = {"content": whole.body[:MOST_CHARACTERS], "hidden": [[*part] for part in workspace.texts.hidden(card.id)]}
    lacking = {"left_out": [str(omission.explanation) for omission in whole.left_out]}
    return ToolAnswer(
        _fields(card, whole) | _card(card) | lacking | content, remarks=tuple(_remarks(whole, whole.body))
    )


def note_list(
    workspace: Workspace,
    bases: Names = None,
    tags: Tags = None,
    filters: Terms = None,
    text: Annotated[str, Field(description="A part of the title or the path")] = "",
    limit: int = 50,
) -> ToolAnswer:
    """List notes without their texts, by base and path: those that answer questions and pass the filters.

    A filter such as status:pending lists the others: pending, archived or expired.
    """
    cards = workspace.notes.all(build_filters(workspace, bases, tags, filters), text=text, answering=True)
    return limit_results(map(_card, cards), check_limit(limit, MOST))


TOOLS = (note_read, note_list)


def page(workspace: Workspace, after: str) -> tuple[list[tuple[str, NoteSummary]], bool]:
    """Return the next searchable notes after an address, with their addresses, and whether there are more."""
    cards = {names.address(card): card for card in workspace.notes.all(answering=True)}
    addresses = sorted(item for item, card in cards.items() if card.path)
    first = bisect_right(addresses, after)
    return [(address, cards[address]) for address in addresses[first : first + _PAGE]], first + _PAGE < len(addresses)


def texts(workspace: Workspace, uri: str) -> list[str]:
    """Return the text of the searchable note at an address, with remarks on missing parts; raises NoteNotFound."""
    note_id = names.at(workspace, uri, answering=True).id
    body = workspace.texts.shown(note_id)
    return [body[:MOST_CHARACTERS], *_remarks(workspace.notes.get(note_id), body)]


def _remarks(note: Note, body: str) -> list[str]:
    remarks = [f"Of the note's file, {omission.explanation}." for omission in note.left_out]
    if len(body) > MOST_CHARACTERS:
        extent = f"these are {MOST_CHARACTERS} of its {len(body)} characters"
        remarks.append(f"The content is shortened: {extent}. Search it for the rest.")
    return remarks


def _card(card: NoteSummary) -> Item:
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


def _fields(card: NoteSummary, note: Note) -> Item:
    """Return the fields that a note's summary doesn't show, and the note's address."""
    fields = {name: getattr(note, name) for name in NOTE_FIELDS}
    plain = {name: list(value) if isinstance(value, tuple) else value for name, value in fields.items()}
    expires = note.expires_at.isoformat() if note.expires_at else ""
    return plain | {"expires_at": expires, "address": names.address(card) if card.path else ""}
