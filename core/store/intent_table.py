"""Changes of files that are under way: written before the first file is touched, deleted with the end of the act.

What a kill leaves here is taken back at the next opening (`core/notes/file_acts.py`).
"""

from collections.abc import Collection, Iterable
from dataclasses import asdict

from core.base.frozen import frozen
from core.store.table import AMONG, StoreTable


@frozen
class FileStep:
    """A change of a file: its paths in a folder, its bytes before it and the hash of those after it.

    `new_path` is "" for a file that is deleted, and `before` is empty for a new one. One that is only renamed has
    neither bytes nor hash. A step is `left` once it couldn't be taken back.
    """

    folder: str
    path: str
    new_path: str
    before: bytes | None = None
    after: str = ""
    left: bool = False

    @property
    def paths(self) -> tuple[str, str]:
        """The paths at which the step may have changed a file, the one before it first."""
        return self.path, self.new_path or self.path

    @property
    def is_plain(self) -> bool:
        """Whether the file keeps its name: the next update of the folder reads such a change where a kill parts it."""
        return self.path == self.new_path and not self.is_new

    @property
    def is_new(self) -> bool:
        """Whether there was no file before: an empty one is no note."""
        return self.before == b""


class IntentTable(StoreTable):
    """The changes of files that are under way, or that couldn't be taken back, by their numbers."""

    def put(self, steps: Iterable[FileStep]) -> dict[int, FileStep]:
        """Write steps in one transaction, to the disk too; return them by their numbers."""
        connection = self._database.connection
        connection.execute("PRAGMA synchronous = FULL")  # files that are changed next are on the disk at once
        try:
            with self._write(aside=True):
                return {self._insert("file_intents", asdict(step)): step for step in steps}
        finally:
            connection.execute("PRAGMA synchronous = NORMAL")

    def all(self) -> dict[int, FileStep]:
        """Return all steps by their numbers, in their order."""
        rows = self._rows("SELECT id, folder, path, new_path, before, after, left FROM file_intents")
        return {number: FileStep(*values) for number, *values in rows}

    def left(self) -> list[str]:
        """Return the paths of the files that couldn't be taken back."""
        return self._column("SELECT path FROM file_intents WHERE left")

    def leave(self, numbers: Collection[int]) -> None:
        """Record that steps couldn't be taken back."""
        self._execute(f"UPDATE file_intents SET left = 1 WHERE id {AMONG}", numbers, aside=True)

    def drop(self, numbers: Collection[int]) -> None:
        """Delete steps."""
        self._execute(f"DELETE FROM file_intents WHERE id {AMONG}", numbers, aside=True)
