"""The same text twice among the candidates: overlapping chunks of a note, and copies in other notes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from core.model import Chunk

ALIKE = 0.9
"""Chunks are copies of each other from this share of common pieces on (Jaccard, over pieces of 4 characters)."""

_PIECE = 4


@dataclass(slots=True)
class Group:
    """A candidate with those that repeat it: overlapping ones of its note, and copies in other notes.

    `joined` would be hits too, so that the hit is widened by them; `dropped` would not.
    """

    best: int
    joined: list[int] = field(default_factory=list)
    dropped: list[int] = field(default_factory=list)
    copies: list[int] = field(default_factory=list)


def groups(order: Sequence[int], chunks: Mapping[int, Chunk], count: int) -> list[Group]:
    """Return the first `count` groups of candidates, best first; a candidate joins the first one it repeats.

    Copies are looked for among the candidates that may still become hits: comparing texts takes time.
    """
    found: list[Group] = []
    pieces: dict[int, frozenset[str]] = {}
    for place, rowid in enumerate(order):
        home = _repeated(rowid, found, chunks, pieces if len(found) < count or place < 3 * count else None)
        if home is not None and chunks[home.best].note_id != chunks[rowid].note_id:
            home.copies.append(rowid)
        elif home is not None:
            (home.joined if place < count else home.dropped).append(rowid)
        elif len(found) < count:
            found.append(Group(rowid))
    return found


def _repeated(
    rowid: int, found: Sequence[Group], chunks: Mapping[int, Chunk], pieces: dict[int, frozenset[str]] | None
) -> Group | None:
    chunk = chunks[rowid]
    for group in found:
        other = chunks[group.best]
        if other.note_id == chunk.note_id:
            if chunk.start < other.end and other.start < chunk.end:
                return group
        elif pieces is not None and _alike(rowid, group.best, chunks, pieces):
            return group
    return None


def _alike(first: int, second: int, chunks: Mapping[int, Chunk], pieces: dict[int, frozenset[str]]) -> bool:
    lengths = sorted(len(chunks[rowid].text) for rowid in (first, second))
    if lengths[0] < ALIKE * lengths[1]:
        return False
    for rowid in (first, second):
        if rowid not in pieces:
            text = " ".join(chunks[rowid].text.split())
            pieces[rowid] = frozenset(text[at : at + _PIECE] for at in range(max(1, len(text) - _PIECE + 1)))
    both = len(pieces[first] & pieces[second])
    return both >= ALIKE * (len(pieces[first]) + len(pieces[second]) - both)
