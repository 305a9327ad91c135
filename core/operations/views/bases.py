"""Results of operations on bases and imports."""

import shlex
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Self

from core.base.codec import assemble
from core.base.frozen import frozen
from core.base.messages import Message, message, plural
from core.base.terminal import _, minute, say
from core.model import (
    BASE_KINDS,
    SETTINGS,
    SWITCHED_OFF,
    SWITCHED_ON,
    BaseKind,
    BaseStatus,
    ChangeCost,
    ChunkingOptions,
    Failed,
    Rechunked,
    Status,
    SyncPlan,
    SyncReport,
    base_model,
    chunking_label,
    embedder_name,
    setting_value,
)
from core.operations.views import documents


@frozen
class SyncedFolder:
    """A base's folder, and the time of its last sync."""

    path: str
    synced_at: datetime


@frozen
class BaseDetails:
    """A base with its settings, folders and size, as in `BaseStatus`; `search` has only the chosen settings."""

    name: str
    description: str
    kind: BaseKind
    notes: int
    chunks: int
    windows: int
    pending: int
    waiting: int
    refused: int
    embedder: str
    chunking: ChunkingOptions
    embed_at_once: bool
    keep_tokens: bool
    write_files: bool
    watch: bool
    trusts_programs: bool
    read_pictures: bool
    search: dict[str, Any]
    folders: tuple[SyncedFolder, ...]

    @classmethod
    def from_status(cls, status: BaseStatus) -> Self:
        folders = tuple(SyncedFolder(*folder) for folder in status.folders)
        return assemble(cls, status, status.base, search=status.base.search.chosen(), folders=folders)


@frozen
class BaseList:
    """The bases."""

    bases: tuple[BaseDetails, ...]


@frozen
class BaseDeletion:
    """A base that was to be deleted, its number of notes, and whether it was deleted."""

    base: str
    notes: int
    deleted: bool


@frozen
class ChangeCosts:
    """The costs of changing a base's chunking and model; None for an unchanged one."""

    chunking: ChangeCost | None = None
    embedder: ChangeCost | None = None


@frozen
class MadeBase:
    """A base that an import creates."""

    base: str
    explanation: Message
    embedder: str
    chunking: ChunkingOptions


