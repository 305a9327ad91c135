"""Bases as JSON, what is imported into them, and what lies in their trash."""

from collections.abc import Iterable
from typing import Any

from typing_extensions import TypedDict

from core import model
from core.json_forms.forms import formed
from core.messages import Message


class Folder(TypedDict):
    """A folder with which a base is synced."""

    path: str
    synced_at: str


class Base(TypedDict):
    """A base with its size and settings; `search` holds the settings that it decides itself."""

    name: str
    description: str
    kind: model.BaseKind
    notes: int
    chunks: int
    windows: int
    pending: int
    waiting: int
    embedder: str
    chunking: dict[str, Any]
    search: dict[str, Any]
    embed_at_once: bool
    keep_tokens: bool
    write_files: bool
    watch: bool
    trusts_programs: bool
    folders: list[Folder]


class Bases(TypedDict):
    """The bases, by name."""

    bases: list[Base]


class Failed(TypedDict):
    """A file that can't be used, and why."""

    path: str
    error: str | Message


class Synced(TypedDict):
    """Result of an import in notes; `waiting` notes are found by words only, `problem` says why the model failed."""

    added: int
    changed: int
    renamed: int
    removed: int
    unchanged: int
    failed: list[Failed]
    chunks: int
    embedded_windows: int
    edits_flagged: int
    edits_kept: int
    seconds: float
    waiting: int
    problem: str | Message | None


class Made(TypedDict):
    """A base that an import makes, and with which settings; `told` says so."""

    base: str
    embedder: str
    chunking: dict[str, Any]
    told: str | Message


class Makes(TypedDict):
    """The base that an import makes, null where it is there."""

    makes: Made | None


class Connected(Synced):
    """A connection of a folder: `joined` notes have a file there, of which some are `differing`."""

    base: str
    folder: str
    connected: bool
    joined: int
    writes_files: bool
    differing: list[str]


class Scanned(Synced):
    """Result of a scan of a folder with text files, whose base may be `made` for it."""

    base: str
    folder: str
    made: bool


class ScannedFolders(TypedDict):
    """The folders that were scanned."""

    folders: list[Scanned]


class Rechunked(TypedDict):
    """Result of splitting notes again; `flagged` edits lost their place."""

    notes: int
    unchanged: int
    chunks: int
    embedded_windows: int
    flagged: int
    failed: list[Failed]
    seconds: float


class Cost(TypedDict):
    """What a change costs: `to_embed` of all `windows` are indexed, in about so many `seconds`."""

    embedder: str
    notes: int
    chunks: int
    windows: int
    to_embed: int
    seconds: float


class Powers(TypedDict):
    """What the base of an archive could do where it is from."""

    switches: list[str]
    folders: list[str]
    reranker: str


class Restored(TypedDict):
    """A base that came back: the model that its archive names, if any, and what using it asks for."""

    base: str
    wish: str
    powers: Powers
    notes: int
    wish_asks: str | Message
    foreign: bool


class Trashed(TypedDict):
    """A deleted base; `problem` says why it can't be restored, `notes` are titles of notes that left the trash."""

    key: str
    base: str
    deleted_at: str
    expired: bool
    notes: list[str]
    problem: str | Message


class Trash(TypedDict):
    """The deleted bases, the last deleted first."""

    trash: list[Trashed]


Connection = tuple[model.SyncPlan, model.SyncReport, bool, bool]
"""A plan that connects a folder, what came of it, whether it is connected, and whether the base writes files."""


def of_base(status: model.BaseStatus) -> Base:
    base = status.base
    sizes = {name: getattr(status, name) for name in ("notes", "chunks", "windows", "pending", "waiting")}
    folders = [{"path": path, "synced_at": at.isoformat()} for path, at in status.folders]
    return formed(Base, base, **sizes, search=base.search.chosen(), folders=folders)


def of_trash(bases: Iterable[model.TrashedBase]) -> Trash:
    return {"trash": [*map(_trashed, bases)]}


def _trashed(base: model.TrashedBase) -> Trashed:
    more = {"base": base.name, "deleted_at": base.at.isoformat(), "notes": [*base.titles]}
    return formed(Trashed, base, **more, problem=base.problem or "")


def of_synced(report: model.SyncReport) -> Synced:
    return formed(Synced, report)


def of_makes(base: str, new: model.NewBase | None) -> Makes:
    return {"makes": formed(Made, new, base=base, told=model.new_base_line(base, new)) if new else None}


def of_connected(connection: Connection) -> Connected:
    plan, report, connected, writes_files = connection
    place = {"base": plan.base, "folder": plan.source_ref, "differing": [match.file.path for match in plan.differing]}
    done = {"connected": connected, "joined": len(plan.joined), "writes_files": writes_files}
    return formed(Connected, report, **place, **done)


def of_scanned(folders: Iterable[model.ScannedFolder]) -> ScannedFolders:
    return {"folders": [*map(_scanned, folders)]}


def _scanned(one: model.ScannedFolder) -> Scanned:
    place = {"base": one.base, "folder": one.folder, "made": one.made}
    return formed(Scanned, one.report or model.SyncReport(), **place, problem=one.problem or "")


def of_rechunked(report: model.Rechunked) -> Rechunked:
    return formed(Rechunked, report)


def of_cost(cost: model.ChangeCost) -> Cost:
    return formed(Cost, cost)


def of_restored(restored: model.Restored, notes: int, asks: str | Message, *, foreign: bool) -> Restored:
    """Return a base that was restored; `asks` says what its model of the archive needs here."""
    more = {"base": restored.base.name, "wish": restored.base.wish, "notes": notes, "wish_asks": asks}
    return formed(Restored, restored, **more, foreign=foreign)
