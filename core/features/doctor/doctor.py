"""All checks of a workspace, made one after the other."""

import logging
from collections.abc import Mapping
from pathlib import Path

from core.base.errors import ConfigError, TesseraError
from core.base.faults import translate_errors
from core.base.messages import Message
from core.features.doctor import space
from core.features.doctor.check import Check, WorkspaceParts
from core.features.doctor.database_checks import OF_DATABASE
from core.features.doctor.file_checks import OF_FILES
from core.features.doctor.resource_checks import OF_NEEDS
from core.model import Checked, Compacted, Health, Progress, Space, no_progress

CHECKS: Mapping[str, Check] = OF_DATABASE | OF_NEEDS | OF_FILES
"""All checks by their names."""
_LOG = logging.getLogger(__name__)


class Doctor:
    """Examines a workspace, and mends what can be mended."""

    def __init__(self, parts: WorkspaceParts) -> None:
        self._parts = parts

    def examine(self, *, fix: bool = False, progress: Progress = no_progress) -> Health:
        """Make all checks; with `fix` mend what they find. Raises WorkspaceLocked where only reading is allowed."""
        if fix:
            self._parts.store.database.check_writable()
        checked = []
        for number, (name, check) in enumerate(CHECKS.items()):
            progress(number, len(CHECKS), check.title)
            checked.append(self._checked(name, check, fix=fix))
        return Health(self._parts.store.folder, tuple(checked))

    def space(self) -> Space:
        """Return what the workspace takes on disk."""
        return space.space(self._parts)

    def compact(self, progress: Progress = no_progress) -> Compacted:
        """Give back what is unused; raises DiskFull before anything is changed, WorkspaceLocked."""
        return space.compact(self._parts, progress)

    def _checked(self, name: str, check: Check, *, fix: bool) -> Checked:
        finding = self._find(check)
        mended = False
        if finding and fix and check.mend:
            try:
                with translate_errors(self._parts.store.folder):
                    check.mend(self._parts)
            except TesseraError as error:
                _LOG.warning("The check %s can't be mended", name, exc_info=True)
                finding = error.message
            else:
                finding = self._find(check)
                mended = finding is None
            _LOG.info("The check %s was %s", name, "mended" if mended else "not mended")
        return _to_checked(name, check, finding, mended=mended)

    def _find(self, check: Check) -> Message | None:
        try:
            with translate_errors(self._parts.store.folder):
                return check.find(self._parts)
        except TesseraError as error:
            return error.message


def diagnose_error(folder: Path, error: TesseraError) -> Health:
    """Return what is wrong with a workspace that can't be opened."""
    name = "config" if isinstance(error, ConfigError) else "database"
    return Health(folder, (_to_checked(name, CHECKS[name], error.message, mended=False),))


def _to_checked(name: str, check: Check, finding: Message | None, *, mended: bool) -> Checked:
    level = check.level if finding else "sound"
    remedy = check.remedy if finding else None
    return Checked(name, level, check.title, check.about, finding, remedy, check.mend is not None, mended)
