"""Main program of the process that runs Chroma: `python -m core.store.index.chroma_worker`.

It is a separate process because of Chroma 1.5.9: a damaged HNSW file crashes the process that reads it, and adding
entries holds the GIL. Chroma also remembers a failure to open a folder, so this process ends after such a failure.
"""

import errno
import os
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from filelock import FileLock, Timeout

from core.base.errors import IndexDamaged, StoreError
from core.base.faults import find_write_error, translate_error
from core.base.files import delete
from core.base.messages import message
from core.base.worker_process import serve
from core.store.index import index_check
from core.store.index.backend import Address, Place
from core.store.index.chroma_collections import Collections, RemoteChroma, client_settings, fault_of

if TYPE_CHECKING:
    from chromadb.api import ClientAPI

FRESH, REPLACED = "chroma.new", "chroma.old"
"""Folders next to an index during its rebuilding; they may remain after a kill."""
_LOCK_SECONDS = 60
_FULL = ("disk is full", os.strerror(errno.ENOSPC))
"""Texts in Chroma's errors for a full disk, from SQLite and from the operating system."""
_BUSY = message("another Tessera still has it open")


class NotOpened(Exception):
    """Chroma failed to open a folder; `__cause__` is Chroma's error."""


class Directory(Collections):
    """A Chroma folder that this process has open.

    Opening waits for a process that still has the folder open: if its parent was killed, it closes the folder and ends.
    """

    def __init__(self, folder: Path, *, empty: bool) -> None:
        super().__init__()
        self._folder = folder
        lock = folder.with_name("chroma.lock")
        if os.path.lexists(lock) and (lock.is_symlink() or not lock.is_file()):  # no process can have locked it
            delete(lock)
        self._lock = FileLock(lock, is_singleton=True)
        self._lock.acquire(timeout=_LOCK_SECONDS)
        try:
            for left in (folder,) if empty else map(folder.with_name, (FRESH, REPLACED)):
                delete(left)
            self._files = index_check.checksums(folder)
            self.sound = index_check.unseal(folder, self._files)
            self._client = _client(folder)
        except BaseException:
            self._lock.release()
            raise

    def close(self, *, sealed: bool) -> None:
        """Close the folder; `sealed`: the index is sound."""
        try:
            self._client.close()  # type: ignore[attr-defined]
            if sealed:
                files = index_check.checksums(self._folder)
                index_check.seal(self._folder, files, changed=self._changed or files != self._files)
        finally:
            self._lock.release()


Opened = dict[Place, Directory | RemoteChroma]


def _reply(opened: Opened, request: tuple[Place, str, dict[str, object]]) -> tuple[object, bool]:
    """Return the result of a method or a StoreError, and whether the process should continue."""
    place, verb, arguments = request
    try:
        return _answer(opened, place, verb, arguments), True
    except BaseException as error:  # noqa: BLE001 a panic of Chroma is a BaseException
        reply = _translated(error.__cause__ or error if isinstance(error, NotOpened) else error, place)
        return reply, isinstance(error, Exception) and not isinstance(error, NotOpened)


def _answer(opened: Opened, place: Place, verb: str, arguments: dict[str, Any]) -> object:
    if verb == "open":
        _close(opened, place, sealed=False)
        opened[place] = (
            RemoteChroma(place, **arguments) if isinstance(place, Address) else Directory(place, **arguments)
        )
        return opened[place].sound
    if verb == "close":
        _close(opened, place, **arguments)
        return None
    if place not in opened:
        raise IndexDamaged("The search index is not open yet.")
    return getattr(opened[place], verb)(**arguments)


def _close(opened: Opened, place: Place, *, sealed: bool) -> None:
    collections = opened.pop(place, None)
    if collections is not None:
        collections.close(sealed=sealed)


def _client(folder: Path) -> "ClientAPI":
    """Return a client for a folder; raises NotOpened."""
    import chromadb

    folder.mkdir(parents=True, exist_ok=True)
    try:
        return chromadb.PersistentClient(str(folder), client_settings())
    except Exception as error:
        raise NotOpened from error


def _translated(error: BaseException, place: Place) -> StoreError:
    if isinstance(error, StoreError):
        return error
    return fault_of(error, place) if isinstance(place, Address) else _translate_folder_error(error, place)


def _translate_folder_error(error: BaseException, folder: Path) -> StoreError:
    why = _BUSY if isinstance(error, Timeout) else str(error) or type(error).__name__
    if any(words in str(error) for words in _FULL):
        return translate_error(OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)), folder.parent)
    return find_write_error(folder.parent) or IndexDamaged(
        "The search index can't be read or written ({why}). Your notes are safe. Rebuild the "
        "index: on the Settings page, or with 'tessera rebuild'.",
        why=why,
    )


def main() -> None:
    """Answer requests, each with a place, a method's name and its arguments; close all places at the end."""
    # Building a graph uses all cores, so give writers of notes and other programs priority.
    if hasattr(os, "nice"):
        os.nice(10)
    opened: Opened = {}
    serve(partial(_reply, opened))
    for collections in opened.values():
        with suppress(Exception):
            collections.close(sealed=False)


if __name__ == "__main__":
    main()
