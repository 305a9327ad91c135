"""Expiry of the trash: old items move into an archive that can be restored for a week, then they are deleted."""

import logging
from collections.abc import Container, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from itertools import groupby
from pathlib import Path

from core.base import files
from core.base.errors import SourceError
from core.base.faults import translate_errors
from core.features.archives import records, whole
from core.features.archives.opening_table import OpeningTable
from core.features.archives.parts import RecordParts
from core.features.archives.records import NoteRecord, Records
from core.features.archives.trash import LOG, BaseTrash
from core.intake.folder import free_path
from core.model import KnowledgeBase, Trashed
from core.notes import naming
from core.store import Store

LAST = timedelta(days=7)
"""Time for which an archive of expired items is kept."""
_LOG = logging.getLogger(__name__)
_LINES, _BYTES = 10_000, 16 << 20
"""Most lines of the list of what left the trash, and most bytes that are read of it."""
_LONGEST = 100
"""Most characters of a title in a line."""


def today() -> date:
    """Return the day that the clock says, in UTC."""
    return datetime.now(UTC).date()


def expire(store: Store, trash: BaseTrash, stays: timedelta) -> int:
    """Record an opening, and take out of the trash what is there for longer than `stays`; return how many.

    An item is overdue if it is at this opening and at one of another day. A base that a kill left both in use and in
    the trash is taken out at once. Raises StoreError.
    """
    with store.changing, translate_errors(store.folder):
        OpeningTable(store.database).begin(today())
        notes = {
            f"note {trashed.version.note_id} {trashed.version.number}": trashed for trashed in store.versions.deleted()
        }
        bases = {f"base {file.name}": (file, at) for file, at in trash.dated_files(trash.folder)}
        last = {f"backup {file.name}": file for file, _ in trash.dated_files(trash.last)}
        overdue = OpeningTable(store.database).overdue(
            {item: (note.version.at.date(), stays) for item, note in notes.items()}
            | {item: (at.date(), stays) for item, (_, at) in bases.items()}
            | dict.fromkeys(last, (None, LAST))
        )
        in_use = {(base.id, base.created_at) for base in store.bases.all()}
        gone = [file for item, (file, _) in bases.items() if item in overdue or _is_in_use(file, in_use)]
        left = _take_out(store, trash, [note for item, note in notes.items() if item in overdue], gone)
        if dropped := [file for item, file in last.items() if item in overdue]:
            _list(trash, (f"{file.name} is deleted for good" for file in dropped))
            _LOG.info("Deleted for good after that week: %d archives", trash.drop(dropped))
    return left


def _take_out(store: Store, trash: BaseTrash, notes: Sequence[Trashed], bases: Sequence[Path]) -> int:
    """Put notes and bases into archives for a week more, listed with their titles."""
    for base_id, group in groupby(sorted(notes, key=lambda note: note.base_id), lambda note: note.base_id):
        of_base = list(group)
        base = store.bases.by_id(base_id)
        file = trash.put_notes(base_id, whole.pack(_live(store, base, of_base)))
        of = _quote_title(base.name)
        _list(
            trash,
            (
                f"note {_quote_title(trashed.version.title)} of base {of} left the trash; it is in {file.name}"
                for trashed in of_base
            ),
        )
        store.forget_notes([trashed.version.note_id for trashed in of_base])
    for file in bases:
        _list(trash, [f"base {_quote_title(_name(file))} left the trash; it is in {file.name}"])
        trash.expire(file)
    if notes or bases:
        _LOG.info("Left the trash for a week in backups: %d notes, %d bases", len(notes), len(bases))
    return len(notes) + len(bases)


def _list(trash: BaseTrash, lines: Iterable[str]) -> None:
    """Add lines to the list of what left the trash; it says where each archive was when it left."""
    file = files.folder(trash.folder) / LOG
    before: list[str] = []
    with suppress(FileNotFoundError):
        try:
            before = files.read(file, _BYTES).decode("utf-8", "replace").splitlines()
        except files.Unfit:
            files.set_aside(file)
    at = datetime.now(UTC).isoformat(timespec="seconds")
    files.replace(file, "\n".join([*before, *(f"{at} {line}" for line in lines)][-_LINES:]) + "\n")


def _live(store: Store, base: KnowledgeBase, trashed: Sequence[Trashed]) -> Records:
    """Return deleted notes as they were before: notes that live here, with their versions and edits of chunks."""
    notes, versions, edits, taken = [], [], [], set[str]()
    for entry in trashed:
        *before, deleted = records.versions(store, entry.version.note_id)
        path = free_path(entry.path or naming.title_filename(entry.version.title), taken)
        taken.add(path)
        number = before[-1].note.version if before else 1
        note = replace(deleted.note, path=path, version=number)
        if note.in_file:
            note = replace(note, source="person", source_ref="", overridden={})
        notes.append(NoteRecord(note))
        versions += before
        edits += store.edits.for_note(entry.version.note_id)
    return Records(
        base, RecordParts.from_records(notes), RecordParts.from_records(versions), RecordParts.from_records(edits)
    )


def _is_in_use(file: Path, in_use: Container[tuple[str, datetime]]) -> bool:
    """Whether the base in an archive is in use."""
    with suppress(SourceError):
        base = whole.base_of(file)
        return (base.id, base.created_at) in in_use
    return False


def _name(file: Path) -> str:
    with suppress(SourceError):
        return whole.base_of(file).name
    return file.name


def _quote_title(title: str) -> str:
    return f"'{''.join(entry if entry.isprintable() else ' ' for entry in title[:_LONGEST])}'"
