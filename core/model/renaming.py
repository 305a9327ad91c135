"""Notes that get other names, and the notes that link to them."""

from core.base.frozen import frozen
from core.base.messages import Message


@frozen
class LinkingNote:
    """A note with links to a renamed one. Where its links can't follow, `refusal` says why."""

    id: str
    title: str
    version: int = 0
    """The version in which its links follow."""
    refusal: Message | None = None


@frozen
class Renaming:
    """A note with another title or another path, each with the one before; and the notes that link to it."""

    note_id: str
    title: str
    path: str
    title_before: str
    path_before: str
    linking: tuple[LinkingNote, ...] = ()
    version: int = 0
    """The version in which the note has them; 0 where nothing changed, or will."""
