"""Keep deleted bases in the trash, and remove bases and notes that have been there too long."""

import logging
import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from hashlib import file_digest, sha256
from pathlib import Path
from typing import IO

from core.base import files
from core.base.datetimes import utc_now
from core.base.errors import SourceError, UnknownChoice
from core.base.faults import BACKUPS, translate_errors
from core.base.frozen import Texts
from core.base.safe_replace import sync_folder
from core.features.archives import records, zip_archive
from core.features.archives.records import NoteRecord, Records, in_memory
from core.intake.folder import free_path
from core.model import KnowledgeBase, Trashed, TrashedBase
from core.notes.texts import title_filename
from core.store import Store
from core.store.table import StoreTable, decoding

# Name of the workspace's folder for deleted bases.
TRASH = "trash"
# Name of the file in TRASH that lists expired items.
LOG = "log.txt"

_AT = "%Y%m%dT%H%M%S%f"
# Suffix for archives of expired notes.
_NOTES = "-notes.zip"

# The time for which archives of expired items are kept.
LAST = timedelta(days=7)
_LOG = logging.getLogger(__name__)
# Maximum number of lines kept in LOG, and of bytes read from it.
_LINES = 10_000
_BYTES = 16 << 20
# Maximum length of a title in LOG, in characters.
_LONGEST = 100


class BaseTrash(StoreTable):
    """The archives of deleted bases, and the archives' digests.

    Expired archives stay in the folder `last` for another week.
    """

    def __init__(self, store: Store) -> None:
        super().__init__(store.database)
        self.folder = store.folder / TRASH
        self.last = store.folder / BACKUPS / TRASH

    def wrote(self, file: str, stream: IO[bytes]) -> bool:
        """Return whether a file was written by this workspace and not changed since.

        Afterwards, the stream is rewound.
        """
        digest = file_digest(stream, sha256).hexdigest()  # type: ignore[arg-type]
        stream.seek(0)
        return bool(digest == self._value("SELECT digest FROM trashed_bases WHERE file = ?", file))

    def all(self) -> list[TrashedBase]:
        """Return the deleted bases, most recent first. If a file isn't a valid archive, `problem` says why."""
        return sorted(
            (_described(file, expired=file.parent == self.last) for file in self.every()),
            key=lambda trashed_base: (trashed_base.at, trashed_base.key),
            reverse=True,
        )

    def file(self, key: str) -> Path:
        """Return a deleted base's file, given the base's key. Raises UnknownChoice if there is no such base."""
        known = {_key(file): file for file in reversed(self.every())}
        if key not in known:
            raise UnknownChoice("deleted base", key, known)
        return known[key]

    def write(self, folder: Path, name: str, data: bytes) -> Path:
        """Write an archive to a folder, with the current time in the file name. Raises OSError.

        The archive's digest is stored in the database, so that `wrote` can recognize the file later.
        """
        files.folder(folder.parent)
        file = files.folder(folder) / f"{utc_now():{_AT}}-{name}"
        files.replace(file, data)
        sync_folder(folder)
        self._insert("trashed_bases", {"file": file.name, "digest": sha256(data).hexdigest()})
        return file

    def expire(self, file: Path) -> None:
        """Move a deleted base's archive to `last`. Raises OSError."""
        files.folder(self.last.parent)
        file.rename(files.folder(self.last) / file.name)
        sync_folder(self.last)

    def drop(self, dropped: Iterable[Path]) -> int:
        """Permanently delete files and folders in the trash, and return how many were deleted. Raises StoreError."""
        self._database.check_writable()
        chosen = list(dropped)
        with translate_errors(self.folder):
            for file in chosen:
                files.delete(file)
                self._execute("DELETE FROM trashed_bases WHERE file = ?", _key(file), aside=True)
        return len(chosen)

    def every(self) -> list[Path]:
        """Return all files and folders in the trash and in `last`."""
        return [*_files(self.folder), *_files(self.last)]

    def dated_files(self, folder: Path) -> Iterator[tuple[Path, datetime]]:
        """Yield the files in a folder whose names were given by Tessera, with the time in each name."""
        for file in _files(folder):
            if file.is_file() and (at := _written_at(file)):
                yield file, at


