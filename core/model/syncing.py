"""Files in folders, and syncing folders with bases."""

from dataclasses import asdict, field
from pathlib import Path
from typing import ClassVar

from core.base.codec import assemble, encode
from core.base.frozen import Values, attributes, frozen
from core.base.messages import Message, readable, to_json
from core.model.bases import NewBase
from core.model.notes import Failed, Failures, IncompleteNote, Omissions, TextEncoding, in_all

# Stamp of a note whose file must be read again because the result would now differ, though the file hasn't changed.
READ_AGAIN = "to read again"


@frozen
class SourceFile:
    """A note file in a folder. `content_hash` is empty until the file is read.

    `stamp` reveals changes that leave the time and size the same. The stamp is empty if the file changed too recently.
    A `recent` file was modified less than two seconds before the scan. `text` is the file's text, decoded using
    `encoding`. If the text would take up too much memory, it is left empty and read again later.
    """

    path: str
    mtime_ns: int
    size: int
    content_hash: str = ""
    stamp: str = ""
    recent: bool = field(default=False, compare=False)
    text: str = field(default="", repr=False, compare=False)
    encoding: TextEncoding | None = field(default=None, compare=False)


@frozen
class KnownNote:
    """A note as of the last sync. `path` is relative to the folder `source_ref`.

    `encoding` is the encoding that the user chose for the file, or "".
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
    """A known note and its current file. The path, time, size or content may differ."""

    note: KnownNote
    file: SourceFile


Matches = tuple[Match, ...]
# Report fields that list files and folders that weren't read.
_LISTS = ("failed", "not_downloaded", "skipped", "left_out")


@frozen
class SyncReport:
    """The result of applying a sync plan, as counts and failures. `unchanged` includes touched notes.

    `edits_flagged` counts the edits whose position was lost in a changed note. `edits_kept` counts the edits to removed
    notes, which are kept in case the files come back. `not_downloaded` files are still in the cloud or are locked, so
    their notes are kept. `skipped` files are of a kind that no reader supports. `left_out` are files and whole folders
    excluded by rules. `incomplete` are the added and changed notes that are missing parts of their files. `waiting`
    counts the base's notes that only keyword search finds. If the embedder failed, `problem` is the reason. `refused`
    counts the chunks whose text the base's model refuses. `importer` is the program that the notes come from, or "".
    """

    SHOWN: ClassVar = ("missing_parts",)

    added: int = 0
    changed: int = 0
    renamed: int = 0
    removed: int = 0
    unchanged: int = 0
    failed: Failures = ()
    not_downloaded: Failures = ()
    skipped: Failures = ()
    left_out: Failures = ()
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
    def missing_parts(self) -> Omissions:
        """Counts of the parts missing from the incomplete notes, by kind."""
        return in_all(self.incomplete)

    def to_dict(self) -> Values:
        return {
            **asdict(self),
            **readable(encode(attributes(self, _LISTS))),
            "problem": self.problem and to_json(self.problem),
        }


@frozen
class SyncPlan:
    """The changes that bring a folder's notes up to date with its files.

    `touched` files have a new time or stamp but the same content, so only their metadata changes. Notes at `failed` and
    `not_downloaded` paths are kept. `known` counts the base's notes from this folder. `base_id` identifies the base,
    even if it is renamed later. It is empty if the plan creates a base (`makes`). `joined` are notes in the workspace
    that will be linked to files with the same paths. Any of them whose text differs from the file is in `changed` too.
    `skipped`, `left_out` and `importer` are as in SyncReport. `address` is the address of an imported web page.
    `unread` are the `failed` files that haven't changed since the last failure. `is_whole` is True if the whole folder
    was compared.
    """

    base: str
    folder: Path
    source_ref: str
    added: tuple[SourceFile, ...]
    changed: Matches
    renamed: Matches
    removed: tuple[KnownNote, ...]
    unchanged: tuple[KnownNote, ...]
    touched: Matches
    failed: Failures
    known: int
    base_id: str = ""
    makes: NewBase | None = None
    joined: Matches = ()
    not_downloaded: Failures = ()
    skipped: Failures = ()
    left_out: Failures = ()
    importer: str = ""
    address: str = ""
    unread: tuple[tuple[SourceFile, Failed], ...] = ()
    is_whole: bool = True

    @property
    def differing(self) -> Matches:
        """Joined notes whose text differs from their files and will be replaced."""
        return tuple(match for match in self.joined if match in self.changed)

    def removes_many(self, earlier: int = 0) -> bool:
        """Return whether the folder has at least five notes and the plan removes over a third of them.

        `earlier` removals count too.
        """
        known = self.known + earlier
        return known >= 5 and 3 * (len(self.removed) + earlier) > known

    @property
    def needs_confirmation(self) -> bool:
        """Whether the plan removes many notes, or replaces the text of notes in the workspace with text from files."""
        return self.removes_many() or bool(self.differing)

    def report(self) -> SyncReport:
        """Return a report with the plan's counts. Chunks and windows aren't counted."""
        return assemble(
            SyncReport,
            self,
            **{name: len(getattr(self, name)) for name in ("added", "changed", "renamed", "removed")},
            unchanged=len(self.unchanged) + len(self.touched),
        )

    @property
    def is_empty(self) -> bool:
        return not (self.added or self.changed or self.renamed or self.removed or self.joined)


@frozen
class ScannedFolder:
    """The result of importing a folder of text files. `made` is True if the base was created for the folder."""

    base: str
    folder: str
    made: bool
    report: SyncReport | None = None
    problem: Message | None = None
