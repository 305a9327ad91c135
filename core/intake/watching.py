"""Watching folders while the program runs, and checking whether notes are up to date."""

import logging
import os
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from core.base.call_log import log_call
from core.base.errors import Cancelled, ConfigError, TesseraError
from core.base.files import identity
from core.base.jobs import Jobs
from core.base.messages import Message, message, plural
from core.indexing.bases import Bases, SyncedFolders
from core.intake.ignoring import VAULT, is_rules
from core.intake.importers import FileStates, exports_in, state_of
from core.intake.imports import Imports
from core.intake.notefile import is_note, is_skipped
from core.intake.placeholders import placeholder_target
from core.model import (
    JOB_KINDS,
    FolderSynced,
    Freshness,
    KnowledgeBase,
    Progress,
    ScannedFolder,
    SyncPlan,
    SyncReport,
    WatchedFolder,
    jobs_at,
    no_progress,
)
from core.settings.config import Settings
from core.store import Store

if TYPE_CHECKING:
    from watchfiles._rust_notify import RustNotify


_LOG = logging.getLogger(__name__)
# How long to wait for a folder's events, in milliseconds.
_MOMENT = 1
_VAULT, _, _RULES = VAULT.partition("/")


class _Followed(NamedTuple):
    """The device and inode of a watched folder, the paths of its subfolders, and the watcher of these folders."""

    where: tuple[int, int]
    inside: frozenset[str]
    watcher: "RustNotify"


class FileEvents:
    """The changes in watched folders, collected until a folder settles.

    A folder whose events the system doesn't report appears to be unchanged.
    """

    def __init__(self) -> None:
        self._followed: dict[str, _Followed] = {}
        self._refused = set[str]()
        # The time of each folder's first change, and its changed paths.
        self._changed: dict[str, tuple[float, set[str]]] = {}
        self._outdated = set[str]()

    def follow(self, folders: Iterable[str]) -> None:
        """Watch exactly the given folders. If a folder was replaced, all of it counts as changed."""
        wanted = {folder: where for folder in folders if (where := identity(Path(folder)))}
        for folder, followed in list(self._followed.items()):
            if wanted.get(folder) != followed.where:
                self._followed.pop(folder).watcher.close()
                if folder in wanted:
                    self.put_back(folder, {""})
        for folder in wanted.keys() - self._followed.keys() - self._refused:
            self._begin(folder)
        self._refused &= wanted.keys()

    def take(self) -> dict[str, set[str]]:
        """Return the changed paths in each settled folder, relative to that folder, and stop tracking the changes.

        A subfolder's path covers all its contents, and "" covers the whole watched folder.
        """
        now = time.monotonic()
        restless = {folder for folder, followed in self._followed.items() if self._collect(folder, followed)}
        # A folder that keeps changing is synced after three seconds.
        ready = {f for f, (since, _) in self._changed.items() if f not in restless or now - since > 3.0}
        for folder in ready & self._outdated & self._followed.keys():
            before = self._followed[folder]
            self._begin(folder)
            self._collect(folder, before)  # changes made while the folder was being listed
            before.watcher.close()
        self._outdated -= ready
        return {folder: self._changed.pop(folder)[1] for folder in ready}

    def put_back(self, folder: str, paths: set[str]) -> None:
        """Track changed paths again, so that a later call to `take` returns them."""
        self._changed.setdefault(folder, (time.monotonic(), set()))[1].update(paths)

    def close(self) -> None:
        self.follow(())

    def _begin(self, folder: str) -> None:
        """Watch a folder and its current subfolders. If the folder can't be watched, log this once."""
        self._followed.pop(folder, None)
        try:
            if where := identity(Path(folder)):
                self._followed[folder] = _Followed(where, *_watch_folder(folder))
        except (ImportError, OSError, RuntimeError) as error:
            _LOG.warning("The changes in a folder can't be watched, so it is checked from time to time: %s", error)
            self._refused.add(folder)

    def _collect(self, folder: str, followed: _Followed) -> bool:
        """Collect a folder's changed paths. Return whether there are any."""
        events = followed.watcher.watch(_MOMENT, _MOMENT, _MOMENT, None)
        paths = set() if isinstance(events, str) else {_path(path, folder) for _, path in events}
        if paths & followed.inside or any(_is_folder(Path(folder, path)) for path in paths):
            self._outdated.add(folder)
        reported = {found for path in paths if (found := _reported_path(path)) is not None}
        if reported:
            self.put_back(folder, reported)
        return bool(reported)


