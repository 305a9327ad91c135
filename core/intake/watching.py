"""Folders of bases that are watched: synced while the app runs, by a look at the times and sizes of their files."""

import logging
import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from core.errors import TesseraError
from core.indexing.bases import Bases
from core.intake.imports import Imports
from core.jobs import Jobs
from core.messages import Message
from core.model import KnowledgeBase, Progress, WatchedFolder

_LOG = logging.getLogger(__name__)
_PATIENCE = 0.2
"""Seconds between two looks at a job that is waited for."""
_FIRST = 5.0
"""Seconds before the first look: the first page is drawn meanwhile."""
_IMPORT = "import"
"""The job of a sync: no other import runs beside it."""


class Watching:
    """Syncs the folders of watched bases every few `seconds`, in a thread of its own.

    A sync that would remove much is left to a person, and a folder that is missing keeps its notes. `index` is called
    after each sync.
    """

    def __init__(self, notes: Imports, bases: Bases, jobs: Jobs, index: Callable[[], object], seconds: float) -> None:
        self._notes = notes
        self._bases = bases
        self._jobs = jobs
        self._index = index
        self._seconds = seconds
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._seen: dict[tuple[str, str], WatchedFolder] = {}

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

    def of(self, base: KnowledgeBase) -> list[WatchedFolder]:
        """Return the folders of a base as they were at the last look."""
        return [seen for (base_id, _), seen in sorted(self._seen.items()) if base_id == base.id and base.watch]

    def look(self) -> None:
        """Look once at every folder of the watched bases, and sync those that changed."""
        for base in self._bases.all():
            for folder, _ in self._bases.folders(base) if base.watch else ():
                if self._stop.is_set():
                    return
                if Path(folder).is_absolute():
                    self._watch(base, folder)

    def _run(self) -> None:
        wait = min(_FIRST, self._seconds)
        while not self._stop.wait(wait):
            wait = self._seconds
            try:
                self.look()
            except Exception:  # noqa: BLE001 a thread has no caller to raise to, and the next look may do better
                _LOG.exception("The watched folders can't be looked at")

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
