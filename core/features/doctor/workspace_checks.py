"""Check a workspace's resources, the machine, and files and folders."""

import os
import re
import stat
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Protocol

from filelock import FileLock, Timeout

from core import embedding
from core.base import files
from core.base.datetimes import utc_now
from core.base.errors import IndexDamaged, TesseraError
from core.base.faults import BACKUPS, DATABASE, find_write_error
from core.base.files import disk_space
from core.base.frozen import frozen
from core.base.messages import Message, lines, message, plural, verbatim
from core.base.text import digest
from core.embedding.windows import row_windows
from core.indexing.base_copies import Scratch
from core.indexing.bases import Bases, SyncedFolders
from core.indexing.models import Models, cards
from core.indexing.models.servers import Servers
from core.markdown.body import shown_in
from core.model import GUESSED, Check, Filters, count_names
from core.notes import attachments
from core.notes.links import NoteLinks
from core.settings import config
from core.settings.config import Settings
from core.settings.file import SettingsFile
from core.store import Store
from core.store import folder as folders
from core.store.backups import restoring
from core.store.index import chroma_worker


class HasPlace(Protocol):
    """An object whose `place` is the backup folder, such as Backups."""

    @property
    def place(self) -> Path: ...


# Checks of the workspace by name, in the order in which they run.
Checks = dict[str, Check]
# The problem found by a check, or None if nothing is wrong.
Finding = Message | None


@frozen
class WorkspaceParts:
    """The parts of an open workspace that checks use."""

    store: Store
    settings: Settings
    settings_file: SettingsFile
    bases: Bases
    models: Models
    servers: Servers
    backups: HasPlace | None


def _index(parts: WorkspaceParts) -> Finding:
    store = parts.store
    index = store.index
    if parts.settings.index.kind == "none" or index.problem:
        return index.problem
    if index.ready:
        return count_names(
            [
                base.name
                for base in parts.bases.all()
                if index.ids(base) != {key for ids, _ in store.chunks.windows(base) for key in ids}
            ],
            "The index of {names} doesn't match the notes.",
            "The indexes of {names} don't match the notes.",
        )
    folder = store.folder / "chroma"
    if parts.settings.index.url or not store.database.value("SELECT EXISTS (SELECT 1 FROM windows)"):
        return None
    if not folder.is_dir():
        return message("There is no search index yet. Tessera builds the index when it starts.")
    sealed = files.load(chroma_worker.seal_file(folder), lambda stored: stored["files"], aside=False)
    try:
        if sealed is None:
            if store.readonly and _in_use(store.folder):
                return None
            return message("The search index wasn't closed properly, so it will be checked at the next start.")
        whole = sealed == chroma_worker.checksums(folder)
    except IndexDamaged as error:
        return error.message
    return None if whole else message("The files of the search index have changed since it was closed.")


def _in_use(folder: Path) -> bool:
    try:
        with FileLock(folder / "lock", timeout=0, mode=0o600):
            return False
    except Timeout:
        return True
    except OSError:  # a read-only disk
        return False


def _mend_index(parts: WorkspaceParts) -> None:
    parts.store.index.open()
    if _index(parts):
        parts.store.rebuild_index()


def _models(parts: WorkspaceParts) -> Finding:
    problems = []
    for name in sorted({base.embedder for base in parts.bases.all() if base.has_vectors}):
        try:
            problem = cards.card(name).problem
        except TesseraError as error:
            problem = error.message
        problems += [message("{name}: {problem}", name=name, problem=problem)] if problem else []
    return lines(*problems, separator="; ") if problems else None


