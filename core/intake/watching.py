"""Watching while the app runs: the folders of bases, by times and sizes of files, and the settings."""

import logging
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from core.config import Settings
from core.errors import TesseraError
from core.indexing.bases import Bases
from core.intake.imports import Imports
from core.intake.textfolders import TextFolders
from core.jobs import Jobs
from core.messages import Message
from core.model import KnowledgeBase, Progress, WatchedFolder

_LOG = logging.getLogger(__name__)
_PATIENCE = 0.2
"""Seconds between two looks at a job that is waited for."""
_FIRST = 5.0
"""Seconds before the first look: the first page is drawn meanwhile."""
_TICK = 1.0
"""Seconds between two looks at the file of the settings."""
_IMPORT = "import"
"""The job of a sync: no other import runs beside it."""


class Watching:
    """Syncs the folders of watched bases every few seconds, in a thread of its own.

    A sync that would remove much is left to a person, and a folder that is missing keeps its notes. A text folder that
    is new becomes a base. `index` is called after each sync, `reread` reads the settings again if their file changed.
    """

    def __init__(
        self,
        settings: Settings,
        notes: Imports,
        bases: Bases,
        texts: TextFolders,
        jobs: Jobs,
        index: Callable[[], object],
        reread: Callable[[], object],
    ) -> None:
        self._settings = settings
        self._notes = notes
        self._bases = bases
        self._texts = texts
        self._jobs = jobs
        self._index = index
        self._reread = reread
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._seen: dict[tuple[str, str], WatchedFolder] = {}
        self.made: list[str] = []
        """Names of the bases that were made for text folders."""
        self.refused: dict[str, Message] = {}
        """Names of text folders that can't have a base, and why."""

    def start(self) -> None:
        """Start watching; does nothing if it is started."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="watching", daemon=True)
            self._thread.start()

    def close(self) -> None:
        """Stop watching, and the sync that runs, and wait for both."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join()

    def folders(self, base: KnowledgeBase) -> list[WatchedFolder]:
        """Return the folders of a base as they were at the last look."""
        return [seen for (base_id, _), seen in sorted(self._seen.items()) if base_id == base.id and base.watch]

    def look(self) -> None:
        """Look once at every folder of the watched bases, and sync those that changed."""
        self._look(plain=True)
        self._look(plain=False)

    def _look(self, *, plain: bool) -> None:
        for base, folder in self._folders(plain=plain):
            if self._stop.is_set():
                return
            self._watch(base, folder)

    def _run(self) -> None:
        first = time.monotonic() + _FIRST
        due = {True: first, False: first}
        while not self._stop.wait(_TICK):
            try:
                self._reread()
                for plain, at in due.items():
                    if time.monotonic() >= at:
                        self._look(plain=plain)
                        settings = self._settings
                        seconds = settings.knowledge.scan_interval if plain else settings.watch_seconds
                        due[plain] = time.monotonic() + seconds
            except Exception:  # noqa: BLE001 a thread has no caller to raise to, and the next look may do better
                _LOG.exception("The watched folders can't be looked at")

    def _folders(self, *, plain: bool) -> Iterator[tuple[KnowledgeBase, str]]:
        """Yield the watched folders of the bases whose notes are plain text, or of the others."""
        if plain and self._texts.automatic:
            yield from self._text_folders()
        for base in self._bases.all():
            for folder, _ in self._bases.folders(base) if base.watch and base.plain == plain else ():
                there = self._texts.holds(Path(folder)) and (Path(folder).is_dir() or not self._texts.automatic)
                if Path(folder).is_absolute() and not there:
                    yield base, folder

    def _text_folders(self) -> Iterator[tuple[KnowledgeBase, str]]:
        """Yield the text folders that are there with their bases, which are made if they are new."""
        for name, folder in self._texts.folders().items():
            try:
                base, made = self._texts.base_for(name)
            except TesseraError as error:
                if self.refused.get(name) != error.message:
                    _LOG.warning("The text folder of %s has no base: %s", name, error.message)
                self.refused[name] = error.message
                continue
            self.refused.pop(name, None)
            if made:
                self.made.append(name)
            if base.watch:
                yield base, str(folder)

    def _watch(self, base: KnowledgeBase, folder: str) -> None:
        if self._jobs.running(_IMPORT, "rebuild"):
            return
        seen = WatchedFolder(folder, datetime.now(UTC))
        try:
            plan = self._notes.plan_folder(Path(folder), base.name)
            if plan.base_id != base.id:
                return  # deleted or renamed meanwhile
            if plan.needs_confirmation:
                seen = replace(seen, removals=len(plan.removed))
            elif not plan.is_empty:
                seen = replace(seen, problem=self._sync(base, folder))
        except TesseraError as error:
            seen = replace(seen, problem=error.message)
        before = self._seen.get((base.id, folder))
        if seen.problem and (before is None or before.problem != seen.problem):
            _LOG.warning("A watched folder can't be synced: %s", folder)
        self._seen[base.id, folder] = seen

    def _sync(self, base: KnowledgeBase, folder: str) -> Message | None:
        """Sync a folder as a job, and return why it failed; a finished job leaves no result on the screen."""

        def work(progress: Progress) -> None:
            plan = self._notes.plan_folder(Path(folder), base.name)  # once more: now no other import runs
            if plan.base_id == base.id:
                self._notes.apply(plan, embed=False, progress=progress)

        if not self._jobs.start(_IMPORT, work, base=base.name):
            return None
        while (job := self._jobs.wait(_IMPORT, _PATIENCE)) and job.state == "running":
            if self._stop.is_set():
                self._jobs.cancel(_IMPORT)
        self._jobs.forget(_IMPORT)
        if job and job.state == "done" and not self._stop.is_set():
            self._index()
        return job.error.message if job and job.error else None
