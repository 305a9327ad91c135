"""Changes of files that are under way: written before the first file is touched, deleted with the end of the act.

What a kill leaves here is taken back at the next opening (`core/notes/file_acts.py`).
"""

import zlib
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from core.store.table import AMONG, StoreTable


@dataclass(frozen=True, slots=True)
class FileStep:
    """A change of a file: its paths in a folder, its bytes before it and the hash of those after it.

    `new_path` is "" for a file that is deleted. One that is only renamed has neither bytes nor hash. A step is `left`
    once it couldn't be taken back.
    """

    folder: str
    path: str
    new_path: str
    before: bytes | None = None
    after: str = ""
    left: bool = False

    @property
    def is_plain(self) -> bool:
        """Whether the file keeps its name: the next update of the folder reads such a change where a kill parts it."""
        return self.path == self.new_path


class IntentTable(StoreTable):
    """The changes of files that are under way, or that couldn't be taken back."""

    def put(self, steps: Iterable[FileStep]) -> dict[int, FileStep]:
        """Write steps in one transaction; return them by their numbers."""
        with self._database.write(aside=True):
            return {self._put(step): step for step in steps}

    def _put(self, step: FileStep) -> int:
        before = None if step.before is None else zlib.compress(step.before, 1)
        names = {"folder": step.folder, "path": step.path, "new_path": step.new_path}
        return self._database.insert("file_intents", names | {"before": before, "after": step.after})

    def all(self) -> dict[int, FileStep]:
        """Return all steps by their numbers, in their order; a damaged row counts as one that is left."""
        rows = self._database.rows("SELECT * FROM file_intents ORDER BY id")
        return {row["id"]: _step(*map(row.__getitem__, _COLUMNS)) for row in rows}

    def left(self) -> list[str]:
        """Return the paths of the files that couldn't be taken back."""
        return self._database.column("SELECT path FROM file_intents WHERE left ORDER BY id")

    def leave(self, numbers: Collection[int]) -> None:
        """Record that steps couldn't be taken back."""
        self._database.execute(f"UPDATE file_intents SET left = 1 WHERE id {AMONG}", [*numbers], aside=True)

    def drop(self, numbers: Collection[int]) -> None:
        """Delete steps."""
        if numbers:
            self._database.execute(f"DELETE FROM file_intents WHERE id {AMONG}", [*numbers], aside=True)

    def drop_left(self) -> None:
        """Delete the steps that couldn't be taken back."""
        self._database.execute("DELETE FROM file_intents WHERE left", aside=True)


_COLUMNS = ("folder", "path", "new_path", "before", "after", "left")


def _step(folder: object, path: object, new_path: object, before: object, after: object, left: object) -> FileStep:
    try:
        data = zlib.decompress(before) if isinstance(before, bytes) else None
    except zlib.error:
        data, folder = None, ""  # which is no folder of a base, so that nothing is written
    return FileStep(str(folder), str(path), str(new_path), data, str(after), bool(left))
