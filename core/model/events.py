"""What was written that other services follow. `Events` of the store publishes it once it is committed."""

from core.base.frozen import frozen
from core.model.bases import KnowledgeBase
from core.model.renaming import Renaming
from core.model.syncing import SyncReport


@frozen
class ChunksPending:
    """Chunks were left to others to embed."""


@frozen
class PictureReadingChanged:
    """A base began or ended to read pictures."""


@frozen
class BaseRenamed:
    """A base has another name."""

    old: str
    new: str


@frozen
class NoteRenamed:
    """A note has another title or another path."""

    renaming: Renaming


@frozen
class NotesDecided:
    """The user rejected pending notes with a reason, or accepted them: then None."""

    note_ids: tuple[str, ...]
    reason: str | None


@frozen
class FolderSynced:
    """A watched folder was synced, and notes changed."""

    base: KnowledgeBase
    report: SyncReport
