"""Importing notes from folders and uploads in two steps. The first makes a plan, and the second applies it."""

import logging
import os
import shutil
import threading
import time
from collections.abc import Callable, Collection, Generator, Iterable, Set
from contextlib import closing, suppress
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path, PurePosixPath

from core import chunking, embedding
from core.base.app_paths import expand_home
from core.base.call_log import log_bases, log_call
from core.base.errors import Cancelled, SourceError, SyncRefused
from core.base.faults import FILES, translate_errors, wrap_file_errors
from core.base.frozen import attributes
from core.base.messages import message, plural, skeleton
from core.base.text import compose, stem
from core.documents.converting import is_document
from core.documents.kinds import fingerprint
from core.documents.process import Interrupted
from core.embedding import Embedder
from core.indexing.bases import Bases, SyncedFolders
from core.indexing.embed_queue import FAILURES, Counted, EmbedQueue, are_few, state_of
from core.indexing.embedding_process import NoteEmbedder
from core.indexing.indexer import Indexer
from core.indexing.models import Models
from core.intake import folder, notefile, sync, upload
from core.intake.converting_ahead import ConvertedFile, convert_ahead
from core.intake.folder import Paths, root_of
from core.intake.ignoring import is_rules
from core.intake.importers import SUFFIXES, Importer, importer_of
from core.intake.notefile import document_note, parse_note
from core.intake.placeholders import NotDownloaded, with_note
from core.intake.upload import LINKED, Staged, name_of, stage_file
from core.intake.webpage import WebPage
from core.markdown.inline import tag_key
from core.model import (
    NOTE_FIELDS,
    ChunkingOptions,
    Cut,
    Document,
    Failed,
    KnowledgeBase,
    Match,
    NewBase,
    Note,
    Progress,
    Revision,
    SourceFile,
    SyncPlan,
    SyncReport,
    no_progress,
)
from core.store import Store
from core.store.ids import fresh_id
from core.store.note_rows import Joined, Moved
from core.store.note_to_index import NoteToIndex
from core.store.picture_table import UnreadFile


