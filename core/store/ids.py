"""Ids of bases, notes, edits, question sets and runs; of windows in the vector index."""

from collections.abc import Container
from hashlib import blake2b
from itertools import count


def fresh_id(seed: str, taken: Container[str]) -> str:
    """Return 12 hex digits computed from the seed, others only if those are taken.

    Computed, not random: the same folder imported into an empty workspace gives the same ids.
    """
    attempts = (f"{seed}\0{attempt}".encode("utf-8", "surrogatepass") for attempt in count())
    candidates = (blake2b(attempt, digest_size=6).hexdigest() for attempt in attempts)
    return next(candidate for candidate in candidates if candidate not in taken)


def window_id(note_id: str, generation: int, index: int, window: int) -> str:
    """Return the id of a window in the vector index."""
    return f"{note_id}:{generation}:{index}:{window}"
