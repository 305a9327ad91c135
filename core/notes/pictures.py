"""OCR of pictures in notes, in the background and once per distinct picture."""

import hashlib
import logging
import os
import stat
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from core import embedding
from core.base import files
from core.base.errors import NoteNotFound, SourceError, UnknownChoice
from core.base.jobs import Jobs
from core.base.text import make_storable
from core.documents import converting
from core.documents.process import Interrupted
from core.indexing import cutter
from core.indexing.embed_queue import FAILURES
from core.indexing.indexer import Indexer
from core.indexing.pending import PendingChunks
from core.model import Failed, NotePicture, PictureFile, Progress, ReadPicture, no_progress
from core.notes import attachments
from core.store import Store

_LOG = logging.getLogger(__name__)
_JOB = "pictures"
_PATIENCE = 0.3
"""Seconds between checks of the jobs that OCR waits for."""
_NONE = NotePicture("", looked=True)


class Pictures:
    """Runs OCR on the pictures of bases that enable it, while no other job runs. A stopped run keeps its results."""

    def __init__(self, store: Store, pending: PendingChunks, jobs: Jobs) -> None:
        self._store, self._pending, self._jobs = store, pending, jobs
        self._turn = threading.Lock()

    @property
    def can_read(self) -> bool:
        """Whether a picture reader is installed."""
        return converting.can_read()

    def start(self) -> bool:
        """Start the job `pictures`, or let a running one check again; return False if there are no pictures to read."""
        wanted = not self._store.readonly and self.can_read and self._store.pictures.any_read()
        return wanted and self._jobs.start(_JOB, self._read_all, again=True, quiet=True)

    def switched(self) -> None:
        """Apply the changed switch of a base at once: remove its picture chunks, or start reading its pictures."""
        self._drop_left_over()
        self.start()

    def read(self, progress: Progress = no_progress, *, again: bool = False) -> int:
        """Read new, changed and interrupted pictures now; return their number.

        With `again`, also read pictures that couldn't be read before. Raises ConfigError with the command to run if no
        picture reader is installed.
        """
        self._store.database.check_writable()
        converting.check_picture_reader()
        self._store.pictures.forget_problems(lasting=again)
        return self._read_all(progress)

    def problems(self, note_id: str) -> list[Failed]:
        """Return the reasons why pictures of a note couldn't be read, by their targets in its text."""
        return self._store.pictures.problems(note_id)

    def _read_all(self, progress: Progress) -> int:
        while not self._turn.acquire(timeout=_PATIENCE):
            progress(0, 0, "")
        try:
            self._drop_left_over()
            self._name(progress)
            self._look(progress)
            self._place()
            return self._read_files(progress)
        finally:
            self._turn.release()

    def _drop_left_over(self) -> None:
        """Remove pictures, with their chunks, from bases that no longer read them."""
        with self._store.changing:
            note_ids = self._store.pictures.left_over()
            if not note_ids:
                return
            self._store.open_index()
            owners = self._store.notes.base_ids(note_ids)
            bases = [base for base in self._store.bases.all() if base.id in owners.values()]
            stale = [
                self._store.chunks.entries([note_id for note_id, owner in owners.items() if owner == base.id])
                for base in bases
            ]
            self._store.pictures.drop(note_ids)
            for base, entries in zip(bases, stale, strict=True):
                self._store.index.follow(base, entries)
        _LOG.info("Pictures of %d notes aren't read any more", len(note_ids))

    def _name(self, progress: Progress) -> None:
        """List the pictures of notes that were stored before their base began to read pictures."""
        for note_id in self._store.pictures.unnamed():
            progress(0, 0, "")
            with self._store.changing:
                try:
                    note = self._store.notes.note(note_id)
                except NoteNotFound:
                    continue
                self._store.pictures.put(note_id, cutter.list_pictures(note, self._store.pictures.for_note(note_id)))

    def _look(self, progress: Progress) -> None:
        """Find the files of pictures, and hash new and changed ones."""
        for picture_file in self._store.pictures.files():
            progress(0, 0, "")
            if (now := seen(picture_file)) is not None:
                self._store.pictures.look(picture_file.note_id, now)

    def _place(self) -> None:
        """Chunk the notes whose pictures were read again, each once, so that searches find the text of the pictures."""
        by_base: defaultdict[str, list[str]] = defaultdict(list)
        same: list[str] = []
        for base_id, note_id, differs in self._store.pictures.unplaced():
            (by_base[base_id] if differs else same).append(note_id)
        self._store.pictures.settle(same)
        for base_id, note_ids in by_base.items():
            self._place_in(base_id, note_ids)

    def _place_in(self, base_id: str, note_ids: Sequence[str]) -> None:
        try:
            base = self._store.bases.by_id(base_id)
            done = Indexer(self._store, base, embedding.build(base.embedder)).recut_words(note_ids)
        except (*FAILURES, UnknownChoice):
            _LOG.warning("Pictures aren't found yet: their notes can't be split", exc_info=True)
            return
        # Also notes that can't be chunked: they aren't tried again until their text or pictures change.
        self._store.pictures.settle(note_ids)
        self._pending.embed_written(done.notes)

    def _read_files(self, progress: Progress) -> int:
        unread, done = self._store.pictures.unread(), 0
        with closing(converting.PictureReader()) as reader:
            for number, picture_file in enumerate(unread):

                def report(number: int = number, place: str = picture_file.picture.place) -> None:
                    progress(number, len(unread), place)

                while self._others():
                    reader.close()  # frees the reader's memory
                    report()
                    time.sleep(_PATIENCE)
                report()
                if (data := data_of(picture_file)) is None:
                    continue  # the file is changing right now; the next check finds it
                self._keep(picture_file, data, reader, report)
                done += 1
                self._place()
        return done

    def _keep(
        self, picture_file: PictureFile, data: bytes, reader: converting.PictureReader, report: Callable[[], object]
    ) -> None:
        """Read a picture, and store its text or the reason why it has none."""
        started = time.perf_counter()
        try:
            text, version = reader.read(data, picture_file.picture.place, report)
        except SourceError as error:
            again = isinstance(error, Interrupted)
            self._store.pictures.keep(ReadPicture(picture_file.picture.hash, "", ""), error.reason, again=again)
            return
        self._store.pictures.keep(ReadPicture(picture_file.picture.hash, make_storable(text).strip(), version))
        _LOG.info("Read a picture of %d bytes in %.1f s", len(data), time.perf_counter() - started)

    def _others(self) -> bool:
        """Return whether other jobs are running."""
        return any(job.state == "running" and job.name not in (_JOB, "images") for job in self._jobs.all())