class Imports:
    """Plans imports into a workspace's bases, and applies the plans."""

    def __init__(self, store: Store, models: Models, bases: Bases) -> None:
        self._store = store
        self._models = models
        self._bases = bases
        self._folders = SyncedFolders(store)
        # Locks, keyed by base id. A lock is held while an import writes to the base.
        self._writing: dict[str, threading.Lock] = {}

    @staticmethod
    def preview(file: Path, options: ChunkingOptions, embedder: str) -> tuple[Note, Cut]:
        """Read and chunk a file as an import would, but store nothing.

        Raises SourceError, and ConfigError for an invalid size.
        """
        chunking.check(options)
        file = expand_home(file)
        tokens = embedding.build(embedder).tokens
        try:
            with wrap_file_errors(file.name):
                document = Document("", "") if is_document(file.name) else None
                read = notefile.read(folder.read(file.parent, file.name), file.name, document=document)
                note = replace(read.note, id=file.stem)
                return note, chunking.cut(note, options, tokens)
        except SourceError as error:
            raise SourceError(str(file), error.reason) from error

    def plan_folder(self, path: Path, base: str | None = None) -> SyncPlan:
        """Compare a folder with a base's notes, without changing anything.

        If `base` is None, the plan is for the base named after the folder or, if there is none, for the only base
        synced with the folder. If there is neither, it is for a new base named after the folder. An export from another
        program (a folder or file) is compared like an upload. Raises SourceError if the folder is missing, empty, or
        inside the workspace.
        """
        name = base or self._name_for(path)
        place = expand_home(path)
        # The methods of Path raise for a path that is too long.
        if os.path.isfile(place) and place.name.lower().endswith(SUFFIXES):  # noqa: PTH113
            return self._plan_staged(name, lambda into: stage_file(place, into))
        importer = importer_of(place) if os.path.isdir(place) else None  # noqa: PTH112
        if importer and not importer.keeps_files:
            return self._plan_staged(name, lambda into: (importer.name, *upload.write(importer, into)))
        return self._plan(name, path, importer)

    def plan_changes(
        self, path: Path, base: KnowledgeBase, changed: Collection[str] = (), wanted: str = ""
    ) -> SyncPlan:
        """Compare a folder, or just the paths in `changed`, with a base, without changing anything.

        The whole folder is compared if a file is gone, if a new file may have been moved, or if the rules for leaving
        out files have changed. As a result, notes are removed only after a full comparison. The file `wanted` is
        planned even if its note was deleted. Raises SourceError like `plan_folder`.
        """
        only = Paths(changed) if changed and not any(map(is_rules, changed)) else None
        plan = self._plan(base.name, path, None if base.plain else importer_of(path), only, wanted=wanted)
        if only is None:
            return plan
        elsewhere = {note.content_hash for note in plan.unchanged}
        if plan.removed or any(file.content_hash in elsewhere for file in plan.added):
            return self.plan_changes(path, base, wanted=wanted)
        others = {
            path: item
            for path, item in self._store.documents.unread_of(base, plan.source_ref, fingerprint()).items()
            if path not in only
        }
        failed, away = (
            [others.pop(item.path) for item in listed(base, plan.source_ref) if item.path in others]
            for listed in (self._folders.failures, self._folders.not_downloaded)
        )
        return replace(
            plan,
            failed=(*(failure for _, failure in failed), *plan.failed),
            not_downloaded=(*(failure for _, failure in away), *plan.not_downloaded),
            skipped=(*(failure for _, failure in others.values()), *plan.skipped),
            unread=(*(item for item in failed if item[0].mtime_ns >= 0), *plan.unread),
        )

    def _without_deleted(self, plan: SyncPlan, base: KnowledgeBase, wanted: str = "") -> SyncPlan:
        """Return the plan without unchanged files whose notes the user deleted, except the file `wanted`.

        A note that was deleted only because its file was missing is restored together with the file.
        """
        if not plan.added:
            return plan
        paths = {file.path for file in plan.added}
        versions = self._store.versions
        deleted = self._store.bases.deleted_files(base, plan.source_ref) | {
            str(item.path): versions.trashed(item.version.note_id).content_hash
            for item in versions.deleted(base.id)
            if item.path in paths and item.source_ref == plan.source_ref and item.version.author != "sync"
        }
        deleted.pop(wanted, None)
        added = tuple(file for file in plan.added if deleted.get(file.path) != file.content_hash)
        left_out = [
            Failed(path, message("This file's note was deleted. Restore the note from the trash, or change the file."))
            for path in sorted(paths.difference(file.path for file in added))
        ]
        return replace(plan, added=added, left_out=(*plan.left_out, *left_out))

    def target(self, path: Path, base: str | None = None) -> tuple[str, NewBase | None]:
        """Return the name of the base to import a folder into, and the options for creating the base.

        The options are None if the base exists.
        """
        name = base or self._name_for(path)
        return name, None if self._bases.find(name) else self._bases.usual()

    def plan_connection(self, path: Path, base: str) -> SyncPlan:
        """Compare a folder with the notes in a base that aren't linked to files, without changing anything.

        The plan links each note to the file with the same path, and replaces the note's text with the file's. All other
        notes stay as they are. Raises UnknownChoice for an unknown base, and the same errors as `plan_folder`.
        """
        known = self._bases.get(base)
        own = self._store.notes.files(known)
        forbidden = self._store.folder
        scanned = folder.scan(path, forbidden=forbidden, scope="text" if known.plain else "documents")
        ref = str(scanned.folder)
        taken = {note.path for note in own if note.source_ref == ref}
        paths = {compose(file.path): file.path for file in scanned.files if file.path not in taken}
        loose = {
            note.note_id: replace(note, path=paths.pop(compose(note.path)))
            for note in self._store.notes.local_notes(known)
            if compose(note.path) in paths
        }
        linked = [
            *(note for note in own if note.note_id not in loose),
            *(replace(note, source_ref=ref) for note in loose.values()),
        ]
        plan = sync.plan(base, scanned.folder, linked, forbidden=forbidden, plain=known.plain)
        joined = [match for match in (*plan.touched, *plan.changed) if match.note.note_id in loose]
        touched = [match for match in plan.touched if match not in joined]
        changed = [match for match in plan.changed if match not in joined]
        for match in joined:  # compare the text, because the file may be in another encoding
            note = self._store.notes.note(match.note.note_id)
            file = match.file if match.file.text else folder.with_text(plan.folder, match.file)
            (touched if file.text == (note.front or "") + note.body else changed).append(match)
        return replace(
            self._without_deleted(plan, known),
            base_id=known.id,
            touched=tuple(touched),
            changed=tuple(changed),
            joined=tuple(joined),
        )

    def plan_upload(self, files: Iterable[tuple[str, bytes]], base: str) -> SyncPlan:
        """Compare uploaded files or zip archives, given as (name, contents) pairs, with a base. No notes are removed.

        The files stay in a temporary folder until `apply` or `discard` is called. Raises SourceError if a name leads
        out of that folder, or if the upload contains no notes.
        """
        return self._plan_staged(base, lambda into: upload.stage(files, into))

    def _plan_staged(self, base: str, stage: Callable[[Path], Staged]) -> SyncPlan:
        """Return the plan for importing a temporary folder that `stage` fills with notes."""
        into = self._store.temporary.make()
        try:
            importer, failed, skipped = stage(into)
            plan = self._plan(base, into, importer_of(into), upload=UPLOADED)
            return replace(
                plan,
                skipped=(*plan.skipped, *skipped),
                failed=(*plan.failed, *failed),
                left_out=() if importer else plan.left_out,
                importer=importer or plan.importer,
            )
        except BaseException:
            shutil.rmtree(into)
            raise

    def plan_page(self, page: WebPage, base: str) -> SyncPlan:
        """Compare a web page with a base's note from the same address, without changing anything."""
        return replace(self.plan_upload([(page.name, page.data)], base), address=page.address)

    def plan_export(self, place: Path, base: KnowledgeBase) -> SyncPlan:
        """Compare an export in a watched folder with a base. Notes deleted or edited in Tessera stay as they are.

        Raises the same errors as `plan_folder`.
        """
        plan = self._without_deleted(self.plan_folder(place, base.name), base)
        edited = [
            match for match in plan.changed if self._store.versions.for_note(match.note.note_id)[0].author != "sync"
        ]
        why = message(
            "This file's note was edited in Tessera. To use the text from the export, import the export itself."
        )
        return replace(
            plan,
            changed=tuple(match for match in plan.changed if match not in edited),
            left_out=(*plan.left_out, *(Failed(match.file.path, why) for match in edited)),
        )

    def discard(self, plan: SyncPlan) -> None:
        """Discard a plan. If it is for an upload, delete the uploaded files."""
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
        """Apply a plan to its base. Store all notes, which makes them searchable by words, then embed pending chunks.

        With `embed`, chunks left pending by earlier imports are embedded too. Without it, or if the base doesn't embed
        at once, the chunks stay pending. If `progress` raises while notes are being stored, no notes are removed, and
        the report covers the notes stored so far. If `progress` raises during embedding, or if the embedder fails, the
        report counts the notes that still have pending chunks. A new base watches its folder unless `watch` is False.
        Raises SyncRefused if the plan needs to be confirmed but isn't, and UnknownChoice if the base has been deleted.
        """
        if plan.differing and not confirmed:
            raise SyncRefused(
                plural(
                    "{n} note in the base '{base}' differs from its file in {folder}, and would get the file's text. "
                    "Confirm if this is what you want. The earlier text stays in the note's history.",
                    "{n} notes in the base '{base}' differ from their files in {folder}, and would get the files' "
                    "text. Confirm if this is what you want. The earlier text stays in each note's history.",
                    n=len(plan.differing),
                    base=plan.base,
                    folder=str(plan.folder),
                )
            )
        if plan.removes_many() and not confirmed:
            raise SyncRefused(
                (
                    "{n} of {known} notes are no longer in {folder} and would be removed. Confirm if "
                    "this is what you want (tessera import --allow-removals)."
                ),
                n=len(plan.removed),
                known=plan.known,
                folder=str(plan.folder),
            )
        store = self._store
        is_upload = plan.source_ref == UPLOADED
        with log_call("import", base=plan.base) as line:
            if not plan.is_empty:
                store.index.open()
            started = time.perf_counter()
            if plan.base_id:
                base = store.bases.by_id(plan.base_id)
            else:
                base = self._bases.find_or_add(plan.base, watch=watch and not is_upload)
            log_bases([base])
            embed = embed and base.embed_at_once
            embedder = embedding.build(base.embedder)
            if base.embed_at_once:
                size = sum(file.size for file in plan.added if not is_document(file.path))
                NoteEmbedder(base.embedder, embedder, size=size).start()
            # Without a model, writing takes up most of the time.
            share = 0.9 if base.without_model else 0.05
            writing = _part(progress, 0, share) if embed else progress
            if (linked := plan.folder / LINKED).is_dir() and is_upload:
                with translate_errors(own_files := store.folder / FILES):
                    shutil.copytree(linked, own_files, copy_function=os.replace, dirs_exist_ok=True)
            with self._writing.setdefault(base.id, threading.Lock()):
                report, written, stopped = import_plan(store, base, embedder, plan, writing)
            if is_upload:
                self.discard(plan)
            if embed and not stopped:
                report = self._embed_pending(base, written, report, _part(progress, share, 1))
            if not embed:
                store.leave_pending()
            report = replace(
                report,
                waiting=store.pending.count([base.id]).notes,
                refused=store.refusals.count(base),
                seconds=round(time.perf_counter() - started, 3),
            )
            counted = ("added", "changed", "renamed", "removed", "unchanged", "chunks", "waiting")
            line.update(attributes(report, counted), failed=len(report.failed), incomplete=len(report.incomplete))
            return report

    def _embed_pending(
        self, base: KnowledgeBase, written: Iterable[str], report: SyncReport, progress: Progress
    ) -> SyncReport:
        """Embed a base's pending chunks. Return the import's report with the result.

        If another thread is already embedding, and the written notes have only a few chunks, embed only those.
        """
        if not self._store.pending.any([base.id]):
            self._store.drop_unused_vectors()
            return report
        only = None
        if self._store.pending.turn.lock.locked() and are_few(own := self._store.pending.for_notes(written)):
            only = own
        waiting = EmbedQueue(self._store, self._models.embedder, [base], only)
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
        """Return the name of the base to import a folder into if the caller doesn't name a base."""
        path = expand_home(path).resolve()
        synced = [base.name for base in self._bases.all() if self._store.bases.is_synced(base.id, str(path))]
        usual = name_of(path)
        return usual if len(synced) != 1 or self._bases.find(usual) else synced[0]

    def _plan(
        self,
        name: str,
        place: Path,
        importer: Importer | None,
        only: Paths | None = None,
        *,
        upload: str = "",
        wanted: str = "",
    ) -> SyncPlan:
        """Return a plan for the base with the given name, which need not exist yet. `importer` is the folder's."""
        forbidden = None if upload else self._store.folder
        compare = partial(sync.plan, name, place, only=only, forbidden=forbidden, upload=upload)
        if base := self._bases.find(name):
            ref = upload or str(root_of(place, self._store.folder))
            unread = self._store.documents.unread_of(base, ref, fingerprint())
            plan = replace(compare(self._store.notes.files(base), plain=base.plain, unread=unread), base_id=base.id)
            plan = plan if upload else self._without_deleted(plan, base, wanted)
        else:
            plan = replace(compare(()), makes=self._bases.usual())
        if importer and importer.keeps_files and not (base and base.plain):
            plan = replace(plan, importer=importer.name)
        return plan


