"""Export and import bases, move them to the trash, and restore them."""

import logging
import os
import sys
from dataclasses import dataclass, replace
from datetime import timedelta
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import IO
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from core.base import app_paths, files
from core.base.errors import RowError, SourceError, UnknownChoice
from core.base.faults import translate_errors
from core.base.messages import Message, message
from core.features.archives import documents, import_validation, records, zip_archive
from core.features.archives.records import Ids, Mistakes, Place, Records, RunRows
from core.features.archives.trash_expiry import BaseTrash, expire
from core.indexing.bases import Bases
from core.intake import upload
from core.intake.notefile import is_note
from core.model import Check, KnowledgeBase, Restored, count_names
from core.settings.config import Settings
from core.store import Store

# The first pass over an archive. It reads and checks every record before anything is written.


def checked(records: Records, name: str) -> Ids:
    """Check all records in an archive, and return the notes' ids and version numbers. `name` is the archive's name.

    Raises ArchiveError, which lists all mistakes.
    """
    mistakes = Mistakes(name)
    ids = Ids({}, {})
    seen = set[str]()

    def check_once(place: Place, reason: Message, *keys: str) -> None:
        if seen & {*keys}:
            mistakes.add(place, reason)
        seen.update(keys)

    for place, entry in records.notes.sound(mistakes):
        check_once(place, message("this note appears twice."), f"note {entry.note.id}")
        ids.notes[entry.note.id] = entry.note.version
    last = {}
    for place, version in records.versions.sound(mistakes):
        note = version.note
        numbers = ids.versions.setdefault(note.id, set())
        if note.version in numbers or note.version > ids.notes.get(note.id, note.version):
            mistakes.add(place, message("this version appears twice, or is newer than its note."))
        if note.version > max(numbers, default=0):
            last[note.id] = version.kind
        numbers.add(note.version)
    for note_id, kind in last.items():
        if kind == "delete" and note_id in ids.notes:
            mistakes.add(
                "versions.jsonl", message("the note '{note}' is listed both as deleted and as present.", note=note_id)
            )
    unfit = message("the note for this change isn't in the archive, or already has another change.")
    for place, proposal in records.proposals.sound(mistakes):
        check_once(place, unfit, f"change {proposal.note_id}")
        if proposal.note_id not in ids.notes:
            mistakes.add(place, unfit)
    for place, edit in records.edits.sound(mistakes):
        check_once(place, message("this edit appears twice."), f"edit {edit.id}")
    for place, record in records.sets.sound(mistakes):
        own = record.set
        check_once(place, message("this question set appears twice."), f"set {own.id}", f"set /{own.name}")
    for place, use in records.uses.sound(mistakes):
        if use.note_id not in ids.notes and use.note_id not in ids.versions:
            mistakes.add(place, message("the note of this recorded use isn't in the archive."))
    for _ in chain(records.runs.sound(mistakes), records.syncs.sound(mistakes)):
        pass
    mistakes.raise_any()
    return ids


FORMS = ("markdown", "json", "yaml", "zip")

# Maximum size of a JSON or YAML document in bytes. Unlike a zip, a document has to fit in memory.
MOST_DOCUMENT = 64 * 2**20

_LOG = logging.getLogger(__name__)


