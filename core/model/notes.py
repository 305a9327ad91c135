"""Notes and their files."""

from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Literal

from core.messages import Message, from_json, to_json
from core.model.bases import NewBase
from core.model.documents import Document
from core.model.note_fields import FieldValues
from core.model.omissions import Omission

NoteState = Literal["pending", "ready"]

NOTE_SUFFIXES = (".md", ".markdown", ".txt")
"""Suffixes of note files, in any case."""

TEXT_SUFFIX = ".txt"
"""Suffix of the files whose lines are chunks in a base of kind `lines`, in any case."""

SKIPPED_FOLDERS = frozenset({"node_modules", "__MACOSX"})
"""Skipped with their contents, as is every name that begins with a dot."""


class _Sourced:
    """A noun with a source: a note or its card."""

    __slots__ = ()
    source: str
    document: Document | None

    @property
    def in_file(self) -> bool:
        """Whether the note is a file of the person, outside the workspace."""
        return self.source == "folder"

    @property
    def in_text_file(self) -> bool:
        """Whether the note's text is that of a file of the person, and not converted from one."""
        return self.in_file and self.document is None


@dataclass(frozen=True, slots=True)
class Note(FieldValues, _Sourced):
    """A text of a person; `body` is the file's text after its front matter, `front` the text before it.

    `path` is relative to the folder named by `source_ref`, or, of a note that was written here, to its base; with
    forward slashes. `body_start` is where the body begins in the decoded file, so `body_start + offset` is a position
    in the file. `generation` counts how often the note was indexed. `front` is None where an earlier version of Tessera
    read the file. `overridden` are the fields that a person set here over those of the file, with the file's values.
    The text of a `plain` note is no Markdown: each of its lines is a chunk. `left_out` names the parts of its file that
    the text lacks.
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


@dataclass(frozen=True, slots=True)
class NoteCard(FieldValues, _Sourced):
    """A note without its text, for lists and hits; `pending` of its chunks aren't embedded yet.

    `origin` is where it comes from, as who wrote it says: a file and its lines.
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
    created_at: datetime | None = None
    aliases: tuple[str, ...] = ()
    document: Document | None = None
    origin: str = ""

    @property
    def state(self) -> NoteState:
        """`ready` once every chunk is embedded."""
        return "pending" if self.pending else "ready"


@dataclass(frozen=True, slots=True)
class Failed:
    """An unusable file or folder, and the reason."""

    path: str
    error: Message

    def to_dict(self) -> dict[str, object]:
        """Return the failure as JSON: the English text, and its message."""
        return {"path": self.path, "error": str(self.error), "message": to_json(self.error)}

    @classmethod
    def of_dict(cls, data: dict[str, object]) -> "Failed":
        """Read the output of `to_dict`, or of an earlier version that wrote the text alone."""
        return cls(str(data["path"]), from_json(data.get("message", data["error"])))


class _InFolder:
    """A noun with the time, the size and the stamp of a file."""

    __slots__ = ()
    mtime_ns: int
    size: int
    stamp: str

    def is_as(self, file: "_InFolder") -> bool:
        """Whether a file has the same time, size and stamp."""
        return (self.mtime_ns, self.size, self.stamp) == (file.mtime_ns, file.size, file.stamp)


@dataclass(frozen=True, slots=True)
class SourceFile(_InFolder):
    """A note file in a folder; `content_hash` is empty until the file is read.

    `stamp` differs after a change that leaves time and size as they were; it is empty for a file that changed so
    lately that it need not. A `recent` file has a time of the last two seconds. `text` is what was read of it, empty
    where that takes too much memory: then it is read again.
    """

    path: str
    mtime_ns: int
    size: int
    content_hash: str = ""
    stamp: str = ""
    recent: bool = field(default=False, compare=False)
    text: str = field(default="", repr=False, compare=False)

    @property
    def is_settled(self) -> bool:
        """Whether the file surely holds what it held when it had the same time, size and stamp."""
        return bool(self.stamp) and not self.recent


@dataclass(frozen=True, slots=True)
class KnownNote(_InFolder):
    """A note as of the last sync; `path` is relative to the folder `source_ref`."""

    note_id: str
    path: str
    source_ref: str
    content_hash: str
    mtime_ns: int
    size: int
    stamp: str = ""


@dataclass(frozen=True, slots=True)
class Match:
    """A known note and its present file: path, time, size or content may differ."""

    note: KnownNote
    file: SourceFile


