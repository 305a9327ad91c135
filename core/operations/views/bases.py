"""What operations on bases and imports return."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Self

from core.base.codec import assemble
from core.base.frozen import frozen
from core.base.messages import Message
from core.model import (
    BaseKind,
    BaseStatus,
    ChangeCost,
    ChunkingOptions,
    InstalledPack,
    NewBase,
    ScannedFolder,
    Status,
    SyncPlan,
    SyncReport,
    new_base_line,
)


@frozen
class SyncedFolder:
    """A folder of a base, and the time of its last sync."""

    path: str
    synced_at: datetime


@frozen
class BaseDetails:
    """A base with its settings, folders and size, as `BaseStatus` explains them; `search` are the chosen settings."""

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
    """A base with so many notes that was to be deleted, and whether it is."""

    base: str
    notes: int
    deleted: bool


@frozen
class ChangeCosts:
    """The costs of other chunking and of another model; None without such a change."""

    chunking: ChangeCost | None = None
    embedder: ChangeCost | None = None


@frozen
class MadeBase:
    """A base that an import makes."""

    base: str
    explanation: Message
    embedder: str
    chunking: ChunkingOptions

    @classmethod
    def from_target(cls, base: str, new: NewBase) -> Self:
        return cls(base, new_base_line(base, new), new.embedder, new.chunking)


@frozen
class ImportTarget:
    """The base that an import makes, None where it is there."""

    makes: MadeBase | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderImport(SyncReport):
    """The sync of a folder, and the base that was made for it."""

    makes: MadeBase | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderConnection(SyncReport):
    """The sync of a folder that is connected to a base, and the paths of notes that differ from their files."""

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

    @classmethod
    def from_folder(cls, scanned: ScannedFolder) -> Self:
        return assemble(cls, scanned, scanned.report or SyncReport(), problem=scanned.problem or "")


@frozen
class FolderScans:
    """The folders of text files."""

    folders: tuple[FolderScan, ...]


@frozen
class PackInstallation:
    """A pack in a workspace, as `InstalledPack` explains it."""

    name: str
    version: str
    base: str
    initialized_at: datetime
    checked_at: datetime
    notes: int
    chunks: int

    @classmethod
    def from_pack(cls, pack: InstalledPack) -> Self:
        return assemble(cls, pack)


@frozen
class WorkspaceStatus:
    """What the workspace holds, as `Status` explains it."""

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
            packs=tuple(map(PackInstallation.from_pack, status.packs)),
            settings_problem=status.settings_problem or "",
        )