def _part(progress: Progress, start: float, end: float) -> Progress:
    """Return a progress callback for part of a job. `start` and `end` are shares of the whole job."""
    return lambda done, total, what: progress(start + (end - start) * done / max(1, total), 1, what)


_LOG = logging.getLogger(__name__)
# The `source_ref` of uploaded notes, in place of a folder path.
UPLOADED = "upload"


def import_plan(
    store: Store, base: KnowledgeBase, embedder: Embedder, plan: SyncPlan, progress: Progress
) -> tuple[SyncReport, Set[str], bool]:
    """Apply a plan without embedding.

    Return the report, the ids of the written notes, and whether `progress` cancelled the import. If so, no notes are
    removed.
    """
    indexer = Indexer(store, base, embedder)
    failed = list(plan.failed)
    unread = list[UnreadFile]()
    away = list[Failed]()
    removed = edits_kept = 0
    stopped = False
    if plan.touched or not plan.is_empty:
        store.check_writable()
        try:
            failed += _join(store, plan)
            if plan.renamed:
                store.move([_move(store, match, plan.source_ref) for match in plan.renamed])
            if plan.touched:
                store.notes.touch(
                    (match.note.note_id, match.file.mtime_ns, match.file.size, match.file.stamp)
                    for match in plan.touched
                )
            planned = len(plan.added) + len(plan.changed)
            notes = store.notes.count([base.id]) + len(plan.added)
            last = 0.0, float(planned)
            state = Counted(lambda: state_of(store, [base], notes))

            def tell(done: float, total: float, what: object = "") -> None:
                nonlocal last
                last = done, total
                progress(done, total, state.get())

            # Changed notes remain searchable throughout.
            with closing(_notes(store, base, plan, unread, away, lambda: tell(*last))) as drafts:
                indexer.write(drafts, planned, tell)
            if plan.removed:
                edits_kept = store.delete_notes(
                    base, [note.note_id for note in plan.removed], Revision("delete", "sync")
                )
            removed = len(plan.removed)
        except Cancelled:
            stopped = True
    failed += [failure for _, failure in unread]
    # Record the unreadable files, so that they aren't converted again until they change.
    others = {*plan.failed, *plan.not_downloaded, *plan.skipped, *away} - {failure for _, failure in plan.unread}
    rest = [(SourceFile(other.path, -1, -1), other) for other in others]
    store.documents.set_unread(base, plan.source_ref, fingerprint(), [*plan.unread, *rest, *unread])
    if plan.is_whole:
        store.pictures.forget_problems(lasting=False)
    done = indexer.done
    written = set(done.notes)
    changed = len(written.intersection(match.note.note_id for match in plan.changed))
    report = replace(
        plan.report(),
        added=len(done.notes) - changed,
        changed=changed,
        removed=removed,
        failed=(*failed, *(Failed(error.path, error.reason) for error in done.failed)),
        not_downloaded=(*plan.not_downloaded, *away),
        incomplete=tuple(
            incomplete_note
            for incomplete_note in store.documents.incomplete(base)
            if incomplete_note.note_id in written
        ),
        chunks=done.chunks,
        embedded_windows=done.embedded_windows,
        edits_flagged=done.flagged,
        edits_kept=edits_kept,
    )
    store.bases.record_sync(base, plan.source_ref, report.to_dict(), {file.path for file in plan.added})
    for item in report.failed:
        _LOG.info("Not imported: %s: %s", item.path, skeleton(item.error))
    return report, written, stopped


