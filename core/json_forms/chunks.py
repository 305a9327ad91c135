"""Chunks as JSON."""

from collections.abc import Iterable

from typing_extensions import TypedDict

from core import model
from core.json_forms import formed


class Chunk(TypedDict):
    """A chunk with its text; `start` and `end` are its place in the note's text."""

    id: str
    index: int
    total: int
    kind: str
    section: list[str]
    start: int
    end: int
    text: str
    token_count: int
    overlap_tokens: int
    state: str
    edited: bool


class Chunks(TypedDict):
    """The chunks of a note in reading order."""

    chunks: list[Chunk]


def of_chunks(chunks: Iterable[model.Chunk]) -> Chunks:
    return {"chunks": [formed(Chunk, chunk) for chunk in chunks]}
