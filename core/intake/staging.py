"""Uploads, and exports of other programs -> a temporary folder of notes, which a sync compares with a base."""

import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from core.base.errors import SourceError
from core.documents.unread import nothing_read
from core.intake import upload
from core.intake.documents import DocumentText
from core.intake.folder import safe
from core.intake.importers import Imported, Importer, importer_of
from core.intake.importers.fronting import EXPORT
from core.intake.upload import MAX_ENTRIES, MAX_UNPACKED, too_much
from core.model import Document, Failed

SUFFIXES = (".zip", ".enex")
"""Suffixes of files that are imported by themselves."""


def fill(files: Iterable[tuple[str, bytes]], into: Path) -> list[Failed]:
    """Write the notes and documents of an upload into a folder; return the other files.

    Raises SourceError for an upload of nothing else.
    """
    names, others = [], []
    for name, data in files:
        names.append(name)
        if name.lower().endswith(".zip"):
            others += upload.unzip(data, into, name=name)
        else:
            others += upload.unpack([(name, data)], into)
    if len(names) == len(others) == 1:
        raise SourceError(others[0].path, others[0].error)
    return _not_empty(into, ", ".join(names), others)


def fill_of_file(file: Path, into: Path) -> list[Failed]:
    """Write what an archive or an export holds into a folder, as `fill` does."""
    try:
        if file.stat().st_size > upload.MAX_UNPACKED:
            raise upload.too_much(file.name)
        if not file.name.lower().endswith(".zip"):
            shutil.copyfile(file, into / file.name)
            return []
        with file.open("rb") as stream:
            return _not_empty(into, file.name, upload.unzip_from(stream, into, name=file.name))
    except OSError as error:
        raise SourceError(str(file), "can't be read: {why}.", why=error.strerror or str(error)) from error


def _not_empty(folder: Path, name: str, others: list[Failed]) -> list[Failed]:
    if any(folder.iterdir()):
        return others
    raise SourceError(name, nothing_read(other.path for other in others))


def name_of(path: Path) -> str:
    """Return what a base is called that is made of a folder, an archive or an export; the name of some says nothing."""
    name = path.stem if path.name.lower().endswith(SUFFIXES) else path.name
    return "Notion" if EXPORT.fullmatch(name) else name


def live_in(folder: Path) -> Importer | None:
    """Return the importer that reads each file of a folder as a note, None where files are read as they are."""
    importer = importer_of(folder)
    return importer if importer and importer.keeps_files else None


def export_of(folder: Path) -> Importer | None:
    """Return the importer of an export, None for a folder whose files are its notes."""
    importer = importer_of(folder)
    return None if importer is None or importer.keeps_files else importer


def write(importer: Importer, destination: Path) -> tuple[list[Failed], list[Failed]]:
    """Write the notes of an export as Markdown files; return what can't be read, and what notes lack.

    Raises SourceError for too many, and where nothing can be read.
    """
    failed: list[Failed] = []
    lacking, total = [], 0
    for count, note in enumerate(importer.notes(), start=1):
        if isinstance(note, Failed):
            failed.append(note)
            continue
        data = note.text.encode("utf-8", "replace")
        total += len(data)
        if count > MAX_ENTRIES or total > MAX_UNPACKED:
            raise too_much(importer.name)
        if not safe(note.path) or note.path.startswith("/"):
            raise SourceError(ascii(note.path), "This name could lead out of the folder; the whole upload is refused.")
        target = destination / note.path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
        lacking += [Failed(note.path, omission.explanation) for omission in note.left_out]
    if failed and not total:
        raise SourceError(failed[0].path, failed[0].error)
    return failed, lacking


def rewritten(staging: Path) -> tuple[str, list[Failed], list[Failed]]:
    """Replace an export in a staging folder by its notes; return the program's name, "" for none, and as `write`."""
    importer = export_of(staging)
    if importer is None:
        return "", [], []
    with _beside(staging) as notes:
        failed, lacking = write(importer, notes)
        for item in list(staging.iterdir()):
            shutil.rmtree(item) if item.is_dir() else item.unlink()
        for item in list(notes.iterdir()):
            item.rename(staging / item.name)
    return importer.name, failed, lacking


def text_of(importer: Importer, path: str) -> DocumentText:
    """Return the text of the note of a file; raises SourceError."""
    imported = next(iter(importer.notes([path])))
    if isinstance(imported, Imported):
        return DocumentText(imported.text, Document("md", importer.name))
    raise SourceError(path, imported.error)


@contextmanager
def _beside(folder: Path) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="tessera-export-", dir=folder.parent) as place:
        yield Path(place)