def _watch_folder(folder: str) -> tuple[frozenset[str], "RustNotify"]:
    """Return the paths of a folder and its subfolders, and a watcher for events in all of them."""
    from watchfiles._rust_notify import RustNotify

    # On Linux, a recursive watcher would follow symbolic links, which may take a long time.
    if sys.platform != "linux":
        return frozenset({""}), RustNotify([folder], False, False, 0, True, True)
    inside = _subfolders(folder)
    for _ in range(3):
        watcher = RustNotify([str(Path(folder, path)) for path in inside], False, False, 0, False, True)
        before = inside
        inside = _subfolders(folder)
        if inside == before:
            break
    return inside, watcher


def _subfolders(folder: str) -> frozenset[str]:
    """Return the paths of a folder and of its subfolders that may contain notes or rules. Links aren't followed."""
    found = set()
    for place, names, _ in os.walk(folder):
        names[:] = [name for name in names if not is_skipped(name) or name == _VAULT]
        found.add(_path(place, folder))
    return frozenset(found)


def _path(path: str, folder: str) -> str:
    path = Path(os.path.relpath(path, folder)).as_posix()
    return "" if path == "." else path


def _reported_path(path: str) -> str | None:
    """Return the path to report for a changed path, or None if the path can be neither a note nor a file with rules.

    For a placeholder, return the path of the file to download. For a vault's settings folder, return its rules file.
    """
    folder, slash, name = path.rpartition("/")
    if name == _VAULT:
        return f"{path}/{_RULES}"
    path = f"{folder}{slash}{placeholder_target(name) or name}"
    return path if not path or is_rules(path) or not any(map(is_skipped, path.split("/"))) else None


# Seconds between checks of a running job.
_PATIENCE = 0.2
# Seconds before the first check. An earlier check would delay the first page.
_FIRST = 5.0
# Seconds between checks of file events and of the settings file.
_TICK = 0.5
# Job name for syncs and imports. Only one of them runs at a time.
_IMPORT = "import"

# Watched bases, each with one of its folders.
Folders = Iterator[tuple[KnowledgeBase, str]]


# A base's id, and one of its folders or exports.
_Key = tuple[str, str]


class TextFolders:
    """The text folders configured in the settings' `[knowledge]` section, and their bases."""

    def __init__(self, settings: Settings, bases: Bases, imports: Imports) -> None:
        self._settings = settings
        self.bases = bases
        self._imports = imports

    @property
    def automatic(self) -> bool:
        """Whether folders are found and synced automatically while the app runs."""
        return self._settings.knowledge.enabled and self._settings.knowledge.auto_scan

    def holds(self, folder: Path) -> bool:
        """Return whether `folder` is the path of a text folder, even if the folder is missing."""
        return folder.name == TEXTS and folder.parent.parent == self._settings.knowledge.base_dir.resolve()

    def folders(self) -> Mapping[str, Path]:
        """Return the existing text folders, keyed by base name. Symbolic links are ignored."""
        top = self._settings.knowledge.base_dir.resolve()
        texts = sorted(top.glob(f"*/{TEXTS}")) if self._settings.knowledge.enabled else []
        return {
            folder.parent.name: folder
            for folder in texts
            if folder.is_dir() and folder.resolve() == folder and not is_skipped(folder.parent.name)
        }

    def base_for(self, name: str) -> tuple[KnowledgeBase, bool]:
        """Return a text folder's base, and whether the base was just created.

        With `auto_embed`, the base embeds at once. Raises ConfigError if the name is taken by a base of another kind,
        and the same errors as `Bases.add`.
        """
        at_once = self._settings.knowledge.auto_embed
        known = self.bases.find(name)
        if known is None:
            return self.bases.add(name, kind="lines", embed_at_once=at_once, watch=True), True
        if not known.plain:
            raise ConfigError(
                "There is already a base '{base}' that isn't made up of text files. Rename that base or the folder.",
                base=name,
            )
        if known.embed_at_once != at_once:
            known = self.bases.update(name, embed_at_once=at_once)
        return known, False

    def scan(self, *, confirmed: bool = False, progress: Progress = no_progress) -> list[ScannedFolder]:
        """Import every text folder into its base, and return the results. An error in one folder doesn't stop the rest.

        If a folder lost many files, their notes are kept unless `confirmed` is True. Raises Cancelled, and ConfigError
        if text folders are switched off or `base_dir` is missing.
        """
        chosen = self._settings.knowledge
        if not chosen.enabled:
            raise ConfigError(
                "Text folders are switched off. Set enabled = true in the [knowledge] section of tessera.toml first."
            )
        if not chosen.base_dir.is_dir():
            raise ConfigError(
                (
                    "The folder {folder} doesn't exist. Create it, or set base_dir in the "
                    "[knowledge] section of tessera.toml to another folder."
                ),
                folder=str(chosen.base_dir.resolve()),
            )
        scanned = []
        for name, folder in self.folders().items():
            made = False
            try:
                base, made = self.base_for(name)
                report = self._imports.apply(
                    self._imports.plan_folder(folder, base.name), confirmed=confirmed, progress=progress
                )
            except Cancelled:
                raise
            except TesseraError as error:
                scanned.append(ScannedFolder(name, str(folder), made, problem=error.message))
            else:
                scanned.append(ScannedFolder(name, str(folder), made, report, report.problem))
        return scanned


