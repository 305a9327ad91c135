"""Chunks as JSON, and how a note is split."""

from typing import Any

from core import model
from core.json_forms.forms import Form, plain

CHUNK = Form("Chunk", model.Chunk, "id index total kind section start end text token_count overlap_tokens state edited")
CHUNKS = Form("Chunks", list, chunks=([CHUNK], list))
_CUT = Form(
    "CutChunk",
    model.Chunk,
    "index kind start end text section_title parent_sections hierarchy_level token_count overlap_tokens has_code"
    " language",
)


def of_cut(note: model.Note, cut: model.Cut) -> dict[str, Any]:
    """Return how a note is split, and why; `file_start` and `file_end` are places in its file."""
    return {
        "profile": plain(cut.profile),
        "strategy": cut.strategy,
        "sizes": plain(model.Sizes.of(cut.chunks)),
        "reasons": plain(cut.reasons),
        "warnings": plain(note.warnings),
        "chunks": [_CUT(chunk) | _in_file(note.body_start, chunk) for chunk in cut.chunks],
    }


def _in_file(offset: int, chunk: model.Chunk) -> dict[str, int]:
    return {"file_start": offset + chunk.start, "file_end": offset + chunk.end}
