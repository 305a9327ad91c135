"""A workspace (a folder that contains notes), and the services for working with the notes."""

import hashlib
import logging
import os
import sqlite3
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from core.base import files
from core.base.call_log import log_call
from core.base.errors import TesseraError, WorkspaceLocked
from core.base.faults import DATABASE
from core.base.frozen import ValueMap
from core.base.jobs import Jobs
from core.base.log import Log
from core.base.messages import Messages
from core.model import (
    BaseRenamed,
    ChunksPending,
    Context,
    Freshness,
    Health,
    IndexedChunks,
    KnowledgeBase,
    NoteRenamed,
    NotesDecided,
    PictureReadingChanged,
    Progress,
    SearchOptions,
    SearchResult,
    Status,
    no_progress,
)
from core.settings import config
from core.settings.access import AccessTokens, Snippet, build_snippets
from core.settings.config import Settings
from core.settings.preferences import CHECK_AFTER_IMPORT, Preferences
from core.store import Store
from core.store.folder import take
from core.store.migrations import objects_of
from core.workspace.bug_facts import BugReport, versions
from core.workspace.bug_facts import bug_report as make_report
from core.workspace.services import LazyService, Services

if TYPE_CHECKING:
    from core.intake.watching import Watching

_LOG = logging.getLogger(__name__)
# Name of the preference for whether other programs have access.
_PROGRAMS = "programs"
# Seconds between checks on a job that another job is waiting for.
_PATIENCE = 0.2
# Minimum number of seconds between attempts to rebuild a damaged index. By then, a full disk may have free space again.
_HEALING = 60.0


def bug_report(path: Path | None = None) -> BugReport:
    """Return the bug report for a workspace, even if the workspace can't be opened."""
    chosen = Settings.model_construct()
    try:
        chosen = config.settings()
        with Workspace(path, readonly=True) as workspace:
            return workspace.bug_report()
    except TesseraError as error:
        return make_report(path or chosen.workspace, chosen, problem=error)


def is_there(folder: Path) -> bool:
    return os.path.exists(folder / DATABASE)  # noqa: PTH110 Path.exists raises for a path that is too long


def diagnose_error(folder: Path, error: TesseraError) -> Health:
    """Return a health report for a workspace that couldn't be opened because of `error`."""
    from core.features.doctor import doctor

    return doctor.diagnose_error(folder, error)


