"""Packs: versioned sets of notes in a folder or in an installed package."""

from datetime import datetime
from difflib import unified_diff
from pathlib import Path
from typing import ClassVar

from core.base.frozen import frozen


@frozen
class Pack:
    """The content of `pack.toml` in a pack's folder. `base` is the base that its notes go into."""

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

    `folder` is where it was installed from, empty for a pack that is found by its name. `notes` and `chunks` are those
    in the workspace now.
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
    """A pack for lists: its available or its installed version, or both; `newer`: the available one is later."""

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
    """A note of a pack that the user changed: its text, and the pack's, None if the pack has it no more."""

    note_id: str
    path: str
    title: str
    own: str
    offered: str | None

    def difference(self) -> list[str]:
        """Return the lines of both texts that differ, with the lines around them, as diff writes them."""
        lines = unified_diff(self.own.splitlines(), (self.offered or "").splitlines(), n=1, lineterm="")
        return [*lines][2:]


@frozen
class PackReport:
    """Result of an installation or an upgrade, in notes; `edited` keep the user's text."""

    name: str
    version: str
    added: int = 0
    changed: int = 0
    removed: int = 0
    unchanged: int = 0
    edited: tuple[EditedNote, ...] = ()
