"""Folders and uploads of other programs -> folders of Markdown, which a sync compares with a base."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from core.errors import SourceError
from core.importers import Imported, Importer, importer_of
from core.intake.folder import safe
from core.intake.upload import MAX_ENTRIES, MAX_UNPACKED, too_much
from core.model import Document, Failed

SUFFIXES = (".zip", ".enex")
"""Suffixes of files that are imported by themselves."""


def export_of(folder: Path) -> Importer | None:
    """Return the importer of an export, None for a folder whose files are its notes."""
    importer = importer_of(folder)
    return None if importer is None or importer.keeps_files else importer


def write(importer: Importer, destination: Path) -> list[Failed]:
    """Write the notes of an export as Markdown files; return what can't be read. Raises SourceError for too many."""
    failed, total = [], 0
    for count, one in enumerate(importer.notes(), start=1):
        if isinstance(one, Failed):
            failed.append(one)
            continue
        data = one.text.encode("utf-8", "replace")
        total += len(data)
        if count > MAX_ENTRIES or total > MAX_UNPACKED:
            raise too_much(importer.name)
        if not safe(one.path) or one.path.startswith("/"):
            raise SourceError(ascii(one.path), "This name could lead out of the folder; the whole upload is refused.")
        target = destination / one.path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    return failed


def rewritten(staging: Path) -> tuple[str, list[Failed]]:
    """Replace an export in a staging folder by its notes; return the program's name, "" for none, and what failed."""
    importer = export_of(staging)
    if importer is None:
        return "", []
    with _beside(staging) as notes:
        failed = write(importer, notes)
        for one in list(staging.iterdir()):
            shutil.rmtree(one) if one.is_dir() else one.unlink()
        for one in list(notes.iterdir()):
            one.rename(staging / one.name)
    return importer.name, failed


def document_of(importer: Importer) -> Document:
    """Return what the note of a file was converted from."""
    return Document("md", importer.name)


def note_text(importer: Importer, path: str) -> str:
    """Return the text of the note of a file; raises SourceError."""
    one = next(importer.notes([path]))
    if isinstance(one, Imported):
        return one.text
    raise SourceError(path, one.error)


@contextmanager
def _beside(folder: Path) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="tessera-export-", dir=folder.parent) as place:
        yield Path(place)
