"""Ids of bases, notes, edits, question sets, runs, and entries of the vector index."""

from collections.abc import Container
from hashlib import blake2b
from itertools import count


def fresh_id(seed: str, taken: Container[str]) -> str:
    """Return an id of 12 hex digits that is computed from the seed and isn't in `taken`.

    Ids aren't random, so that importing the same folder into an empty workspace yields the same ids.
    """
    attempts = (f"{seed}\0{attempt}".encode("utf-8", "surrogatepass") for attempt in count())
    candidates = (blake2b(attempt, digest_size=6).hexdigest() for attempt in attempts)
    return next(candidate for candidate in candidates if candidate not in taken)


def entry_id(vector: bytes) -> str:
    """Return the id of a vector in the vector index: a hash of its bytes, so equal vectors share an id."""
    return blake2b(vector, digest_size=16).hexdigest()
