"""Bases, which are named collections of notes with settings, and packs, which are versioned sets of notes."""

from datetime import datetime
from difflib import unified_diff
from pathlib import Path
from typing import ClassVar, Literal, TypedDict

from core.base.frozen import Texts, frozen
from core.base.messages import Message, Messages
from core.model.settings import OPEN, ChunkingOptions, SearchSettings
from core.model.versions import Author


@frozen
class Pack:
    """The content of `pack.toml` in a pack's folder; `base` is the base for its notes."""

    name: str
    version: str
    base: str
    language: str
    folder: Path
    description: str = ""

    @property
    def source_ref(self) -> str:
        return f"pack:{self.name}"


@frozen
class InstalledPack:
    """A pack in a workspace; `version` is empty until its first installation is complete.

    `folder` is the folder from which it was installed, empty for a pack found by name. `notes` and `chunks` are the
    current counts in the workspace.
    """

    name: str
    version: str
    base_id: str
    base: str
    folder: str
    initialized_at: datetime
    checked_at: datetime
    notes: int = 0
    chunks: int = 0


@frozen
class PackCard:
    """A pack for lists: available (`found`), installed, or both; `newer`: the available version is later."""

    found: Pack | None
    installed: InstalledPack | None
    newer: bool = False
    SHOWN: ClassVar = ("name",)

    @property
    def name(self) -> str:
        noun = self.found or self.installed
        return noun.name if noun else ""


@frozen
class EditedNote:
    """A pack's note that the user changed: the user's text and the pack's, or None if the pack dropped the note."""

    note_id: str
    path: str
    title: str
    own: str
    offered: str | None

    def difference(self) -> list[str]:
        """Return the unified diff of both texts, without headers."""
        lines = unified_diff(self.own.splitlines(), (self.offered or "").splitlines(), n=1, lineterm="")
        return list(lines)[2:]


@frozen
class PackReport:
    """Result of installing or upgrading a pack, in numbers of notes; `edited` notes keep the user's text."""

    name: str
    version: str
    added: int = 0
    changed: int = 0
    removed: int = 0
    unchanged: int = 0
    edited: tuple[EditedNote, ...] = ()


BaseKind = Literal["vector", "lines", "literal"]
"""Kind of a base: `vector` and `lines` support semantic and keyword search, `literal` only keyword search.

In a base of kind `lines` each line of a text file is a chunk.
"""
IndexState = Literal["closed", "opening", "ready", "building", "damaged", "none"]
"""State of the vector index; unless it is `ready`, searches compare with every vector, which is slower."""


@frozen
class KnowledgeBase:
    """A named collection of notes with its own settings.

    `embedder` is a name of the embedder table, with its argument after a colon (`sentence:BAAI/bge-m3`); `fingerprint`
    and `dimension` belong to the base's vectors. A literal base has no vectors: its embedder only counts tokens.
    Without `embed_at_once`, chunks stay `pending` until the user has them embedded. With `keep_tokens`, the sign bits
    of the windows' token vectors are stored for reranking. Options that `search` leaves open come from the settings.
    With `write_files`, editing a note changes its file. With `watch`, the folders of the base are synced while the app
    runs. Programs' changes wait for the user's approval, unless the base `trusts_programs`. With `read_pictures`, the
    text in its notes' pictures is recognized and searched. `wish` is the embedder in the base's archive, until the user
    agrees to it.
    """

    id: str
    name: str
    embedder: str
    fingerprint: str
    dimension: int
    chunking: ChunkingOptions
    created_at: datetime
    kind: BaseKind = "vector"
    search: SearchSettings = OPEN
    index_generation: int = 0
    synced_at: datetime | None = None
    embed_at_once: bool = True
    keep_tokens: bool = True
    description: str = ""
    write_files: bool = False
    watch: bool = False
    trusts_programs: bool = False
    read_pictures: bool = False
    wish: str = ""

    def writes_files_of(self, author: Author) -> bool:
        """Return whether changes by an author change files; programs' changes do only if the base trusts them."""
        return self.write_files and (author != "program" or self.trusts_programs)

    @property
    def plain(self) -> bool:
        """Whether the notes are plain text rather than Markdown."""
        return self.kind == "lines"

    @property
    def has_vectors(self) -> bool:
        """Whether the base supports semantic search."""
        return self.kind != "literal"

    @property
    def without_model(self) -> bool:
        """Whether the base is searched without a model: it has no vectors, or its vectors count words."""
        return not self.has_vectors or self.embedder == "tfidf"


