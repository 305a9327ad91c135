"""A plan -> notes in the store: files are read, cut and stored, so that words find them; then notes are removed."""

import logging
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import PurePosixPath

from core.embedding import Embedder
from core.errors import Cancelled, SourceError, one_file
from core.indexing.cutter import Draft
from core.indexing.embed_queue import state_of
from core.indexing.indexer import Indexer
from core.intake import folder, notefile
from core.markdown.tags import key
from core.messages import message, skeleton
from core.model import NOTE_FIELDS, Failed, KnowledgeBase, Note, Progress, Revision, SourceFile, SyncPlan, SyncReport
from core.store import Store
from core.store.ids import fresh_id
from core.store.note_table import Joined, Moved
from core.text import line_starts

_LOG = logging.getLogger(__name__)
_SYNC_DELETES = Revision("delete", "sync")
UPLOADED = "upload"
"""The `source_ref` of uploaded notes, in place of a folder."""


class Importer:
    """Applies the plans of one base. `stopped`: the last plan was stopped before its end."""

    def __init__(self, store: Store, base: KnowledgeBase, embedder: Embedder) -> None:
        self._store = store
        self._base = base
        self._indexer = Indexer(store, base, embedder)
        self._failed: list[Failed] = []
        self.stopped = False

    def apply(self, plan: SyncPlan, progress: Progress) -> SyncReport:
        """Apply the plan without embedding, and return the report. If it is stopped, no note is removed."""
        started = time.perf_counter()
        self._failed = list(plan.failed)
        removed, edits_kept = 0, 0
        if not plan.is_empty:
            try:
                self._join(plan)
                self._rename(plan)
                self._write(plan, progress)
                note_ids = [note.note_id for note in plan.removed]
                edits_kept = self._store.delete_notes(self._base, note_ids, _SYNC_DELETES)
                removed = len(plan.removed)
            except Cancelled:
                self.stopped = True
        done = self._indexer.done
        changed = len({match.note.note_id for match in plan.changed}.intersection(done.notes))
        report = replace(
            plan.report(),
            added=len(done.notes) - changed,
            changed=changed,
            removed=removed,
            failed=(*self._failed, *(Failed(error.path, error.reason) for error in done.failed)),
            chunks=done.chunks,
            embedded_windows=done.embedded_windows,
            edits_flagged=done.flagged,
            edits_kept=edits_kept,
            seconds=round(time.perf_counter() - started, 3),
        )
        self._store.bases.record_sync(self._base, plan.source_ref, report.to_dict())
        counts = (report.added, report.changed, report.renamed, report.removed, report.unchanged, report.chunks)
        _LOG.info("Imported: %d added, %d changed, %d renamed, %d removed, %d unchanged; %d chunks", *counts)
        for failed in report.failed:
            _LOG.info("Not imported: %s: %s", failed.path, skeleton(failed.error))
        return report

    def _write(self, plan: SyncPlan, progress: Progress) -> None:
        """Write the notes that are new or changed; a changed one can be searched at any moment."""
        base_ids = [self._base.id]
        notes = self._store.notes.count(base_ids) + len(plan.added)

        def report(done: float, total: float, what: object) -> None:
            written = self._store.notes.count(base_ids)
            by_meaning = written - self._store.pending.count(base_ids).notes if self._base.has_vectors else None
            progress(done, total, state_of(notes, written, by_meaning))

        self._indexer.write(self._drafts(plan), len(plan.added) + len(plan.changed), report)

    def _join(self, plan: SyncPlan) -> None:
        """Make notes of the workspace those of files; one that was changed since it was compared fails."""
        joins = []
        for match in plan.joined:
            note = self._store.notes.note(match.note.note_id)
            if note.content_hash != match.note.content_hash:
                self._failed.append(
                    Failed(match.file.path, message("This note was changed here meanwhile. Sync again."))
                )
                continue
            hashed = match.file.content_hash if match in plan.touched else note.content_hash
            joins.append(Joined(note.id, plan.source_ref, hashed, _in_its_text(note)))
        self._store.notes.join(joins)

    def _rename(self, plan: SyncPlan) -> None:
        moves = []
        for match in plan.renamed:
            note, file = match.note, match.file
            title = self._store.notes.title(note.note_id)
            if title == PurePosixPath(note.path).stem:
                title = PurePosixPath(file.path).stem
            moves.append(Moved(note.note_id, file.path, plan.source_ref, title, file.mtime_ns, file.size))
        self._store.move(moves)
        self._store.notes.touch((match.note.note_id, match.file.mtime_ns, match.file.size) for match in plan.touched)

    def _drafts(self, plan: SyncPlan) -> Iterator[Draft]:
        deleted = self._store.versions.deleted(self._base.id)
        trashed = {one.path: one.version.note_id for one in deleted if one.source_ref}
        trashed |= {one.path: one.version.note_id for one in deleted if one.source_ref == plan.source_ref}
        taken = self._store.notes.ids() | {one.version.note_id for one in deleted}
        known = {match.file.path: match.note for match in plan.changed}
        for file in sorted((*plan.added, *(match.file for match in plan.changed)), key=lambda file: file.path):
            old = known.get(file.path)
            earlier_id = old.note_id if old else trashed.get(file.path)
            note_id = earlier_id or fresh_id(f"{self._base.id}/{file.path}", taken)
            change = Revision("sync" if old else "restore" if earlier_id else "create", "sync")
            try:
                with one_file(file.path):
                    draft = self._draft(plan, file, note_id)
            except SourceError as error:
                self._failed.append(Failed(file.path, error.reason))
                continue
            taken.add(note_id)
            yield replace(draft, change=change, replaces=old.content_hash if old else "")

    def _draft(self, plan: SyncPlan, file: SourceFile, note_id: str) -> Draft:
        data = folder.read(plan.folder, file.path)
        note, outline = notefile.read(data, file.path, plain=self._base.plain)
        if note.plain:
            _LOG.info("Read: base %s, file %s, %d lines", self._base.name, file.path, len(line_starts(note.body)))
        note = replace(
            note,
            id=note_id,
            base_id=self._base.id,
            content_hash=folder.content_hash(data),
            source="upload" if plan.source_ref == UPLOADED else "folder",
            source_ref=plan.source_ref,
            updated_at=note.updated_at or datetime.fromtimestamp(file.mtime_ns / 1e9, UTC),
        )
        return Draft(note, file.mtime_ns, file.size, outline)


def _in_its_text(note: Note) -> dict[str, object]:
    """Return the values that a note's own text says of the fields that a person set otherwise."""
    try:
        said, _ = notefile.read(((note.front or "") + note.body).encode(), str(note.path), plain=note.plain)
    except SourceError:
        return {}
    values = {name: (getattr(said, name), getattr(note, name)) for name in NOTE_FIELDS}
    values["tags"] = tuple(sorted(map(key, tags)) for tags in values["tags"])  # type: ignore[assignment]
    return {name: getattr(said, name) for name, (own, set_here) in values.items() if own != set_here}