def _rows(parts: WorkspaceParts) -> Finding:
    """Report bases whose table rows aren't embedded individually yet, because an earlier version indexed them."""
    names = []
    store = parts.store
    for base in parts.bases.all():
        if not base.has_vectors or not (rowids := store.chunks.with_tables(base)):
            continue
        with suppress(TesseraError):  # problems with the model are reported by the check "models"
            embedder = embedding.build(base.embedder)
            chunks = store.chunks.by_rowid(rowids)
            cards = store.notes.cards_of({chunk.note_id for chunk in chunks.values()})
            for rowid, chunk in chunks.items():
                first = next(row_windows(chunk, cards[chunk.note_id].title, embedder, embedder.input_tokens), None)
                if first and not store.chunks.has_window(rowid, base, digest(first.text)):
                    names.append(base.name)
                    break
    return (
        message("Some table rows in these bases can't be found individually yet: {names}", names=names)
        if names
        else None
    )


def _servers(parts: WorkspaceParts) -> Finding:
    half = [server.section for server in parts.servers.all() if server.base_url and not server.complete]
    bare = [
        server.section for server in parts.servers.all() if server.host and not server.here and not server.encrypted
    ]
    if half:
        return message("These servers have an address but no model: {names}", names=half)
    return message("The text of your notes is sent unencrypted to these servers: {names}", names=bare) if bare else None


def _space(parts: WorkspaceParts) -> Finding:
    disk = disk_space(parts.store.folder)
    return (
        message("{free:,.1f} GB of {total:,.0f} GB are free.", free=disk.free / 1e9, total=disk.total / 1e9)
        if disk.nearly_full
        else None
    )


def _config(parts: WorkspaceParts) -> Finding:
    try:
        config.settings()
    except TesseraError as error:
        return error.message
    return parts.settings_file.problem


def _clock(parts: WorkspaceParts) -> Finding:
    last = parts.store.database.value("SELECT max(day) FROM openings")
    return (
        message("The workspace was opened on {day}, a date in the future.", day=last)
        if last and last > utc_now().date().isoformat()
        else None
    )


# Resource checks by name, in the order in which they run.
OF_RESOURCES: Checks = {
    "index": Check(
        "look",
        "The search index matches the notes",
        (
            "The index makes searches by meaning fast in large bases. Without the index, searches are just as "
            "correct but slower."
        ),
        verbatim("tessera rebuild"),
        _index,
        _mend_index,
    ),
    "models": Check(
        "broken",
        "The models for your bases are installed",
        "Without its model, a base can be searched only by keyword.",
        "Install the model in Settings, or change the base's model.",
        _models,
    ),
    "rows": Check(
        "look",
        "Table rows can be found individually",
        "A table row can be found by its own content, whatever surrounds it.",
        message("Split the base's notes again: {command}", command="tessera rechunk"),
        _rows,
    ),
    "servers": Check(
        "look",
        "Model servers are set up",
        "A server needs an address and a model, and encryption if it isn't on this machine.",
        message("Complete the setup in Settings, or run: {command}", command="tessera models server"),
        _servers,
    ),
    "space": Check(
        "look",
        "There is free disk space",
        "When a disk is full, nothing can be saved or backed up.",
        message("Free some space, or run: {command}", command="tessera compact"),
        _space,
    ),
}

# Checks on the settings and the machine, by name.
OF_MACHINE: Checks = {
    "config": Check(
        "broken",
        "The settings are valid",
        "All settings in tessera.toml and the environment are valid.",
        "Correct tessera.toml.",
        _config,
    ),
    "clock": Check(
        "look",
        "The clock is correct",
        "The trash uses the clock to find out which items are old enough to delete.",
        "Correct this machine's clock. Until then, nothing is removed from the trash.",
        _clock,
    ),
}


FIX = verbatim("tessera doctor --fix")
# Time limit for checking attachments, in seconds.
_SECONDS = 2.0


def _sources(parts: WorkspaceParts) -> Finding:
    gone = [
        place
        for base in parts.bases.all()
        for place, _ in SyncedFolders(parts.store).all(base)
        if Path(place).is_absolute() and not Path(place).is_dir()
    ]
    return count_names(gone, "{n} folder is missing: {names}", "{n} folders are missing: {names}")


