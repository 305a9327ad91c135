"""What is in the trash too long leaves it: into an archive that can be restored for a week more, then for good."""

import logging
from collections.abc import Container, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from itertools import groupby
from pathlib import Path

from core import files
from core.archives import records, whole
from core.archives.parts import Parts
from core.archives.records import NoteRecord, Records
from core.archives.trash import LOG, Trash
from core.errors import SourceError
from core.faults import translated
from core.model import KnowledgeBase, Trashed
from core.notes import naming
from core.store import Store

LAST = timedelta(days=7)
"""How long an archive stays after its time in the trash."""
_LOG = logging.getLogger(__name__)
_LINES, _BYTES = 10_000, 16 << 20
"""Most lines of the list of what left the trash, and most bytes that are read of it."""
_LONGEST = 100
"""Most characters of a title in a line."""


def today() -> date:
    """Return the day that the clock says, in UTC."""
    return datetime.now(UTC).date()


class Expiry:
    """Finds what is in the trash for longer than `stays`, by the days of openings, and takes it out."""

    def __init__(self, store: Store, trash: Trash, stays: timedelta) -> None:
        self._store = store
        self._trash = trash
        self._stays = stays

    def run(self) -> int:
        """Record an opening, and take out what is overdue at this one and at one of another day; return how many.

        A base that a kill left both in use and in the trash is taken out at once. Raises StoreError.
        """
        with self._store.changing, translated(self._store.folder):
            self._store.openings.begin(today())
            notes = {f"note {one.version.note_id} {one.version.number}": one for one in self._store.versions.deleted()}
            bases = {f"base {file.name}": (file, at) for file, at in self._trash.own(self._trash.folder)}
            last = {f"backup {file.name}": file for file, _ in self._trash.own(self._trash.last)}
            overdue = self._store.openings.overdue(
                {item: (one.version.at.date(), self._stays) for item, one in notes.items()}
                | {item: (at.date(), self._stays) for item, (_, at) in bases.items()}
                | dict.fromkeys(last, (None, LAST))
            )
            in_use = {(base.id, base.created_at) for base in self._store.bases.all()}
            gone = [file for item, (file, _) in bases.items() if item in overdue or _stands_for(file, in_use)]
            left = self._take_out([one for item, one in notes.items() if item in overdue], gone)
            self._drop([file for item, file in last.items() if item in overdue])
        return left

    def _take_out(self, notes: Sequence[Trashed], bases: Sequence[Path]) -> int:
        """Put notes and bases into archives for a week more, listed with their titles."""
        for base_id, group in groupby(sorted(notes, key=lambda one: one.base_id), lambda one: one.base_id):
            of_base = list(group)
            base = self._store.bases.of_id(base_id)
            file = self._trash.put_notes(base_id, whole.packed(_live(self._store, base, of_base)))
            self._list(
                f"note {_short(one.version.title)} of base {_short(base.name)} left the trash; it is in {file.name}"
                for one in of_base
            )
            self._store.forget_notes([one.version.note_id for one in of_base])
        for file in bases:
            self._list([f"base {_short(_name(file))} left the trash; it is in {file.name}"])
            self._trash.expire(file)
        if notes or bases:
            _LOG.info("Left the trash for a week in backups: %d notes, %d bases", len(notes), len(bases))
        return len(notes) + len(bases)

    def _drop(self, last: Sequence[Path]) -> None:
        if last:
            self._list(f"{file.name} is deleted for good" for file in last)
            _LOG.info("Deleted for good after that week: %d archives", self._trash.drop(last))

    def _list(self, lines: Iterable[str]) -> None:
        """Add lines to the list of what left the trash; it says where each archive was when it left."""
        file = files.folder(self._trash.folder) / LOG
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
    for one in trashed:
        *before, deleted = records.versions(store, one.version.note_id)
        path = naming.free(one.path or naming.of_title(one.version.title), taken)
        taken.add(path)
        number = before[-1].note.version if before else 1
        note = replace(deleted.note, path=path, version=number)
        if note.in_file:
            note = replace(note, source="person", source_ref="", overridden={})
        notes.append(NoteRecord(note))
        versions += before
        edits += store.edits.of_note(one.version.note_id)
    return Records(base, Parts.of(notes), Parts.of(versions), Parts.of(edits))


def _stands_for(file: Path, in_use: Container[tuple[str, datetime]]) -> bool:
    """Whether the base in an archive is in use."""
    with suppress(SourceError):
        base = whole.base_of(file)
        return (base.id, base.created_at) in in_use
    return False


def _name(file: Path) -> str:
    with suppress(SourceError):
        return whole.base_of(file).name
    return file.name


def _short(title: str) -> str:
    return f"'{''.join(one if one.isprintable() else ' ' for one in title[:_LONGEST])}'"
