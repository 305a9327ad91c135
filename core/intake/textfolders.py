"""Folders of text files: each `BASE/texts` below the settings' `base_dir` is automatically a base of kind `lines`."""

import logging
from collections.abc import Mapping
from pathlib import Path

from core.base.errors import Cancelled, ConfigError, TesseraError
from core.indexing.bases import Bases
from core.intake.imports import Imports
from core.intake.notefile import is_skipped
from core.model import KnowledgeBase, Progress, ScannedFolder, no_progress
from core.settings.config import Settings
from core.settings.sections import KnowledgeSettings

TEXTS = "texts"

_LOG = logging.getLogger(__name__)


class TextFolders:
    """The text folders that `[knowledge]` of the settings names, and their bases."""

    def __init__(self, settings: Settings, bases: Bases, notes: Imports) -> None:
        self._settings = settings
        self._bases = bases
        self._notes = notes

    @property
    def _chosen(self) -> KnowledgeSettings:
        return self._settings.knowledge

    @property
    def automatic(self) -> bool:
        """Whether the folders are looked for and synced while the app runs."""
        return self._chosen.enabled and self._chosen.auto_scan

    def holds(self, folder: Path) -> bool:
        """Whether a folder is one of these, there or not."""
        return folder.name == TEXTS and folder.parent.parent == self._chosen.base_dir.resolve()

    def folders(self) -> Mapping[str, Path]:
        """Return the folders that are there by the names of their bases; links out of `base_dir` are left out."""
        top = self._chosen.base_dir.resolve()
        texts = sorted(top.glob(f"*/{TEXTS}")) if self._chosen.enabled else []
        return {
            folder.parent.name: folder
            for folder in texts
            if folder.is_dir() and folder.resolve() == folder and not is_skipped(folder.parent.name)
        }

    def base_for(self, name: str) -> tuple[KnowledgeBase, bool]:
        """Return the base of a folder, and whether it was made now; it indexes at once if `auto_embed` says so.

        Raises ConfigError where a base of another kind has the name, and as `Bases.add` does.
        """
        at_once = self._chosen.auto_embed
        known = self._bases.find(name)
        if known is None:
            _LOG.info("A base is made for the text folder of %s", name)
            return self._bases.add(name, kind="lines", embed_at_once=at_once, watch=True), True
        if not known.plain:
            raise ConfigError(
                "There is a base '{base}' already, which isn't one of text files. Rename it, or the folder.", base=name
            )
        if known.embed_at_once != at_once:
            known = self._bases.update(name, embed_at_once=at_once)
        return known, False

    def scan(self, *, confirmed: bool = False, progress: Progress = no_progress) -> list[ScannedFolder]:
        """Bring every folder into its base, and return what came of each; a problem stops none of the others.

        Without `confirmed` a folder that lost many files keeps its lines. Raises ConfigError where the text folders
        are switched off or `base_dir` isn't there, Cancelled.
        """
        chosen = self._chosen
        if not chosen.enabled:
            raise ConfigError(
                "Text folders are switched off. Write enabled = true below [knowledge] in tessera.toml first."
            )
        if not chosen.base_dir.is_dir():
            raise ConfigError(
                "The folder {folder} isn't there. Make it, or name another one: base_dir below [knowledge] in "
                "tessera.toml.",
                folder=str(chosen.base_dir.resolve()),
            )
        return [self._scanned(name, folder, confirmed, progress) for name, folder in self.folders().items()]

    def _scanned(self, name: str, folder: Path, confirmed: bool, progress: Progress) -> ScannedFolder:
        made = False
        try:
            base, made = self.base_for(name)
            plan = self._notes.plan_folder(folder, base.name)
            report = self._notes.apply(plan, confirmed=confirmed, progress=progress)
        except Cancelled:
            raise
        except TesseraError as error:
            return ScannedFolder(name, str(folder), made, problem=error.message)
        return ScannedFolder(name, str(folder), made, report, report.problem)
