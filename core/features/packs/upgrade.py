"""Upgrading a pack note by note, without touching notes that the user changed or deleted."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from core import embedding
from core.base.datetimes import utc_now
from core.base.errors import PackError, SourceError
from core.base.faults import wrap_file_errors
from core.base.frozen import frozen
from core.base.messages import Message, message
from core.features.packs import manifest
from core.features.packs.table import PackTable
from core.indexing.indexer import Indexer
from core.intake import folder, notefile
from core.markdown.outline import Outline
from core.model import NOTE_FIELDS, EditedNote, InstalledPack, Note, Pack, PackReport, Progress, Revision, no_progress
from core.store import Store
from core.store.ids import fresh_id
from core.store.note_to_index import NoteToIndex

_DELETED = Revision("delete", "pack")


@frozen
class PackNote:
    """A note in a pack's folder, without id and base; its `content_hash` is the hash of its file."""

    note: Note
    outline: Outline


def read_pack(place: Path) -> tuple[Pack, dict[str, PackNote]]:
    """Return the pack in a folder and its notes by path.

    Nothing outside the folder is read. Raises PackError with all mistakes: in `pack.toml`, unreadable files and front
    matter, and symbolic links out of the folder.
    """
    pack, mistakes = manifest.checked(place)
    notes: dict[str, PackNote] = {}
    for path, note in _notes(place):
        if isinstance(note, PackNote):
            notes[path] = note
            mistakes += [_mistake(path, warning) for warning in note.note.warnings]
            mistakes += [_mistake(path, omission.explanation) for omission in note.note.left_out]
        else:
            mistakes.append(_mistake(path, note) if path else note)
    if pack is None or mistakes:
        raise PackError(str(place), mistakes)
    return pack, {
        path: replace(pack_note, note=replace(pack_note.note, source_ref=pack.source_ref))
        for path, pack_note in notes.items()
    }


def _notes(place: Path) -> Iterator[tuple[str, PackNote | Message]]:
    """Yield the path of each note in a folder, with the note or with the reason why it can't be read."""
    try:
        scan = folder.scan(place, scope="notes")
    except SourceError as error:
        yield "", error.reason
        return
    for failed in scan.failed:
        yield failed.path, failed.error
    for file in scan.files:
        try:
            with wrap_file_errors(file.path):
                yield file.path, _note(scan.folder, file.path)
        except SourceError as error:
            yield file.path, error.reason


def _note(root: Path, path: str) -> PackNote:
    data = folder.read(root, path)
    note, outline = notefile.read(data, path)
    return PackNote(
        replace(note, source="pack", body_start=0, front="", content_hash=folder.content_hash(data)), outline
    )


def _mistake(path: str, reason: Message) -> Message:
    return message("{path}: {reason}", path=path, reason=reason)


@dataclass(slots=True)
class Steps:
    """The steps of an upgrade: notes to write, ids to delete, hashes to record, paths to forget, edited notes."""

    drafts: list[NoteToIndex] = field(default_factory=list)
    deleted: list[str] = field(default_factory=list)
    recorded: dict[str, str] = field(default_factory=dict)
    forgotten: list[str] = field(default_factory=list)
    edited: list[EditedNote] = field(default_factory=list)
    unchanged: int = 0


