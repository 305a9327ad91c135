"""Nouns as data for JSON; messages stay messages."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from core.json_forms import packs
from core.messages import Message
from core.model import (
    NOTE_FIELDS,
    Advice,
    BaseStatus,
    Context,
    Cut,
    Evaluation,
    Hit,
    NewBase,
    Note,
    NoteCard,
    QuestionResult,
    Rechunked,
    Restored,
    ScannedFolder,
    SearchResult,
    SideBySide,
    Sizes,
    Status,
    Submission,
    SyncReport,
    Trashed,
    TrashedBase,
    WhyNot,
    choice_line,
    classified,
    new_base_line,
    remarks,
)

_STAGES = ("vector", "keyword", "fused", "rerank", "final")
"""Stages that the JSON of every hit names; null where the hit skipped one."""


def of(noun: Any) -> dict[str, Any]:
    """Return the fields of a dataclass; its `message` is called `told`, as in earlier versions."""
    return {"told" if field.name == "message" else field.name: getattr(noun, field.name) for field in fields(noun)}


def pick(noun: object, names: str) -> dict[str, Any]:
    return {name: getattr(noun, name) for name in names.split()}


def of_report(report: SyncReport | Rechunked) -> dict[str, Any]:
    return of(report) | {"failed": [*map(of, report.failed)]}


def of_restored(restored: Restored) -> dict[str, Any]:
    """Return a base that was restored, and what it could do where it is from."""
    return {"base": restored.base.name, "wish": restored.base.wish, "powers": of(restored.powers)}


def of_scanned(scanned: ScannedFolder) -> dict[str, Any]:
    report = of_report(scanned.report or SyncReport())
    return pick(scanned, "base folder made") | report | {"problem": scanned.problem or ""}


def of_result(result: SearchResult) -> dict[str, Any]:
    understood = result.understood
    return {
        **pick(result, "query mode"),
        "level": result.classified.level,
        "level_reason": result.classified.reason,
        "understood": pick(understood, "text phrases excluded") | {"terms": [*map(of, understood.terms)]},
        "took_ms": round(result.took_ms, 3),
        **pick(result, "notices reranker"),
        "rerank_problem": result.rerank_problem or "",
        "sub_queries": [
            {"round": one.round, **of(one.sub_query), "found": one.found, "new": one.new} for one in result.asked
        ],
        "decompositions": [
            of(decomposition) | {"sub_queries": [*map(of, decomposition.sub_queries)]}
            for decomposition in result.decompositions
        ],
        "decompose_problem": result.decompose_problem or "",
        "spelled": dict(result.spelled),
        "choice": result.choice and pick(result.choice, "by answer chunks") | {"told": choice_line(result.choice)},
        "confident": result.confident,
        "facets": [*map(of, result.facets)],
        "hits": [*map(_hit, result.hits)],
        "lost": [_hit(lost.hit) | {"lost_at": lost.stage} for lost in result.lost],
    }


def of_why_not(answer: WhyNot) -> dict[str, Any]:
    return {
        "note_id": answer.note.id,
        **pick(answer.note, "path title"),
        "stage": answer.stage,
        "told": answer.message,
        "chunk_index": answer.chunk.index if answer.chunk else None,
        "scores": {stage: of(score) for stage, score in answer.scores.items()},
    }


def of_context(context: Context) -> dict[str, Any]:
    return {
        **pick(context, "text tokens budget left_out confident"),
        "citations": [
            {
                "number": citation.number,
                "note_id": citation.note.id,
                **pick(citation.note, "base path title"),
                "section": citation.section,
                **_place(citation.note, citation.start, citation.end),
            }
            for citation in context.citations
        ],
    }


def _place(note: NoteCard, start: int, end: int) -> dict[str, int | None]:
    """Return a span of a note's body, and the same span of its file."""
    offset = note.body_start if note.path is not None else None
    file = {"file_start": None, "file_end": None} if offset is None else _shifted(offset, start, end)
    return {"start": start, "end": end, **file}


def _hit(hit: Hit) -> dict[str, Any]:
    chunk, note, passage = hit.chunk, hit.note, hit.passage
    stages = dict.fromkeys(_STAGES, None) | hit.scores
    return {
        "rank": hit.rank,
        "note_id": note.id,
        **pick(note, "base path title"),
        "section": chunk.section,
        "line": chunk.line or None,
        "chunk_id": chunk.id,
        "chunk_index": chunk.index,
        "total_chunks": chunk.total,
        **_place(note, passage.start, passage.end),
        "text": passage.text,
        "score": hit.score,
        "scores": {stage: score.score if score else None for stage, score in stages.items()},
        "ranks": {stage: score.rank if score else None for stage, score in stages.items()},
        "chunk_start": chunk.start,
        "chunk_end": chunk.end,
        "edited": chunk.edited,
        **classified(note),
        "tags": note.tags,
        "superseded_by": [{"note_id": new.id, **pick(new, "base path title")} for new in hit.superseded_by],
        "file": hit.file,
        "remarks": remarks(hit),
        **pick(hit, "matched joined"),
        "copies": [
            {
                "note_id": copy.note.id,
                "path": copy.note.path,
                "line": copy.chunk.line or None,
                "chunk_index": copy.chunk.index,
            }
            for copy in hit.copies
        ],
        "sub_query": hit.asked,
    }


