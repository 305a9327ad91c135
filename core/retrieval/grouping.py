"""Related candidates: duplicates form a group, superseded notes rank below their successors."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from numpy.typing import NDArray

from core.base.registry import lazy
from core.model import Chunk
from core.notes.links import NoteLinks
from core.retrieval.fusion import ChunkMap
from core.store import Store

# Duplicates: overlapping chunks of a note, copies in other notes, equal lines of texts.

ALIKE = 0.9
"""Minimum similarity of copies (Jaccard, over 4-character pieces)."""

_DIGITS = re.compile(r"\d+")
_PIECE = 4
_CELLS = 1 << 14
_SHIFT = np.uint32(32 - 14)
_FACTOR = np.uint32(0x9E3779B1)
"""A prime that spreads hashes over all bits (Knuth)."""


@dataclass(slots=True)
class Group:
    """A candidate with its duplicates: overlapping chunks of its note, and copies in other notes.

    `joined` chunks would be hits themselves, so they widen the hit; `dropped` chunks wouldn't.
    """

    best: int
    joined: list[int] = field(default_factory=list)
    dropped: list[int] = field(default_factory=list)
    copies: list[int] = field(default_factory=list)


def group_duplicates(order: Sequence[int], chunks: ChunkMap, count: int) -> list[Group]:
    """Return the first `count` groups, best first; each candidate joins the first group that it repeats.

    Comparing texts is slow, so it is done only for candidates that may become hits.
    """
    result: list[Group] = []
    texts = {rowid: _ComparedText(chunks[rowid].text) for rowid in order}
    for place, rowid in enumerate(order):
        home = _find_group(rowid, result, chunks, texts if len(result) < count or place < 3 * count else None)
        if home is not None and not _overlap(chunks[home.best], chunks[rowid]):
            home.copies.append(rowid)
        elif home is not None:
            (home.joined if place < count else home.dropped).append(rowid)
        elif len(result) < count:
            result.append(Group(rowid))
    return result


def _find_group(
    rowid: int, others: Sequence[Group], chunks: ChunkMap, texts: "Mapping[int, _ComparedText] | None"
) -> Group | None:
    chunk = chunks[rowid]
    for group in others:
        other = chunks[group.best]
        is_of_note = other.note_id == chunk.note_id
        if is_of_note and _overlap(chunk, other):
            return group
        if chunk.line and other.line:
            # Lines of a list may differ only in a number, but then mean something else.
            if chunk.text == other.text:
                return group
        elif not is_of_note and texts is not None and texts[rowid].copies(texts[group.best]):
            return group
    return None


def _overlap(chunk: Chunk, other: Chunk) -> bool:
    return chunk.note_id == other.note_id and chunk.start < other.end and other.start < chunk.end


@dataclass(eq=False)
class _ComparedText:
    """A text to compare with others, with its cached pieces."""

    _text: str

    def copies(self, other: "_ComparedText") -> bool:
        length, others = len(self._text), len(other._text)
        if length < ALIKE * others or others < ALIKE * length:
            return False
        # A text with more than a tenth of unique pieces can't share nine tenths of all pieces.
        if np.count_nonzero(self._cells > other._cells) > (1 - ALIKE) * len(self._text):
            return False
        both = len(self._pieces & other._pieces)
        alike = both >= ALIKE * (len(self._pieces) + len(other._pieces) - both)
        # A different price, date or version is a different answer.
        return alike and _DIGITS.findall(self._text) == _DIGITS.findall(other._text)

    @lazy
    def _pieces(self) -> frozenset[str]:
        return frozenset(self._plain[at : at + _PIECE] for at in range(max(1, len(self._plain) - _PIECE + 1)))

    @lazy
    def _cells(self) -> NDArray[np.bool_]:
        """The hash cells of the text's pieces; several pieces may share a cell."""
        characters = np.frombuffer(self._plain.encode("utf-32-le", "surrogatepass"), np.uint32)
        count = max(0, len(characters) - _PIECE + 1)
        pieces = np.zeros(count, np.uint32)
        for at in range(_PIECE):
            pieces = pieces * _FACTOR + characters[at : at + count]
        cells = np.zeros(_CELLS, np.bool_)
        cells[pieces * _FACTOR >> _SHIFT] = True
        return cells

    @lazy
    def _plain(self) -> str:
        return " ".join(self._text.split())


# Superseded notes and their successors.

NewerNotes = Mapping[str, Sequence[str]]
"""Superseded note -> the active notes that supersede it, by id."""


def newer_notes(store: Store) -> NewerNotes:
    """Return the newer notes of each note; notes name what they supersede by path, file name, title or alias."""
    return store.remembered.get(("newer notes", store.fields.expired()), partial(_read_newer_notes, store))


def _read_newer_notes(store: Store) -> NewerNotes:
    superseding = store.fields.superseding()
    links = NoteLinks(store) if superseding else None
    newer: dict[str, dict[str, None]] = {}
    for note_id in superseding:
        note = store.notes.note(note_id)
        for link in links.resolve(note, note.supersedes) if links else ():
            if link.note_id:
                newer.setdefault(link.note_id, {})[note_id] = None
    return {old: tuple(new) for old, new in newer.items()}


def demote_superseded(
    order: Sequence[int], chunks: ChunkMap, hits: Iterable[int], successors: NewerNotes
) -> Sequence[int]:
    """Return the candidates with each superseded note below the first hit of every note that supersedes it.

    `hits` are the shown candidates, which may include superseded ones. All others keep their order, and so do notes
    that supersede each other.
    """
    first: dict[str, int] = {}
    for rowid in sorted(hits, key={rowid: place for place, rowid in enumerate(order)}.__getitem__):
        first.setdefault(chunks[rowid].note_id, rowid)
    waits = {
        old: {
            first[new]
            for new in successors.get(old, ())
            if new in first and not _is_superseded_by(new, old, successors)
        }
        for old in first
    }
    if not any(waits.values()):
        return order
    postponed = []
    done: set[int] = set()

    def passed(rowids: Sequence[int]) -> Iterator[int]:
        for rowid in rowids:
            if waits.get(chunks[rowid].note_id, set()) <= done:
                done.add(rowid)
                yield rowid
            else:
                postponed.append(rowid)

    result = []
    for rowid in order:
        waiting = [rowid]
        while freed := list(passed(waiting)):
            result += freed
            waiting, postponed = postponed, []
    return [*result, *postponed]


def _is_superseded_by(old: str, new: str, successors: NewerNotes) -> bool:
    """Return whether the note `old` is superseded by `new`, directly or through other notes."""
    seen, waiting = {old}, [old]
    while waiting:
        for successor in successors.get(waiting.pop(), ()):
            if successor == new:
                return True
            if successor not in seen:
                seen.add(successor)
                waiting.append(successor)
    return False
