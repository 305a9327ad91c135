"""Files in folders, and the syncs that bring them into bases."""

from dataclasses import asdict, field
from pathlib import Path
from typing import ClassVar

from core.base.codec import encode
from core.base.frozen import frozen
from core.base.messages import Message, readable, to_json
from core.model.bases import NewBase
from core.model.documents import IncompleteNote, Omission, TextEncoding, in_all
from core.model.notes import Failed

READ_AGAIN = "to read again"
"""The stamp of a note whose unchanged file reads differently now; the next sync reads it."""


class _FileState:
    """Base class of a file as it was seen: its modification time, its size and its stamp."""

    __slots__ = ()
    mtime_ns: int
    size: int
    stamp: str

    def is_as(self, file: "_FileState") -> bool:
        """Whether a file has the same time, size and stamp."""
        return (self.mtime_ns, self.size, self.stamp) == (file.mtime_ns, file.size, file.stamp)


@frozen
class SourceFile(_FileState):
    """A note file in a folder; `content_hash` is empty until the file is read.

    `stamp` differs after a change that leaves time and size as they were; it is empty for a file that changed too
    recently. A `recent` file has a time of the last two seconds. `text` was read of it in its `encoding`; empty where
    it takes too much memory: then it is read again.
    """

    path: str
    mtime_ns: int
    size: int
    content_hash: str = ""
    stamp: str = ""
    recent: bool = field(default=False, compare=False)
    text: str = field(default="", repr=False, compare=False)
    encoding: TextEncoding | None = field(default=None, compare=False)

    @property
    def is_settled(self) -> bool:
        """Whether the file surely holds what it held when it had the same time, size and stamp."""
        return bool(self.stamp) and not self.recent


@frozen
class KnownNote(_FileState):
    """A note as of the last sync; `path` is relative to the folder `source_ref`.

    `encoding` is the one that the user chose for its file, "" for none.
    """

    note_id: str
    path: str
    source_ref: str
    content_hash: str
    mtime_ns: int
    size: int
    stamp: str = ""
    encoding: str = ""


@frozen
class Match:
    """A known note and its present file: path, time, size or content may differ."""

    note: KnownNote
    file: SourceFile


_LISTS = ("failed", "not_downloaded", "skipped", "left_out")
"""The files and folders of a report that aren't read."""


@frozen
class SyncReport:
    """Result of an applied plan: counts and `failed`; `unchanged` includes touched notes.

    `edits_flagged` edits lost their place in a changed note. `edits_kept` edits are of removed notes and wait for their
    files to come back. `not_downloaded` files aren't there yet or are locked, and keep their notes; `skipped` files are
    of kinds without a reader; `left_out` are files and whole folders that rules leave out. `incomplete` are the added
    and changed notes that lack parts of their files. `waiting` notes of the base can be searched by words only;
    `problem` is the reason if the embedder failed. The base's model refuses the text of its `refused` chunks.
    `importer` is the program that the notes come from, "" for none.
    """

    SHOWN: ClassVar = ("missing_parts",)

    added: int = 0
    changed: int = 0
    renamed: int = 0
    removed: int = 0
    unchanged: int = 0
    failed: tuple[Failed, ...] = ()
    not_downloaded: tuple[Failed, ...] = ()
    skipped: tuple[Failed, ...] = ()
    left_out: tuple[Failed, ...] = ()
    incomplete: tuple[IncompleteNote, ...] = ()
    chunks: int = 0
    indexed: int = 0
    embedded_windows: int = 0
    edits_flagged: int = 0
    edits_kept: int = 0
    seconds: float = 0.0
    waiting: int = 0
    problem: Message | None = None
    refused: int = 0
    importer: str = ""

    @property
    def missing_parts(self) -> tuple[Omission, ...]:
        """How many parts of each kind the incomplete notes lack."""
        return in_all(self.incomplete)

    def to_dict(self) -> dict[str, object]:
        """Return the report as JSON."""
        problem = self.problem and to_json(self.problem)
        unread = {name: getattr(self, name) for name in _LISTS}
        return {**asdict(self), **readable(encode(unread)), "problem": problem}


@frozen
class SyncPlan:
    """The changes that make the notes of one folder equal to its files.

    `touched` files have a new time or stamp but the same content: only their metadata changes. `failed` and
    `not_downloaded` paths keep their notes. `known` counts the notes that the base had of this folder. `base_id` is the
    compared base, also after it is renamed; a plan that `makes` a base has none. `joined` are notes of the workspace
    that become those of files with the same paths: those that differ are among `changed` too. `skipped` and `left_out`
    are those of a report, and so is the `importer`. `address` is that of the page of the web that is imported. `unread`
    are the `failed` files that didn't change since they couldn't be read. `is_whole`: the whole folder was compared.
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
    is_whole: bool = True

    @property
    def differing(self) -> tuple[Match, ...]:
        """The joined notes that get the text of their files, because theirs differs."""
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


@frozen
class ScannedFolder:
    """A folder of text files that was imported into its base, which may be `made` for it, or the `problem` with it."""

    base: str
    folder: str
    made: bool
    report: SyncReport | None = None
    problem: Message | None = None
