"""Bases as files: exported, imported, deleted into the trash and restored."""

import io
import logging
import tempfile
import zipfile
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Literal, get_args

from core import files
from core.archives import documents, folders, records, whole
from core.archives.expiry import Expiry
from core.archives.records import Records
from core.archives.trash import Trash
from core.config import Settings
from core.errors import ConfigError, SourceError, UnknownChoice
from core.faults import translated
from core.indexing.bases import Bases
from core.intake import upload
from core.model import KnowledgeBase, TrashedBase
from core.places import PROGRAM
from core.store import Store

Form = Literal["markdown", "json", "yaml", "zip"]

_LOG = logging.getLogger(__name__)
_WORDS = ("synonyms.txt", "vocabulary.txt")


class Archives:
    """The bases of a workspace as files. Changes raise WorkspaceLocked where it is open for reading only."""

    def __init__(self, store: Store, settings: Settings, bases: Bases) -> None:
        self._store = store
        self._bases = bases
        self._trash = Trash(store)
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
        if place.exists():
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
            self._trash.put(known.id, whole.packed(self._read(base)))
            self._bases.delete(base)

    def trash(self) -> list[TrashedBase]:
        """Return what lies in the trash, the last deleted first; one that can't be restored has a `problem`."""
        return self._trash.all()

    def restore_deleted(self, key: str, name: str = "") -> KnowledgeBase:
        """Bring back a deleted base, by its key, or the last one of a name; return it. Raises as `restore` does."""
        named = [one.key for one in self.trash() if one.name == key and not one.problem and not one.titles]
        file = self._trash.file(named[0] if named else key)
        with translated(self._store.folder):
            data = whole.data_of(file)
        base = self._write(whole.unpacked(data, file.name), name)
        self._trash.drop([file])
        return base

    def empty_trash(self, key: str | None = None) -> int:
        """Delete for good what lies in the trash, by its key, or all of it; return how many."""
        return self._trash.drop([self._trash.file(key)] if key else self._trash.every())

    def expire_trash(self) -> int:
        """Take out of the trash the notes and bases that are there too long; return how many. Raises StoreError."""
        return Expiry(self._store, self._trash, self._stays).run()

    # both

    def _read(self, base: str) -> Records:
        held = records.read(self._store, self._bases.get(base))
        words = {name: self._store.folder / name for name in _WORDS}
        texts = {name: _text(file) for name, file in words.items() if file.is_file()}
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
        own = _text(file)
        untouched = not own or (shipped.is_file() and own == shipped.read_text(encoding="utf-8"))
        more = [line for line in text.splitlines() if line.strip() and line not in own.splitlines()]
        if own != text and (untouched or more):
            with translated(self._store.folder):
                files.replace(file, text if untouched else own.rstrip("\n") + "\n" + "\n".join(more) + "\n")


def _text(file: Path) -> str:
    """Return the text of a file of words, "" where it can't be read."""
    with suppress(OSError, files.Unfit):
        return files.read(file).decode("utf-8", "replace")
    return ""