@dataclass(eq=False)
class Archives:
    """Exports and imports bases, and manages the trash.

    In a read-only workspace, methods that change the workspace raise WorkspaceLocked.
    """

    _store: Store
    _settings: Settings
    _bases: Bases
    _runs: RunRows
    _find_file: documents.FindFile

    def __post_init__(self) -> None:
        self._trash = BaseTrash(self._store)
        # The time that a deleted base stays in the trash.
        self.trash_stays = timedelta(days=self._settings.trash_days)
        self.trash = self._trash.all

    # files

    def export(self, base: str, place: Path, form: str = "zip") -> Path:
        """Write a base to a new file or folder, and return the path. If writing fails, nothing is left there.

        `markdown` is a folder with the notes and their attachments. `json` and `yaml` contain the notes with their
        fields. `zip` contains everything: history, the user's edits to chunks, question sets, evaluation runs,
        settings, synonyms and types. Raises ConfigError if `place` exists, UnknownChoice if the format is unknown, and
        ArchiveError if a field can't be written as front matter.
        """
        if form not in FORMS:
            raise UnknownChoice("format", form, FORMS)
        place = app_paths.check_vacant(place)
        with translate_errors(place.parent):
            place.parent.mkdir(parents=True, exist_ok=True)
            if form == "markdown":
                contents = documents.markdown_files(self._read(self._bases.get(base)), self._find_file)
                with self._store.temporary.make_scoped() as staging:
                    documents.write_folder(contents, place, staging)
            else:
                files.create(place, self.exported(base, form))
        return place

    def exported(self, base: str, form: str) -> bytes:
        """Return a base's export as bytes. A `markdown` export is returned as a zip of the files."""
        held = self._read(self._bases.get(base))
        if form != "markdown":
            return {"json": documents.to_json, "yaml": documents.to_yaml, "zip": zip_archive.pack}[form](held)
        stream = BytesIO()
        with ZipFile(stream, "w", ZIP_DEFLATED) as archive:
            for path, data in documents.markdown_files(held, self._find_file):
                archive.writestr(ZipInfo(path), data)
        return stream.getvalue()

    def restore(self, place: Path, name: str = "") -> Restored:
        """Create a base from an export, and return the base. `name` is a different name for the base.

        The base's notes live in the workspace, and its chunks still have to be indexed. The base has no permissions
        until the user grants them. Raises ArchiveError, which lists all mistakes, ConfigError if the name is taken, and
        SourceError if the export can't be read. After an error, nothing has been imported.
        """
        place = app_paths.expand_home(place)
        if os.path.isdir(place):  # noqa: PTH112 Path.is_dir raises for a path that is too long
            return self._import(documents.read_folder(place, forbidden=self._store.folder), str(place), name)
        with files.open_user_file(place, upload.MAX_UNPACKED) as stream:
            return self._restore(stream, place.name, name)

    def restore_data(self, data: bytes, file: str, name: str = "") -> Restored:
        """Create a base from an exported file's bytes. Raises the same errors as `restore`."""
        return self._restore(BytesIO(data), file, name)

    def restore_files(self, files: documents.Contents, name: str) -> Restored:
        """Create a base from a folder's files, given as paths and bytes. Raises the same errors as `restore`."""
        with self._store.temporary.make_scoped() as staging:
            place = staging / "notes"
            place.mkdir()
            upload.unpack(files, place)
            return self._import(documents.read_folder(place), name, name)

    def _restore(self, stream: IO[bytes], file: str, name: str) -> Restored:
        is_zip = stream.read(2) == b"PK"
        stream.seek(0)
        if not is_zip:
            data = stream.read(MOST_DOCUMENT + 1)
            if len(data) > MOST_DOCUMENT:
                raise SourceError(
                    file,
                    "This file is larger than {limit} MB. Export the base as a zip instead.",
                    limit=MOST_DOCUMENT >> 20,
                )
            return self._import(documents.read(data, file), file, name)
        if not zip_archive.is_notes(upload.open_archive(stream, file)):
            return self._import(zip_archive.unpack(stream, file), file, name)
        with self._store.temporary.make_scoped() as staging:
            place = staging / Path(file).stem
            for left in upload.unzip_from(stream, place, name=file):
                if is_note(left.path):
                    raise SourceError(f"{file}: {left.path}", left.error)
            return self._import(documents.read_folder(place), file, name)

    # trash

    def put_into_trash(self, base: KnowledgeBase) -> None:
        """Write a base with all its records to the trash. Raises StoreError."""
        with translate_errors(self._store.folder):
            self._trash.write(self._trash.folder, f"{base.id}.zip", zip_archive.pack(self._read(base)))

    def restore_deleted(self, key: str, name: str = "") -> Restored:
        """Restore a deleted base, given its key in the trash or its name, and return the base.

        If several deleted bases have the same name, the one deleted last is restored. From an archive written by this
        workspace, the base is restored unchanged, with its folders and permissions. Any other file is imported like an
        export. Raises the same errors as `restore`.
        """
        named = (
            trashed_base.key
            for trashed_base in self.trash()
            if trashed_base.name == key and not (trashed_base.problem or trashed_base.titles)
        )
        file = self._trash.file(next(named, key))
        with files.open_user_file(file, sys.maxsize) as stream:
            own = self._trash.wrote(file.name, stream)
            held = zip_archive.unpack(stream, file.name, own=own)
            restored = self._write(held, file.name, name, own=True) if own else self._import(held, file.name, name)
        self._trash.drop([file])
        return restored

    def delete_for_good(self, key: str) -> int:
        """Permanently delete an item in the trash, given its key, and return 1.

        Raises UnknownChoice if there is no such item.
        """
        return self._trash.drop([self._trash.file(key)])

    def empty_trash(self) -> int:
        """Permanently delete all items in the trash, and return how many were deleted."""
        return self._trash.drop(self._trash.every())

    def expire_trash(self) -> int:
        """Remove expired notes and bases from the trash, and return how many were removed. Raises StoreError."""
        return expire(self._store, self._trash, self.trash_stays)

    # import and export

    def _import(self, held: Records, file: str, name: str) -> Restored:
        """Validate an archive's records and write them.

        If a record is invalid, raise ArchiveError before anything is written.
        """
        mistakes = Mistakes(file)
        zip_archive.check(held.words, mistakes)
        try:
            held = import_validation.admit(held, self._bases.usual(held.base.kind).embedder)
        except RowError as error:
            mistakes.add(message("base"), error.message)
        mistakes.raise_any()
        return self._write(held, file, name)

    def _write(self, held: Records, file: str, name: str, *, own: bool = False) -> Restored:
        name = name.strip() or held.base.name
        self._bases.check_name(name)
        ids = checked(held, file)
        base = records.write(self._store, held, name, ids, self._runs)
        self._store.leave_pending()
        with translate_errors(self._store.folder):
            zip_archive.add(self._store.folder, held.words)
        _LOG.info("Imported a base with %d notes and %d versions", len(ids.notes), sum(map(len, ids.versions.values())))
        return Restored(base, held.powers, own=own)

    def _read(self, base: KnowledgeBase) -> Records:
        return replace(
            records.read(self._store, base, self._runs), words=zip_archive.user_wordlists(self._store.folder)
        )


def _trash(archives: Archives) -> Message | None:
    return count_names(
        [trashed_base.name for trashed_base in archives.trash() if trashed_base.problem],
        "{n} deleted base can't be restored: {names}",
        "{n} deleted bases can't be restored: {names}",
    )


# The doctor's checks of the trash, by name.
CHECKS = {
    "trash": Check(
        "look",
        "Deleted bases can be restored",
        "A damaged file in the trash can't be restored.",
        "Delete it for good on the Bases page.",
        _trash,
    ),
}
