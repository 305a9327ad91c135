"""A base as a folder of Markdown files with front matter: of an unchanged vault in UTF-8, the vault's own bytes."""

import shutil
import tempfile
from dataclasses import replace
from pathlib import Path

from core.archives.documents import new_base, records_of
from core.archives.records import Records
from core.errors import ArchiveError, EditError, SourceError
from core.intake import folder, notefile
from core.messages import Message
from core.model import Note
from core.notes import naming
from core.notes.filetexts import text_of


def files(records: Records) -> dict[str, bytes]:
    """Return the files of a base by their paths; raises ArchiveError for fields that front matter can't hold."""
    texts: dict[str, bytes] = {}
    taken: set[str] = set()
    mistakes: list[tuple[str | Message, Message]] = []
    for note in sorted((one.note for one in records.notes), key=lambda note: (note.path or "", note.source_ref)):
        path = note.path or naming.of_title(note.title)
        if path in taken:
            path = naming.free(path, taken)
        taken.add(path)
        try:
            texts[path] = text_of(note).encode("utf-8", "surrogatepass")
        except EditError as error:
            mistakes.append((path, error.message))
    if mistakes:
        raise ArchiveError(records.base.name, mistakes)
    return texts


def write(records: Records, place: Path) -> int:
    """Write a folder that isn't there yet, whole or not at all; return the number of its files."""
    texts = files(records)
    staging = Path(tempfile.mkdtemp(prefix=f".{place.name[:40]}.", dir=place.parent))
    try:
        for path, data in texts.items():
            file = staging / path
            if not file.resolve().is_relative_to(staging.resolve()):
                raise SourceError(path, "could lead out of the folder.")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
        staging.chmod(0o755)
        staging.rename(place)
    finally:
        shutil.rmtree(staging, ignore_errors=True)
    return len(texts)


def read(place: Path, *, forbidden: Path | None = None) -> Records:
    """Return the records of a folder, whose notes then live in the workspace; raises ArchiveError for bad files."""
    scanned = folder.scan(place, forbidden=forbidden)
    mistakes: list[tuple[str | Message, Message]] = [(failed.path, failed.error) for failed in scanned.failed]
    notes: list[Note] = []
    for file in scanned.files:
        try:
            note, _ = notefile.read(folder.read(scanned.folder, file.path), file.path)
            notes.append(replace(note, source_ref=""))
        except SourceError as error:
            mistakes.append((file.path, error.reason))
    if mistakes:
        raise ArchiveError(str(place), mistakes)
    return records_of(new_base(scanned.folder.name), notes)