class Watching:
    """Syncs the folders of watched bases as their files change, in its own thread.

    Changes reported by the system are synced at once, and all others every `scan_interval` seconds. If many notes would
    be removed, counting those removed in the last hour, the user has to confirm. If a folder is missing, its notes are
    kept. A new text folder becomes a base. `index` is called if notes are waiting to be embedded, and after each check
    of a base whose pictures are read or embedded. `reread` reloads the settings if their file has changed.
    """

    def __init__(
        self,
        store: Store,
        settings: Settings,
        imports: Imports,
        texts: TextFolders,
        jobs: Jobs,
        index: Callable[[], object],
        reread: Callable[[], object],
    ) -> None:
        self._settings = settings
        self._imports = imports
        self._synced = SyncedFolders(store)
        self._publish = store.events.publish
        self._texts = texts
        self._jobs = jobs
        self._index = index
        self._reread = reread
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._events = FileEvents()
        self._seen = dict[_Key, WatchedFolder]()
        self._exports = dict[_Key, FileStates]()
        self._refused_exports = dict[_Key, Message | None]()
        self._removals = defaultdict[_Key, list[tuple[float, int]]](list)
        self.synced = 0
        """Number of syncs that changed notes. Text folders don't count, because their files may grow all the time."""
        self.made = list[str]()
        """Names of the bases created for text folders."""
        self.refused: dict[str, Message] = {}
        """The reasons why text folders can't have a base, keyed by folder name."""

    def start(self) -> None:
        """Start watching, unless it has already been started."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="watching", daemon=True)
            self._thread.start()

    @property
    def is_on(self) -> bool:
        return self._thread is not None and not self._stop.is_set()

    def close(self) -> None:
        """Stop watching, stop any running sync, and wait until both have ended."""
        self._stop.set()
        if self._thread:
            self._thread.join()

    def folders(self, base: KnowledgeBase) -> list[WatchedFolder]:
        """Return a base's watched folders, as of the last check."""
        return [seen for (base_id, _), seen in sorted(self._seen.items()) if base_id == base.id and base.watch]

    def look(self, *plain: bool) -> None:
        """Check every folder of the watched bases once, and sync the changed folders.

        `plain` limits the check to bases made of text files (True) or to all other bases (False).
        """
        for base, folder in self._folders(*plain):
            if self._stop.is_set():
                return
            self._watch(base, folder)

    def _run(self) -> None:
        first = time.monotonic() + _FIRST
        due = {True: first, False: first}
        following = 0.0
        while not self._stop.wait(_TICK):
            try:
                self._reread()
                if time.monotonic() >= following:
                    self._events.follow([folder for _, folder in self._folders()])
                    following = time.monotonic() + 5.0
                changed = self._events.take()
                for base, folder in self._folders() if changed else ():
                    paths = changed.get(folder, set())
                    # Changes that can't be synced now are kept for the next time.
                    if paths and not self._stop.is_set() and not self._watch(base, folder, frozenset(paths)):
                        self._events.put_back(folder, paths)
                for plain, at in due.items():
                    if time.monotonic() >= at:
                        self.look(plain)
                        due[plain] = time.monotonic() + self._settings.seconds_between_looks(plain=plain)
            except Exception:  # noqa: BLE001 a thread has no caller to raise to; the next check may succeed
                _LOG.exception("The watched folders could not be checked")
        self._events.close()

    def _folders(self, *plain: bool) -> Folders:
        """Yield the watched folders, beginning with folders of text files. `plain` limits them as in `look`."""
        for kind in plain or (True, False):
            if kind and self._texts.automatic:
                yield from self._text_folders()
            for base in self._texts.bases.all():
                for folder, _ in self._synced.all(base) if base.watch and base.plain == kind else ():
                    there = self._texts.holds(Path(folder)) and (Path(folder).is_dir() or not self._texts.automatic)
                    if Path(folder).is_absolute() and not there:
                        yield base, folder

    def _text_folders(self) -> Folders:
        for name, folder in self._texts.folders().items():
            try:
                known = self._texts.bases.find(name)
                base, made = self._texts.base_for(name)
            except TesseraError as error:
                if self.refused.get(name) != error.message:
                    _LOG.warning("The text folder of %s has no base: %s", name, error.message)
                self.refused[name] = error.message
                continue
            self.refused.pop(name, None)
            if made:
                self.made.append(name)
            elif known and base.embed_at_once and not known.embed_at_once:
                self._index()  # chunks are waiting to be embedded
            if base.watch:
                yield base, str(folder)

    def _watch(self, base: KnowledgeBase, folder: str, changed: Set[str] = frozenset()) -> bool:
        """Sync a folder, or only its `changed` paths. Return False if another import is running."""
        if self._jobs.running(_IMPORT, "rebuild"):
            return False
        before = self._seen.get((base.id, folder))
        # After many changes, compare the whole folder.
        if len(changed) > 200 or "" in changed or (before and (before.removals or before.problem)):
            changed = frozenset()
        seen = WatchedFolder(folder, datetime.now(UTC))
        try:
            plan, removals = self._plan(base, folder, changed)
            if plan.base_id != base.id:
                return True  # the base was deleted or renamed in the meantime
            seen = replace(seen, removals=removals)
            if not plan.is_empty or plan.touched or self._fails_anew(base, plan):
                # The job makes a new plan, because no other import is running by then.
                seen = replace(seen, problem=self._sync(base, folder, lambda: self._plan(base, folder, changed)[0]))
            elif base.read_pictures or self._settings.pictures.model:
                self._index()  # its pictures may have changed
            has_only_notes = changed and all(map(is_note, changed))
            for export in () if base.plain or has_only_notes else exports_in(Path(folder)):
                seen = replace(seen, problem=self._watch_export(base, export) or seen.problem)
        except TesseraError as error:
            seen = replace(seen, problem=error.message)
        if seen.problem and (before is None or before.problem != seen.problem):
            _LOG.warning("A watched folder can't be synced: %s", folder)
        self._seen[base.id, folder] = seen
        return True

    def _watch_export(self, base: KnowledgeBase, export: Path) -> Message | None:
        """Import a new or changed export in a watched folder. Return why the import failed, or None if it succeeded."""
        key = base.id, str(export)

        def plan() -> SyncPlan:
            self._exports[key] = state_of(export)
            return self._imports.plan_export(export, base)

        if self._exports.get(key) != state_of(export):
            self._refused_exports[key] = self._sync(base, str(export), plan)
        return self._refused_exports.get(key)

    def _plan(self, base: KnowledgeBase, folder: str, changed: Set[str]) -> tuple[SyncPlan, int]:
        """Return a sync's plan, and the number of removals left out of the plan because the user must confirm them."""
        plan = self._imports.plan_changes(Path(folder), base, changed)
        before = self._seen.get((base.id, folder))
        # Count the removals of the last hour too.
        since = time.monotonic() - 3600.0
        lately = sum(count for at, count in self._removals[base.id, plan.source_ref] if at > since)
        waits = (before and before.removals) or (plan.removed and plan.removes_many(lately))
        return (replace(plan, removed=()), len(plan.removed)) if waits else (plan, 0)

    def _fails_anew(self, base: KnowledgeBase, plan: SyncPlan) -> bool:
        return any(
            {failed.path for failed in now} != {failed.path for failed in before}
            for now, before in (
                (plan.failed, self._synced.failures(base, plan.source_ref)),
                (plan.not_downloaded, self._synced.not_downloaded(base, plan.source_ref)),
            )
        )

    def _sync(self, base: KnowledgeBase, folder: str, plan_sync: Callable[[], SyncPlan]) -> Message | None:
        """Sync a folder or an export in a job. Return why the sync failed, or None if it succeeded.

        The job is removed from the list of jobs when it ends. If a sync only records new file times, it isn't reported.
        """

        def work(progress: Progress) -> SyncReport | None:
            with log_call("sync"):
                plan = plan_sync()
                if plan.base_id != base.id:
                    return None
                is_news = not plan.is_empty or self._fails_anew(base, plan)
                report = self._imports.apply(plan, embed=False, progress=progress)
            self._removals[base.id, folder].append((time.monotonic(), report.removed))
            return report if is_news else None

        before = self._jobs.find(_IMPORT)
        if not self._jobs.start(_IMPORT, work, base=base.name, quiet=True):
            return None
        while (job := self._jobs.wait(_IMPORT, _PATIENCE)) and job.state == "running":
            if self._stop.is_set():
                self._jobs.cancel(_IMPORT)
        self._jobs.forget(_IMPORT, before)
        if job and job.state == "done" and not self._stop.is_set() and isinstance(job.result, SyncReport):
            self.synced += not base.plain
            self._publish(FolderSynced(base, job.result))
        return job.error.message if job and job.error else None