@frozen
class ImportTarget:
    """The base that an import creates, None if the base exists."""

    makes: MadeBase | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderImport(SyncReport):
    """The sync of a folder, and the base that was created for it."""

    makes: MadeBase | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderConnection(SyncReport):
    """The sync of a folder that was connected to a base, and the paths of notes that differ from their files."""

    base: str
    folder: str
    differing: tuple[str, ...]
    joined: int
    connected: bool
    writes_files: bool

    @classmethod
    def from_plan(cls, plan: SyncPlan, report: SyncReport, *, connected: bool, writes_files: bool) -> Self:
        return assemble(
            cls,
            report,
            base=plan.base,
            folder=plan.source_ref,
            differing=tuple(match.file.path for match in plan.differing),
            joined=len(plan.joined),
            connected=connected,
            writes_files=writes_files,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderScan(SyncReport):
    """The sync of a folder of text files, or the problem with it."""

    base: str
    folder: str
    made: bool
    problem: str | Message = ""  # type: ignore[assignment]


@frozen
class FolderScans:
    """The syncs of the folders of text files."""

    folders: tuple[FolderScan, ...]


@frozen
class PackInstallation:
    """A pack in a workspace; `InstalledPack` explains the fields."""

    name: str
    version: str
    base: str
    initialized_at: datetime
    checked_at: datetime
    notes: int
    chunks: int


@frozen
class WorkspaceStatus:
    """The content of a workspace; `Status` explains the fields."""

    workspace: str
    bytes: int
    readonly: bool
    index_problem: Message | None
    unreadable: tuple[Message, ...]
    set_aside: tuple[str, ...]
    bases: tuple[BaseDetails, ...]
    packs: tuple[PackInstallation, ...]
    settings_problem: str | Message

    @classmethod
    def from_status(cls, status: Status) -> Self:
        return assemble(
            cls,
            status,
            workspace=str(status.folder),
            bytes=status.bytes_on_disk,
            bases=tuple(map(BaseDetails.from_status, status.bases)),
            packs=tuple(assemble(PackInstallation, pack) for pack in status.packs),
            settings_problem=status.settings_problem or "",
        )


def format_base(base: BaseDetails) -> list[str]:
    sizes = _("{notes} notes, {chunks} chunks", notes=base.notes, chunks=base.chunks)
    if base.pending:
        sizes += _(", {n} of them not indexed yet", n=base.pending)
    text = [base.name, *([f"  {base.description}"] if base.description else []), f"  {sizes}"]
    text.append(f"  {_('Kind: {kind}', kind=BASE_KINDS[base.kind])}")
    if base.kind != "literal":
        text.append(f"  {_('Model: {name}', name=embedder_name(base.embedder))}")
    text.append(f"  {_('Splitting: {splitting}', splitting=chunking_label(base.chunking))}")
    text += [f"  {say(SETTINGS[name])}: {say(setting_value(name, value))}" for name, value in base.search.items()]
    switches = [name for name in SWITCHED_ON if base.kind != "literal" or name != "embed_at_once"]
    text += [f"  {say(SWITCHED_ON[name] if getattr(base, name) else SWITCHED_OFF[name])}" for name in switches]
    return text + [f"  {line}" for line in _format_folders(base)]


def format_bases(listed: BaseList) -> list[str]:
    return [line for base in listed.bases for line in format_base_sizes(base)] or [_("There are no bases yet.")]


def format_base_sizes(base: BaseDetails) -> list[str]:
    """Return the lines about a base in a list of bases."""
    model = base_model(base.kind, base.embedder)
    lines = [
        _(
            "  {name}: {notes} notes, {chunks} chunks ({embedder})",
            name=base.name,
            notes=base.notes,
            chunks=base.chunks,
            embedder=model,
        ),
        *_format_folders(base),
    ]
    if base.waiting:
        lines.append(f"    {_format_waiting(base.waiting)}")
    return lines + [f"    {line}" for line in _format_refused(base.refused)]


def _format_folders(base: BaseDetails) -> list[str]:
    times = [(folder.path, f"{minute(folder.synced_at)} UTC") for folder in base.folders]
    return [_("    {path}, last update {at}", path=path, at=at) for path, at in times]


def format_deletion(deletion: BaseDeletion) -> list[str]:
    if deletion.deleted:
        return [_("The base '{base}' is in the trash.", base=deletion.base)]
    return [_("The base '{base}' was kept.", base=deletion.base)]


# imports

_AWAY = message("  not downloaded: {path}: {reason}")
_SEVERAL_AWAY = message("  not downloaded: {n} files, such as {path}: each {reason}")
_UNREAD = message("  not read: {path}: {reason}")
_SEVERAL_UNREAD = message("  not read: {n} files, such as {path}: each {reason}")


def format_counts(report: SyncReport) -> str:
    text = _(
        "{added} added, {changed} changed, {renamed} renamed, {removed} removed, {unchanged} unchanged, {n} failed",
        added=report.added,
        changed=report.changed,
        renamed=report.renamed,
        removed=report.removed,
        unchanged=report.unchanged,
        n=len(report.failed),
    )
    incomplete = documents.count_incomplete(report.incomplete)
    return _("{counts}, {n} incomplete", counts=text, n=incomplete) if incomplete else text


def format_import(report: SyncReport) -> list[str]:
    head = [_("Read as {program} notes.", program=report.importer)] if report.importer else []
    return [
        *head,
        *_format_report(report, format_counts(report), report.edits_flagged, report.edits_kept, report.waiting),
        *_format_unread(report.not_downloaded, _AWAY, _SEVERAL_AWAY),
        *documents.format_incomplete(report),
        *_format_unread(report.skipped, _UNREAD, _SEVERAL_UNREAD),
        *_format_left_out(report.left_out),
        *_format_refused(report.refused),
    ]


def format_rechunk(report: Rechunked) -> list[str]:
    text = _(
        "{notes} split again, {unchanged} unchanged, {n} failed",
        notes=report.notes,
        unchanged=report.unchanged,
        n=len(report.failed),
    )
    return _format_report(report, text, report.flagged)


def _format_report(
    report: SyncReport | Rechunked, head: str, flagged: int, orphaned: int = 0, waiting: int = 0
) -> list[str]:
    lines = [head]
    lines += [_("  failed: {path}: {reason}", path=failed.path, reason=failed.error) for failed in report.failed]
    if flagged:
        lines.append(_("edits that lost their place: {n}", n=flagged))
    if orphaned:
        lines.append(_("edits to removed notes, which are kept: {n}", n=orphaned))
    count, indexed, seconds = report.chunks, report.indexed, report.seconds
    if waiting or count > indexed == 0:
        stored = plural(
            "{n} passage stored in {seconds} s", "{n} passages stored in {seconds} s", n=count, seconds=seconds
        )
        return [*lines, say(stored), *([_format_waiting(waiting)] if waiting else [])]
    cost = plural(
        "{n} passage indexed in {seconds} s", "{n} passages indexed in {seconds} s", n=indexed, seconds=seconds
    )
    return [*lines, say(cost)]


def _format_waiting(notes: int) -> str:
    return say(
        plural(
            "{n} note can only be found by words; to index it: {command}",
            "{n} notes can only be found by words; to index them: {command}",
            n=notes,
            command="tessera index",
        )
    )


def _format_refused(chunks: int) -> list[str]:
    if not chunks:
        return []
    text = plural(
        "{n} passage can only be found by words because the model refuses it: tessera refused",
        "{n} passages can only be found by words because the model refuses them: tessera refused",
        n=chunks,
    )
    return [say(text)]


def _format_left_out(files: Iterable[Failed]) -> list[str]:
    """Return one line for each reason why files and folders are left out."""
    lines = []
    for reason, paths in _by_reason(files).items():
        lines.append(
            _(
                "  left out ({n}): {paths}: {reason}",
                n=len(paths),
                paths=", ".join(paths[:3] + ["…"] * (len(paths) > 3)),
                reason=reason,
            )
        )
    return lines


def _format_unread(files: Iterable[Failed], single: Message, several: Message) -> list[str]:
    """Return one line for each reason why files weren't read."""
    return [
        say(replace(several if paths[1:] else single, fields={"n": len(paths), "path": paths[0], "reason": reason}))
        for reason, paths in _by_reason(files).items()
    ]


def _by_reason(files: Iterable[Failed]) -> dict[str, list[str]]:
    reasons: dict[str, list[str]] = {}
    for file in files:
        reasons.setdefault(say(file.error), []).append(file.path)
    return reasons


def format_connection(report: FolderConnection) -> list[str]:
    joined = plural(
        "{n} note has the same path as a file in {folder}.",
        "{n} notes have the same paths as files in {folder}.",
        n=report.joined,
        folder=report.folder,
    )
    lines = [say(joined), *(_("  differs from its file: {path}", path=path) for path in report.differing)]
    if not report.connected:
        return [*lines, _("Nothing was changed.")]
    lines += format_import(report)
    if not report.writes_files:
        command = f"tessera base set --base {shlex.quote(report.base)} --write-files"
        lines.append(_("The files are read-only. To save edits to them: {command}", command=command))
    return lines


def format_scans(scans: FolderScans) -> list[str]:
    text = []
    for scan in scans.folders:
        text.append(f"{scan.base}: {scan.folder}")
        if scan.made:
            text.append(f"  {_('This base was created for the folder.')}")
        if scan.problem:
            text.append(f"  {say(scan.problem)}")
        else:
            text += [f"  {line}" for line in format_import(scan)]
    return text or [_("There are no folders with texts yet.")]


def format_new_base(made: MadeBase) -> str:
    name = shlex.quote(made.base)
    return f"{say(made.explanation)} {_('To use other settings: {command}', command=f'tessera base new {name} …')}"


def format_status(status: WorkspaceStatus) -> list[str]:
    lines = [_("{folder}: {size:.1f} MB", folder=status.workspace, size=status.bytes / 1e6)]
    for base in status.bases:
        lines += format_base_sizes(base)
    for pack in status.packs:
        lines.append(
            _(
                "  pack {name} {version}: {notes} notes, {chunks} chunks",
                name=pack.name,
                version=pack.version or "…",
                notes=pack.notes,
                chunks=pack.chunks,
            )
        )
    if status.set_aside:
        lines.append(
            _(
                "Damaged files were renamed and created again: {names}. Delete the renamed files "
                "if you don't need them.",
                names=", ".join(status.set_aside),
            )
        )
    return lines
