"""Ids for bases, notes, edits, question sets, test runs, and vector index entries."""

from collections.abc import Container
from hashlib import blake2b
from itertools import count


def fresh_id(seed: str, taken: Container[str]) -> str:
    """Return an id that isn't in `taken`, consisting of 12 hex digits computed from the seed.

    Because ids aren't random, importing the same folder into an empty workspace always yields the same ids.
    """
    candidates = (
        blake2b(f"{seed}\0{attempt}".encode("utf-8", "surrogatepass"), digest_size=6).hexdigest() for attempt in count()
    )
    return next(candidate for candidate in candidates if candidate not in taken)


def entry_id(vector: bytes) -> str:
    """Return a vector's id in the vector index. It is a hash of the vector's bytes, so equal vectors share an id."""
    return blake2b(vector, digest_size=16).hexdigest()
