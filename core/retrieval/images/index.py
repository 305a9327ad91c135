"""Search for pictures in notes, and embed the pictures in the background, once per hash and model."""

import logging
import threading
import time
from collections.abc import Collection, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from core.base.errors import ConfigError, NoteNotFound, QueryError, SourceError, TesseraError
from core.base.jobs import Jobs
from core.documents.converting import PictureReader
from core.documents.kinds import PICTURES
from core.indexing import cutter
from core.model import (
    ImageStatus,
    Matrix,
    NotePicture,
    PictureHit,
    Prepared,
    Progress,
    Query,
    SearchResult,
    no_progress,
)
from core.notes.attachments import data_of, seen
from core.notes.collection import Notes
from core.query.own_words import names_picture
from core.retrieval import images
from core.retrieval.images import ImageEmbedder
from core.settings.config import Settings
from core.store import Store
from core.store.picture_table import ImageRow, is_of_pictures

_LOG = logging.getLogger(__name__)
_WARM = "warm_images"
_JOB = "images"
# Seconds between checks whether other jobs are running.
_PATIENCE = 0.3


@dataclass(eq=False)
class ImageIndex:
    """Embeds the notes' pictures while no other job is running."""

    _store: Store
    _settings: Settings
    _jobs: Jobs
    _turn: threading.Lock = field(default_factory=threading.Lock)

    def start(self) -> bool:
        """Start the `images` job. If it is already running, make it run once more.

        Return False if no model is chosen or the workspace is read-only.
        """
        if not self._settings.pictures.model or self._store.readonly:
            return False
        return self._jobs.start(_JOB, self.update, again=True, quiet=True)

    def update(self, progress: Progress = no_progress, *, again: bool = False) -> int:
        """Embed new and changed pictures, and return how many were embedded. `again` also retries failed pictures.

        Raises ConfigError if no model is chosen, and UnknownChoice or ModelError if the model can't be used.
        """
        self._store.database.check_writable()
        embedder = self._embedder()
        table = self._store.images
        if again:
            table.forget_problems()
        while not self._turn.acquire(timeout=_PATIENCE):
            progress(0, 0, "")
        try:
            self._name(progress)
            for file in table.files():
                progress(0, 0, "")
                if (now := seen(file)) is not None:
                    table.look(file.note_id, now)
            done = self._embed(embedder, progress)
            table.drop_unused(embedder.fingerprint)
            return done
        finally:
            self._turn.release()

    def status(self) -> ImageStatus:
        """Return how many pictures are embedded, failed and pending, without downloading the model.

        Raises the same errors as `update`.
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
        """Record which pictures appear in new and changed notes.

        If a note was converted from a picture file, record that file too.
        """
        for note_id in self._store.images.notes_without_pictures():
            progress(0, 0, "")
            with suppress(NoteNotFound):
                note = self._store.notes.note(note_id)
                before = self._store.images.for_note(note_id)
                shown = list(cutter.list_pictures(note, before))
                if note.document and note.document.kind in PICTURES and note.path:
                    own = NotePicture(f"/{note.path}")
                    shown.append(next((picture for picture in before if picture.target == own.target), own))
                self._store.images.put(note_id, shown, note.generation)

    def _embed(self, embedder: ImageEmbedder, progress: Progress) -> int:
        """Embed the pending pictures, and return how many were embedded. If a picture fails, store the reason.

        A file that can't be read or has just changed is left for the next check.
        """
        table = self._store.images
        model = embedder.fingerprint
        done = 0
        waiting = table.pending_files(model)
        with closing(PictureReader()) as reader:
            for number, file in enumerate(waiting):
                picture = file.picture
                report = partial(progress, number, len(waiting), picture.place)
                while any(job.state == "running" and job.name != _JOB for job in self._jobs.all()):
                    report()
                    time.sleep(_PATIENCE)
                report()
                if (data := data_of(file)) is None:
                    continue
                try:
                    pixels = reader.shrink(data, picture.place, report)
                except SourceError as error:
                    table.keep(model, picture.hash, None, error.reason)
                    continue
                (vector,) = embedder.embed_images([pixels])
                table.keep(model, picture.hash, vector)
                done += 1
        return done


@dataclass(eq=False)
class ImageSearch:
    """Finds pictures in notes, if there is a model and the question asks for pictures."""

    _store: Store
    _settings: Settings
    _notes: Notes
    _jobs: Jobs
    _loaded: set[str] = field(default_factory=set)

    def add_pictures(self, prepared: Prepared, result: SearchResult) -> SearchResult:
        """Add the pictures a question asks for. If the question only asks for similar pictures, drop the hits.

        If the model isn't loaded and the caller doesn't wait, add a notice instead and load the model in a job. Raises
        QueryError if a picture to compare with doesn't exist.
        """
        query = prepared.query
        alike = [
            name for condition in query.filters.conditions if condition.field == "like" for name in condition.values
        ]
        pictures = self._find(query, alike, wait=prepared.wait)
        if pictures is None:
            return replace(result, notices=(*result.notices, "pictures_loading"))
        if alike and not query.text:
            return replace(result, pictures=pictures, hits=(), lost=(), facets=(), notices=())
        return replace(result, pictures=pictures)

    def _find(self, query: Query, alike: Sequence[str], *, wait: bool) -> tuple[PictureHit, ...] | None:
        """Return the nearest pictures in notes that pass the filters, or None while the model is loading."""
        asks = any(map(is_of_pictures, query.filters.conditions)) or names_picture(query.text)
        if not (alike or (asks and query.text.strip())):
            return ()
        embedder = self._embedder()
        if embedder is None:
            if alike:
                raise QueryError(
                    "No model for pictures is set, so pictures can't be compared. Choose a model in Settings."
                )
            return ()
        rows = self._store.images.shown(query.filters, embedder.fingerprint)
        if alike:
            asked = [row for name in alike for row in self._named(name, embedder.fingerprint)]
            return self._hits(rows, _stacked(asked), query.settings.limit, {row.hash for row in asked})
        if not rows:
            return ()
        if not (wait or embedder.fingerprint in self._loaded):
            self._jobs.start(_WARM, lambda _: self._load(embedder))
            return None
        try:
            vectors = embedder.embed_texts([query.text])
        except TesseraError:
            _LOG.warning("The model for pictures can't be used", exc_info=True)
            return ()
        return self._hits(rows, vectors, query.settings.limit)

    def _embedder(self) -> ImageEmbedder | None:
        """Return the chosen model, or None if there is none, it isn't on this machine, or it can't be used."""
        if not self._settings.pictures.model:
            return None
        try:
            embedder = images.build(self._settings.pictures.model)
            is_here = embedder.is_here and embedder.fingerprint
        except TesseraError:
            _LOG.warning("The model for pictures can't be used", exc_info=True)
            return None
        return embedder if is_here else None

    def _load(self, embedder: ImageEmbedder) -> None:
        with suppress(TesseraError):  # the next search logs the error
            embedder.warm()
        self._loaded.add(embedder.fingerprint)

    def _named(self, name: str, model: str) -> list[ImageRow]:
        """Return the pictures with the given name. If there are none, return the pictures in the note with that name.

        Raises QueryError if there is no such picture or note, or if the note has no embedded pictures.
        """
        if rows := self._store.images.named(name, model):
            return rows
        try:
            rows = self._store.images.in_note(self._notes.resolve(name).id, model)
        except NoteNotFound:
            raise QueryError("There is no picture or note '{name}'.", name=name) from None
        if not rows:
            raise QueryError("The note '{name}' has no indexed pictures.", name=name)
        return rows

    def _hits(
        self, rows: Sequence[ImageRow], vectors: Matrix, limit: int, known: Collection[str] = ()
    ) -> tuple[PictureHit, ...]:
        """Return the picture files nearest to any of the `vectors`, without those whose hashes are in `known`.

        Each file is returned once, at the first position where it appears.
        """
        files: dict[str, ImageRow] = {}
        for row in rows:
            if row.hash not in known and len(row.vector) == vectors.shape[1]:
                files.setdefault(row.hash, row)
        if not files:
            return ()
        first = list(files.values())
        scores = (_stacked(first) @ vectors.T).max(axis=1).clip(0, 1)
        best = np.argsort(-scores, kind="stable")[:limit]
        cards = self._store.notes.cards_of([first[at].note_id for at in best])
        return tuple(
            PictureHit(rank, float(scores[at]), cards[first[at].note_id], first[at].place, first[at].start)
            for rank, at in enumerate(best, 1)
        )


def _stacked(rows: Sequence[ImageRow]) -> Matrix:
    return np.stack([row.vector for row in rows])
