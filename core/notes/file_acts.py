"""Changes to several files that succeed or are undone as a whole, together with the database.

The steps are stored before the first file is touched, and deleted in the transaction that writes the notes. After an
error, and at the next start after a crash, the old files are restored. Changes by another program are never
overwritten; the doctor reports them.
"""

import logging
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from core.base import safe_replace
from core.base.errors import TesseraError
from core.intake.folder import content_hash, is_safe
from core.notes.file_writing import FileChange
from core.store import Store
from core.store.intent_table import FileStep

_LOG = logging.getLogger(__name__)
_Done = TypeVar("_Done")


class FileActs:
    """Changes files together with what the caller writes to the database."""

    def __init__(self, store: Store) -> None:
        self._store = store

    @contextmanager
    def carry_out(
        self, changes: Sequence[FileChange], act: Callable[[FileChange], _Done]
    ) -> Iterator[dict[str, _Done]]:
        """Change files with a function, then let the block write their notes in one transaction.

        Yield the results of the function by note id. After any error, also in the block, all files are restored. A
        single file that keeps its name isn't restored but read by the next update of its folder, so that the user's
        text isn't lost.
        """
        steps = [change.step for change in changes if change.step.before is not None or not change.step.is_plain]
        intents = {} if len(steps) == 1 and steps[0].is_plain else self._store.intents.put(steps)
        try:
            done = {change.note.id: act(change) for change in changes}
            with self._store.database.write():
                yield done
                self._store.intents.drop(intents)
        except BaseException:
            self._take_back(intents)
            raise

    def recover(self) -> None:
        """Undo the unfinished changes of a killed process."""
        if intents := self._store.intents.all():
            _LOG.warning("A stopped process was changing %d files; they are made as they were", len(intents))
            self._take_back(intents)

    def _take_back(self, intents: Mapping[int, FileStep]) -> None:
        try:
            for number, step in [*intents.items()][::-1]:
                (self._store.intents.drop if self._is_settled(step) else self._store.intents.leave)([number])
        except TesseraError:  # a database error; the next opening continues
            _LOG.warning("Files can't be made as they were", exc_info=True)

    def _is_settled(self, step: FileStep) -> bool:
        """Undo a step; return whether it is fully undone, or an update of the folder has read its result."""
        bases, is_stored = self._store.bases, self._is_stored(step)
        try:
            if not (any(bases.is_synced(base.id, step.folder) for base in bases.all()) and _is_inside(step)):
                return is_stored and not step.left
            _sweep(step)
            return not step.left if is_stored else take_back(step)
        except (OSError, RuntimeError, ValueError, TypeError, AttributeError, safe_replace.Changed):
            _LOG.warning("A file can't be made as it was", exc_info=True)
            return False

    def _is_stored(self, step: FileStep) -> bool:
        """Return whether an update has read the file since the step, so that the stored state differs."""
        stored = self._store.database.value(
            "SELECT content_hash FROM notes WHERE source_ref = ? AND path = ?", step.folder, step.path
        )
        if step.is_new:
            return stored is not None
        return stored is None or (step.before is not None and stored != content_hash(step.before))


def _is_inside(step: FileStep) -> bool:
    """Return whether a step's folder exists and its paths stay inside, with all links followed."""
    root = Path(step.folder)
    return root.is_dir() and all(
        is_safe(path) and (root / path).resolve().is_relative_to(root.resolve()) for path in step.paths
    )


def take_back(step: FileStep) -> bool:
    """Restore a file as it was before a step; return False if another program changed it. Raises OSError, Changed.

    The step may be only partly done, because its process was killed.
    """
    old, new = (Path(step.folder) / path for path in step.paths)
    if not step.new_path and step.before is not None and not os.path.lexists(old):
        safe_replace.create(old, step.before)
    if new != old and os.path.lexists(old) and os.path.lexists(new):
        # The second name of a file that was being renamed, or its placeholder; not another spelling of its name.
        if new.stat().st_nlink > 1 if old.samefile(new) else new.read_bytes() in (b"", old.read_bytes()):
            new.unlink()
        new = old
    file = new if os.path.lexists(new) else old
    is_ours = _rewrite(file, step)
    if file != old:
        safe_replace.rename_file(file, old)
    return is_ours


def _rewrite(file: Path, step: FileStep) -> bool:
    """Restore a file's old bytes if the step wrote the current ones; return False if another program did."""
    if step.before is None or not file.exists():
        return True
    data = file.read_bytes()
    if content_hash(data) == step.after:
        if step.is_new:
            safe_replace.remove(file, data)
        else:
            safe_replace.swap(file.resolve(), step.before, data)
        return True
    return data == step.before or step.is_new


def _sweep(step: FileStep) -> None:
    """Delete the temporary files of a killed step, next to its old and its new path."""
    for folder in {(Path(step.folder) / path).parent for path in step.paths}:
        for part in folder.glob(f"{safe_replace.PREFIX}*{safe_replace.SUFFIX}"):
            if (data := part.read_bytes()) in (b"", step.before) or content_hash(data) == step.after:
                part.unlink()