def _files(parts: WorkspaceParts) -> Finding:
    rows = parts.store.database.rows("SELECT source_ref, path FROM notes WHERE source = 'folder' AND path IS NOT NULL")
    gone = [path for top, path in rows if Path(top).is_dir() and not (Path(top) / path).exists()]
    return count_names(gone, "The file of {n} note is missing: {names}", "The files of {n} notes are missing: {names}")


def _omissions(parts: WorkspaceParts) -> Finding:
    notes = [note for base in parts.bases.all() for note in parts.store.documents.incomplete(base)]
    lacking, guessed = (
        sorted(note.path for note in notes if any((part.kind == GUESSED) is guess for part in note.left_out))
        for guess in (False, True)
    )
    left_out = count_names(
        lacking,
        "{n} note is missing parts of its file: {names}",
        "{n} notes are missing parts of their files: {names}",
    )
    encodings = count_names(
        guessed,
        "The encoding of {n} file was guessed: {names}",
        "The encodings of {n} files were guessed: {names}",
    )
    return lines(left_out, encodings) if left_out and encodings else left_out or encodings


def _attachments(parts: WorkspaceParts) -> Finding:
    """Report missing attachments. Notes are checked one by one until the time limit."""
    gone = []
    until = time.monotonic() + _SECONDS
    links = NoteLinks(parts.store)
    for card in parts.store.notes.cards(Filters()):
        if time.monotonic() > until:
            break
        note = parts.store.note(card.id)
        if not note.in_file or note.plain or not note.folder.is_dir():
            continue
        # A notebook's images are stored in the notebook's own file.
        is_notebook = note.document is not None and note.document.kind == "ipynb"
        for target in shown_in(note.body, note.location):
            there = (is_notebook and "/" not in target) or links.target(note, target)
            if not there and not attachments.locate(note.source_ref, note.location, target):
                gone.append(message("{name}: {text}", name=note.title, text=target))
    return count_names(gone, "{n} picture or file is missing: {names}", "{n} pictures or files are missing: {names}")


def _watched(parts: WorkspaceParts) -> Finding:
    return count_names(
        [
            place
            for base in parts.bases.all()
            if base.watch
            for place, _ in SyncedFolders(parts.store).all(base)
            if Path(place).is_dir() and not os.access(place, os.R_OK | os.X_OK)
        ],
        "Tessera has no permission to read {n} folder: {names}",
        "Tessera has no permission to read {n} folders: {names}",
    )


def _permissions(parts: WorkspaceParts) -> Finding:
    folder = parts.store.folder
    if (error := find_write_error(folder)) is not None:
        return error.message
    if os.name != "posix":
        return None
    return count_names(
        [
            path.name
            for path in (folder / DATABASE, folder / "token", folder / BACKUPS)
            if path.exists() and stat.S_IMODE(path.stat().st_mode) & 0o077
        ],
        "Other users can read {names}.",
        "Other users can read {names}.",
    )


def _scratch(parts: WorkspaceParts) -> Finding:
    copies = [*_filter_older(Scratch(parts.store).folder.glob("*"), timedelta(days=30))]
    return (
        plural(
            "{n} copy of a base is left from an evaluation: {size:,.0f} MB.",
            "{n} copies of bases are left from evaluations: {size:,.0f} MB.",
            n=len(copies),
            size=sum(map(files.size, copies)) / 1e6,
        )
        if copies
        else None
    )


def _filter_older(places: Iterable[Path], age: timedelta) -> Iterator[Path]:
    for place in places:
        with suppress(OSError):
            if time.time() - place.lstat().st_mtime > age.total_seconds():
                yield place


def _leftovers(parts: WorkspaceParts) -> list[Path]:
    folder = parts.store.folder
    inside = [*folder.glob("*"), *(folder / BACKUPS).glob(".*"), *(folder / "trash").glob(".*")]
    return [
        path
        for path in _filter_older(inside, timedelta(days=1))
        if re.fullmatch(r"\..+\.[a-z0-9_]{8}|restoring\.(partial|before)|\.partial", path.name)
    ]


