"""Two cuts of one note: their sizes, and where only one of them cuts."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, pstdev

from core.model import Chunk


@dataclass(frozen=True, slots=True)
class Sizes:
    """How many chunks there are, and their tokens; `deviation` is the population's."""

    count: int = 0
    smallest: int = 0
    mean: float = 0.0
    largest: int = 0
    deviation: float = 0.0


@dataclass(frozen=True, slots=True)
class Difference:
    """Where chunks start, in characters of the body: in both cuts, or in one of them only."""

    both: tuple[int, ...]
    first: tuple[int, ...]
    second: tuple[int, ...]


def sizes(chunks: Sequence[Chunk]) -> Sizes:
    """Return the figures of some chunks' tokens, zeros for none."""
    tokens = [chunk.token_count for chunk in chunks]
    if not tokens:
        return Sizes()
    return Sizes(len(tokens), min(tokens), fmean(tokens), max(tokens), pstdev(tokens))


def difference(first: Sequence[Chunk], second: Sequence[Chunk]) -> Difference:
    """Return where two cuts of the same note agree and where they don't.

    What a chunk shares with the one before is left out: a cut is where a chunk's own text starts.
    """
    ours, theirs = _cuts(first), _cuts(second)
    return Difference(tuple(sorted(ours & theirs)), tuple(sorted(ours - theirs)), tuple(sorted(theirs - ours)))


def _cuts(chunks: Sequence[Chunk]) -> set[int]:
    ends = [0, *(chunk.end for chunk in chunks)]
    return {
        max(chunk.start, end) if chunk.overlap_tokens else chunk.start for chunk, end in zip(chunks, ends, strict=False)
    }