def _files(folder: Path) -> list[Path]:
    """Return a folder's visible files and folders except LOG, or [] if the folder can't be read."""
    with suppress(OSError):
        return sorted(file for file in folder.iterdir() if not file.name.startswith(".") and file.name != LOG)
    return []


def _key(file: Path) -> str:
    """Return a file's name. Bytes that aren't valid UTF-8 are replaced."""
    return os.fsencode(file.name).decode("utf-8", "replace")


@lru_cache(maxsize=1024)
def _contents(file: Path, _stamp: object) -> tuple[str, Texts]:
    """Return the name of an archive's base, and the titles of its notes if it holds deleted notes.

    An archive is read again only if its stamp changes, or if it couldn't be read. Raises SourceError.
    """
    return zip_archive.base_of(file).name, zip_archive.titles_of(file) if file.name.endswith(_NOTES) else ()


def _described(file: Path, *, expired: bool) -> TrashedBase:
    """Return what the list of deleted bases shows of a file."""
    at = datetime.fromtimestamp(0, UTC)
    with suppress(OSError, ValueError, OverflowError):
        at = datetime.fromtimestamp(file.lstat().st_mtime, UTC)
    at = _written_at(file) or at
    key = _key(file)
    try:
        name, titles = _contents(file, files.stamp(file))
    except SourceError as error:
        return TrashedBase(key, key, at, problem=error.reason, expired=expired)
    return TrashedBase(key, name, at, titles=titles, expired=expired)


def _written_at(file: Path) -> datetime | None:
    """Return the time in the name of a file written by Tessera, or None if the name has another form."""
    with suppress(ValueError):
        if name := re.fullmatch(r"(?a)(\d{8}T\d{12})-[\w-]+\.zip", file.name):
            return datetime.strptime(name[1], _AT).replace(tzinfo=UTC)
    return None


class OpeningTable(StoreTable):
    """The days on which the workspace was opened, and the opening at which each item in the trash was first seen.

    The clock may have been ahead at a single opening, so the earlier of the last two recorded days counts as the
    current day. An item's time in the trash normally starts on the day it was deleted. That day must lie between the
    opening that first saw the item and the opening before it. If it doesn't, the clock was wrong, and the time starts
    on the day of the opening that first saw the item.
    """

    def begin(self, day: date) -> None:
        """Record that the workspace was opened. Consecutive openings on the same day count as one."""
        if self._value("SELECT day FROM openings ORDER BY number DESC") != day.isoformat():
            self._execute("INSERT INTO openings (day) VALUES (?)", day.isoformat(), aside=True)

    @decoding
    def overdue(self, items: Mapping[str, tuple[date | None, timedelta]]) -> set[str]:
        """Return the items that have been in the trash too long.

        `items` contains all items in the trash, each with the day it was deleted, if known, and the time to keep it.
        New items are recorded, and records of missing items are deleted.
        """
        known = set(self._column("SELECT item FROM overdue"))
        with self._write(aside=True):
            self._execute("DELETE FROM overdue WHERE item IN ?", list(known - items.keys()))
            self._execute(
                "INSERT INTO overdue SELECT value, (SELECT max(number) FROM openings) FROM json_each(?)",
                list(items.keys() - known),
            )
        days = [date.fromisoformat(day) for day in self._column("SELECT day FROM openings ORDER BY number")]
        if len(days) < 2:
            return set()
        past = min(days[-2:])
        statement = (
            "SELECT item, day, (SELECT day FROM openings WHERE number < opening ORDER BY number DESC LIMIT 1) AS before"
            " FROM overdue JOIN openings ON number = opening"
        )
        return {
            item
            for item, seen, before in self._rows(statement)
            if past - _since(items[item][0], before, seen) > items[item][1]
        }


def _since(own: date | None, before: str | None, seen: str) -> date:
    """Return the day on which an item's time in the trash starts.

    `own` is the day the item was deleted. `seen` is the day of the opening that first saw the item. `before` is the day
    of the opening before that one.
    """
    first = date.fromisoformat(seen)
    earliest = date.fromisoformat(before) if before else date.min
    return own if own and earliest <= own <= first else first


def today() -> date:
    """Return the current day in UTC."""
    return utc_now().date()


