"""Bases (named collections of notes with settings) and packs (versioned sets of notes)."""

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
    """A pack as described by the `pack.toml` in its `folder`. Its notes are added to the base named `base`."""

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
    """A pack in a workspace. `version` is empty until the first installation is complete.

    `folder` is the folder it was installed from, or empty if the pack was found by name. `notes` and `chunks` are the
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
    """A pack in the list of packs. It is available (`found`), installed, or both.

    `newer` is True if the available version is newer than the installed one.
    """

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
    """A pack's note that the user changed.

    `own` is the user's text. `offered` is the pack's text, or None if the pack dropped the note.
    """

    note_id: str
    path: str
    title: str
    own: str
    offered: str | None

    def difference(self) -> list[str]:
        """Return a unified diff from the user's text to the pack's, without headers."""
        return list(unified_diff(self.own.splitlines(), (self.offered or "").splitlines(), n=1, lineterm=""))[2:]


@frozen
class PackReport:
    """The result of installing or upgrading a pack, as counts of notes. `edited` notes keep the user's text."""

    name: str
    version: str
    added: int = 0
    changed: int = 0
    removed: int = 0
    unchanged: int = 0
    edited: tuple[EditedNote, ...] = ()


# A base's kind. Keyword search works in every base, semantic search only in `vector` and `lines` bases.
#
# In a `lines` base, each line of a text file is a chunk.
BaseKind = Literal["vector", "lines", "literal"]
# State of the vector index. Unless it is `ready`, searches scan every vector, which is slower.
IndexState = Literal["closed", "opening", "ready", "building", "damaged", "none"]


@frozen
class KnowledgeBase:
    """A named collection of notes with its own settings.

    `embedder` is a name from the embedder table, with its argument after a colon (`sentence:BAAI/bge-m3`).
    `fingerprint` and `dimension` describe the base's vectors. A literal base has no vectors, so its embedder only
    counts tokens. Unless `embed_at_once` is set, new chunks stay `pending` until the user has them embedded. With
    `keep_tokens`, the sign bits of the windows' token vectors are stored for reranking. Options that `search` leaves
    open are taken from the settings.

    With `write_files`, editing a note changes its file. With `watch`, the base's folders are synced while the app runs.
    Changes by programs await the user's approval unless the base `trusts_programs`. With `read_pictures`, text in the
    notes' pictures is recognized and searched. `wish` is the embedder that the base's archive requests, until the user
    approves it.
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
        """Return whether an author's changes are written to files.

        A program's changes are written only if the base trusts programs.
        """
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
        """Whether the base needs no model for searching, because it has no vectors or its vectors are word counts."""
        return not self.has_vectors or self.embedder == "tfidf"


@frozen
class RequestedPermissions:
    """Permissions requested by a base's archive, which take effect only once the user grants them.

    `switches` are the names of the KnowledgeBase fields that were turned on. `folders` are the folders of the base's
    notes, and `reranker` is the base's reranking model. The requested embedder is in the base's `wish`.
    """

    switches: Texts = ()
    folders: Texts = ()
    reranker: str = ""


NO_POWERS = RequestedPermissions()


@frozen
class Restored:
    """A base restored from an archive or from the trash, and the permissions that it requests.

    `own` is True if Tessera itself moved the base to the trash. The base then keeps its permissions.
    """

    base: KnowledgeBase
    powers: RequestedPermissions = NO_POWERS
    own: bool = False


@frozen
class NewBase:
    """The embedder and chunking of a base to be created."""

    embedder: str
    chunking: ChunkingOptions


class BaseFields(TypedDict, total=False):
    """Keyword arguments for the KnowledgeBase fields that don't affect the index."""

    description: str
    search: SearchSettings
    embed_at_once: bool
    write_files: bool
    watch: bool
    trusts_programs: bool
    read_pictures: bool


class NewBaseFields(BaseFields, total=False):
    """Keyword arguments for a new KnowledgeBase, including fields that can't be changed later."""

    kind: BaseKind
    keep_tokens: bool


@frozen
class Switch:
    embedder: str
    fingerprint: str
    started_at: datetime


@frozen
class ChangeCost:
    """The cost of switching a base to another embedder or different chunking.

    `notes` is the number of notes to re-chunk, and `chunks` the total number of resulting chunks. `to_embed` counts
    those of the `windows` that have no vectors yet. Embedding them takes about `seconds`.
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
    """A watched base's folder, as of the last check.

    `problem` says why the folder can't be synced. A sync that would remove many notes (`removals`) awaits the user's
    confirmation.
    """

    folder: str
    at: datetime
    problem: Message | None = None
    removals: int = 0


@frozen
class BaseStatus:
    """A base and its size. `folders` are its synced folders, each with the time of its last sync.

    `pending` counts the chunks that aren't embedded yet. `with_bits` counts the windows whose token bits are stored.
    These bits take up `bit_bytes` on disk. `switch` is an unfinished switch to another embedder. `waiting` counts the
    notes with a pending chunk, and `refused` the chunks whose text the base's model refuses.
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
    """Counts of the notes stored in bases, leaving out notes in the trash.

    Searches ignore the notes counted as `to_review`, `archived` and `expired`. `by_words` counts the notes with a
    passage that has no vector yet and is only found by its words.
    """

    notes: int
    to_review: int = 0
    archived: int = 0
    expired: int = 0
    by_words: int = 0


@frozen
class Status:
    """A workspace's state. `index_problem` is None if the vector index is sound.

    `settings_problem` says why a change to `tessera.toml` can't be applied. `unreadable` lists the database rows found
    so far that contain unreadable values. `set_aside` names the damaged files that were replaced.
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