def _join(store: Store, plan: SyncPlan) -> list[Failed]:
    """Link notes to their files. Return a failure for each note that has changed since the comparison."""
    joins = []
    failed = []
    for match in plan.joined:
        note = store.notes.note(match.note.note_id)
        if note.content_hash != match.note.content_hash:
            why = message("This note was changed in Tessera in the meantime. Update again.")
            failed.append(Failed(match.file.path, why))
            continue
        hashed = match.file.content_hash if match in plan.touched else note.content_hash
        text = (note.front or "") + note.body
        values = {}
        with suppress(SourceError):
            # If the user has changed a field, record the value in the text too.
            parsed = parse_note(text, str(note.path), plain=note.plain).note if text else note
            values = {name: own for name in NOTE_FIELDS if (own := getattr(parsed, name)) != getattr(note, name)}
            if {*map(tag_key, parsed.tags)} == {*map(tag_key, note.tags)}:
                values.pop("tags", None)
        joins.append(Joined(note.id, plan.source_ref, match.file.path, hashed, values))
    if joins:
        store.notes.join(joins)
    return failed


def _move(store: Store, match: Match, source_ref: str) -> Moved:
    note = match.note
    file = match.file
    title = store.notes.title(note.note_id)
    if title in (stem(note.path), PurePosixPath(note.path).stem):
        title = stem(file.path)
    return Moved(note.note_id, file.path, source_ref, title, file.mtime_ns, file.size, file.stamp)