class Workspace(Services):
    """The notes in a folder, with their index and services.

    If no `settings` are passed, they are read from the environment and `tessera.toml`. Models are shared by all
    workspaces in a process, so the settings passed last determine where the models are.

    Raises WorkspaceLocked if another process still has the workspace open for writing after `patience` seconds. With
    `readonly`, the workspace can be opened nevertheless. Also raises NewerSchema, and StoreError if the folder can't be
    a workspace.
    """

    _indexes_in_background = False

    def __init__(
        self,
        path: Path | None = None,
        *,
        settings: Settings | None = None,
        readonly: bool = False,
        patience: float = 0.0,
    ) -> None:
        self.settings = settings.model_copy() if settings else config.settings()
        folder = Path(os.path.realpath(path or self.settings.workspace))  # realpath tolerates symlink loops
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
            _LOG.info("Opened on %s", ", ".join(map(" ".join, versions().items())))
        preferences = Preferences(self.store.folder, readonly=readonly)
        self.access = AccessTokens(self.store.folder, readonly=readonly)
        self._given = ExitStack()
        if settings:
            from core.indexing.models.servers import override_settings

            self._given.enter_context(override_settings(self.settings))
        super().__init__(self.store, self.settings, preferences, Jobs())
        for event, subscriber in SUBSCRIBERS.items():
            self.store.events.subscribe(event, partial(subscriber, self))
        if not readonly:
            self._writer.files.recover()
            try:
                self.archives.expire_trash()
            except TesseraError:
                _LOG.warning("Expired items stay in the trash", exc_info=True)
            if self.has("packs"):
                self.packs.start()

    def __enter__(self) -> "Workspace":
        return self

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        if isinstance(error, Exception):
            level = logging.INFO if isinstance(error, TesseraError) else logging.ERROR
            _LOG.log(level, "Work on the workspace ended with an error", exc_info=error)
        self.close()

    def close(self) -> None:
        """Stop all jobs and services, and close the store."""
        self._indexes_in_background = False
        self.access.close()
        services = self.__dict__  # contains only the services that were built
        for name in ("watching", "backups", "jobs", "uses", "store"):
            if name in services:
                services[name].close()
        self._given.close()
        if not self.readonly:
            _LOG.info("Closed")
        self.log.close()

    @LazyService
    def watching(self) -> "Watching":
        from core.intake.watching import Watching

        return Watching(
            self.store,
            self.settings,
            self.imports,
            self.text_folders,
            self.jobs,
            partial(self.start_indexing, quiet=True),
            self.settings_file.look,
        )

    @property
    def readonly(self) -> bool:
        return self.store.readonly

    @property
    def name(self) -> str:
        """A short name computed from the folder's path, so that every workspace has a different one."""
        return hashlib.sha256(os.fsencode(self.store.folder)).hexdigest()[:12]

    @property
    def open_to_programs(self) -> bool:
        """Whether programs with the user's token have access. If the settings don't say, the user's choice applies."""
        enabled = self.settings.http.enabled
        return self.preferences.get(_PROGRAMS) == "on" if enabled is None else enabled

    def set_program_access(self, let: bool) -> None:
        self.preferences.set(_PROGRAMS, "on" if let else "off")

    def search(self, text: str | None = None, **options: Unpack[SearchOptions]) -> SearchResult:
        """Return the chunks that answer a question in the query language.

        If there is no question, list the notes that pass the filters, most recently changed first. If the index is
        damaged, a job starts to repair it. Raises QueryError for an invalid question, UnknownChoice for an invalid
        option, and ModelError.
        """
        self.start_healing()
        return self.searching.answer(self.searching.prepare(text, options))

    def context(
        self, text: str | None = None, *, budget: int | None = None, **options: Unpack[SearchOptions]
    ) -> Context:
        """Return the passages that answer a question as text for a prompt, with numbered citations.

        `budget` is in tokens of the base's embedder. By default, it comes from the settings. Raises the same errors as
        `search`.
        """
        return self.searching.context(self.searching.prepare(text, options), budget)

    def retrieve(
        self, text: str | None = None, context: ValueMap | None = None, **options: Unpack[SearchOptions]
    ) -> SearchResult:
        """Search on behalf of a caller. `context` may contain `type`, `tags` and `scope`. See `CallerContext`."""
        from core.query.parser import caller_of

        options["caller"] = caller_of(context)
        return self.search(text, **options)

    def status(self) -> Status:
        """Return the workspace's size, bases and packs, and any problems with its index, settings or files."""
        return Status(
            self.store.folder,
            tuple(map(self.bases.status, self.bases.all())),
            files.size(self.store.folder),
            readonly=self.store.readonly,
            index_problem=self.store.index.problem,
            packs=tuple(self.packs.installed()) if self.has("packs") else (),
            settings_problem=self.settings_file.problem,
            unreadable=self.unreadable,
            set_aside=files.list_set_aside(self.store.folder),
        )

    def freshness_of(self, base: KnowledgeBase | None = None) -> Freshness:
        """Return whether a base's notes (by default, all notes) are up to date with their folders.

        The result also describes current work and problems.
        """
        from core.intake.watching import freshness

        return freshness(self.store, self.jobs, self.watching, base)

    @property
    def little_space(self) -> int:
        """The number of free bytes on the disk if it is nearly full, or 0 if there is enough space."""
        disk = files.disk_space(self.store.folder)
        return disk.free if disk.nearly_full else 0

    @property
    def unreadable(self) -> Messages:
        return self.store.database.unread.messages

    def snippets(self, address: str) -> list[Snippet]:
        """Return the configurations for connecting assistants to the workspace. `address` is the app's address."""
        return build_snippets(self.store.folder, address, lambda: self.access.token)

    def bug_report(self) -> BugReport:
        """Return a bug report with versions, sizes, settings and recent errors. It contains none of the user's text."""
        return make_report(self.store.folder, self.settings, self.status())

    def index_in_background(self) -> None:
        """Start the `embed` job now, and again after each write that leaves pending chunks.

        This continues until the workspace is closed.
        """
        self._indexes_in_background = True
        self.start_indexing()

    def start_indexing(self, *, quiet: bool = False) -> bool:
        """Start the `embed` job if there are pending chunks, and the `pictures` and `images` jobs.

        Return False if there are no pending chunks, or if a running job will embed them. The `embed` job waits until
        the `warm` job has loaded the models. If the user has enabled checks after imports, bases changed by an import
        are checked afterwards.
        """
        self.pictures.start()
        if self.settings.pictures.model:  # otherwise its modules aren't needed yet
            self.images.start()

        def work(progress: Progress) -> int:
            job = self.jobs.find("embed")  # the current job, which may already have embedded other chunks
            while self.jobs.running("warm") and not self.models.loaded:
                progress(0, 0, "")
                time.sleep(_PATIENCE)
            indexed = self.pending.embed_rest(progress)
            self._check_due()
            match job and job.result:
                case int(before) | IndexedChunks(before):
                    return before + indexed
            return indexed

        pending = not self.readonly and self.pending.any()
        if not pending:
            self._check_due()
        return pending and self.jobs.start("embed", work, again=True, quiet=quiet)

    def _check_due(self) -> None:
        if self.preferences.get(CHECK_AFTER_IMPORT) == "on":
            self.findability.start_due()

    def start_watching(self) -> None:
        """Start indexing in the background, syncing watched folders, and applying changes to the settings file.

        This continues until the workspace is closed.
        """
        if not self.readonly:
            self.index_in_background()
            self.watching.start()

    def start_comparing(self) -> None:
        """Start the `compare` job if a note has changed since its last run.

        The job reads notes, so that copies and contradictions among them can be found quickly, and asks the unanswered
        questions again.
        """

        def compare(progress: Progress) -> None:
            self.neighbours.likeness.read()
            if self.has("answers") and not self.readonly:
                self.review.ask_again(lambda question: self.answers.ask(question, choose=False).is_sure, progress)

        if self.has("review") and not self.neighbours.likeness.is_read:
            self.jobs.start("compare", compare, quiet=True)

    def start_backups(self) -> None:
        """Start creating daily backups in the background. This continues until the workspace is closed."""
        if not self.readonly:
            self.backups.start()

    def start_healing(self) -> bool:
        """Start the `heal` job, which rebuilds a damaged index.

        Return False if the index isn't damaged, if models are being loaded, if the index is already being rebuilt, or
        if the last attempt was too recent.
        """
        if self.store.index.state != "damaged" or self.jobs.running("warm", "rebuild"):
            return False
        if (tried := self.jobs.find("heal")) and time.monotonic() - tried.started < _HEALING:
            return False
        return self.jobs.start("heal", self.store.index.open)

    @log_call("index.rebuild")
    def rebuild(self, progress: Progress = no_progress, *, embed: bool = False) -> int:
        """Rebuild the vector index from the vectors in SQLite, and return the number of windows.

        With `embed`, also embed any pending chunks. Otherwise, no model is needed.
        """
        windows = self.store.rebuild_index(progress)
        if not embed:
            self.store.leave_pending()
        elif self.pending.any():
            self.pending.embed_rest(progress)
        return windows


class OfflineWorkspace:
    """The parts of a workspace that work without opening its database, which may be damaged."""

    def __init__(self, path: Path) -> None:
        from core.features.backups.service import Backups

        self.folder = Path(os.path.realpath(path))
        self.backups = Backups(
            self.folder, config.settings(), Preferences(self.folder, readonly=True), Jobs(), self._closed, objects_of
        )

    def take(self) -> None:
        """Move any restored backup into place. Raises WorkspaceLocked if another process has the workspace open."""
        take(self.folder).release()

    def _closed(self) -> AbstractContextManager[sqlite3.Connection]:
        raise NotImplementedError("the database isn't open")


# Maps each type of store event to the function to call when such an event is published.
SUBSCRIBERS: Mapping[type, Callable[[Workspace, Any], object]] = {
    ChunksPending: lambda workspace, _: workspace._indexes_in_background and workspace.start_indexing(),
    PictureReadingChanged: lambda workspace, _: workspace.pictures.switched(),
    BaseRenamed: lambda workspace, renamed: workspace.daily.follow_base(renamed.old, renamed.new),
    NoteRenamed: lambda workspace, renamed: workspace.daily.follow(renamed.renaming),
    NotesDecided: lambda workspace, decided: workspace._settle_facts(decided),
}
