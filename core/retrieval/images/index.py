"""Background embedding of the pictures in notes; a picture is embedded once per hash and model."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial

from core.base.errors import ConfigError, NoteNotFound, SourceError
from core.base.jobs import Jobs
from core.documents.converting import PictureReader
from core.documents.kinds import PICTURES
from core.indexing import cutter
from core.model import ImageStatus, Note, NotePicture, PictureFile, Progress, no_progress
from core.notes.attachments import data_of, seen
from core.retrieval import images
from core.retrieval.images import ImageEmbedder
from core.settings.config import Settings
from core.store import Store

_JOB = "images"
_PATIENCE = 0.3
"""Seconds between two checks for jobs that embedding waits for."""


class ImageIndex:
    """Embeds the pictures of notes while no other job runs; does nothing without a model."""

    def __init__(self, store: Store, settings: Settings, jobs: Jobs) -> None:
        self._store, self._settings, self._jobs = store, settings, jobs
        self._turn = threading.Lock()

    def start(self) -> bool:
        """Start the job `images`, or make it check again; return False if no model is chosen."""
        wanted = bool(self._settings.pictures.model) and not self._store.readonly
        return wanted and self._jobs.start(_JOB, self.update, again=True, quiet=True)

    def update(self, progress: Progress = no_progress, *, again: bool = False) -> int:
        """Embed new and changed pictures; return their number. With `again`, also retry those that failed.

        Raises ConfigError if no model is chosen, UnknownChoice or ModelError if it can't be used.
        """
        self._store.database.check_writable()
        embedder = self._embedder()
        model = embedder.fingerprint
        if again:
            self._store.images.forget_problems()
        while not self._turn.acquire(timeout=_PATIENCE):
            progress(0, 0, "")
        try:
            self._name(progress)
            for file in self._store.images.files():
                progress(0, 0, "")
                if (now := seen(file)) is not None:
                    self._store.images.update_file(file.note_id, now)
            done = self._embed(embedder, progress)
            self._store.images.drop_unused(model)
            return done
        finally:
            self._turn.release()

    def status(self) -> ImageStatus:
        """Return the numbers of embedded, failed and pending pictures.

        Downloads nothing; raises the errors of `update`.
        """
        embedder = self._embedder()
        return self._store.images.status(embedder.fingerprint if embedder.is_here else "")

    def _embedder(self) -> ImageEmbedder:
        if not self._settings.pictures.model:
            raise ConfigError(
                ("No model for pictures is set. Choose one in Settings, or set 'model' in {section} of tessera.toml."),
                section="[pictures]",
            )
        return images.build(self._settings.pictures.model)

    def _name(self, progress: Progress) -> None:
        """Store the pictures of new and changed notes."""
        for note_id in self._store.images.notes_without_pictures():
            progress(0, 0, "")
            try:
                note = self._store.notes.note(note_id)
            except NoteNotFound:
                continue
            before = self._store.images.for_note(note_id)
            shown = [*cutter.list_pictures(note, before), *_page(note, before)]
            self._store.images.put(note_id, shown, note.generation)

    def _embed(self, embedder: ImageEmbedder, progress: Progress) -> int:
        waiting, done = self._store.images.pending_files(embedder.fingerprint), 0
        with closing(PictureReader()) as reader:
            for number, picture_file in enumerate(waiting):
                report = partial(progress, number, len(waiting), picture_file.picture.place)
                while any(job.state == "running" and job.name != _JOB for job in self._jobs.all()):
                    report()
                    time.sleep(_PATIENCE)
                report()
                done += self._see(embedder, picture_file, reader, report)
        return done

    def _see(
        self, embedder: ImageEmbedder, picture_file: PictureFile, reader: PictureReader, look: Callable[[], object]
    ) -> bool:
        """Embed a picture, or store why it can't be embedded.

        A picture that is being changed is left for the next check.
        """
        if (data := data_of(picture_file)) is None:
            return False
        try:
            pixels = reader.shrink(data, picture_file.picture.place, look)
        except SourceError as error:
            self._store.images.keep(embedder.fingerprint, picture_file.picture.hash, None, error.reason)
            return False
        (vector,) = embedder.embed_images([pixels])
        self._store.images.keep(embedder.fingerprint, picture_file.picture.hash, vector)
        return True


def _page(note: Note, before: list[NotePicture]) -> Iterator[NotePicture]:
    """Yield the file of a note whose text was read from a picture."""
    if note.document and note.document.kind in PICTURES and note.path:
        own = NotePicture(f"/{note.path}")
        yield next((picture for picture in before if picture.target == own.target), own)
