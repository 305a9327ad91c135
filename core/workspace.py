"""A workspace: a folder of notes with its collections."""

import hashlib
import logging
import os
import sqlite3
import time
from contextlib import AbstractContextManager, ExitStack
from functools import partial
from pathlib import Path
from typing import Unpack

from core import assistant_config, bugreport, config, files
from core.access import Access
from core.answers.collection import Answers
from core.archives.collection import Archives, put_into_trash
from core.assistant_config import Snippet
from core.backups.collection import Backups
from core.bugreport import BugReport
from core.config import Settings
from core.doctor.check import Parts
from core.doctor.doctor import Doctor
from core.doctor.doctor import of_error as of_error
from core.errors import TesseraError, WorkspaceLocked
from core.evaluation.question_sets import QuestionSets
from core.evaluation.questions import Questions
from core.evaluation.runs import Runs
from core.evaluation.suggestions import suggest
from core.indexing.bases import Bases
from core.indexing.chunks import Chunks
from core.intake.freshness import freshness
from core.intake.textfolders import TextFolders
from core.intake.watching import Watching
from core.jobs import Jobs
from core.learning.collection import Learning
from core.log import Log
from core.messages import Message
from core.model import Context, Freshness, Progress, SearchOptions, SearchResult, Status, no_progress
from core.models import Models
from core.models.servers import Servers, given
from core.notes.collection import Notes
from core.notes.documents import Documents
from core.notes.pictures import Pictures
from core.notes.proposals import Proposals
from core.notes.vocabulary import Vocabulary
from core.packs.collection import Packs
from core.preferences import Preferences
from core.query.renaming import renamed
from core.query.synonyms import SynonymsFile
from core.retrieval.engine import SearchEngine
from core.review.collection import Review
from core.settings_file import SettingsFile
from core.store import Store, lock
from core.store.migrations import MIGRATIONS

_LOG = logging.getLogger(__name__)
_PROGRAMS = "programs"
"""The preference that admits other programs."""
_PATIENCE = 0.2
"""Seconds between two looks at a job that is waited for."""
_HEALING = 60.0
"""Seconds between two attempts to build a damaged index again: a full disk may have space by then."""


def bug_report(path: Path | None = None) -> BugReport:
    """Return the bug report of a workspace, also of one that can't be opened."""
    chosen = Settings.model_construct()
    try:
        chosen = config.settings()
        with Workspace(path, readonly=True) as workspace:
            return workspace.bug_report()
    except TesseraError as error:
        return bugreport.bug_report(path or chosen.workspace, chosen, problem=error)


class Unopened:
    """What works of a workspace whose database isn't opened, because it may be damaged."""

    def __init__(self, path: Path | None = None) -> None:
        settings = config.settings()
        self.folder = Path(os.path.realpath(path or settings.workspace))
        preferences = Preferences(self.folder, readonly=True)
        self.backups = Backups(self.folder, settings, preferences, Jobs(), self._closed, len(MIGRATIONS))

    def take(self) -> None:
        """Put a restored backup in place; raises WorkspaceLocked where another process has the workspace open."""
        lock.take(self.folder).release()

    def _closed(self) -> AbstractContextManager[sqlite3.Connection]:
        raise NotImplementedError("the database isn't open")