def seen(picture_file: PictureFile) -> NotePicture | None:
    """Return the current state of a picture's file, with its hash; None if it is unchanged or can't be checked."""
    now, before = _as_file(picture_file), picture_file.picture
    if now is None:
        return None
    if before.looked and (now.place, now.mtime_ns, now.size) == (before.place, before.mtime_ns, before.size):
        return None
    data = _data(picture_file, now) if now.place else b""
    return None if data is None else replace(now, hash=hashlib.sha256(data).hexdigest() if now.place else "")


def data_of(picture_file: PictureFile) -> bytes | None:
    """Return the bytes of a picture; None if its file can't be read or has changed."""
    now = _as_file(picture_file)
    data = _data(picture_file, now) if now and now.place else None
    return data if data is not None and hashlib.sha256(data).hexdigest() == picture_file.picture.hash else None


def _as_file(picture_file: PictureFile) -> NotePicture | None:
    """Return the current path, time and size of a picture's file, without its hash; None if it can't be checked."""
    file = attachments.locate(picture_file.source_ref, picture_file.path, picture_file.picture.target)
    if file is None:
        # If a folder is unavailable, its notes lose nothing.
        return replace(_NONE, target=picture_file.picture.target) if Path(picture_file.source_ref).is_dir() else None
    try:
        status = file.path.stat()
    except OSError:
        return None
    return replace(
        _NONE, target=picture_file.picture.target, place=file.place, mtime_ns=status.st_mtime_ns, size=status.st_size
    )


def _data(picture_file: PictureFile, now: NotePicture) -> bytes | None:
    """Return the bytes of a regular file, None if it can't be read. Never blocks on pipes or follows links."""
    flags = os.O_RDONLY | files.AT_ONCE | getattr(os, "O_NOFOLLOW", 0)
    try:
        with os.fdopen(os.open(Path(picture_file.source_ref) / now.place, flags), "rb") as stream:
            status = os.fstat(stream.fileno())
            if not stat.S_ISREG(status.st_mode) or status.st_size > attachments.MOST:
                return None
            return stream.read(attachments.MOST + 1)
    except OSError:
        return None
