"""Notes, their files and their pictures."""

from dataclasses import field
from datetime import datetime
from pathlib import Path
from typing import ClassVar, Literal

from core.base.codec import OWN_FIELDS
from core.base.frozen import frozen
from core.base.messages import Message, from_json
from core.model.documents import Document, Omission, TextEncoding
from core.model.note_fields import FieldValues

NoteState = Literal["pending", "ready", "empty"]

NOTE_SUFFIXES = (".md", ".markdown", ".txt", ".text")

TEXT_SUFFIX = ".txt"
"""Suffix of the files whose lines are chunks in a base of kind `lines`, in any case."""

SKIPPED_FOLDERS = frozenset({"node_modules", "__MACOSX"})
"""Folders that are skipped; names that begin with a dot are skipped too."""


class _Sourced:
    """Base class of notes and note summaries: their source."""

    __slots__ = ()
    source: str
    document: Document | None

    @property
    def in_file(self) -> bool:
        """Whether the note is a user's file outside the workspace."""
        return self.source == "folder"

    @property
    def in_text_file(self) -> bool:
        """Whether the note's text is the unconverted text of a user's file."""
        return self.in_file and self.document is None


@frozen
class Note(FieldValues, _Sourced):
    """A note: `front` is the front matter of its file, `body` the text after it.

    `path`, with forward slashes, is relative to the folder `source_ref`, or to the base for a note that was written
    here. `body_start` is the offset of the body in the decoded file, so `body_start + offset` is a position in the
    file. `generation` counts how often the note was indexed. `front` is None if an earlier version of Tessera read the
    file. `overridden` has the file's values of fields that the user changed here. A `plain` note isn't Markdown: each
    of its lines is a chunk. `left_out` lists the parts of the file that the note lacks. `encoding` is the file's
    encoding, None for UTF-8.
    """

    id: str
    base_id: str
    body: str
    content_hash: str
    generation: int = 0
    path: str | None = None
    body_start: int = 0
    links: tuple[str, ...] = ()
    source: str = ""
    source_ref: str = ""
    source_url: str = ""
    created_at: datetime | None = None
    updated_at: datetime | None = None
    front: str | None = ""
    overridden: dict[str, object] = field(default_factory=dict)
    version: int = 1
    extra: dict[str, object] = field(default_factory=dict)
    warnings: tuple[Message, ...] = ()
    left_out: tuple[Omission, ...] = ()
    plain: bool = False
    document: Document | None = None
    encoding: TextEncoding | None = None
    FIELD_TYPES: ClassVar = {"overridden": OWN_FIELDS}


@frozen
class NoteSummary(FieldValues, _Sourced):
    """A note without its text, for lists and hits; `pending` counts the chunks that aren't embedded yet.

    `origin` is the source that the author gave: a file and its lines.
    """

    id: str
    base_id: str
    base: str
    path: str | None
    body_start: int
    source: str
    updated_at: datetime | None
    chunks: int
    strategy: str
    warnings: tuple[Message, ...]
    pending: int = 0
    version: int = 1
    source_ref: str = ""
    source_url: str = ""
    created_at: datetime | None = None
    aliases: tuple[str, ...] = ()
    document: Document | None = None
    origin: str = ""

    @property
    def is_paged(self) -> bool:
        """Whether the text is divided into lines as on a page or in a plain text file, unlike Markdown."""
        return self.document.kind == "pdf" if self.document else (self.path or "").endswith(".txt")

    @property
    def state(self) -> NoteState:
        """`ready` once all chunks are embedded, `empty` without chunks."""
        if not self.chunks:
            return "empty"
        return "pending" if self.pending else "ready"


@frozen
class NoteLine:
    """A line of a note; `number` is the line number in the note's file, from 1, `source` the note's path or title."""

    note_id: str
    source: str
    number: int
    text: str


@frozen
class Failed:
    """A file or folder that couldn't be used, and the reason."""

    path: str
    error: Message

    @classmethod
    def from_dict(cls, data: dict[str, object]) -> "Failed":
        """Read a failure from a stored report; earlier versions stored only its English text."""
        return cls(str(data["path"]), from_json(data.get("message", data["error"])))


@frozen
class NotePicture:
    """A picture in a note, by its name in the text; it is before `start` in the body.

    Once its file was `looked` for, `place` is the file's path from the top of the note's folder, with its time in ns,
    its size in bytes and its `hash`; all are empty if there is no file. `text` is the recognized text, "" without text,
    None until it is read. `placed`: the chunks of the note include that text.
    """

    target: str
    start: int = 0
    place: str = ""
    mtime_ns: int = 0
    size: int = 0
    hash: str = ""
    looked: bool = False
    placed: bool = False
    text: str | None = None

    @property
    def is_known(self) -> bool:
        """Whether the picture's file and text are known."""
        return self.looked and (not self.hash or self.text is not None)


@frozen
class PictureFile:
    """A picture in a note whose file must be found, relative to the note's `path` in the folder `source_ref`."""

    note_id: str
    source_ref: str
    path: str
    picture: NotePicture


@frozen
class ReadPicture:
    """The text that a `reader` recognized in a picture with the given hash, "" without text."""

    hash: str
    text: str
    reader: str


@frozen
class ImageStatus:
    """Numbers of embedded and waiting picture files, and the files that the model can't embed."""

    known: int
    failed: tuple[Failed, ...]
    waiting: int


@frozen
class Attachment:
    """A file next to a note: its path, its path from the top of the folder, and its type if it is a picture."""

    path: Path
    place: str
    type: str
