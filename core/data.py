"""Nouns as data for JSON; messages stay messages."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from core.json_forms import packs
from core.messages import Message
from core.model import (
    Advice,
    BaseStatus,
    Cut,
    Evaluation,
    NewBase,
    Note,
    NoteCard,
    QuestionResult,
    Rechunked,
    Restored,
    ScannedFolder,
    SideBySide,
    Sizes,
    Status,
    Submission,
    SyncReport,
    Trashed,
    TrashedBase,
    new_base_line,
)


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


_CARD = "id title path version tags type category project scope priority status source"


def of_note(note: Note, base: str) -> dict[str, Any]:
    """Return a note with its text and its fields."""
    relations = {name: [*getattr(note, name)] for name in ("supersedes", "related", "depends_on")}
    return {"base": base, **pick(note, f"{_CARD} body"), **relations, **_times(note)}


def of_card(card: NoteCard) -> dict[str, Any]:
    return {**pick(card, f"base {_CARD}"), **_times(card)}


def _times(note: Note | NoteCard) -> dict[str, str | None]:
    times = {name: getattr(note, name) for name in ("created_at", "updated_at", "expires_at")}
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
