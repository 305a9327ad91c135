"""Checks of files and folders: the user's, and the workspace's besides its database."""

import os
import re
import stat
import time
from collections.abc import Iterator
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

from core.base import files
from core.base.faults import BACKUPS, DATABASE, find_write_error
from core.base.messages import Message, lines, message, plural, verbatim
from core.features.doctor.parts import WorkspaceParts
from core.indexing.base_copies import Scratch
from core.indexing.bases import SyncedFolders
from core.markdown.body import shown_in
from core.model import GUESSED, Check, Filters, Note, count_names
from core.notes import attachments
from core.notes.links import NoteLinks
from core.store import folder as folders
from core.store.backups import restoring

_FIX = verbatim("tessera doctor --fix")
_STALE, _LEFT = timedelta(days=30), timedelta(days=1)
"""Minimum age of a base's unused copy for evaluation, and of a file that a stopped process left behind."""
_SECONDS = 2.0
"""Time limit for checking the attachments of notes."""
_LEFTOVER = re.compile(r"\..+\.[a-z0-9_]{8}|restoring\.(partial|before)|\.partial")


def _sources(parts: WorkspaceParts) -> Message | None:
    places = [folder for base in parts.bases.all() for folder, _ in SyncedFolders(parts.store).all(base)]
    gone = [place for place in places if Path(place).is_absolute() and not Path(place).is_dir()]
    return count_names(gone, "{n} folder is missing: {names}", "{n} folders are missing: {names}")


def _files(parts: WorkspaceParts) -> Message | None:
    rows = parts.store.database.rows("SELECT source_ref, path FROM notes WHERE source = 'folder' AND path IS NOT NULL")
    gone = [path for top, path in rows if Path(top).is_dir() and not (Path(top) / path).exists()]
    return count_names(gone, "The file of {n} note is missing: {names}", "The files of {n} notes are missing: {names}")


def _omissions(parts: WorkspaceParts) -> Message | None:
    notes = [note for base in parts.bases.all() for note in parts.store.documents.incomplete(base)]
    lacking, guessed = (
        sorted(note.path for note in notes if any((part.kind == GUESSED) is guess for part in note.left_out))
        for guess in (False, True)
    )
    findings = (
        count_names(
            lacking,
            "{n} note is missing parts of its file: {names}",
            "{n} notes are missing parts of their files: {names}",
        ),
        count_names(
            guessed,
            "The encoding of {n} file was guessed: {names}",
            "The encodings of {n} files were guessed: {names}",
        ),
    )
    return lines(*filter(None, findings)) if any(findings) else None


def _attachments(parts: WorkspaceParts) -> Message | None:
    """Check the attachments of notes in order until the time limit."""
    gone = []
    until = time.monotonic() + _SECONDS
    links = NoteLinks(parts.store)
    for card in parts.store.notes.cards(Filters()):
        if time.monotonic() > until:
            break
        note = parts.store.notes.note(card.id)
        if note.in_file and Path(note.source_ref).is_dir():
            gone += [
                message("{name}: {text}", name=note.title, text=target)
                for target in _shown(note)
                if not attachments.locate(note.source_ref, str(note.path), target) and not links.target(note, target)
            ]
    return count_names(gone, "{n} picture or file is missing: {names}", "{n} pictures or files are missing: {names}")


def _shown(note: Note) -> list[str]:
    """Return the pictures, files and notes that a note embeds, without the pictures inside a notebook."""
    shown = {} if note.plain else shown_in(note.body, str(note.path))
    is_notebook = note.document is not None and note.document.kind == "ipynb"
    return [name for name in shown if "/" in name or not is_notebook]


def _watched(parts: WorkspaceParts) -> Message | None:
    blind = [
        folder
        for base in parts.bases.all()
        if base.watch
        for folder, _ in SyncedFolders(parts.store).all(base)
        if Path(folder).is_dir() and not os.access(folder, os.R_OK | os.X_OK)
    ]
    return count_names(
        blind,
        "There is no permission to read {n} folder: {names}",
        "There is no permission to read {n} folders: {names}",
    )


def _permissions(parts: WorkspaceParts) -> Message | None:
    folder = parts.store.folder
    if (error := find_write_error(folder)) is not None:
        return error.message
    if os.name != "posix":
        return None
    seen = [path for path in (folder / DATABASE, folder / "token", folder / BACKUPS) if path.exists()]
    bare = [path.name for path in seen if stat.S_IMODE(path.stat().st_mode) & 0o077]
    return count_names(bare, "Others can read {names}.", "Others can read {names}.")


