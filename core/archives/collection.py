"""Bases as files: exported, imported, deleted into the trash and restored."""

import io
import logging
import os
import tempfile
import zipfile
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Literal, get_args

from core import files
from core.archives import documents, folders, records, whole
from core.archives.records import Records
from core.config import Settings
from core.errors import ConfigError, SourceError, UnknownChoice
from core.faults import translated
from core.indexing.bases import Bases
from core.intake import upload
from core.model import KnowledgeBase, TrashedBase
from core.places import PROGRAM
from core.store import Store
from core.swapping import sync_folder

TRASH = "trash"
"""The folder in a workspace that holds deleted bases."""

Form = Literal["markdown", "json", "yaml", "zip"]

_LOG = logging.getLogger(__name__)
_WORDS = ("synonyms.txt", "vocabulary.txt")
_AT = "%Y%m%dT%H%M%S%f"


class Archives:
    """The bases of a workspace as files. Changes raise WorkspaceLocked where it is open for reading only."""

    def __init__(self, store: Store, settings: Settings, bases: Bases) -> None:
        self._store = store
        self._bases = bases
        self._trash = store.folder / TRASH
        self._stays = timedelta(days=settings.trash_days)

    # files

    def export(self, base: str, place: Path, form: str = "zip") -> Path:
        """Write a base to a place where nothing is yet, whole or not at all; return the place.

        `markdown` is a folder, `json` and `yaml` hold the notes with their fields, `zip` holds everything: history,
        edits of chunks, question sets, runs, settings, synonyms and types. Raises ConfigError for a place that is
        taken, UnknownChoice, ArchiveError for fields that front matter can't hold.
        """
        place = place.expanduser().absolute()
        if form not in get_args(Form):
            raise UnknownChoice("format", form, get_args(Form))
        if os.path.lexists(place):  # where Path.exists raises for a name that is too long
            raise ConfigError("There is something at {place} already. Choose another place.", place=str(place))
        with translated(place.parent):
            place.parent.mkdir(parents=True, exist_ok=True)
            if form == "markdown":
                folders.write(self._read(base), place)
            else:
                files.replace(place, self.exported(base, form))
        return place

    def exported(self, base: str, form: str) -> bytes:
        """Return the bytes of an export; of `markdown`, a zip of its files."""
        held = self._read(base)
        if form == "json":
            return documents.to_json(held)
        if form == "yaml":
            return documents.to_yaml(held)
        if form == "zip":
            return whole.packed(held)
        stream = io.BytesIO()
        with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
            for path, data in folders.files(held).items():
                archive.writestr(zipfile.ZipInfo(path), data)
        return stream.getvalue()

    def restore(self, place: Path, name: str = "") -> KnowledgeBase:
        """Make a base of an export, under its own name or another one; return it. Its notes wait to be indexed.

        A folder of Markdown becomes notes that live in the workspace. Raises ArchiveError with every mistake, of which
        nothing is imported, ConfigError for a name that is taken, SourceError.
        """
        place = place.expanduser()
        if place.is_dir():
            return self._write(folders.read(place, forbidden=self._store.folder), name)
        try:
            data = place.read_bytes()
        except OSError as error:
            raise SourceError(str(place), "can't be read: {why}.", why=error.strerror or str(error)) from error
        return self.restore_data(data, place.name, name)

    def restore_data(self, data: bytes, file: str, name: str = "") -> KnowledgeBase:
        """Make a base of the bytes of an export that is a file; raises as `restore` does."""
        if data[:2] != b"PK":
            held = documents.read(data, file)
        elif whole.is_notes(data):
            with tempfile.TemporaryDirectory() as staging:
                place = Path(staging, Path(file).stem)
                upload.unzip(data, place, name=file)
                held = folders.read(place)
        else:
            held = whole.unpacked(data, file)
        return self._write(held, name)

    def restore_files(self, files: Iterable[tuple[str, bytes]], name: str) -> KnowledgeBase:
        """Make a base of the paths and bytes of a folder's files; raises as `restore` does."""
        with tempfile.TemporaryDirectory() as staging:
            place = Path(staging, "notes")
            place.mkdir()
            upload.unpack(files, place)
            return self._write(folders.read(place), name)

    # trash

    @property
    def trash_stays(self) -> timedelta:
        """How long a deleted base can be restored."""
        return self._stays

    def delete(self, base: str) -> None:
        """Delete a base into the trash, from where it can be restored with everything; files on disk stay."""
        self._store.database.check_writable()
        with self._store.changing, translated(self._store.folder):
            known = self._bases.get(base)
            self._trash.mkdir(mode=0o700, exist_ok=True)
            files.replace(self._trash / f"{datetime.now(UTC):{_AT}}-{known.id}.zip", whole.packed(self._read(base)))
            sync_folder(self._trash)
            self._bases.delete(base)

    def trash(self) -> list[TrashedBase]:
        """Return the deleted bases, the last deleted first."""
        return [
            TrashedBase(file.name, self._base_of(file).name, file.stat().st_size, _at(file)) for file in self._trashed()
        ]

    def restore_deleted(self, key: str, name: str = "") -> KnowledgeBase:
        """Bring back a deleted base, by its key, or the last one of a name; return it. Raises as `restore` does."""
        named = [one.key for one in self.trash() if one.name == key]
        file = self._file(named[0] if named else key)
        base = self._write(whole.unpacked(file.read_bytes(), file.name), name)
        file.unlink()
        return base

    def empty_trash(self, key: str | None = None) -> int:
        """Delete a deleted base for good, or all of them; return how many."""
        return self._drop([self._file(key)] if key else self._trashed())

    def expire_trash(self) -> int:
        """Delete for good the bases that are in the trash too long, or that a kill left both there and in use."""
        in_use = {(base.id, base.created_at) for base in self._bases.all()}
        until = datetime.now(UTC) - self._stays
        return self._drop([file for file in self._trashed() if _at(file) < until or self._is_in_use(file, in_use)])

    def _is_in_use(self, file: Path, in_use: set[tuple[str, datetime]]) -> bool:
        base = self._base_of(file)
        return (base.id, base.created_at) in in_use

    def _drop(self, trashed: list[Path]) -> int:
        self._store.database.check_writable()
        with translated(self._trash):
            for file in trashed:
                file.unlink(missing_ok=True)
        return len(trashed)

    def _trashed(self) -> list[Path]:
        return sorted(self._trash.glob("*-*.zip"), reverse=True) if self._trash.is_dir() else []

    def _file(self, key: str) -> Path:
        known = {file.name: file for file in self._trashed()}
        if key not in known:
            raise UnknownChoice("deleted base", key, known)
        return known[key]

    def _base_of(self, file: Path) -> KnowledgeBase:
        return whole.base_of(file)

    # both

    def _read(self, base: str) -> Records:
        held = records.read(self._store, self._bases.get(base))
        words = {name: self._store.folder / name for name in _WORDS}
        texts = {name: file.read_bytes().decode("utf-8", "replace") for name, file in words.items() if file.is_file()}
        return replace(held, words=texts)

    def _write(self, held: Records, name: str) -> KnowledgeBase:
        name = name.strip() or held.base.name
        self._bases.check_name(name)
        base = records.write(self._store, held, name)
        for file in _WORDS:
            if file in held.words:
                self._add_words(file, held.words[file])
        _LOG.info("Imported a base with %d notes and %d versions", len(held.notes), len(held.versions))
        return base

    def _add_words(self, name: str, text: str) -> None:
        """Add the lines of a file of words that the person's own lacks; one that nobody edited is replaced."""
        file, shipped = self._store.folder / name, PROGRAM / "data" / name
        own = file.read_bytes().decode("utf-8", "replace") if file.is_file() else ""
        untouched = not own or (shipped.is_file() and own == shipped.read_text(encoding="utf-8"))
        more = [line for line in text.splitlines() if line.strip() and line not in own.splitlines()]
        if own != text and (untouched or more):
            with translated(self._store.folder):
                files.replace(file, text if untouched else own.rstrip("\n") + "\n" + "\n".join(more) + "\n")


def _at(file: Path) -> datetime:
    """Return the time in the name of a deleted base."""
    return datetime.strptime(file.name.partition("-")[0], _AT).replace(tzinfo=UTC)