class Upgrade:
    """Updates the notes of an installed pack from its folder.

    Each note is written in one transaction with the hash of its file, so that an interrupted upgrade can continue.
    """

    def __init__(self, store: Store, pack: Pack, notes: Mapping[str, PackNote], installed: InstalledPack) -> None:
        self._store = store
        self._table = PackTable(store.database)
        self._pack = pack
        self._notes = notes
        self._installed = installed
        self._hashes = self._table.files(pack.name)
        self._stored = self._table.notes(pack.name)

    def apply(self, folder: str, progress: Progress = no_progress) -> PackReport:
        """Write the changes without embedding, and return the report."""
        steps = self.steps()
        if steps.drafts or steps.deleted:
            self._store.open_index()
        self._write(steps.drafts, progress)
        delete(self._store, steps.deleted, _DELETED)
        self._table.put_files(self._pack.name, steps.recorded)
        self._table.drop_files(self._pack.name, steps.forgotten)
        self._table.finish(self._pack.name, self._pack.version, folder)
        added = sum(draft.change is not None and draft.change.kind == "create" for draft in steps.drafts)
        return PackReport(
            self._pack.name,
            self._pack.version,
            added,
            len(steps.drafts) - added,
            len(steps.deleted),
            steps.unchanged,
            tuple(steps.edited),
        )

    def take(self, note: Note) -> None:
        """Replace a note with the pack's, discarding the user's changes; move it to the trash if the pack has none."""
        self._store.open_index()
        if pack_note := self._notes.get(str(note.path)):
            self._write([self._draft(pack_note, note.id, note.base_id, note)], no_progress)
        else:
            delete(self._store, [note.id], _DELETED)

    def offered(self, note: Note) -> Note | None:
        """Return a note with the pack's text, None if the pack no longer has it."""
        pack_note = self._notes.get(str(note.path))
        return self._draft(pack_note, note.id, note.base_id, note).note if pack_note else None

    def _write(self, drafts: Sequence[NoteToIndex], progress: Progress) -> None:
        """Write notes, each into its own base, because the user may have moved some."""
        for base_id in {draft.note.base_id for draft in drafts}:
            base, own = self._store.bases.by_id(base_id), [draft for draft in drafts if draft.note.base_id == base_id]
            indexer = Indexer(self._store, base, embedding.build(base.embedder))
            for error in indexer.write(own, len(own), progress).failed:
                raise error

    def steps(self) -> Steps:
        """Return the steps of the upgrade."""
        steps = Steps()
        ids = self._store.notes.ids() | self._store.versions.note_ids()
        trashed = self._trashed()
        for path, pack_note in self._notes.items():
            content, before, note_id = pack_note.note.content_hash, self._hashes.get(path), self._stored.get(path)
            if content == before:
                steps.unchanged += 1
            elif note_id:
                self._upgrade(steps, note_id, pack_note)
            elif before is None:
                note_id = trashed.get(path) or fresh_id(f"{self._installed.base_id}/{self._pack.name}/{path}", ids)
                ids.add(note_id)
                steps.drafts.append(self._draft(pack_note, note_id, self._installed.base_id))
            else:
                steps.recorded[path] = content
        for path in self._hashes.keys() - self._notes.keys():
            steps.forgotten.append(path)
            if note_id := self._stored.get(path):
                self._upgrade(steps, note_id, None)
        return steps

    def _upgrade(self, steps: Steps, note_id: str, pack_note: PackNote | None) -> None:
        """Add the step for a note that the pack has changed or no longer has."""
        note = self._store.notes.note(note_id)
        if not untouched(self._store, note):
            steps.edited.append(edited(note, pack_note.note.body if pack_note else None))
            if pack_note:
                steps.recorded[str(note.path)] = pack_note.note.content_hash
        elif pack_note:
            steps.drafts.append(self._draft(pack_note, note_id, note.base_id, note))
        else:
            steps.deleted.append(note_id)

    def _draft(self, pack_note: PackNote, note_id: str, base_id: str, stored: Note | None = None) -> NoteToIndex:
        now = utc_now()
        note = replace(
            pack_note.note,
            id=note_id,
            base_id=base_id,
            created_at=pack_note.note.created_at or (stored.created_at if stored else now),
            updated_at=pack_note.note.updated_at or now,
        )
        return NoteToIndex(note, outline=pack_note.outline, change=Revision("update" if stored else "create", "pack"))

    def _trashed(self) -> dict[str, str]:
        """Return the ids, by path, of the notes that were moved to the trash when this pack was removed."""
        if self._hashes:
            return {}
        deleted = self._store.versions.deleted(self._installed.base_id)
        notes = [self._store.versions.trashed(trashed.version.note_id) for trashed in deleted]
        return {str(note.path): note.id for note in notes if note.source_ref == self._pack.source_ref}


def delete(store: Store, note_ids: Sequence[str], change: Revision) -> None:
    """Move notes of one or more bases to the trash."""
    of_base = store.notes.base_ids(note_ids)
    for base_id in set(of_base.values()):
        ids = [note_id for note_id, of in of_base.items() if of == base_id]
        store.delete_notes(store.bases.by_id(base_id), ids, change)


def untouched(store: Store, note: Note) -> bool:
    """Whether a note's text and fields are unchanged since its pack wrote them."""
    left = store.versions.last_by(note.id, "pack")
    return left is not None and _values(note) == _values(left)


def edited(note: Note, offered: str | None) -> EditedNote:
    """Return an edited note together with the pack's text for it."""
    return EditedNote(note.id, str(note.path), note.title, note.body, offered)


def _values(note: Note) -> dict[str, object]:
    """Return a note's text and fields for comparison, with tags as a set."""
    return {name: getattr(note, name) for name in ("body", *NOTE_FIELDS)} | {"tags": set(note.tags)}