def _scratch(parts: WorkspaceParts) -> Message | None:
    copies = [*_filter_older(Scratch(parts.store).folder.glob("*"), _STALE)]
    size = sum(map(files.size, copies))
    if not copies:
        return None
    return plural(
        "{n} copy of a base is left from an evaluation: {size:,.0f} MB.",
        "{n} copies of bases are left from evaluations: {size:,.0f} MB.",
        n=len(copies),
        size=size / 1e6,
    )


def _filter_older(places: Iterator[Path], age: timedelta) -> Iterator[Path]:
    for place in places:
        with suppress(OSError):
            if time.time() - place.lstat().st_mtime > age.total_seconds():
                yield place


def _leftovers(parts: WorkspaceParts) -> list[Path]:
    folder = parts.store.folder
    inside = [*folder.glob("*"), *(folder / BACKUPS).glob(".*"), *(folder / "trash").glob(".*")]
    return [path for path in _filter_older(iter(inside), _LEFT) if _LEFTOVER.fullmatch(path.name)]


def _delete_leftovers(parts: WorkspaceParts) -> None:
    for leftover in _leftovers(parts):
        files.delete(leftover)


def _find_leftovers(parts: WorkspaceParts) -> Message | None:
    names = [leftover.name for leftover in _leftovers(parts)]
    return count_names(names, "A stopped process left {n} file: {names}", "Stopped processes left {n} files: {names}")


def _find_replaced_files(parts: WorkspaceParts) -> Message | None:
    folder = parts.store.folder / restoring.ASIDE
    size = files.size(folder)
    return (
        message("{folder} takes up {size:,.0f} MB.", folder=str(folder), size=size / 1e6) if folder.is_dir() else None
    )


OF_FILES: dict[str, Check] = {
    "sources": Check(
        "look",
        "All folders of your notes are there",
        "Changes in a folder that was moved or isn't mounted aren't noticed.",
        "Mount the folder, or connect the base to its new location.",
        _sources,
    ),
    "files": Check(
        "look",
        "All files of your notes are there",
        (
            "A note whose file is missing is removed from the base at the next update; you can "
            "restore it from the trash."
        ),
        "Update the base on the Bases page, or put the file back.",
        _files,
    ),
    "halfway": Check(
        "look",
        "No change to several files stopped halfway",
        ("Renames and edits that a stopped process didn't finish are undone, except in files that have changed since."),
        message("Check the name and the links of each file. Then: {command}", command="tessera doctor --fix"),
        lambda parts: count_names(
            parts.store.intents.left(),
            "{n} file couldn't be restored to its earlier state: {names}",
            "{n} files couldn't be restored to their earlier state: {names}",
        ),
        lambda parts: parts.store.intents.drop([key for key, step in parts.store.intents.all().items() if step.left]),
    ),
    "unread": Check(
        "look",
        "The files of your folders could be read",
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
        "All text from your files is in their notes",
        "Text that is in a file but not in its note can't be found.",
        message("To see which: {command}", command="tessera document unread BASE"),
        _omissions,
    ),
    "attachments": Check(
        "look",
        "All pictures and files of your notes are there",
        "A note shows pictures from its folder; backups don't include them.",
        "Put the file next to the note, or correct the link.",
        _attachments,
    ),
    "watched": Check(
        "look",
        "Folders with automatic updates can be read",
        "A folder without read permission isn't updated.",
        "Allow reading the folder, or turn off updates for the base.",
        _watched,
    ),
    "permissions": Check(
        "broken",
        "Only you can read and write the workspace",
        "The files in the workspace contain all your notes.",
        _FIX,
        _permissions,
        lambda parts: folders.make_private(parts.store.folder),
    ),
    "set_aside": Check(
        "look",
        "No damaged files are left",
        "Damaged small files are kept aside and created again.",
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
        _FIX,
        _scratch,
        lambda parts: Scratch(parts.store).drop(),
    ),
    "leftovers": Check(
        "look",
        "No process left files behind",
        "Files that a stopped process didn't finish are of no use.",
        _FIX,
        _find_leftovers,
        _delete_leftovers,
    ),
    "replaced": Check(
        "look",
        "No old data takes up space after restoring a backup",
        "The data from before a backup was restored is kept until you delete it.",
        "Delete the folder when you no longer need it.",
        _find_replaced_files,
    ),
}
"""Checks of files and folders by name, in order."""
