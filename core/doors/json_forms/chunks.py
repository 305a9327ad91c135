"""Chunks as JSON, and how a note is split."""

from typing import Any, NotRequired

from typing_extensions import TypedDict

from core import model
from core.base.codec import encode
from core.doors.operations.forms import Form

CHUNK = Form(
    "Chunk",
    model.Chunk,
    "id index total kind section sections start end text token_count overlap_tokens state edited picture",
)
CHUNKS = Form("Chunks", list, chunks=([CHUNK], list))
_CUT = Form(
    "CutChunk",
    model.Chunk,
    "index kind start end text section_title parent_sections hierarchy_level sections token_count overlap_tokens"
    " has_code language",
)


class Preview(TypedDict):
    """How a note is split, and why; with `compare` also another way, and where both split."""

    profile: dict[str, Any]
    strategy: str
    sizes: dict[str, Any]
    reasons: list[str]
    warnings: list[str]
    chunks: list[dict[str, Any]]
    compare: NotRequired[dict[str, Any]]


def preview_form(preview: tuple[model.Note, list[model.Cut]]) -> Preview:
    note, (cut, *others) = preview
    values = _cut_form(note, cut)
    for other in others:
        difference = model.Difference.between(cut.chunks, other.chunks)
        values["compare"] = {**_cut_form(note, other), "cuts": encode(difference)}
    return values


def _cut_form(note: model.Note, cut: model.Cut) -> Preview:
    return {
        "profile": encode(cut.profile),
        "strategy": cut.strategy,
        "sizes": encode(model.Sizes.from_chunks(cut.chunks)),
        "reasons": encode(cut.reasons),
        "warnings": encode([*note.warnings, *(omission.message for omission in note.left_out)]),
        "chunks": [
            _CUT(chunk) | {"file_start": note.body_start + chunk.start, "file_end": note.body_start + chunk.end}
            for chunk in cut.chunks
        ],
    }
