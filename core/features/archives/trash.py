"""The deleted bases of a workspace, and other files in the folder of their archives."""

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from core.base import files
from core.base.errors import SourceError, UnknownChoice
from core.base.faults import BACKUPS, translate_errors
from core.base.swapping import sync_folder
from core.features.archives import whole
from core.features.archives.trashed_table import TrashedTable
from core.model import TrashedBase
from core.store import Store

TRASH = "trash"
"""The folder in a workspace that holds deleted bases."""
LOG = "log.txt"
"""The file in that folder that says what left it by its age."""

_AT = "%Y%m%dT%H%M%S%f"
_OWN = re.compile(r"(\d{8}T\d{12})-[\w-]+\.zip", re.ASCII)
"""The name of a file that Tessera wrote there."""
_NOTES = "-notes.zip"
"""Suffix of the names of archives of notes."""


class BaseTrash:
    """The archives of deleted bases. For a week more, `last` holds those that were in the trash too long."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._table = TrashedTable(store.database)
        self.folder = store.folder / TRASH
        self.last = store.folder / BACKUPS / TRASH

    def all(self) -> list[TrashedBase]:
        """Return the deleted bases, the last deleted first; a file that is no archive of a base has a `problem`."""
        listed = [_described(file, expired=folder == self.last) for folder in self._folders for file in _files(folder)]
        return sorted(listed, key=lambda trashed_base: (trashed_base.at, trashed_base.key), reverse=True)

    def file(self, key: str) -> Path:
        """Return the file of a deleted base by its key; raises UnknownChoice."""
        known = {_key(file): file for folder in reversed(self._folders) for file in _files(folder)}
        if key not in known:
            raise UnknownChoice("deleted base", key, known)
        return known[key]

    def put(self, base_id: str, data: bytes) -> Path:
        """Write the archive of a base that is being deleted; return its file. Raises OSError."""
        return self._write(self.folder, f"{base_id}.zip", data)

    def put_notes(self, base_id: str, data: bytes) -> Path:
        """Write the archive of notes that leave the trash for good; return its file. Raises OSError."""
        files.folder(self.last.parent)
        return self._write(self.last, f"{base_id}{_NOTES}", data)

    def _write(self, folder: Path, name: str, data: bytes) -> Path:
        """Write an archive, and its digest, by which it is known as the program's own."""
        file = files.folder(folder) / f"{datetime.now(UTC):{_AT}}-{name}"
        files.replace(file, data)
        sync_folder(folder)
        self._table.put(file.name, data)
        return file

    def expire(self, file: Path) -> Path:
        """Move a deleted base to where it stays for a week more; return its file there. Raises OSError."""
        files.folder(self.last.parent)
        place = file.rename(files.folder(self.last) / file.name)
        sync_folder(self.last)
        return place

    def drop(self, dropped: Iterable[Path]) -> int:
        """Delete a file or folder of the trash for good; return how many. Raises StoreError."""
        self._store.database.check_writable()
        chosen = list(dropped)
        with translate_errors(self.folder):
            for file in chosen:
                files.delete(file)
                self._table.drop(_key(file))
        return len(chosen)

    def every(self) -> list[Path]:
        """Return every file and folder that is listed."""
        return [file for folder in self._folders for file in _files(folder)]

    def dated_files(self, folder: Path) -> Iterator[tuple[Path, datetime]]:
        """Yield the files of one of the two folders whose names Tessera made, with the time in the name."""
        for file in _files(folder):
            with suppress(ValueError):
                if (name := _OWN.fullmatch(file.name)) and file.is_file():
                    yield file, datetime.strptime(name[1], _AT).replace(tzinfo=UTC)

    @property
    def _folders(self) -> tuple[Path, Path]:
        return self.folder, self.last


def _files(folder: Path) -> list[Path]:
    """Return what lies in a folder, without hidden files and the log; nothing where it can't be read."""
    with suppress(OSError):
        return sorted(file for file in folder.iterdir() if not file.name.startswith(".") and file.name != LOG)
    return []


def _key(file: Path) -> str:
    """Return the name of a file as text, even if its bytes are no text."""
    return os.fsencode(file.name).decode("utf-8", "replace")


def _described(file: Path, *, expired: bool) -> TrashedBase:
    size, at = _state(file)
    name = _OWN.fullmatch(file.name)
    with suppress(ValueError):
        at = datetime.strptime(name[1], _AT).replace(tzinfo=UTC) if name else at
    try:
        base = whole.base_of(file)
        titles = whole.titles_of(file) if file.name.endswith(_NOTES) else ()
    except SourceError as error:
        return TrashedBase(_key(file), _key(file), size, at, problem=error.reason, expired=expired)
    return TrashedBase(_key(file), base.name, size, at, titles=titles, expired=expired)


def _state(file: Path) -> tuple[int, datetime]:
    """Return the size and the time of a file or folder; a time outside of the calendar becomes its first."""
    with suppress(OSError, ValueError, OverflowError):
        state = file.lstat()
        return state.st_size, datetime.fromtimestamp(state.st_mtime, UTC)
    return 0, datetime.fromtimestamp(0, UTC)
