"""Chunks as JSON."""

from collections.abc import Iterable
from typing import Any

from typing_extensions import TypedDict

from core import model
from core.json_forms import formed
from core.json_forms.forms import Form, plain


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


def of_cut(note: model.Note, cut: model.Cut) -> dict[str, Any]:
    """Return how a note is cut; `file_start` and `file_end` are places in its file, front matter included."""
    return {
        "profile": plain(cut.profile),
        "strategy": cut.strategy,
        "sizes": plain(model.Sizes.of(cut.chunks)),
        "reasons": cut.reasons,
        "warnings": note.warnings,
        "chunks": [
            _PIECE(chunk) | {"file_start": note.body_start + chunk.start, "file_end": note.body_start + chunk.end}
            for chunk in cut.chunks
        ],
    }


_PIECE = Form(
    "Piece",
    model.Chunk,
    "index kind start end text section_title parent_sections hierarchy_level token_count overlap_tokens has_code "
    "language",
)
