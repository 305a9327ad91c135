"""Results of searches as JSON."""

from operator import attrgetter
from typing import Any

from core import model
from core.doors.operations.forms import Form
from core.model import CLASSIFYING, NoteSummary, choice_line, remarks

_STAGES = ("vector", "keyword", "fused", "rerank", "final")
"""Stages that every hit names; null where the hit skipped one."""


def _in_file(note: NoteSummary, at: int) -> int | None:
    """Return the place in a note's file of a place in its body; None without a file."""
    known = note.path is not None and note.body_start is not None and note.document is None
    return note.body_start + at if known else None


def _by_stage(hit: model.Hit, name: str) -> dict[str, Any]:
    stages = dict.fromkeys(_STAGES, None) | hit.scores
    return {stage: getattr(score, name) if score else None for stage, score in stages.items()}


COPY = Form(
    "Copy",
    model.Copy,
    "note_id=note.id note.path chunk_index=chunk.index",
    line=(int | None, lambda copy: copy.chunk.line or None),
)
SUCCESSOR = Form("Successor", NoteSummary, "note_id=id base path title")
HIT = Form(
    "Hit",
    model.Hit,
    "rank note_id=note.id note.base note.path note.title chunk.section chunk.sections chunk_id=chunk.id "
    "chunk_index=chunk.index total_chunks=chunk.total passage.start passage.end passage.text score "
    "chunk_start=chunk.start chunk_end=chunk.end chunk.edited note.tags file matched joined sub_query=asked "
    + " ".join(f"note.{name}" for name in CLASSIFYING),
    status=(str, lambda hit: "expired" if hit.note.expired else hit.note.status),
    line=(int | None, lambda hit: hit.chunk.line or None),
    page=(int | None, lambda hit: hit.page or None),
    picture=(str | None, lambda hit: hit.chunk.picture or None),
    file_start=(int | None, lambda hit: _in_file(hit.note, hit.passage.start)),
    file_end=(int | None, lambda hit: _in_file(hit.note, hit.passage.end)),
    scores=(dict[str, float | None], lambda hit: _by_stage(hit, "score")),
    ranks=(dict[str, int | None], lambda hit: _by_stage(hit, "rank")),
    remarks=(list[str], remarks),
    superseded_by=([SUCCESSOR], "superseded_by"),
    copies=([COPY], "copies"),
)
PICTURE_HIT = Form(
    "PictureHit",
    model.PictureHit,
    "rank score note_id=note.id note.base note.path note.title picture start",
    kind=(str, lambda _: "picture"),
    file_start=(int | None, lambda hit: _in_file(hit.note, hit.start)),
)
LOST = Form("Lost", model.DroppedCandidate, "lost_at=stage", **HIT.through(attrgetter("hit")))
SUB_QUERY = Form("SubQueryResult", model.SubQueryResult, "round sub_query.text sub_query.why found new")
RESULT = Form(
    "Result",
    model.SearchResult,
    "query mode classified.level level_reason=classified.reason notices reranker decompositions spelled confident "
    "facets",
    understood=(Form("Understood", model.Understood, "text phrases excluded terms"), "understood"),
    took_ms=(float, lambda result: round(result.took_ms, 3)),
    rerank_problem=(str, lambda result: result.rerank_problem or ""),
    decompose_problem=(str, lambda result: result.decompose_problem or ""),
    sub_queries=([SUB_QUERY], "asked"),
    choice=(Form("Choice", model.LlmSelection, "by answer chunks", explanation=(str, choice_line)) | None, "choice"),
    hits=([HIT], "hits"),
    pictures=([PICTURE_HIT], "pictures"),
    lost=([LOST], "lost"),
)
CITATION = Form(
    "Citation",
    model.Citation,
    "number note_id=note.id note.base note.path note.title section start end",
    page=(int | None, lambda item: item.page or None),
    line=(int | None, lambda item: item.line or None),
    picture=(str | None, lambda item: item.picture or None),
    file_start=(int | None, lambda item: _in_file(item.note, item.start)),
    file_end=(int | None, lambda item: _in_file(item.note, item.end)),
)
CONTEXT = Form("Context", model.Context, "text tokens budget left_out confident", citations=([CITATION], "citations"))
WHY_NOT = Form(
    "WhyNot",
    model.WhyNot,
    "note_id=note.id note.path note.title stage explanation=message scores",
    chunk_index=(int | None, lambda answer: answer.chunk.index if answer.chunk else None),
)
