"""Renamed notes, and events that services follow. The store's `Events` publishes them after the commit of a write."""

from core.base.frozen import frozen
from core.base.messages import Message
from core.model.bases import KnowledgeBase
from core.model.syncing import SyncReport


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


@frozen
class ChunksPending:
    """Event: chunks were left for others to embed."""


@frozen
class PictureReadingChanged:
    """Event: reading pictures was turned on or off for a base."""


@frozen
class BaseRenamed:
    """Event: a base was renamed."""

    old: str
    new: str


@frozen
class NoteRenamed:
    """Event: the title or path of a note was changed."""

    renaming: Renaming


@frozen
class NotesDecided:
    """Event: the user rejected pending notes for a `reason`, or accepted them (None)."""

    note_ids: tuple[str, ...]
    reason: str | None


@frozen
class FolderSynced:
    """Event: a watched folder was synced, and notes changed."""

    base: KnowledgeBase
    report: SyncReport
