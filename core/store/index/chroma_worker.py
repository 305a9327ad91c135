"""Main program of the process that runs Chroma (`python -m core.store.index.chroma_worker`).

Chroma 1.5.9 needs a separate process because a damaged HNSW file crashes the process that reads it, and because adding
entries holds the GIL. If Chroma once fails to open a folder, it keeps failing, so this process exits after such a
failure.
"""

import json
import os
import zlib
from collections.abc import Mapping
from contextlib import suppress
from errno import ENOSPC
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from core.base.errors import IndexDamaged, StoreError
from core.base.faults import find_write_error, translate_error
from core.base.files import delete, load, open_regular, replace
from core.base.frozen import Values
from core.base.messages import message
from core.base.worker_process import serve
from core.store.index.chroma_collections import Address, Collections, Place, RemoteChroma, client_settings, fault_of

if TYPE_CHECKING:
    from chromadb.api import ClientAPI

FRESH = "chroma.new"
# Names of the new and the replaced index's folder during a rebuild. A killed process leaves them behind.
REPLACED = "chroma.old"
_LOCK_SECONDS = 60
# Phrases in Chroma's errors for a full disk, from SQLite and from the operating system.
_FULL = ("disk is full", os.strerror(ENOSPC))


class NotOpened(Exception):
    """Chroma failed to open a folder. `__cause__` is Chroma's error."""


class Directory(Collections):
    """A Chroma folder opened by this process.

    If another process has the folder open, wait up to a minute for it to close the folder. A worker whose parent
    process was killed closes its folders and exits.
    """

    def __init__(self, folder: Path, *, empty: bool) -> None:
        super().__init__()
        self._folder = folder
        lock = folder.with_name("chroma.lock")
        if os.path.lexists(lock) and (lock.is_symlink() or not lock.is_file()):  # can't be a lock
            delete(lock)
        self._lock = FileLock(lock, is_singleton=True)
        self._lock.acquire(timeout=_LOCK_SECONDS)
        try:
            for left in (folder,) if empty else map(folder.with_name, (FRESH, REPLACED)):
                delete(left)
            self._files = checksums(folder)
            self.sound = unseal(folder, self._files)
            self._client = _client(folder)
        except BaseException:
            self._lock.release()
            raise

    def close(self, *, sealed: bool) -> None:
        """Close the folder. With `sealed`, seal it to mark the index as undamaged."""
        try:
            self._client.close()  # type: ignore[attr-defined]
            if sealed:
                files = checksums(self._folder)
                seal(self._folder, files, changed=self._changed or files != self._files)
        finally:
            self._lock.release()


# The seal of a closed index is a file next to its folder. It contains the sizes and checksums of the index's files.
# While an index is in use, or if its process was killed, there is no seal.

# Maps each file's path within the folder to its size and CRC-32. These detect damage, but not forgery.
Files = Mapping[str, list[int]]

_BLOCK = 1 << 20
# Minimum size in bytes for a file to be checked for holes.
_HOLLOW = 1 << 26


def checksums(folder: Path) -> Files:
    """Return the size and checksum of each file in a folder.

    Raises IndexDamaged if the folder contains anything but files and folders, or a file that consists mostly of holes.
    If HNSW is killed while writing, it may leave a sparse file of 137 GB (chroma-core/chroma#7510).
    """
    checksums = {}
    for file in sorted(file for file in folder.rglob("*") if not file.is_dir()):
        if not file.is_file():
            raise IndexDamaged("The files of the search index have changed since it was closed.")
        stat = file.stat()
        checksum = 0
        if stat.st_size > _HOLLOW and getattr(stat, "st_blocks", stat.st_size) * 512 < stat.st_size / 2:
            raise IndexDamaged("One of the search index's files is mostly empty.")
        with open_regular(file) as stream:
            while block := stream.read(_BLOCK):
                checksum = zlib.crc32(block, checksum)
        checksums[file.relative_to(folder).as_posix()] = [stat.st_size, checksum]
    return checksums


def seal(folder: Path, present: Files, *, changed: bool) -> None:
    """Seal a folder. `changed` means that its files were written to since they were last known to be undamaged."""
    replace(seal_file(folder), json.dumps({"changed": changed, "files": present}))


def unseal(folder: Path, present: Files) -> bool:
    """Delete the seal, and return whether it proves that the files are undamaged.

    Raises IndexDamaged if the files have changed since the folder was sealed.
    """
    file = seal_file(folder)
    record = load(file, lambda stored: (stored["files"] == present, stored["changed"]), aside=True)
    same, changed = record or (True, True)
    delete(file)
    if not same:
        raise IndexDamaged("The files of the search index have changed since it was closed.")
    return not changed


def seal_file(folder: Path) -> Path:
    return folder.with_name(f"{folder.name}.seal")


# Requests.

Opened = dict[Place, Directory | RemoteChroma]


def _reply(opened: Opened, request: tuple[Place, str, Values]) -> tuple[object, bool]:
    """Handle a request. Return the method's result or a StoreError, and whether the process should keep running."""
    place, verb, arguments = request
    try:
        if verb in ("open", "close") and place in opened:
            opened.pop(place).close(sealed=bool(arguments.get("sealed")))
        if verb == "open":
            kind = RemoteChroma if isinstance(place, Address) else Directory
            opened[place] = kind(place, **arguments)  # type: ignore[arg-type]
            return opened[place].sound, True
        if verb == "close":
            return None, True
        if place not in opened:
            return IndexDamaged("The search index is not open yet."), True
        return getattr(opened[place], verb)(**arguments), True
    except BaseException as error:  # noqa: BLE001 a panic in Chroma raises a BaseException
        cause = error.__cause__ or error if isinstance(error, NotOpened) else error
        goes_on = isinstance(error, Exception) and not isinstance(error, NotOpened)
    if isinstance(cause, StoreError):
        return cause, goes_on
    return fault_of(cause, place) if isinstance(place, Address) else _folder_fault(cause, place), goes_on


def _client(folder: Path) -> "ClientAPI":
    """Return a client for a folder. Raises NotOpened if Chroma fails to open the folder."""
    import chromadb

    folder.mkdir(parents=True, exist_ok=True)
    try:
        return chromadb.PersistentClient(str(folder), client_settings())
    except Exception as error:
        raise NotOpened from error


def _folder_fault(error: BaseException, folder: Path) -> StoreError:
    """Return the error for a failed call on a folder.

    The error says that the disk is full, the folder can't be written to, or the index is damaged.
    """
    why = (
        message("another Tessera still has it open")
        if isinstance(error, Timeout)
        else str(error) or type(error).__name__
    )
    if any(words in str(error) for words in _FULL):
        return translate_error(OSError(ENOSPC, os.strerror(ENOSPC)), folder.parent)
    return find_write_error(folder.parent) or IndexDamaged(
        "The search index can't be read or written ({why}). Your notes are safe. Rebuild the index on the Settings "
        "page or with 'tessera rebuild'.",
        why=why,
    )


def main() -> None:
    """Answer requests until there are no more, and then close everything.

    A request consists of a folder or address, a method name and arguments.
    """
    # Building a graph uses all cores. Let other programs and the processes that write notes go first.
    if hasattr(os, "nice"):
        os.nice(10)
    opened: Opened = {}
    serve(partial(_reply, opened))
    for collections in opened.values():
        with suppress(Exception):
            collections.close(sealed=False)


if __name__ == "__main__":
    main()
