"""A plan -> notes in the store: files are read, cut and stored, so that words find them; then notes are removed."""

import logging
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import PurePosixPath

from core.base.errors import Cancelled, SourceError
from core.base.faults import wrap_file_errors
from core.base.messages import message, skeleton
from core.base.text import line_starts, stem
from core.embedding import Embedder
from core.indexing.embed_queue import state_of
from core.indexing.indexer import Indexer
from core.intake import documents, folder, notefile, staging
from core.intake.absent import NotDownloaded, with_note
from core.intake.importers import Importer
from core.markdown.tags import key
from core.model import NOTE_FIELDS, Failed, KnowledgeBase, Note, Progress, Revision, SourceFile, SyncPlan, SyncReport
from core.store import Store
from core.store.ids import fresh_id
from core.store.note_rows import Joined, Moved
from core.store.note_to_index import NoteToIndex

_LOG = logging.getLogger(__name__)
_SYNC_DELETES = Revision("delete", "sync")
UPLOADED = "upload"
"""The `source_ref` of uploaded notes, in place of a folder."""


@dataclass(frozen=True, slots=True)
class _Unread:
    """The files of a plan that couldn't be read when their notes were to be written."""

    failed: list[tuple[SourceFile, Failed]] = field(default_factory=list)
    not_downloaded: list[Failed] = field(default_factory=list)


def apply(
    store: Store, base: KnowledgeBase, embedder: Embedder, plan: SyncPlan, progress: Progress
) -> tuple[SyncReport, bool]:
    """Apply a plan without embedding; return the report, and whether `progress` stopped it: then no note is removed."""
    started = time.perf_counter()
    indexer, failed = Indexer(store, base, embedder), list(plan.failed)
    unread = _Unread()
    removed = edits_kept = 0
    stopped = False
    if plan.touched or not plan.is_empty:
        try:
            if plan.joined:
                failed += _join(store, plan)
            if plan.renamed or plan.touched:
                _rename(store, plan)
            _write(store, base, indexer, plan, unread, progress)
            if plan.removed:
                edits_kept = store.delete_notes(base, [note.note_id for note in plan.removed], _SYNC_DELETES)
            removed = len(plan.removed)
        except Cancelled:
            stopped = True
    failed += [failure for _, failure in unread.failed]
    _record_unread_files(store, base, plan, unread)
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
        not_downloaded=(*plan.not_downloaded, *unread.not_downloaded),
        incomplete=tuple(
            incomplete_note
            for incomplete_note in store.documents.incomplete(base)
            if incomplete_note.note_id in written
        ),
        chunks=done.chunks,
        embedded_windows=done.embedded_windows,
        edits_flagged=done.flagged,
        edits_kept=edits_kept,
        seconds=round(time.perf_counter() - started, 3),
    )
    store.bases.record_sync(base, plan.source_ref, report.to_dict())
    for item in report.failed:
        _LOG.info("Not imported: %s: %s", item.path, skeleton(item.error))
    return report, stopped


def _record_unread_files(store: Store, base: KnowledgeBase, plan: SyncPlan, unread: _Unread) -> None:
    """Write which files of a source weren't read; files of a folder aren't converted again until they change."""
    readers = documents.readers()
    others = {*plan.failed, *plan.not_downloaded, *plan.skipped, *unread.not_downloaded}
    rest = [(SourceFile(other.path, -1, -1), other) for other in others - {failure for _, failure in plan.unread}]
    store.documents.set_unread(base, plan.source_ref, readers, [*plan.unread, *rest, *unread.failed])


def _write(
    store: Store,
    base: KnowledgeBase,
    indexer: Indexer,
    plan: SyncPlan,
    unread: _Unread,
    progress: Progress,
) -> None:
    """Write the notes that are new or changed; a changed one can be searched at any moment."""
    base_ids = [base.id]
    notes = store.notes.count(base_ids) + len(plan.added)

    def report(done: float, total: float, what: object) -> None:
        written = store.notes.count(base_ids)
        by_meaning = written - store.pending.count(base_ids).notes if base.has_vectors else None
        progress(done, total, state_of(notes, written, by_meaning))

    indexer.write(_notes(store, base, plan, unread), len(plan.added) + len(plan.changed), report)