class Workspace:
    """Notes, their index and the work on them, in one folder.

    Without `settings` they are read from the environment and `tessera.toml`. All open workspaces of a process share
    their models, so the folder and the servers of models are as the settings given last say. Raises WorkspaceLocked
    where another process writes to the folder for more than `patience` seconds (`readonly` opens it nevertheless),
    NewerSchema, and StoreError for a folder that can't be a workspace.
    """

    def __init__(
        self,
        path: Path | None = None,
        *,
        settings: Settings | None = None,
        readonly: bool = False,
        patience: float = 0.0,
    ) -> None:
        self.settings = settings.model_copy() if settings else config.settings()
        folder = Path(os.path.realpath(path or self.settings.workspace))  # which no loop of links stops
        self.log = Log(folder, readonly=readonly, texts=self.settings.log_texts)
        try:
            self.store = Store(folder, readonly=readonly, patience=patience, index=self.settings.index)
        except BaseException as error:
            if not isinstance(error, WorkspaceLocked):
                _LOG.exception("The workspace can't be opened")
            self.log.close()
            raise
        if not readonly:
            self.log.limit()
            _LOG.info("Opened on %s", ", ".join(map(" ".join, bugreport.versions().items())))
        self.jobs = Jobs()
        self.preferences = Preferences(self.store.folder, readonly=readonly)
        self.access = Access(self.store.folder, readonly=readonly)
        self.backups = Backups(
            self.store.folder, self.settings, self.preferences, self.jobs, self.store.database.read, len(MIGRATIONS)
        )
        self._given = ExitStack()
        if settings:
            self._given.enter_context(given(self.settings))
        self.models = Models(self.store, self.settings, self.jobs)
        self.servers = Servers(self.settings, self.models.forget)
        self.chunks = Chunks(self.store, self.models)
        trash = partial(put_into_trash, self.store)
        self.bases = Bases(self.store, self.settings, self.models, self.chunks, renamed, trash)
        self.notes = Notes(self.store, self.settings, self.models, self.bases, self.chunks)
        self.settings_file = SettingsFile(self.settings, self.servers.refresh)
        self.text_folders = TextFolders(self.settings, self.bases, self.notes)
        then, look = partial(self.start_indexing, quiet=True), self.settings_file.look
        self.watching = Watching(self.settings, self.notes, self.bases, self.text_folders, self.jobs, then, look)
        self.pictures = Pictures(self.store, self.chunks, self.jobs)
        self.bases.on_pictures = self.pictures.switched
        self.documents = Documents(self.store, self.preferences, self.bases, self.chunks)
        self.proposals = Proposals(self.store, self.bases, self.chunks, self.notes)
        self.learning = Learning(self.store, self.settings, self.preferences, self.bases, self.notes)
        self.vocabulary = Vocabulary(self.store)
        self.packs = Packs(self.store, self.settings, self.bases, self.chunks)
        synonyms = SynonymsFile(self.store.folder, make=not readonly)
        self.searching = SearchEngine(self.store, self.settings, self.models, synonyms)
        self.answers = Answers(self.store, self.settings, self.searching, self.jobs, suggest)
        self.searches = self.store.usage
        self.creations = self.store.creations
        self.drafts = self.store.drafts
        self.question_sets = QuestionSets(self.store)
        self.questions = Questions(self.store, self.settings)
        self.runs = Runs(self.store, self.settings, self.models, synonyms)
        self.archives = Archives(self.store, self.settings, self.bases)
        self.review = Review(self.store, self.notes, self.chunks, self.proposals, self.searching)
        parts = self.store, self.settings, self.settings_file, self.bases, self.models, self.servers
        self.doctor = Doctor(Parts(*parts, self.archives, self.backups))
        if not readonly:
            self._expire_trash()
            self.packs.start()

    def __enter__(self) -> "Workspace":
        return self

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        if isinstance(error, Exception):
            level = logging.INFO if isinstance(error, TesseraError) else logging.ERROR
            _LOG.log(level, "The work on the workspace ended by an error", exc_info=error)
        self.close()

    def close(self) -> None:
        """Stop the jobs and close the store."""
        self.access.close()
        self.watching.close()
        self.backups.close()
        self.jobs.close()
        self.store.close()
        self._given.close()
        if not self.readonly:
            _LOG.info("Closed")
        self.log.close()

    def _expire_trash(self) -> None:
        """Delete from the trash what is there too long; after an error it stays until the next opening."""
        try:
            self.archives.expire_trash()
        except TesseraError:
            _LOG.warning("The trash stays as it is", exc_info=True)

    @property
    def readonly(self) -> bool:
        """Whether the workspace is open for reading only."""
        return self.store.readonly

    @property
    def name(self) -> str:
        """A short name that differs for each folder of a workspace."""
        return hashlib.sha256(os.fsencode(self.store.folder)).hexdigest()[:12]

    @property
    def open_to_programs(self) -> bool:
        """Whether programs with the person's token are admitted: by the settings, else by the person's choice."""
        enabled = self.settings.http.enabled
        return self.preferences.get(_PROGRAMS) == "on" if enabled is None else enabled

    def let_programs_in(self, let: bool) -> None:
        """Store the person's choice whether programs are admitted."""
        self.preferences.set(_PROGRAMS, "on" if let else "off")

    def search(self, text: str, **options: Unpack[SearchOptions]) -> SearchResult:
        """Return the chunks that answer a question in the query language, at the level it asks for.

        A damaged index is tried again meanwhile. Raises QueryError for an invalid question, UnknownChoice for a base, a
        mode, a level or a reranker, ModelError.
        """
        self.start_healing()
        return self.searching.answer(self.searching.prepare(text, options))

    def context(self, text: str, *, budget: int | None = None, **options: Unpack[SearchOptions]) -> Context:
        """Return the passages that answer a question as a block for a prompt, with numbered citations.

        `budget` is in tokens of the base's embedder, by default the settings'. Raises as `search` does.
        """
        return self.searching.context(self.searching.prepare(text, options), budget)

    def status(self) -> Status:
        """Return the size of the workspace and the state of its index."""
        return Status(
            self.store.folder,
            tuple(map(self.bases.status, self.bases.all())),
            files.size(self.store.folder),
            readonly=self.store.readonly,
            index_problem=self.store.index.problem,
            packs=tuple(self.packs.installed()),
            settings_problem=self.settings_file.problem,
            unreadable=self.unreadable,
            set_aside=files.aside(self.store.folder),
        )

    @property
    def freshness(self) -> Freshness:
        """Whether the notes are what their folders hold, what is going on, or what needs a look."""
        return freshness(self.store, self.jobs, self.bases, self.watching)

    @property
    def unreadable(self) -> tuple[Message, ...]:
        """A sentence for each row that was read and has unreadable values."""
        return self.store.database.unread.messages

    def snippets(self, address: str) -> list[Snippet]:
        """Return the configuration of each assistant; `address` is that of the app."""
        return assistant_config.every(self.store.folder, address, lambda: self.access.token)

    def bug_report(self) -> BugReport:
        """Return a bug report: versions, sizes, settings and the last errors, without texts of the person."""
        return bugreport.bug_report(self.store.folder, self.settings, self.status())

    def start_indexing(self, *, quiet: bool = False) -> bool:
        """Start the job `embed` for pending chunks; return False without any, or if a running job embeds them next.

        The job waits until the models of the job `warm` are loaded. The job `pictures` is started too.
        """
        self.pictures.start()

        def work(progress: Progress) -> int:
            while self.jobs.running("warm"):
                progress(0, 0, "")
                time.sleep(_PATIENCE)
            return self.chunks.embed_rest(progress)

        pending = not self.readonly and self.chunks.unfinished()
        return pending and self.jobs.start("embed", work, again=True, quiet=quiet)

    def start_watching(self) -> None:
        """Sync the folders of watched bases, and read changed settings, until the workspace is closed."""
        if not self.readonly:
            self.watching.start()

    def start_backups(self) -> None:
        """Make a backup each day, until the workspace is closed."""
        if not self.readonly:
            self.backups.start()

    def start_healing(self) -> bool:
        """Start the job `heal` if the index is damaged; return False if it isn't, or was tried a moment ago."""
        if self.store.index.state != "damaged" or self.jobs.running("warm", "rebuild"):
            return False
        tried = self.jobs.find("heal")
        if tried and time.monotonic() - tried.started < _HEALING:
            return False
        return self.jobs.start("heal", lambda progress: self.store.index.open(progress))

    def rebuild(self, progress: Progress = no_progress) -> int:
        """Build the vector index anew from SQLite, without a model, and return its number of windows."""
        return self.store.rebuild_index(progress)
