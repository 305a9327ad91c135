"""Packs: versioned sets of notes in a folder or in an installed package."""

from datetime import datetime
from difflib import unified_diff
from pathlib import Path
from typing import ClassVar

from core.base.frozen import frozen


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
        """The `source_ref` of the pack's notes."""
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
    """A pack's note that the user changed: the user's text, and the pack's, None if the pack no longer has the note."""

    note_id: str
    path: str
    title: str
    own: str
    offered: str | None

    def difference(self) -> list[str]:
        """Return the unified diff of both texts, without headers."""
        lines = unified_diff(self.own.splitlines(), (self.offered or "").splitlines(), n=1, lineterm="")
        return [*lines][2:]


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
