"""The order of superseded candidates: behind their successors, and no further."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from core.model import Chunk

Successors = Mapping[str, Sequence[str]]
"""The ids of the notes that supersede a note."""


def behind(
    order: Sequence[int], chunks: Mapping[int, Chunk], hits: Iterable[int], successors: Successors
) -> Sequence[int]:
    """Return the candidates with those of each superseded note behind the first hit of every note that supersedes it.

    `hits` are the candidates that are shown, of which some are superseded. All others keep their order; notes that
    supersede each other do too.
    """
    first: dict[str, int] = {}
    for rowid in sorted(hits, key={rowid: place for place, rowid in enumerate(order)}.__getitem__):
        first.setdefault(chunks[rowid].note_id, rowid)
    waits = {
        old: {first[new] for new in successors.get(old, ()) if new in first and not _leads(new, old, successors)}
        for old in first
    }
    if not any(waits.values()):
        return order
    held: list[int] = []
    done: set[int] = set()

    def passed(rowids: Sequence[int]) -> Iterator[int]:
        for rowid in rowids:
            if waits.get(chunks[rowid].note_id, set()) <= done:
                done.add(rowid)
                yield rowid
            else:
                held.append(rowid)

    result: list[int] = []
    for rowid in order:
        waiting = [rowid]
        while freed := list(passed(waiting)):
            result += freed
            waiting, held = held, []
    return [*result, *held]


def _leads(old: str, new: str, successors: Successors) -> bool:
    """Return whether a note is superseded, directly or over others, by another."""
    seen, waiting = {old}, [old]
    while waiting:
        for one in successors.get(waiting.pop(), ()):
            if one == new:
                return True
            if one not in seen:
                seen.add(one)
                waiting.append(one)
    return False
