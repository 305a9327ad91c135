"""What searches return."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Self

from core.base.codec import assemble
from core.base.frozen import frozen
from core.base.messages import Message
from core.model import (
    Citation,
    Context,
    Decomposition,
    Facet,
    FieldValues,
    FileState,
    Hit,
    Level,
    LlmSelection,
    LostAt,
    NoteSummary,
    Notice,
    PictureHit,
    ResultMode,
    SearchResult,
    StageScore,
    SubQueryResult,
    Understood,
    WhyNot,
    remarks,
)

_STAGES = ("vector", "keyword", "fused", "rerank", "final")
"""Stages that every hit names; None where the hit skipped one."""


@frozen
class NoteReference:
    """A note by its id and its names."""

    note_id: str
    base: str
    path: str | None
    title: str

    @classmethod
    def from_noun(cls, noun: Any) -> Self:
        """Return what is shown of a noun with a `note`."""
        return assemble(cls, noun, noun.note, note_id=noun.note.id)


def place_in_file(note: NoteSummary, at: int) -> int | None:
    """Return the place in a note's file of a place in its body; None without a file."""
    return note.body_start + at if note.path is not None and note.document is None else None


@frozen
class CopyView:
    """A chunk of another note with nearly the same text as a hit."""

    note_id: str
    path: str | None
    chunk_index: int
    line: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class HitView(FieldValues):
    """A hit with the fields of its note, of which an expired one has the status `expired`.

    `start` to `end` is its passage in the note's body, `file_start` to `file_end` in the note's file. `definitions` are
    those of the passage's footnotes and reference links, from elsewhere in the note.
    """

    rank: int
    note_id: str
    base: str
    path: str | None
    section: tuple[str, ...]
    sections: tuple[str, ...]
    line: int | None
    page: int | None
    picture: str | None
    source_url: str
    language: str
    hierarchy_level: int
    chunk_id: str
    chunk_index: int
    total_chunks: int
    chunk_start: int
    chunk_end: int
    edited: bool
    start: int
    end: int
    file_start: int | None
    file_end: int | None
    text: str
    definitions: tuple[str, ...]
    score: float
    scores: Mapping[str, float | None]
    ranks: Mapping[str, int | None]
    status: str  # type: ignore[assignment]
    superseded_by: tuple[NoteReference, ...]
    file: FileState
    remarks: tuple[Message, ...]
    matched: tuple[str, ...]
    joined: tuple[int, ...]
    copies: tuple[CopyView, ...]
    sub_query: str

    @classmethod
    def from_hit(cls, hit: Hit, **more: object) -> Self:
        note, chunk, passage = hit.note, hit.chunk, hit.passage
        by_stage = {stage: hit.scores.get(stage) for stage in (*_STAGES, *hit.scores)}
        return assemble(
            cls,
            hit,
            passage,
            note,
            chunk,
            note_id=note.id,
            status="expired" if note.expired else note.status,
            line=chunk.line or None,
            page=hit.page or None,
            picture=chunk.picture or None,
            chunk_id=chunk.id,
            chunk_index=chunk.index,
            total_chunks=chunk.total,
            chunk_start=chunk.start,
            chunk_end=chunk.end,
            file_start=place_in_file(note, passage.start),
            file_end=place_in_file(note, passage.end),
            scores={stage: score.score if score else None for stage, score in by_stage.items()},
            ranks={stage: score.rank if score else None for stage, score in by_stage.items()},
            superseded_by=tuple(assemble(NoteReference, item, note_id=item.id) for item in hit.superseded_by),
            remarks=tuple(remarks(hit)),
            copies=tuple(
                CopyView(copy.note.id, copy.note.path, copy.chunk.index, copy.chunk.line or None) for copy in hit.copies
            ),
            sub_query=hit.asked,
            **more,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class DroppedHit(HitView):
    """A candidate that is no hit, and the stage that dropped it."""

    lost_at: LostAt


@frozen
class PictureHitView(NoteReference):
    """A picture that a question asks for."""

    rank: int
    score: float
    picture: str
    start: int
    file_start: int | None
    kind: Literal["picture"] = "picture"

    @classmethod
    def from_hit(cls, hit: PictureHit) -> Self:
        note = hit.note
        return assemble(cls, hit, note, note_id=note.id, file_start=place_in_file(note, hit.start))


@frozen
class ResultView:
    """The hits of a search, and how it was searched; a problem that there isn't is an empty text."""

    query: str
    mode: ResultMode
    level: Level
    level_reason: Message
    understood: Understood
    took_ms: float
    notices: tuple[Notice, ...]
    reranker: str
    rerank_problem: str | Message
    sub_queries: tuple[SubQueryResult, ...]
    decompositions: tuple[Decomposition, ...]
    decompose_problem: str | Message
    spelled: Mapping[str, str]
    choice: LlmSelection | None
    confident: bool
    facets: tuple[Facet, ...]
    hits: tuple[HitView, ...]
    pictures: tuple[PictureHitView, ...]
    lost: tuple[DroppedHit, ...]

    @classmethod
    def from_result(cls, result: SearchResult) -> Self:
        return assemble(
            cls,
            result,
            level=result.classified.level,
            level_reason=result.classified.reason,
            took_ms=round(result.took_ms, 3),
            rerank_problem=result.rerank_problem or "",
            sub_queries=result.asked,
            decompose_problem=result.decompose_problem or "",
            hits=tuple(map(HitView.from_hit, result.hits)),
            pictures=tuple(map(PictureHitView.from_hit, result.pictures)),
            lost=tuple(DroppedHit.from_hit(dropped.hit, lost_at=dropped.stage) for dropped in result.lost),
        )


@frozen
class CitationView(NoteReference):
    """A numbered source of a context, with its place in the note's body and file."""

    number: int
    section: tuple[str, ...]
    start: int
    end: int
    file_start: int | None
    file_end: int | None
    page: int | None
    line: int | None
    picture: str | None

    @classmethod
    def from_citation(cls, citation: Citation) -> Self:
        note = citation.note
        return assemble(
            cls,
            citation,
            note,
            note_id=note.id,
            file_start=place_in_file(note, citation.start),
            file_end=place_in_file(note, citation.end),
            page=citation.page or None,
            line=citation.line or None,
            picture=citation.picture or None,
        )


@frozen
class ContextView:
    """Passages as one block for a prompt; `left_out` hits exceed the budget of tokens."""

    text: str
    tokens: int
    budget: int
    left_out: int
    confident: bool
    notices: tuple[Notice, ...]
    citations: tuple[CitationView, ...]

    @classmethod
    def from_context(cls, context: Context) -> Self:
        return assemble(cls, context, citations=tuple(map(CitationView.from_citation, context.citations)))


@frozen
class WhyNotView:
    """Why a note is no hit: the stage that dropped it, and the scores of its best chunk."""

    note_id: str
    path: str | None
    title: str
    stage: LostAt | None
    explanation: Message
    scores: Mapping[str, StageScore]
    chunk_index: int | None

    @classmethod
    def from_why_not(cls, why_not: WhyNot) -> Self:
        index = why_not.chunk.index if why_not.chunk else None
        note = why_not.note
        return assemble(cls, why_not, note, note_id=note.id, explanation=why_not.message, chunk_index=index)


SearchOutput = ResultView | ContextView | WhyNotView
"""What `tessera search` prints, by its options."""
