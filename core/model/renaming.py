"""Renamed notes, and the notes that link to them."""

from core.base.frozen import frozen
from core.base.messages import Message


@frozen
class LinkingNote:
    """A note with links to a renamed note; `refusal` says why its links can't be updated."""

    id: str
    title: str
    version: int = 0
    """The version with updated links."""
    refusal: Message | None = None


@frozen
class Renaming:
    """A new title and path for a note, the previous ones, and the notes that link to it."""

    note_id: str
    title: str
    path: str
    title_before: str
    path_before: str
    linking: tuple[LinkingNote, ...] = ()
    version: int = 0
    """The version with the new title and path; 0 if nothing changed, or for a preview."""
