"""A note's versions, one per change, and the differences between two states of a note."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import partial
from itertools import groupby, pairwise
from operator import itemgetter

from core.base.errors import NoteNotFound
from core.base.frozen import Texts
from core.base.text import shared_length
from core.model import NOTE_FIELDS, DiffPiece, FieldChange, Note, NoteDifference, Revision, Version
from core.notes.texts import restore_version
from core.notes.writer import Writer
from core.store import Store

_WORD = re.compile(r"(?s)[\u2e80-\u9fff\uf900-\ufaff\uff66-\uffdc\U00020000-\U0003ffff]|[^\W\u2e80-\uffff]+|\s+|.")
# Maximum number of word pairs to compare. Passages with more pairs are shown as removed and added in full.
_MOST = 4_000_000


# Consecutive lines or words of a text.
_Parts = Sequence[str]
# Whether a stretch is equal in both texts, and its text in the old and in the new one.
_Stretch = tuple[bool, str, str]


def between(old: Note, new: Note) -> NoteDifference:
    changes = (FieldChange(name, getattr(old, name), getattr(new, name)) for name in NOTE_FIELDS)
    return NoteDifference(
        tuple(compare_texts(old.body, new.body)),
        tuple(change for change in changes if change.before != change.after),
    )


def compare_texts(old: str, new: str) -> list[DiffPiece]:
    """Return the differences between two strings.

    Equal and removed pieces make up `old`, and equal and added pieces make up `new`. Lines are compared first, then the
    words within differing lines, so a megabyte of text takes about a second.
    """
    stretches = []
    for equal, removed, added in _steps(old.splitlines(keepends=True), new.splitlines(keepends=True)):
        before = "".join(removed)
        after = "".join(added)
        stretches += [(True, before, after)] if equal else _compare_words(before, after)
    pieces = []
    for equal, stretch in groupby(stretches, itemgetter(0)):
        before, after = map("".join, zip(*(texts for _, *texts in stretch), strict=True))
        if equal:
            pieces.append(DiffPiece("equal", before))
        else:
            pieces += [DiffPiece("removed", before)] if before else []
            pieces += [DiffPiece("added", after)] if after else []
    return pieces


def merge_texts(before: str, mine: str, theirs: str) -> str | None:
    """Merge two edits of the same text. Return None if they change the same or adjacent lines.

    >>> merge_texts("a\\nb\\nc\\n", "A\\nb\\nc\\n", "a\\nb\\nC\\n")
    'A\\nb\\nC\\n'
    """
    lines = before.splitlines(keepends=True)
    changes = sorted({*_changes(lines, mine), *_changes(lines, theirs)})
    if any(start <= end for (_, end, _), (start, _, _) in pairwise(changes)):
        return None
    for start, end, added in reversed(changes):
        lines[start:end] = added
    return "".join(lines)


def _changes(lines: _Parts, text: str) -> Iterator[tuple[int, int, Texts]]:
    """Yield each range of `lines` that `text` changes, as start, end and replacement lines."""
    at = 0
    for equal, removed, added in _steps(lines, text.splitlines(keepends=True)):
        if not equal:
            yield at, at + len(removed), tuple(added)
        at += len(removed)


def _compare_words(old: str, new: str) -> list[_Stretch]:
    """Return the equal and changed stretches, in order. Whitespace between two changes counts as changed."""
    before = _WORD.findall(old)
    after = _WORD.findall(new)
    if len(before) * len(after) > _MOST:
        return [(False, old, new)]
    steps = [(equal, "".join(removed), "".join(added)) for equal, removed, added in _steps(before, after)]
    inner = range(1, len(steps) - 1)
    return [
        (equal and not (number in inner and not removed.strip(" \t")), removed, added)
        for number, (equal, removed, added) in enumerate(steps)
    ]


def _steps(before: _Parts, after: _Parts) -> Iterator[tuple[bool, _Parts, _Parts]]:
    """Yield an (is equal, old part, new part) tuple for each equal or changed stretch, in order."""
    start = shared_length(before, after)
    end = shared_length(before[start:][::-1], after[start:][::-1])
    if start:
        yield True, before[:start], after[:start]
    middle = before[start : len(before) - end]
    other = after[start : len(after) - end]
    for tag, first, last, low, high in SequenceMatcher(None, middle, other).get_opcodes():
        yield tag == "equal", middle[first:last], other[low:high]
    if end:
        yield True, before[len(before) - end :], after[len(after) - end :]


@dataclass
class Versions:
    compare = staticmethod(between)
    merge_texts = staticmethod(merge_texts)

    _store: Store
    _writer: Writer

    def all(self, note_id: str) -> list[Version]:
        """Return a note's versions, newest first, even if the note is deleted. Raises NoteNotFound."""
        if versions := self._store.versions.for_note(note_id):
            return versions
        raise NoteNotFound(note_id)

    def get(self, note_id: str, number: int) -> Note:
        return self._store.versions.note(note_id, number)

    def difference(self, note_id: str, first: int, second: int) -> NoteDifference:
        """Return the word-by-word differences between two versions of a note. Raises VersionNotFound."""
        return between(self.get(note_id, first), self.get(note_id, second))

    def revert(
        self,
        note_id: str,
        number: int,
        *,
        expected_version: int | None = None,
        embed: bool = True,
    ) -> Note:
        """Restore a note's title, text and fields from an earlier version, creating a new version. Return the note."""
        return self._writer.change(
            note_id,
            partial(restore_version, old=self.get(note_id, number)),
            Revision("revert", "person"),
            expected_version,
            embed=embed,
        )