def of_cut(note: Note, cut: Cut) -> dict[str, Any]:
    names = "index kind start end text section_title parent_sections hierarchy_level token_count overlap_tokens"
    return {
        "profile": of(cut.profile),
        "strategy": cut.strategy,
        "sizes": of(Sizes.of(cut.chunks)),
        "reasons": cut.reasons,
        "warnings": note.warnings,
        "chunks": [
            pick(chunk, f"{names} has_code language") | _shifted(note.body_start, chunk.start, chunk.end)
            for chunk in cut.chunks
        ],
    }


def _shifted(offset: int, start: int, end: int) -> dict[str, int | None]:
    return {"file_start": offset + start, "file_end": offset + end}


def of_evaluation(evaluation: Evaluation) -> dict[str, Any]:
    """Return an evaluation; `questions` is the number of all questions."""
    return {
        "questions": len(evaluation.questions),
        **pick(evaluation, "scored negatives metrics"),
        "per_question": [*map(of_question_result, evaluation.questions)],
    }


def of_question_result(result: QuestionResult) -> dict[str, Any]:
    return {
        **pick(result, "id question kind negative took_ms"),
        "hits": [pick(hit, "path file_start file_end score") for hit in result.hits],
        "found_rank": result.found_rank,
        "found_in_budget": result.budget_rank is not None,
    }


def of_comparison(compared: SideBySide) -> dict[str, Any]:
    return {
        **pick(compared, "metric settings notices"),
        "runs": [
            {"pipeline": label, "metrics": {name: figures[at] for name, figures in compared.figures.items()}}
            for at, label in enumerate(compared.labels)
        ],
        "differences": [
            {name: of(comparison) | {"settled": comparison.settled} for name, comparison in by_metric.items()}
            for by_metric in compared.comparisons
        ],
    }


def of_advice(advice: Advice, names: Mapping[str, str | Message]) -> dict[str, Any]:
    return of(advice) | {
        "best": names[advice.best],
        "comparison": of(advice.comparison),
        "ranking": [{"pipeline": names[run], "mean": mean} for run, mean in advice.ranking],
        "refused": advice.refused or "",
    }


def of_trashed_base(base: TrashedBase) -> dict[str, Any]:
    return {
        "key": base.key,
        "base": base.name,
        "deleted_at": base.at.isoformat(),
        "expired": base.expired,
        "notes": list(base.titles),
        "problem": base.problem or "",
    }


def of_status(status: Status) -> dict[str, Any]:
    return {
        "workspace": str(status.folder),
        "bytes": status.bytes_on_disk,
        "bases": [*map(of_base, status.bases)],
        "packs": [*map(packs.of_installed, status.packs)],
        "settings_problem": status.settings_problem or "",
        "unreadable": status.unreadable,
        "set_aside": list(status.set_aside),
    }


def of_base(status: BaseStatus) -> dict[str, Any]:
    base = status.base
    return {
        **pick(base, "name description kind"),
        **pick(status, "notes chunks windows pending waiting"),
        "embedder": base.embedder,
        "chunking": of(base.chunking),
        "search": base.search.chosen(),
        **pick(base, "embed_at_once keep_tokens write_files watch trusts_programs"),
        "folders": [{"path": path, "synced_at": at.isoformat()} for path, at in status.folders],
    }


def of_new_base(name: str, new: NewBase) -> dict[str, Any]:
    return {"base": name, "embedder": new.embedder, "chunking": of(new.chunking), "told": new_base_line(name, new)}


_RELATIONS = [name for name, field in NOTE_FIELDS.items() if field.kind == "notes"]
_DAYS = [name for name, field in NOTE_FIELDS.items() if field.kind == "day"]
_OTHERS = [name for name in NOTE_FIELDS if name not in ("title", *_RELATIONS, *_DAYS)]
_CARD = " ".join(["id title path version", *_OTHERS, "source"])


def of_note(note: Note, base: str) -> dict[str, Any]:
    """Return a note with its text and its fields."""
    relations = {name: [*getattr(note, name)] for name in _RELATIONS}
    return {"base": base, **pick(note, f"{_CARD} body"), **relations, **_times(note)}


def of_card(card: NoteCard) -> dict[str, Any]:
    return {**pick(card, f"base {_CARD}"), **_times(card)}


def _times(note: Note | NoteCard) -> dict[str, str | None]:
    times = {name: getattr(note, name) for name in ("created_at", "updated_at", *_DAYS)}
    return {name: at.isoformat() if at else None for name, at in times.items()}


def of_trashed(one: Trashed, base: str) -> dict[str, Any]:
    version = one.version
    return {
        "id": version.note_id,
        "base": base,
        "path": one.path,
        **pick(version, "title author"),
        "version": version.number,
        "deleted_at": version.at.isoformat(),
    }


def of_submission(one: Submission) -> dict[str, Any]:
    return {**pick(one.note, "id base path title version"), **pick(one, "kind author"), "at": one.at.isoformat()}