_LISTS = ("failed", "not_downloaded", "skipped", "left_out")
"""The files and folders of a report that aren't read."""


@dataclass(frozen=True, slots=True)
class SyncReport:
    """Result of an applied plan: counts and `failed`; `unchanged` includes touched notes.

    `edits_flagged` edits lost their place in a changed note. `edits_kept` edits are of removed notes and
    wait for their files to come back. `not_downloaded` files aren't there yet or are locked, and keep their notes;
    `skipped` files are of kinds that nobody reads; `left_out` are files and whole folders that rules leave out.
    `waiting` notes of the base can be searched by words only; `problem` is the reason if the embedder failed. `refused`
    chunks of the base have a text that its model refuses. `importer` is the program of which the notes are, "" for
    none.
    """

    added: int = 0
    changed: int = 0
    renamed: int = 0
    removed: int = 0
    unchanged: int = 0
    failed: tuple[Failed, ...] = ()
    not_downloaded: tuple[Failed, ...] = ()
    skipped: tuple[Failed, ...] = ()
    left_out: tuple[Failed, ...] = ()
    chunks: int = 0
    embedded_windows: int = 0
    edits_flagged: int = 0
    edits_kept: int = 0
    seconds: float = 0.0
    waiting: int = 0
    problem: Message | None = None
    refused: int = 0
    importer: str = ""

    def to_dict(self) -> dict[str, object]:
        """Return the report as JSON."""
        problem = self.problem and to_json(self.problem)
        unread = {name: [item.to_dict() for item in getattr(self, name)] for name in _LISTS}
        return {**asdict(self), **unread, "problem": problem}


@dataclass(frozen=True, slots=True)
class SyncPlan:
    """The changes that make the notes of one folder equal to its files.

    `touched` files have a new time or stamp but the same content: only their metadata changes.
    `failed` and `not_downloaded` paths keep their notes. `known` counts the notes that the base had of this folder.
    `base_id` is the base that was compared, whatever it is called later; a plan that `makes` a base has none. `joined`
    are notes of the workspace that become those of files with the same paths: what differs is among `changed` too.
    `skipped` and `left_out` are those of a report, and so is the `importer`. `address` is that of the page of the web
    that is imported. `unread` are those `failed` files that are as they were when they couldn't be read.
    """

    base: str
    folder: Path
    source_ref: str
    added: tuple[SourceFile, ...]
    changed: tuple[Match, ...]
    renamed: tuple[Match, ...]
    removed: tuple[KnownNote, ...]
    unchanged: tuple[KnownNote, ...]
    touched: tuple[Match, ...]
    failed: tuple[Failed, ...]
    known: int
    base_id: str = ""
    makes: NewBase | None = None
    joined: tuple[Match, ...] = ()
    not_downloaded: tuple[Failed, ...] = ()
    skipped: tuple[Failed, ...] = ()
    left_out: tuple[Failed, ...] = ()
    importer: str = ""
    address: str = ""
    unread: tuple[tuple[SourceFile, Failed], ...] = ()

    @property
    def differing(self) -> tuple[Match, ...]:
        """The joined notes whose text isn't that of their files, which they get."""
        return tuple(match for match in self.joined if match in self.changed)

    @property
    def removes_many(self) -> bool:
        """Whether the plan removes over a third of the folder's notes, of five or more."""
        return self.removes_many_after(0)

    def removes_many_after(self, earlier: int) -> bool:
        """Whether it does, counting `earlier` removals."""
        known = self.known + earlier
        return known >= 5 and 3 * (len(self.removed) + earlier) > known

    @property
    def needs_confirmation(self) -> bool:
        """Whether the plan removes many notes, or gives notes of the workspace the text of files."""
        return self.removes_many or bool(self.differing)

    def report(self) -> SyncReport:
        """Return the counts of the plan, without chunks and windows."""
        return SyncReport(
            added=len(self.added),
            changed=len(self.changed),
            renamed=len(self.renamed),
            removed=len(self.removed),
            unchanged=len(self.unchanged) + len(self.touched),
            failed=self.failed,
            not_downloaded=self.not_downloaded,
            skipped=self.skipped,
            left_out=self.left_out,
            importer=self.importer,
        )

    @property
    def is_empty(self) -> bool:
        """Whether the plan changes no note."""
        return not (self.added or self.changed or self.renamed or self.removed or self.joined)