def _join(store: Store, plan: SyncPlan) -> Iterator[Failed]:
    """Link notes of the workspace to files; yield the notes that changed since they were compared."""
    joins = []
    for match in plan.joined:
        note = store.notes.note(match.note.note_id)
        if note.content_hash != match.note.content_hash:
            yield Failed(match.file.path, message("This note was changed here meanwhile. Update again."))
            continue
        hashed = match.file.content_hash if match in plan.touched else note.content_hash
        joins.append(Joined(note.id, plan.source_ref, match.file.path, hashed, _in_its_text(note)))
    store.notes.join(joins)


def _rename(store: Store, plan: SyncPlan) -> None:
    moves = []
    for match in plan.renamed:
        note, file = match.note, match.file
        title = store.notes.title(note.note_id)
        if title in (stem(note.path), PurePosixPath(note.path).stem):
            title = stem(file.path)
        moves.append(Moved(note.note_id, file.path, plan.source_ref, title, file.mtime_ns, file.size, file.stamp))
    store.move(moves)
    touched = ((match.note.note_id, match.file) for match in plan.touched)
    store.notes.touch((note_id, file.mtime_ns, file.size, file.stamp) for note_id, file in touched)


def _notes(store: Store, base: KnowledgeBase, plan: SyncPlan, unread: _Unread) -> Iterator[NoteToIndex]:
    """Yield the new and the changed notes of a plan; files that can't be read are added to `unread`."""
    deleted = store.versions.deleted(base.id)
    trashed = {item.path: item.version.note_id for item in deleted if item.source_ref}
    trashed |= {item.path: item.version.note_id for item in deleted if item.source_ref == plan.source_ref}
    taken = store.notes.ids() | {item.version.note_id for item in deleted}
    known = {match.file.path: match.note for match in plan.changed}
    live = staging.live_in(plan.folder) if plan.importer else None
    for file in sorted((*plan.added, *(match.file for match in plan.changed)), key=lambda file: file.path):
        old = known.get(file.path)
        earlier_id = old.note_id if old else trashed.get(file.path)
        note_id = earlier_id or fresh_id(f"{base.id}/{file.path}", taken)
        change = Revision("sync" if old else "restore" if earlier_id else "create", "sync")
        try:
            with wrap_file_errors(file.path):
                note = _note(store, base, plan, file, note_id, live)
        except NotDownloaded as error:
            failure = Failed(file.path, error.reason)
            unread.not_downloaded.append(with_note(failure) if old else failure)
            continue
        except SourceError as error:
            tried = SourceFile(file.path, -1, -1) if isinstance(error, documents.Interrupted) else file
            unread.failed.append((tried, Failed(file.path, error.reason)))
            continue
        taken.add(note_id)
        yield replace(note, change=change, replaces=old.content_hash if old else "")


def _note(
    store: Store, base: KnowledgeBase, plan: SyncPlan, file: SourceFile, note_id: str, live: Importer | None
) -> NoteToIndex:
    uploaded = plan.source_ref == UPLOADED
    converter, encoding = store.notes.reading_choices(note_id)
    if documents.is_document(file.path, pictures=True):
        data = folder.read(plan.folder, file.path)
        file = replace(file, content_hash=folder.content_hash(data))
        converter = documents.still_chosen(converter, file.path)
        original = file.content_hash if uploaded else ""
        read = documents.text_of(data, file.path, converter=converter, original=original, encoding=encoding)
        if uploaded:
            store.documents.keep(file.content_hash, data)
        note, outline = notefile.document_note(read, file.path)
    elif live:
        file = file if file.text else folder.with_text(plan.folder, file, encoding)
        note, outline = notefile.document_note(staging.text_of(live, file.path), file.path)
    else:
        file = file if file.text else folder.with_text(plan.folder, file, encoding)
        note, outline = notefile.parse_note(file.text, file.path, plain=base.plain, encoding=file.encoding)
    if note.plain:
        _LOG.info("Read: base %s, file %s, %d lines", base.name, file.path, len(line_starts(note.body)))
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


def _in_its_text(note: Note) -> dict[str, object]:
    """Return the text's own values of the fields that the user overrode."""
    if not (text := (note.front or "") + note.body):
        return {}
    try:
        of_text, _ = notefile.parse_note(text, str(note.path), plain=note.plain)
    except SourceError:
        return {}
    values = {name: (getattr(of_text, name), getattr(note, name)) for name in NOTE_FIELDS}
    values["tags"] = tuple(sorted(map(key, tags)) for tags in values["tags"])  # type: ignore[assignment]
    return {name: getattr(of_text, name) for name, (own, set_here) in values.items() if own != set_here}