def expire(store: Store, trash: BaseTrash, stays: timedelta) -> int:
    """Record that the workspace was opened, remove items older than `stays` from the trash, and return their number.

    An item is removed only if it was too old when the workspace was opened on two different days. If the process was
    killed during a deletion or restoration, a base may be both in use and in the trash. It is then removed from the
    trash at once.
    Raises StoreError.
    """
    with store.changing, translate_errors(store.folder):
        openings = OpeningTable(store.database)
        openings.begin(today())
        notes = {
            f"note {trashed.version.note_id} {trashed.version.number}": trashed for trashed in store.versions.deleted()
        }
        bases = {f"base {file.name}": (file, at.date()) for file, at in trash.dated_files(trash.folder)}
        last = {f"backup {file.name}": file for file, _ in trash.dated_files(trash.last)}
        overdue = openings.overdue(
            {item: (note.version.at.date(), stays) for item, note in notes.items()}
            | {item: (day, stays) for item, (_, day) in bases.items()}
            | dict.fromkeys(last, (None, LAST))
        )
        in_use = {(base.id, base.created_at) for base in store.bases.all()}
        gone = [
            file
            for item, (file, _) in bases.items()
            if item in overdue or ((base := _base_of(file)) and (base.id, base.created_at) in in_use)
        ]
        left = _take_out(store, trash, [notes[item] for item in notes if item in overdue], gone)
        if dropped := [last[item] for item in last if item in overdue]:
            _list(trash, (f"{file.name} is deleted for good" for file in dropped))
            _LOG.info("Deleted for good after a week in backups: %d archives", trash.drop(dropped))
    return left


def _take_out(store: Store, trash: BaseTrash, notes: Sequence[Trashed], bases: Sequence[Path]) -> int:
    """Move expired notes and bases to archives in `last`, list them in LOG, and return their number."""
    by_base = defaultdict(list)
    for trashed in notes:
        by_base[trashed.base_id].append(trashed)
    for base_id, of_base in by_base.items():
        base = store.base(base_id)
        file = trash.write(trash.last, f"{base_id}{_NOTES}", zip_archive.pack(_live(store, base, of_base)))
        rest = f"of base {_quote_title(base.name)} left the trash; it is in {file.name}"
        _list(trash, (f"note {_quote_title(trashed.version.title)} {rest}" for trashed in of_base))
        store.forget_notes([trashed.version.note_id for trashed in of_base])
    for file in bases:
        name = held.name if (held := _base_of(file)) else file.name
        _list(trash, [f"base {_quote_title(name)} left the trash; it is in {file.name}"])
        trash.expire(file)
    if notes or bases:
        _LOG.info("Moved from the trash to backups for a week: %d notes, %d bases", len(notes), len(bases))
    return len(notes) + len(bases)


def _list(trash: BaseTrash, lines: Iterable[str]) -> None:
    """Add lines to LOG."""
    file = files.folder(trash.folder) / LOG
    before = []
    with suppress(FileNotFoundError):
        try:
            before = files.read(file, _BYTES).decode("utf-8", "replace").splitlines()
        except files.Unfit:
            files.set_aside(file)
    at = utc_now().isoformat(timespec="seconds")
    files.replace(file, "\n".join([*before, *(f"{at} {line}" for line in lines)][-_LINES:]) + "\n")


def _live(store: Store, base: KnowledgeBase, trashed: Sequence[Trashed]) -> Records:
    """Return deleted notes as records of workspace notes. Versions and edits from before the deletion are included."""
    notes, versions, edits, taken = [], [], [], set[str]()
    for entry in trashed:
        *before, deleted = records.versions(store, entry.version.note_id)
        path = free_path(entry.path or title_filename(entry.version.title), taken)
        taken.add(path)
        note = replace(deleted.note, path=path, version=before[-1].note.version if before else 1)
        if note.in_file:
            note = replace(note, source="person", source_ref="", overridden={})
        notes.append(NoteRecord(note))
        versions += before
        edits += store.edits.for_note(entry.version.note_id)
    return Records(base, in_memory(notes), in_memory(versions), in_memory(edits))


def _base_of(file: Path) -> KnowledgeBase | None:
    """Return the base in an archive, or None if the archive can't be read."""
    with suppress(SourceError):
        return zip_archive.base_of(file)
    return None


def _quote_title(title: str) -> str:
    return f"'{''.join(entry if entry.isprintable() else ' ' for entry in title[:_LONGEST])}'"
