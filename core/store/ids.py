"""Ids of bases, notes, edits, question sets and runs; of entries of the vector index."""

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


def entry_id(vector: bytes) -> str:
    """Return the id of a vector in the vector index: equal vectors share it, and it never means another."""
    return blake2b(vector, digest_size=16).hexdigest()
