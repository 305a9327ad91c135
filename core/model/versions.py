"""The versions of a note."""

from datetime import datetime
from typing import Literal

from core.base.frozen import frozen
from core.base.messages import Message
from core.model.notes import NoteSummary

Author = Literal["person", "program", "pack", "sync"]
VersionKind = Literal["create", "update", "sync", "archive", "restore", "revert", "delete", "accept", "propose"]
SubmissionKind = Literal["note", "change", "conflict"]


@frozen
class Revision:
    """A kind of change of a note and its author, as a version records them.

    The author of `accept` is who accepts a pending note, that of `propose` who accepts a program's change. With `joins`
    the version takes the place of the one before, and has its kind.
    """

    kind: VersionKind
    author: Author
    joins: bool = False


@frozen
class Version:
    """A state of a note, without its text; `number` counts from 1. The newest version is the note as it is."""

    note_id: str
    number: int
    kind: VersionKind
    author: Author
    at: datetime
    title: str


@frozen
class Trashed:
    """A deleted note that can be restored; `version` is its last one, of the kind `delete`.

    `source_ref` is the folder of its file, "" of a note that was written here.
    """

    version: Version
    base_id: str
    path: str | None
    source_ref: str


@frozen
class NoteDraft:
    """An unsaved text of the editor.

    `key` is its note's id, or "new", and after it a name of its own, because two tabs have two drafts. `version` is the
    note's when editing began. `base_id` is empty where a new note has no base yet.
    """

    key: str
    base_id: str
    version: int
    title: str
    body: str
    fields: dict[str, object]
    at: datetime


@frozen
class Added:
    """Result of adding many notes: their ids, and for each bad one its number from 0 and the reason."""

    note_ids: tuple[str, ...]
    failed: tuple[tuple[int, Message], ...]


@frozen
class DiffPiece:
    """A piece of two texts that are compared: in both, or in one of them."""

    kind: Literal["equal", "added", "removed"]
    text: str


@frozen
class FieldChange:
    """A field that differs between two states of a note."""

    name: str
    before: object
    after: object


@frozen
class NoteDifference:
    """The difference between two states of a note; the pieces that aren't added are the older text."""

    pieces: tuple[DiffPiece, ...]
    fields: tuple[FieldChange, ...]


@frozen
class TrashedBase:
    """A deleted base that can be restored: the `key` of its archive, its name, size in bytes and time of deletion.

    `problem` is why it can't be restored; its name is that of its file then. An `expired` one is kept for a last week;
    with `titles` it is an archive of notes of the base that left the trash, `at` that time.
    """

    key: str
    name: str
    bytes: int
    at: datetime
    problem: Message | None = None
    expired: bool = False
    titles: tuple[str, ...] = ()


@frozen
class Proposal:
    """A change of a note that a program proposes: other `fields`, and another text unless `body` is None.

    `version` is the note's when the program changed it. A note has at most one.
    """

    note_id: str
    version: int
    body: str | None
    fields: dict[str, object]
    at: datetime


@frozen
class Submission:
    """An item to review: a pending note, or with `change` the change of a note that a program proposes.

    `author` wrote it, at the time `at`.
    """

    note: NoteSummary
    author: Author
    at: datetime
    change: Proposal | None = None

    @property
    def kind(self) -> SubmissionKind:
        """A `conflict` is a change of a note that was changed since."""
        if self.change is None:
            return "note"
        return "change" if self.change.version == self.note.version else "conflict"
