"""Nouns as data for JSON; messages stay messages."""

from dataclasses import fields
from typing import Any

from core.model import (
    NOTE_FIELDS,
    BaseStatus,
    Cut,
    NewBase,
    Note,
    NoteCard,
    Rechunked,
    Restored,
    ScannedFolder,
    Sizes,
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


def of_trashed_base(base: TrashedBase) -> dict[str, Any]:
    return {
        "key": base.key,
        "base": base.name,
        "deleted_at": base.at.isoformat(),
        "expired": base.expired,
        "notes": list(base.titles),
        "problem": base.problem or "",
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
