"""Output about documents for people: their converters, and the files that weren't read."""

from collections.abc import Iterable, Iterator

from core.base.terminal import _, say
from core.model import GUESSED, IncompleteNote, SyncReport
from core.operations.views.documents import OriginalFile, UnreadFiles

_SHOWN = 20
"""Lines about notes that lack parts of their files."""


def format_unread(unread: UnreadFiles) -> list[str]:
    files = [f"{file.path}: {say(file.reason)}" for file in unread.files]
    return [*files, *(line for _kind, line in _missing_parts(unread.incomplete))] or [_("All files were read.")]


def format_incomplete(report: SyncReport) -> list[str]:
    """Return the missing parts of the first notes, and their sums over all notes."""
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
    """Return how many notes lack parts of their files."""
    return sum(any(part.kind != GUESSED for part in note.left_out) for note in notes)


def _missing_parts(notes: Iterable[IncompleteNote]) -> Iterator[tuple[str, str]]:
    """Yield a kind and a line for each kind of parts that a note lacks of its file."""
    for note in notes:
        yield from ((part.kind, f"{note.path}: {say(part.explanation)}") for part in note.left_out)


def format_original(file: OriginalFile) -> list[str]:
    if file.path:
        return [file.path]
    return [_("'{name}' is in the workspace. To have a copy of it: --to FILE", name=file.name)]