@frozen
class RequestedPermissions:
    """Permissions in an archive of a base, which take effect only once the user grants them.

    `switches` are the fields that were on, `folders` the folders of the base's notes, `reranker` its reranking model.
    The requested embedder is in the `wish` of the base.
    """

    switches: Texts = ()
    folders: Texts = ()
    reranker: str = ""


NO_POWERS = RequestedPermissions()


@frozen
class Restored:
    """A base from an archive or the trash, and the permissions it requests; `own`: it keeps its permissions."""

    base: KnowledgeBase
    powers: RequestedPermissions = NO_POWERS
    own: bool = False


@frozen
class NewBase:
    """Embedder and chunking of a base that would be created."""

    embedder: str
    chunking: ChunkingOptions


class BaseFields(TypedDict, total=False):
    """Keyword arguments for fields of a KnowledgeBase that don't affect the index."""

    description: str
    search: SearchSettings
    embed_at_once: bool
    write_files: bool
    watch: bool
    trusts_programs: bool
    read_pictures: bool


class NewBaseFields(BaseFields, total=False):
    """Keyword arguments for a new KnowledgeBase, with the fields that can't be changed later."""

    kind: BaseKind
    keep_tokens: bool


@frozen
class Switch:
    embedder: str
    fingerprint: str
    started_at: datetime


@frozen
class ChangeCost:
    """Cost of changing a base to another embedder or other chunking.

    `notes` are split again, into `chunks` in total; `to_embed` of the `windows` must be embedded, in about `seconds`.
    """

    embedder: str
    chunking: ChunkingOptions
    notes: int
    chunks: int
    windows: int
    to_embed: int
    seconds: float


@frozen
class WatchedFolder:
    """A folder of a watched base when it was last checked.

    `problem` says why the folder can't be synced. A sync that would remove many notes (`removals`) waits for the user.
    """

    folder: str
    at: datetime
    problem: Message | None = None
    removals: int = 0


@frozen
class BaseStatus:
    """A base and its size; `folders` are its synced folders, with the time of the last sync.

    `pending` counts the chunks that aren't embedded yet, `with_bits` the windows with stored token bits, which take
    `bit_bytes` on disk. `switch` is an unfinished change of embedder. `waiting` counts the notes with a pending chunk,
    `refused` the chunks whose text the base's model refuses.
    """

    base: KnowledgeBase
    notes: int
    chunks: int
    windows: int
    folders: tuple[tuple[str, datetime], ...]
    pending: int = 0
    with_bits: int = 0
    bit_bytes: int = 0
    switch: Switch | None = None
    waiting: int = 0
    refused: int = 0


@frozen
class NoteCounts:
    """Counts of the stored `notes` in bases; searches leave out those `to_review`, `archived` and `expired`.

    `by_words` counts the notes with a passage that isn't indexed yet. Notes in the trash aren't counted.
    """

    notes: int
    to_review: int = 0
    archived: int = 0
    expired: int = 0
    by_words: int = 0


@frozen
class Status:
    """State of a workspace; `index_problem` is None while the vector index is sound.

    `settings_problem` says why a change of `tessera.toml` isn't applied. `unreadable` lists the rows with unreadable
    values that were found so far. `set_aside` names the damaged files that were replaced.
    """

    folder: Path
    bases: tuple[BaseStatus, ...]
    bytes_on_disk: int
    readonly: bool
    index_problem: Message | None
    packs: tuple[InstalledPack, ...] = ()
    settings_problem: Message | None = None
    unreadable: Messages = ()
    set_aside: Texts = ()