def _notes(
    store: Store,
    base: KnowledgeBase,
    plan: SyncPlan,
    unread: list[UnreadFile],
    away: list[Failed],
    waits: Callable[[], object],
) -> Generator[NoteToIndex]:
    """Yield a plan's new and changed notes. Files that can't be read are added to `unread` or `away`.

    `waits` is called regularly while a document is being converted, and may raise.
    """
    deleted = store.versions.deleted(base.id)
    nearest_last = sorted(deleted, key=lambda item: item.source_ref == plan.source_ref)
    trashed = {item.path: item.version.note_id for item in nearest_last if item.source_ref}
    taken = store.notes.ids() | {item.version.note_id for item in deleted}
    known = {match.file.path: match.note for match in plan.changed}
    live = importer_of(plan.folder) if plan.importer else None  # an export has been replaced by its notes
    files = sorted((*plan.added, *(match.file for match in plan.changed)), key=lambda file: file.path)
    earlier = trashed | {path: note.note_id for path, note in known.items()}
    choices = {
        file.path: store.notes.reading_choices(earlier.get(file.path, ""))
        for file in files
        if is_document(file.path, pictures=True)
    }
    uploaded = plan.source_ref == UPLOADED

    def read(file: SourceFile, note_id: str, document: Callable[[], ConvertedFile] | None) -> NoteToIndex:
        if document:
            file, data, converted = document()
            if uploaded:
                store.documents.keep(file.content_hash, data)
            note, outline = document_note(converted, file.path)
        else:
            if not file.text:
                file = folder.with_text(plan.folder, file, store.notes.reading_choices(note_id)[1])
            if live:
                note, outline = document_note(upload.text_of(live, file.path), file.path)
            else:
                note, outline = parse_note(file.text, file.path, plain=base.plain, encoding=file.encoding)
        note = replace(
            note,
            id=note_id,
            base_id=base.id,
            content_hash=file.content_hash,
            source="upload" if uploaded else "folder",
            source_url=plan.address or note.source_url,
            source_ref=plan.source_ref,
            updated_at=note.updated_at or datetime.fromtimestamp(file.mtime_ns / 1e9, UTC),
        )
        return NoteToIndex(note, mtime_ns=file.mtime_ns, size=file.size, stamp=file.stamp, outline=outline)

    for file, document in convert_ahead(plan.folder, files, choices, uploaded=uploaded, waits=waits):
        path = file.path
        old = known.get(path)
        earlier_id = earlier.get(path)
        if not old and store.notes.has_path(base, path, plan.source_ref):
            continue  # already read by another import of the same folder
        note_id = earlier_id or fresh_id(f"{base.id}/{path}", taken)
        try:
            with wrap_file_errors(path):
                note = read(file, note_id, document)
        except NotDownloaded as error:
            failure = Failed(path, error.reason)
            away.append(with_note(failure) if old else failure)
            continue
        except SourceError as error:
            tried = SourceFile(path, -1, -1) if isinstance(error, Interrupted) else file
            unread.append((tried, Failed(path, error.reason)))
            continue
        taken.add(note_id)
        yield replace(
            note,
            change=Revision("sync" if old else "restore" if earlier_id else "create", "sync"),
            replaces=old.content_hash if old else "",
        )
