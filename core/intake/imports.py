"""Import of notes from folders and uploads: a plan first, then its application."""

import shutil
import time
from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

from core import chunking, embedding
from core.base.call_log import log_bases, log_call
from core.base.errors import Cancelled, SourceError, SyncRefused
from core.base.faults import wrap_file_errors
from core.base.text import compose
from core.indexing.bases import Bases
from core.indexing.embed_queue import FAILURES, EmbedQueue
from core.indexing.models import Models
from core.intake import documents, folder, notefile, staging, sync
from core.intake.ignoring import is_rules
from core.intake.importing import UPLOADED, apply
from core.intake.paths import Paths
from core.intake.webpage import WebPage
from core.model import (
    ChunkingOptions,
    Cut,
    Failed,
    KnowledgeBase,
    Match,
    NewBase,
    Note,
    Progress,
    SyncPlan,
    SyncReport,
    no_progress,
)
from core.store import Store

_WRITING, _WRITING_ALONE = 0.05, 0.9
"""Shares of the progress of an import that are writing, with a model and without; embedding takes the rest."""
_COUNTS = ("added", "changed", "renamed", "removed", "unchanged", "chunks", "waiting")
"""The counts of a report that the log has."""


class Imports:
    """Imports into the bases of a workspace."""

    def __init__(self, store: Store, models: Models, bases: Bases) -> None:
        self._store = store
        self._models = models
        self._bases = bases

    @staticmethod
    def preview(file: Path, options: ChunkingOptions, embedder: str) -> tuple[Note, Cut]:
        """Read and cut one file as an import would, storing nothing; raises SourceError, and ConfigError for a size."""
        chunking.check(options)
        file = file.expanduser()
        tokens = embedding.build(embedder).tokens
        try:
            with wrap_file_errors(file.name):
                data = folder.read(file.parent, file.name)
                if documents.is_document(file.name):
                    note, _ = notefile.document_note(documents.text_of(data, file.name), file.name)
                else:
                    note, _ = notefile.read(data, file.name)
                note = replace(note, id=file.stem)
                return note, chunking.cut(note, options, tokens)
        except SourceError as error:
            raise SourceError(str(file), error.reason) from error

    def plan_folder(self, path: Path, base: str | None = None) -> SyncPlan:
        """Compare a folder with the notes of a base; nothing is changed.

        Without `base` it is the one with the folder's name, else the only one that was synced with the folder, else
        one with the folder's name that the plan makes. An export of another program, a folder or a file, is compared
        as an upload is. Raises SourceError for a folder that is missing, empty, or inside the workspace.
        """
        name, place = base or self._name_for(path), path.expanduser()
        if place.is_file() and place.name.lower().endswith(staging.SUFFIXES):
            return self._staged(name, lambda into: staging.fill_of_file(place, into))
        if place.is_dir() and (export := staging.export_of(place)):
            return replace(
                self._staged(name, lambda into: [*chain(*staging.write(export, into))]), importer=export.name
            )
        return self._planned(name, path, forbidden=self._store.folder)

    def plan_changes(self, path: Path, base: KnowledgeBase, changed: Collection[str] = ()) -> SyncPlan:
        """Compare a folder, or the files and folders at some of its paths, with a base; nothing is changed.

        Where a file is gone, or a new one may be another that was moved, the whole folder is compared: so a plan that
        removes notes is as careful as any. So it is where a file that says what is left out changed. Raises SourceError
        as `plan_folder` does.
        """
        if not changed or any(map(is_rules, changed)):
            return self._planned(base.name, path, forbidden=self._store.folder)
        only = Paths(changed)
        plan = self._planned(base.name, path, forbidden=self._store.folder, only=only)
        elsewhere = {note.content_hash for note in plan.unchanged}
        if plan.removed or any(file.content_hash in elsewhere for file in plan.added):
            return self.plan_changes(path, base)
        before = self._store.documents.unread_of(base, plan.source_ref, documents.readers())
        others = {path: item for path, item in before.items() if path not in only}
        failed = [
            others.pop(failure.path)
            for failure in self._bases.failures(base, plan.source_ref)
            if failure.path in others
        ]
        away = [
            others.pop(item.path) for item in self._bases.not_downloaded(base, plan.source_ref) if item.path in others
        ]
        return replace(
            plan,
            failed=(*(failure for _, failure in failed), *plan.failed),
            not_downloaded=(*(failure for _, failure in away), *plan.not_downloaded),
            skipped=(*(failure for _, failure in others.values()), *plan.skipped),
            unread=(*(item for item in failed if item[0].mtime_ns >= 0), *plan.unread),
        )

    def target(self, path: Path, base: str | None = None) -> tuple[str, NewBase | None]:
        """Return the name of the base that an import of a folder fills, and what it is made with if it isn't there."""
        name = base or self._name_for(path)
        return name, None if self._bases.find(name) else self._bases.usual()

    def plan_connection(self, path: Path, base: str) -> SyncPlan:
        """Compare a folder with the notes of a base that live in the workspace; nothing is changed.

        Those with a file of the same path become its notes: with the same text as they are, else with the file's text.
        The others stay. Raises UnknownChoice for a base, and as `plan_folder` does.
        """
        known = self._bases.get(base)
        own, forbidden = self._store.notes.files(known), self._store.folder
        scanned = folder.scan(path, forbidden=forbidden, plain=known.plain)
        ref, taken = str(scanned.folder), {note.path for note in own if note.source_ref == str(scanned.folder)}
        paths = {compose(file.path): file.path for file in scanned.files if file.path not in taken}
        loose = {
            note.note_id: replace(note, path=paths.pop(compose(note.path)))
            for note in self._store.notes.local_notes(known)
            if compose(note.path) in paths
        }
        joining = [replace(note, source_ref=ref) for note in loose.values()]
        others = [note for note in own if note.note_id not in loose]
        plan = sync.plan(base, scanned.folder, [*others, *joining], forbidden=forbidden, plain=known.plain)
        joined = [match for match in (*plan.touched, *plan.changed) if match.note.note_id in loose]
        same = [match for match in joined if self._is_same(match, plan.folder)]
        return replace(
            plan,
            base_id=known.id,
            touched=(*(match for match in plan.touched if match not in joined), *same),
            changed=(
                *(match for match in plan.changed if match not in joined),
                *(match for match in joined if match not in same),
            ),
            joined=tuple(joined),
        )

    def _is_same(self, match: Match, place: Path) -> bool:
        """Return whether the text of a note is that of a file, whatever the file's encoding is."""
        note = self._store.notes.note(match.note.note_id)
        file = match.file if match.file.text else folder.with_text(place, match.file)
        return file.text == (note.front or "") + note.body

    def plan_upload(self, files: Iterable[tuple[str, bytes]], base: str) -> SyncPlan:
        """Compare uploaded files or zip archives, (name, content) pairs, with a base. No note is removed.

        The files are kept in a temporary folder until `apply` or `discard`. Raises SourceError for a
        name that leads out of the folder, and for an upload without notes.
        """
        return self._staged(base, lambda into: staging.fill(files, into))

    def _staged(self, base: str, fill: Callable[[Path], list[Failed]]) -> SyncPlan:
        """Return the plan of a temporary folder that is filled; an export of another program in it is rewritten."""
        into = self._store.temporary.make()
        try:
            others = fill(into)
            importer, failed, lacking = staging.rewritten(into)
            plan = self._planned(base, into, source_ref=UPLOADED, removals=False)
            return replace(
                plan,
                skipped=(*plan.skipped, *others, *lacking),
                failed=(*plan.failed, *failed),
                importer=importer or plan.importer,
            )
        except BaseException:
            shutil.rmtree(into)
            raise

    def plan_page(self, page: WebPage, base: str) -> SyncPlan:
        """Compare a page of the web with the note of a base that was made of its address; nothing is changed."""
        plan = self.plan_upload([(page.name, page.data)], base)
        return replace(plan, address=page.address)

    def discard(self, plan: SyncPlan) -> None:
        """Discard a plan and delete the files of an upload."""
        if plan.source_ref == UPLOADED:
            shutil.rmtree(plan.folder, ignore_errors=True)

    def apply(
        self,
        plan: SyncPlan,
        *,
        confirmed: bool = False,
        embed: bool = True,
        watch: bool = True,
        progress: Progress = no_progress,
    ) -> SyncReport:
        """Apply a plan to its base: first store all notes, so that words find them, then embed what is pending.

        With `embed`, notes of the base that an earlier import left pending are embedded too. Without it, and in a base
        that doesn't embed at once, that is left to `Chunks`. If `progress` stops the storing, nothing is removed and
        the report covers the notes done before; if it stops the embedding, or the embedder fails, the report counts the
        notes that wait. A base that the plan makes watches its folder, unless `watch` is false. Raises SyncRefused for
        a plan that `needs_confirmation` and isn't confirmed, and UnknownChoice if its base was deleted meanwhile.
        """
        if plan.differing and not confirmed:
            raise SyncRefused(
                "{n} notes of the base '{base}' differ from their files in {folder}, and would get the text of the"
                " files. Confirm it if that is meant; the earlier texts stay in their histories.",
                n=len(plan.differing),
                base=plan.base,
                folder=str(plan.folder),
            )
        if plan.needs_confirmation and not confirmed:
            raise SyncRefused(
                "{n} of {known} notes are no longer in {folder} and would be removed."
                " Confirm it if that is meant (tessera import --allow-removals).",
                n=len(plan.removed),
                known=plan.known,
                folder=str(plan.folder),
            )
        watch = watch and plan.source_ref != UPLOADED
        with log_call("import", base=plan.base) as line:
            report = self._applied(plan, embed, watch, progress)
            lists = {"failed": len(report.failed), "incomplete": len(report.incomplete)}
            line.update({name: getattr(report, name) for name in _COUNTS} | lists)
            return report

    def _applied(self, plan: SyncPlan, embed: bool, watch: bool, progress: Progress) -> SyncReport:
        if not plan.is_empty:
            self._store.open_index()
        started = time.perf_counter()
        base = self._store.bases.by_id(plan.base_id) if plan.base_id else self._base_for_import(plan.base, watch=watch)
        log_bases([base])
        embed = embed and base.embed_at_once
        share = _WRITING_ALONE if base.without_model else _WRITING
        writing = _part(progress, 0, share) if embed else progress
        report, stopped = apply(self._store, base, embedding.build(base.embedder), plan, writing)
        self.discard(plan)
        if embed and not stopped:
            report = self._embedded(base, report, _part(progress, share, 1))
        waiting, refused = self._store.pending.count([base.id]).notes, self._store.refusals.count(base)
        return replace(report, waiting=waiting, refused=refused, seconds=round(time.perf_counter() - started, 3))

    def _embedded(self, base: KnowledgeBase, report: SyncReport, progress: Progress) -> SyncReport:
        """Embed the pending chunks of a base, and return the report of an import with what came of it."""
        if not self._store.pending.any([base.id]):
            self._store.drop_unused_vectors()
            return report
        waiting = EmbedQueue(self._store, self._models.embedder, [base])
        problem = None
        try:
            waiting.embed(progress)
            self._models.settle_floor(base)
        except Cancelled:
            pass
        except FAILURES as error:
            problem = error.message
        return replace(report, indexed=waiting.chunks, embedded_windows=waiting.windows, problem=problem)

    def _name_for(self, path: Path) -> str:
        """Return the name of the base for a folder of which no base is given."""
        bases, path = self._bases.all(), path.expanduser().resolve()
        synced = [base.name for base in bases if str(path) in dict(self._bases.folders(base))]
        usual = staging.name_of(path)
        return usual if len(synced) != 1 or usual in {base.name for base in bases} else synced[0]

    def _planned(self, name: str, path: Path, **how: Any) -> SyncPlan:
        """Return the plan of `sync.plan` for a base, or for the one that it makes."""
        if base := self._bases.find(name):
            known = self._store.notes.files(base)
            ref = how.get("source_ref") or str(folder.root_of(path, how.get("forbidden")))
            unread = self._store.documents.unread_of(base, ref, documents.readers())
            plan = replace(sync.plan(name, path, known, plain=base.plain, unread=unread, **how), base_id=base.id)
        else:
            plan = replace(sync.plan(name, path, (), **how), makes=self._bases.usual())
        live = None if base and base.plain else staging.live_in(plan.folder)
        return replace(plan, importer=live.name) if live else plan

    def _base_for_import(self, name: str, *, watch: bool = False) -> KnowledgeBase:
        return self._bases.find(name) or self._bases.add(name, watch=watch)


def _part(progress: Progress, start: float, end: float) -> Progress:
    """Return the progress of a part of a job, given as shares of the whole."""
    return lambda done, total, what: progress(start + (end - start) * done / max(1, total), 1, what)
