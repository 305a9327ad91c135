"""Events that services subscribe to. The store's `Events` publishes them after a write is committed."""

from core.base.frozen import Texts, frozen
from core.model.bases import KnowledgeBase
from core.model.syncing import SyncReport
from core.model.versions import Renaming


@frozen
class ChunksPending:
    """Event published after chunks that still need vectors are stored."""


@frozen
class PictureReadingChanged:
    """Event published after a base's `read_pictures` is turned on or off."""


@frozen
class BaseRenamed:
    old: str
    new: str


@frozen
class NoteRenamed:
    renaming: Renaming


@frozen
class NotesDecided:
    """Event published after the user rejects pending notes for a `reason`, or accepts them (`reason` is None)."""

    note_ids: Texts
    reason: str | None


@frozen
class FolderSynced:
    base: KnowledgeBase
    report: SyncReport
