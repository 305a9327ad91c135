"""Note versions, drafts, proposed changes and renames, and the trash."""

from datetime import datetime
from typing import Literal

from core.base.frozen import Texts, Values, frozen
from core.base.messages import Message
from core.model.notes import NoteSummary

Author = Literal["person", "program", "pack", "sync"]
VersionKind = Literal["create", "update", "sync", "archive", "restore", "revert", "delete", "accept", "propose"]
SubmissionKind = Literal["note", "change", "conflict"]


@frozen
class Revision:
    """The kind and author of a change to a note, stored with its version.

    For the kinds `accept` and `propose`, the author is whoever accepted the pending note or the proposed change. If
    `joins` is True, the new version replaces the previous one and keeps its kind.
    """

    kind: VersionKind
    author: Author
    joins: bool = False


@frozen
class Version:
    """A version of a note, without its text. `number` counts from 1. The newest version is the note's current state."""

    note_id: str
    number: int
    kind: VersionKind
    author: Author
    at: datetime
    title: str


@frozen
class Trashed:
    """A deleted note that can be restored. `version` is its last version, of kind `delete`.

    `source_ref` is its file's folder, or "" if the note was written in Tessera.
    """

    version: Version
    base_id: str
    path: str | None
    source_ref: str


@frozen
class NoteDraft:
    """Unsaved text in the editor.

    `key` is the note's id. For a new note, it is "new" followed by a unique name, because each tab has its own draft.
    `version` is the note's version when editing began. `base_id` is empty if a new note has no base yet.
    """

    key: str
    base_id: str
    version: int
    title: str
    body: str
    fields: Values
    at: datetime

    @property
    def note_id(self) -> str:
        """The note's id, or "new" for a new note."""
        return self.key.split(" ")[0]


@frozen
class Added:
    """The result of adding many notes, with their ids and, for each failure, the index (from 0) and the reason."""

    note_ids: Texts
    failed: tuple[tuple[int, Message], ...]


@frozen
class DiffPiece:
    """A segment of a diff between two strings. It occurs in both strings or in only one."""

    kind: Literal["equal", "added", "removed"]
    text: str


@frozen
class FieldChange:
    name: str
    before: object
    after: object


@frozen
class NoteDifference:
    """The difference between two states of a note. Joining the equal and removed pieces yields the older text."""

    pieces: tuple[DiffPiece, ...]
    fields: tuple[FieldChange, ...]


@frozen
class TrashedBase:
    """A deleted base that can be restored, with its archive's `key`, its name and its time of deletion.

    `problem` says why the base can't be restored, in which case `name` is the file's name. An `expired` base is kept
    for one more week. If `titles` is set, the archive holds only notes of the base that were removed from the trash at
    the time `at`.
    """

    key: str
    name: str
    at: datetime
    problem: Message | None = None
    expired: bool = False
    titles: Texts = ()


@frozen
class Proposal:
    """A change to a note proposed by a program.

    `fields` holds the changed fields. `body` is the new text, or None if the text stays the same.

    `version` is the note's version on which the change is based. A note has at most one proposal.
    """

    note_id: str
    version: int
    body: str | None
    fields: Values
    at: datetime


@frozen
class Submission:
    """A pending note, or a program's proposed `change` to a note, for the user to review.

    It was submitted by `author` at the time `at`.
    """

    note: NoteSummary
    author: Author
    at: datetime
    change: Proposal | None = None

    @property
    def kind(self) -> SubmissionKind:
        """The item's kind. A `conflict` is a change to a note that has been changed since it was proposed."""
        if self.change is None:
            return "note"
        return "change" if self.change.version == self.note.version else "conflict"


@frozen
class LinkingNote:
    """A note that links to a renamed note. `refusal` says why its links can't be updated."""

    id: str
    title: str
    version: int = 0
    """The version with updated links, or 0 if the links weren't updated."""
    refusal: Message | None = None


@frozen
class Renaming:
    """The result of renaming a note, with its new and previous title and path, and the notes that link to it."""

    note_id: str
    title: str
    path: str
    title_before: str
    path_before: str
    linking: tuple[LinkingNote, ...] = ()
    version: int = 0
    """The version with the new title and path, or 0 if nothing changed or this is a preview."""