def _find_replaced_files(parts: WorkspaceParts) -> Finding:
    folder = parts.store.folder / restoring.ASIDE
    return (
        message("{folder} takes up {size:,.0f} MB.", folder=folder, size=files.size(folder) / 1e6)
        if folder.is_dir()
        else None
    )


# Checks on files and folders by name, in the order in which they run.
OF_FILES: Checks = {
    "sources": Check(
        "look",
        "All note folders are in place",
        "Changes in a folder that was moved or isn't mounted aren't noticed.",
        "Mount the folder, or connect the base to the folder's new location.",
        _sources,
    ),
    "files": Check(
        "look",
        "All note files are in place",
        (
            "A note whose file is missing is removed from the base at the next update. You can restore it from the "
            "trash."
        ),
        "Update the base on the Bases page, or put the file back.",
        _files,
    ),
    "halfway": Check(
        "look",
        "No multi-file change was interrupted",
        ("Renames and edits that a stopped process didn't finish are undone, except in files that have changed since."),
        message("Check the name and the links of each file, then run: {command}", command="tessera doctor --fix"),
        lambda parts: count_names(
            parts.store.intents.left(),
            "{n} file couldn't be restored to its earlier state: {names}",
            "{n} files couldn't be restored to their earlier state: {names}",
        ),
        lambda parts: parts.store.intents.drop([key for key, step in parts.store.intents.all().items() if step.left]),
    ),
    "unread": Check(
        "look",
        "All files in your folders could be read",
        "A file that can't be read doesn't become a note.",
        message("To see which files, and how to fix them: {command}", command="tessera document unread BASE"),
        lambda parts: count_names(
            [failure.path for base in parts.bases.all() for failure in SyncedFolders(parts.store).unread(base)],
            "{n} file could not be read: {names}",
            "{n} files could not be read: {names}",
        ),
    ),
    "omissions": Check(
        "look",
        "All the text in your files is also in their notes",
        "Text that is in a file but not in its note can't be found.",
        message("To see these notes, run: {command}", command="tessera document unread BASE"),
        _omissions,
    ),
    "attachments": Check(
        "look",
        "All pictures and attachments in your notes are in place",
        "Notes show pictures from their folders, and backups don't include these pictures.",
        "Put the file next to the note, or correct the link.",
        _attachments,
    ),
    "watched": Check(
        "look",
        "Folders with automatic updates can be read",
        "A folder without read permission isn't updated.",
        "Give Tessera permission to read the folder, or turn off automatic updates for the base.",
        _watched,
    ),
    "permissions": Check(
        "broken",
        "Only you can read and write the workspace",
        "The files in the workspace contain all your notes.",
        FIX,
        _permissions,
        lambda parts: folders.make_private(parts.store.folder),
    ),
    "set_aside": Check(
        "look",
        "No damaged files are left",
        "Damaged small files are set aside and created again.",
        "Delete what you don't need.",
        lambda parts: count_names(
            files.list_set_aside(parts.store.folder),
            "{n} file was damaged and was created again: {names}",
            "{n} files were damaged and were created again: {names}",
        ),
    ),
    "scratch": Check(
        "look",
        "No old copies of bases take up space",
        "Evaluations keep copies of bases so that the next evaluation is faster.",
        FIX,
        _scratch,
        lambda parts: Scratch(parts.store).drop(),
    ),
    "leftovers": Check(
        "look",
        "No stopped process left files behind",
        "Files left unfinished by a stopped process are of no use.",
        FIX,
        lambda parts: count_names(
            [leftover.name for leftover in _leftovers(parts)],
            "A stopped process left {n} file: {names}",
            "Stopped processes left {n} files: {names}",
        ),
        lambda parts: [*map(files.delete, _leftovers(parts))],
    ),
    "replaced": Check(
        "look",
        "No old data takes up space after restoring a backup",
        "The data from before a backup was restored is kept until you delete it.",
        "Delete the folder when you no longer need it.",
        _find_replaced_files,
    ),
}
