"""A base as a folder of Markdown files with front matter. Unchanged UTF-8 files of a vault keep their bytes."""

import shutil
from collections.abc import Callable, Iterable, Iterator
from errno import EXDEV
from functools import partial
from pathlib import Path, PurePosixPath

from core.base.errors import ArchiveError, EditError, SourceError
from core.base.file_names import harmless_path
from core.base.messages import Message
from core.features.archives.lazy_records import Made, RecordParts
from core.features.archives.records import NoteRecord, Records, new_base, record_of
from core.intake import folder, notefile, upload
from core.intake.folder import free_path
from core.markdown.body import named_in
from core.model import NOTE_SUFFIXES, Attachment, Failed, KnowledgeBase
from core.notes import naming
from core.notes.file_writing import text_of

FindFile = Callable[[str, str], Attachment | None]
"""Returns the attachment for a note's id and a link target, None if there is none."""


def files(records: Records, find_file: FindFile) -> Iterator[tuple[str, bytes]]:
    """Yield paths and bytes of a base's notes, then of their attachments.

    An attachment keeps its path, so that links to it stay valid. Raises ArchiveError for fields that can't be written
    as front matter.
    """
    texts: dict[str, bytes] = {}
    mistakes: list[tuple[str | Message, Message]] = []
    notes = records.sorted_notes()
    paths = {
        str(parent)
        for note in notes
        for parent in PurePosixPath(harmless_path(note.path or "", keeps_marks=True)).parents
    }
    for note in notes:
        path = harmless_path(note.path or naming.title_filename(note.title), keeps_marks=True)
        if not path.lower().endswith(NOTE_SUFFIXES):
            path += ".md"  # for the text of a document
        if path in paths:
            path = free_path(path, paths)
        paths.add(path)
        try:
            texts[path] = text_of(note).encode("utf-8", "surrogatepass")
        except EditError as error:
            mistakes.append((path, error.message))
    if mistakes:
        raise ArchiveError(records.base.name, mistakes)
    yield from texts.items()
    named = ((note.id, target) for note in notes if not note.plain for target in named_in(note.body, str(note.path)))
    attached = filter(None, (find_file(*pair) for pair in named))
    for place, file in {item.place: item.path for item in attached}.items():
        if place not in paths:
            yield place, file.read_bytes()


def write(contents: Iterable[tuple[str, bytes]], place: Path, staging: Path) -> None:
    """Write files to a new folder, all or none; `staging` is an empty folder that is renamed to it."""
    for path, data in contents:
        file = staging / path
        if not file.resolve().is_relative_to(staging.resolve()):
            raise SourceError(path, "could point outside the folder.")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
    staging.chmod(0o755)
    try:
        staging.rename(place)
    except OSError as error:
        if error.errno != EXDEV:
            raise
        # Copy to the target's disk first. After a kill the next export replaces this folder.
        part = place.with_name(f".{place.name[:40]}.part")
        shutil.rmtree(part, ignore_errors=True)
        try:
            shutil.copytree(staging, part)
            part.rename(place)
        finally:
            shutil.rmtree(part, ignore_errors=True)


def read(place: Path, *, forbidden: Path | None = None) -> Records:
    """Return the notes in a folder as records of workspace notes; raises SourceError if there are none.

    Files are read lazily, with their records.
    """
    scanned = folder.scan(place, forbidden=forbidden, most=upload.MAX_ENTRIES, scope="notes")
    if sum(file.size for file in scanned.files) > upload.MAX_UNPACKED:
        raise upload.size_error(str(place))
    base = new_base(scanned.folder.name)

    def files() -> Iterator[Made[NoteRecord]]:
        ids: set[str] = set()
        for failed in scanned.failed:
            yield failed.path, partial(_fail, failed)
        for file in scanned.files:
            yield file.path, partial(_read, scanned.folder, file.path, base, ids)

    return Records(base, RecordParts(files))


def _read(place: Path, path: str, base: KnowledgeBase, ids: set[str]) -> NoteRecord:
    return record_of(base, notefile.read(folder.read(place, path), path).note, ids)


def _fail(failed: Failed) -> NoteRecord:
    raise SourceError(failed.path, failed.error)
