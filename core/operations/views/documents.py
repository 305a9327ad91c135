"""Results of operations on documents."""

from collections.abc import Iterable, Iterator
from typing import Self

from core.base.frozen import frozen
from core.base.messages import Message
from core.base.terminal import _, say
from core.model import (
    GUESSED,
    Failed,
    IncompleteNote,
    ReadAs,
    SyncReport,
)


@frozen
class UnreadFile:
    """A file that could not be read."""

    path: str
    reason: Message

    @classmethod
    def from_failure(cls, failed: Failed) -> Self:
        return cls(failed.path, failed.error)


@frozen
class ConverterDetails:
    """A converter; `ConverterCard` explains the fields."""

    name: str
    version: str
    kinds: tuple[str, ...]
    installed: bool
    problem: str | Message


@frozen
class ConverterList:
    """The converters of documents."""

    converters: tuple[ConverterDetails, ...]


@frozen
class UnreadFiles:
    """The files of a base that weren't read, and the notes that lack parts of their files."""

    files: tuple[UnreadFile, ...]
    incomplete: tuple[IncompleteNote, ...]


@frozen
class EncodingList:
    """The encodings in which a file can be read."""

    encodings: tuple[ReadAs, ...]


@frozen
class OriginalFile:
    """The file that a note was converted from; its `path` is empty if it is stored in the workspace."""

    name: str
    kind: str
    path: str


_SHOWN = 20
"""Maximum number of lines about notes that lack parts of their files."""


def format_unread(unread: UnreadFiles) -> list[str]:
    files = [f"{file.path}: {say(file.reason)}" for file in unread.files]
    return [*files, *(line for _kind, line in _missing_parts(unread.incomplete))] or [_("All files were read.")]


def format_incomplete(report: SyncReport) -> list[str]:
    """Return lines about the missing parts of the first notes, and totals for all notes."""
    missing = [
        _("  may be garbled: {line}", line=line) if kind == GUESSED else _("  incomplete: {line}", line=line)
        for kind, line in _missing_parts(report.incomplete)
    ]
    text = missing[:_SHOWN]
    if len(missing) > _SHOWN:
        text.append(f"  {_('and {n} more', n=len(missing) - _SHOWN)}: tessera document unread BASE")
    parts = [say(omission.explanation) for omission in report.missing_parts if omission.kind != GUESSED]
    if parts and len(report.incomplete) > 1:
        text.append(_("  not in the notes: {parts}", parts=parts))
    return text


def count_incomplete(notes: Iterable[IncompleteNote]) -> int:
    """Return the number of notes that lack parts of their files."""
    return sum(any(part.kind != GUESSED for part in note.left_out) for note in notes)


def _missing_parts(notes: Iterable[IncompleteNote]) -> Iterator[tuple[str, str]]:
    """Yield the kind and a line for each kind of missing part in each note."""
    for note in notes:
        yield from ((part.kind, f"{note.path}: {say(part.explanation)}") for part in note.left_out)


def format_original(file: OriginalFile) -> list[str]:
    if file.path:
        return [file.path]
    return [_("'{name}' is in the workspace. To get a copy of it: --to FILE", name=file.name)]