def freshness(store: Store, jobs: Jobs, watching: Watching, of: KnowledgeBase | None) -> Freshness:
    """Return the work in progress or, if there is none, any problems.

    Problems concern folders, files, refused passages and the index. If a base is given as `of`, check only that base.
    """
    # Jobs that change search results.
    doing = [
        JOB_KINDS[name].doing
        for name in jobs_at("index", "notes", "packs", "chunks", "bases", "pictures")
        if jobs.running(name)
    ]
    if doing:
        return Freshness("working", tuple(doing))
    known = [of] if of else store.bases.all()
    synced = SyncedFolders(store)
    unread = [
        store.notes.has_path(base, failed.path, folder)
        for base in known
        for folder, _ in synced.all(base)
        for failed in synced.unread(base, folder)
    ]
    stale = sum(unread)
    folders = [folder for base in known for folder in watching.folders(base)]
    risks = _counted(
        plural(
            "{n} watched folder can't be read",
            "{n} watched folders can't be read",
            n=sum(folder.problem is not None for folder in folders),
        ),
        plural(
            "{n} note is older than its file, which could not be read",
            "{n} notes are older than their files, which could not be read",
            n=stale,
        ),
        plural(
            "{n} note is no longer in its folder",
            "{n} notes are no longer in their folders",
            n=sum(folder.removals for folder in folders),
        ),
    )
    if store.index.state == "damaged" and not of:
        risks.append(message("The search index is damaged"))
    ids = [base.id for base in known]
    notices = _counted(
        plural(
            "{n} note isn't indexed yet",
            "{n} notes aren't indexed yet",
            n=store.remembered.get(("waiting", *ids), lambda: store.pending.count(ids).notes),
        ),
        plural("{n} file could not be read", "{n} files could not be read", n=len(unread) - stale),
        plural(
            "{n} passage can be found only by keyword",
            "{n} passages can be found only by keyword",
            n=sum(map(store.refusals.count, known)),
        ),
        plural(
            "{n} folder of text files can't be used as a base",
            "{n} folders of text files can't be used as bases",
            n=0 if of else len(watching.refused),
        ),
    )
    return Freshness("attention" if risks else "notice" if notices else "current", (*risks, *notices))


def _counted(*texts: Message) -> list[Message]:
    return [text for text in texts if text.fields["n"]]


TEXTS = "texts"


def _is_folder(path: Path) -> bool:
    with suppress(OSError):
        return path.is_dir() and not path.is_symlink()
    return False
