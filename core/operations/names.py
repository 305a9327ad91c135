"""Find notes by name: an id, path, title, alias or address (`tessera://BASE/PATH`)."""

from collections.abc import Iterable
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

from core.base.errors import NoteNotFound
from core.model import NoteSummary

if TYPE_CHECKING:
    from core.workspace import Workspace

SCHEME = "tessera"


def ids(workspace: "Workspace", names: Iterable[str]) -> list[str]:
    """Return the ids of the notes with the given names, in the same order.

    Raises NoteNotFound, or QueryError if several notes have the same name.
    """
    names = list(names)
    ids = {name: name for name in workspace.notes.cards_of(names)}
    ids |= {name: at(workspace, name).id for name in names if name.startswith(f"{SCHEME}://")}
    others = [name for name in names if name not in ids]
    ids |= zip(others, (card.id for card in workspace.notes.resolve_all(others) if others), strict=True)
    return [ids[name] for name in names]


def id_of(workspace: "Workspace", name: str) -> str:
    """Return the id of the note with the given name. Raises the same errors as `ids`."""
    return ids(workspace, [name])[0]


def any_id(workspace: "Workspace", name: str) -> str:
    """Return the id of the note with the given name, even if the note is deleted. Raises the same errors as `ids`."""
    try:
        return id_of(workspace, name)
    except NoteNotFound:
        return workspace.trash.resolve(name).version.note_id


def any_ids(workspace: "Workspace", names: Iterable[str]) -> list[str]:
    """Return the ids of the notes with the given names, even deleted ones. Raises the same errors as `ids`."""
    return [any_id(workspace, name) for name in names]


def address(card: NoteSummary) -> str:
    """Return a note's address, built from its base and path."""
    return f"{SCHEME}://{quote(card.base, safe='')}/{quote(card.path or '')}"


def at(workspace: "Workspace", uri: str, *, answering: bool = False) -> NoteSummary:
    """Return the note at an address. If `answering` is True, notes that searches leave out aren't found.

    Raises NoteNotFound, or UnknownChoice if the base doesn't exist.
    """
    base, _, path = uri.removeprefix(f"{SCHEME}://").partition("/")
    path = unquote(path)
    filters = workspace.searching.filters(bases=[workspace.bases.get(unquote(base)).name])
    # A path may be longer than a text to search for.
    for card in workspace.notes.all(filters, text=path[:200], answering=answering):
        if card.path == path:
            return card
    raise NoteNotFound(uri)
