"""Run all checks on a workspace, measure its disk usage, and compact it."""

import logging
from pathlib import Path

from core.base import files
from core.base.errors import ConfigError, DiskFull, TesseraError
from core.base.faults import BACKUPS, translate_errors
from core.base.files import disk_space
from core.base.messages import Message, as_message, message
from core.features.doctor.database_checks import OF_DATABASE
from core.features.doctor.workspace_checks import OF_FILES, OF_MACHINE, OF_RESOURCES, Checks, WorkspaceParts
from core.indexing.base_copies import FOLDER, Scratch
from core.model import Check, Checked, Compacted, Health, Progress, Space, bind_checks, no_progress
from core.store.backups import making, restoring

_LOG = logging.getLogger(__name__)

# Number of bytes that compacting must leave free on the disk.
_SPARE = 64 << 20


class Doctor:
    """Runs checks on a workspace, and repairs what can be repaired. `checks` contains all checks by name."""

    def __init__(
        self,
        parts: WorkspaceParts,
        resources: Checks | None,
        files: Checks | None,
    ) -> None:
        """Combine the doctor's own checks with other features' checks on resources and on files."""
        self._parts = parts
        self.checks = {
            **bind_checks(OF_DATABASE | OF_RESOURCES, parts),
            **(resources or {}),
            **bind_checks(OF_MACHINE | OF_FILES, parts),
            **(files or {}),
        }

    def examine(self, *, fix: bool = False, progress: Progress = no_progress) -> Health:
        """Run all checks, and return their results. If `fix` is True, repair any problems found.

        Raises WorkspaceLocked if `fix` is True and the workspace is read-only.
        """
        if fix:
            self._parts.store.check_writable()
        checked = []
        for number, (name, check) in enumerate(self.checks.items()):
            progress(number, len(self.checks), Message(check.title))
            finding = self._find(check)
            mended = False
            if finding and fix and check.mend:
                try:
                    with translate_errors(self._parts.store.folder):
                        check.mend()
                except TesseraError as error:
                    _LOG.warning("The check %s can't be mended", name, exc_info=True)
                    finding = error.message
                else:
                    finding = self._find(check)
                    mended = finding is None
                _LOG.info("The check %s was %s", name, "mended" if mended else "not mended")
            checked.append(_to_checked(name, check, finding, mended=mended))
        return Health(self._parts.store.folder, tuple(checked))

    def space(self) -> Space:
        """Return the disk space used by each part of the workspace."""
        parts = self._parts
        folder = parts.store.folder
        disk = disk_space(folder)
        cards = {card.folder or card.name: card.bytes_on_disk for card in parts.models.all()}
        within = {name: files.size(folder / name) for name in ("chroma", "trash", FOLDER, restoring.ASIDE, "logs")}
        return Space(
            folder,
            database=making.database_size(folder),
            index=within["chroma"],
            backups=sum(map(files.size, {folder / BACKUPS, *([parts.backups.place] if parts.backups else [])})),
            trash=within["trash"],
            scratch=within[FOLDER],
            replaced=within[restoring.ASIDE],
            logs=within["logs"],
            models=sum(cards.values()),
            unused=parts.store.database.value(
                "SELECT freelist_count * page_size FROM pragma_freelist_count, pragma_page_size"
            ),
            tokens={
                base.name: size for base in parts.bases.all() if (size := parts.store.vectors.count_bits(base).bytes)
            },
            free=disk.free,
            total=disk.total,
            nearly_full=disk.nearly_full,
        )

    def compact(self, progress: Progress = no_progress) -> Compacted:
        """Free disk space by deleting evaluation copies of bases and unused vectors and rewriting the database.

        Notes can be read in the meantime, but writing has to wait. Raises WorkspaceLocked or DiskFull before anything
        is changed.
        """
        store = self._parts.store
        store.check_writable()
        before = making.database_size(store.folder)
        free = disk_space(store.folder).free
        if free < 2 * before + _SPARE:
            raise DiskFull(
                (
                    "Compacting temporarily needs {need:,.0f} MB, but the disk that contains {folder} has only "
                    "{free:,.0f} MB left. Nothing was changed. Free some space there first."
                ),
                need=(2 * before + _SPARE) / 1e6,
                free=free / 1e6,
                folder=store.folder,
            )
        progress(0, 3, message("Deleting unused data"))
        Scratch(store).drop()
        if not store.pending.any([base.id for base in self._parts.bases.all()]):
            store.drop_unused_vectors()
        progress(1, 3, message("Rewriting the database"))
        with store.changing:
            store.database.compact()
        return Compacted(before, making.database_size(store.folder))

    def _find(self, check: Check) -> Message | None:
        try:
            with translate_errors(self._parts.store.folder):
                return check.find()
        except TesseraError as error:
            return error.message


def diagnose_error(folder: Path, error: TesseraError) -> Health:
    """Return a health report for a workspace that can't be opened. `error` was raised by opening it."""
    name = "config" if isinstance(error, ConfigError) else "database"
    return Health(folder, (_to_checked(name, (OF_DATABASE | OF_MACHINE)[name], error.message, mended=False),))


def _to_checked(name: str, check: Check, finding: Message | None, *, mended: bool) -> Checked:
    return Checked(
        name,
        check.level if finding else "sound",
        Message(check.title),
        Message(check.about),
        finding,
        as_message(check.remedy) if finding else None,
        check.mend is not None,
        mended,
    )
