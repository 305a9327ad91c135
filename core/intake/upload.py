"""Writes uploaded files, archives and exports to a staging folder, which is then compared with a base.

File names aren't trusted. If a name could lead out of the folder, the whole upload is rejected.
"""

import io
import lzma
import os
import re
import shutil
import stat
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from core.base.errors import SourceError
from core.base.file_names import harmless_path
from core.base.files import check_access, open_user_file, reason
from core.base.messages import message
from core.base.text import find_half_character
from core.documents.converting import is_document
from core.documents.kinds import nothing_read, why_not_read
from core.intake.folder import TakenNames, free_path, is_safe
from core.intake.ignoring import is_leftover, is_rules
from core.intake.importers import EXPORT, EXPORTED, SUFFIXES, Imported, Importer, files, importer_of
from core.intake.notefile import DocumentText, is_note, is_skipped
from core.intake.placeholders import PLACEHOLDER, placeholder_target
from core.model import Document, Failed, Omission

MAX_UNPACKED = 1024 * 1024 * 1024
MAX_ENTRIES = 100_000
MAX_RATIO = 200
# Number of bytes that any archive may unpack to, since notes can be repetitive. MAX_RATIO applies to larger
# sizes.
RATIO_FLOOR = 10 * 1024 * 1024

_BLOCK = 1024 * 1024
_PLAIN = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_DAMAGE = (
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, RuntimeError, ValueError, OSError, MemoryError,
    OverflowError,
)  # fmt: skip


@dataclass(slots=True)
class _Allowance:
    """The number of bytes that may still be unpacked from an archive."""

    name: str
    left: int

    def blocks(self, source: IO[bytes], size: int = _BLOCK) -> Iterator[bytes]:
        while block := source.read(size):
            self.left -= len(block)
            if self.left < 0:
                raise size_error(self.name)
            yield block


def unpack(files: Iterable[tuple[str, bytes]], destination: Path, *, whole: bool = False) -> list[Failed]:
    """Write uploaded note files and documents below `destination`. Return the files that aren't written, with reasons.

    `files` are pairs of names and contents. A picture outside a folder is a document. A picture in a folder belongs to
    the notes that link to it. With `whole`, all files are written, for an importer. Raises SourceError if a name leads
    out of `destination`, or if there is too much data.
    """
    total = 0
    others = []
    for count, (name, data) in enumerate(files, start=1):
        path = _checked(name)
        total += len(data)
        if count > MAX_ENTRIES or total > MAX_UNPACKED:
            raise size_error(name)
        if _is_wanted(path) or (whole and not _is_hidden(path)):
            _write(destination, path, [data])
        else:
            others += _not_read(path)
    return others


def unzip_from(stream: IO[bytes], destination: Path, *, name: str) -> list[Failed]:
    """Write a zip archive's note files and documents below `destination`. Return the files not written, with reasons.

    The limits apply to the bytes actually unpacked, not to the sizes stated in the archive. Raises SourceError if the
    archive is damaged or a zip bomb, or if a name leads out of the folder.
    """
    with _translate_zip_errors(name), _open_zip(stream, name) as archive:
        return _unzip(archive, destination, _Allowance(name, _most(stream)))


def _is_wanted(path: str) -> bool:
    return (
        is_note(path)
        or is_document(path, pictures="/" not in path)
        or is_rules(path)
        or path.lower().endswith(".enex")
        or f"/{path}".endswith("/logseq/config.edn")
    )


def _is_hidden(path: str) -> bool:
    """Return whether the file at a path is hidden, or is a leftover such as a lock or backup file."""
    return is_leftover(path.rpartition("/")[2]) or any(map(is_skipped, path.split("/")))


def _not_read(path: str) -> list[Failed]:
    """Return a failure with the reason why a file isn't read, or an empty list if the file is hidden or a leftover."""
    folder, _, name = path.rpartition("/")
    if (away := placeholder_target(name)) and _is_wanted(file := f"{folder}/{away}".lstrip("/")):
        return [Failed(file, PLACEHOLDER)]
    return [] if _is_hidden(path) else [Failed(path, why_not_read(path))]


class Archive:
    """The files in a zip archive, read on demand. Raises SourceError like `unzip_from`."""

    def __init__(self, archive: zipfile.ZipFile, name: str) -> None:
        self._archive = archive
        self._name = name
        self._members: dict[str, zipfile.ZipInfo] = {}
        for member in archive.infolist():
            path = _checked(_member_name(member).rstrip("/"))
            if path in self._members:
                raise SourceError(path, "The upload contains this file name twice. Rename one of the files.")
            self._members[path] = member

    @property
    def names(self) -> Collection[str]:
        return self._members.keys()

    def read(self, path: str, most: int) -> bytes:
        """Return a file's bytes, or b"" if the file is missing. Raises SourceError if it is over `most` bytes."""
        return next(self._pieces(path, most, lambda source: source.read(most + 1)), b"")

    def lines(self, path: str, most: int | None) -> Iterator[bytes]:
        """Yield a file's lines. Raises SourceError if a line is over `most` bytes."""
        return self._pieces(path, most, lambda source: source.readline(-1 if most is None else most + 1))

    def _pieces(self, path: str, most: int | None, piece: Callable[[IO[bytes]], bytes]) -> Iterator[bytes]:
        if path not in self._members:
            return
        with _translate_zip_errors(self._name):
            member = self._members[path]
            if member.compress_type not in _PLAIN:
                raise SourceError(
                    self._name,
                    "'{path}' is compressed in a way that Tessera can't read. Unpack the archive and create it again.",
                    path=path,
                )
            with self._archive.open(member) as source:
                while data := piece(source):
                    if most is not None and len(data) > most:
                        raise SourceError(
                            self._name,
                            "'{path}' contains a record larger than {limit} MB.",
                            path=path,
                            limit=most >> 20,
                        )
                    yield data


def open_archive(stream: IO[bytes], name: str, *, limited: bool = True) -> Archive:
    """Open the zip archive in a stream, which must stay open. Raises SourceError like `unzip_from`.

    If `limited` is False, the archive may unpack to any size.
    """
    with _translate_zip_errors(name):
        archive = _open_zip(stream, name)
        # zipfile never unpacks more than a file's stated size.
        if limited and sum(member.file_size for member in archive.infolist()) > _most(stream):
            raise size_error(name)
        return Archive(archive, name)


def _open_zip(stream: IO[bytes], name: str) -> zipfile.ZipFile:
    """Open a zip archive. Raises SourceError if its file list alone is too long."""
    end = zipfile._EndRecData(stream)  # type: ignore[attr-defined]  # as ZipFile itself does
    # `zipfile` reads the whole file list at once.
    if not (end and end[zipfile._ECD_SIZE] > 16 * 1024 * 1024):  # type: ignore[attr-defined]
        archive = zipfile.ZipFile(stream)
        if len(archive.infolist()) <= MAX_ENTRIES:
            return archive
    raise SourceError(
        name, "This archive contains more than {n} files. Unpack it, and import the folder in parts.", n=MAX_ENTRIES
    )


def _most(archive: IO[bytes]) -> int:
    return min(MAX_UNPACKED, max(archive.seek(0, io.SEEK_END) * MAX_RATIO, RATIO_FLOOR))


@contextmanager
def _translate_zip_errors(name: str) -> Iterator[None]:
    try:
        yield
    except _DAMAGE as error:
        check_access(name, error)
        raise SourceError(
            name, "This zip archive is damaged, encrypted or of an unknown type. Try another copy of it."
        ) from error


def _unzip(archive: zipfile.ZipFile, destination: Path, allowance: _Allowance, *, depth: int = 0) -> list[Failed]:
    """Write an archive's files or, if it contains only archives, the files in those archives.

    `depth` is 1 for an archive inside another archive, or else 0.
    """
    others = []
    members = [member for member in archive.infolist() if not member.filename.endswith("/")]
    # Check all names before writing the first file.
    paths = [_checked(_member_name(member)) for member in members]
    whole = any(map(EXPORTED.search, paths))
    holds_archives = depth == 0 and not (whole or any(map(_is_wanted, paths)))
    for path, member in zip(paths, members, strict=True):
        if stat.S_ISLNK(member.external_attr >> 16):
            continue
        is_archive = holds_archives and path.lower().endswith(".zip")
        if not (is_archive or _is_wanted(path) or (whole and not _is_hidden(path))):
            others += _not_read(path)
            continue
        if member.flag_bits & 0x1:
            others.append(
                Failed(path, message("This file is encrypted. Unpack the archive yourself and import the folder."))
            )
            continue
        with archive.open(member) as source:
            # Other compression methods unpack a whole block at once, however large it is.
            size = _BLOCK if member.compress_type in _PLAIN else 4096
            if not is_archive:
                _write(destination, path, allowance.blocks(source, size))
                continue
            with tempfile.TemporaryFile() as inner:
                inner.writelines(allowance.blocks(source, size))
                inner.seek(0)
                with _open_zip(inner, path) as zip_file:
                    others += _unzip(zip_file, destination, allowance, depth=1)
    return others


def _member_name(member: zipfile.ZipInfo) -> str:
    """Decode a member's file name. If the UTF-8 flag isn't set, the name may be in UTF-8, GBK or cp437."""
    # The name is in UTF-8 if this flag is set.
    if member.flag_bits & 0x800:
        return member.orig_filename
    raw = member.orig_filename.encode("cp437", "replace")
    for encoding in ("utf-8", "gbk"):
        try:
            return raw.decode(encoding)
        except UnicodeDecodeError:
            continue
    return member.orig_filename


def _checked(name: str) -> str:
    """Return `name` unchanged. Raises SourceError if it isn't a plain relative path."""
    if re.search(r"^[A-Za-z]:|[\\\0-\x1f\x7f]", name) or not is_safe(name) or find_half_character(name) is not None:
        raise SourceError(
            f"'{name}'" if name.isprintable() else ascii(name),
            "This name could point outside the folder, so nothing was imported.",
        )
    return name


def _write(destination: Path, path: str, blocks: Iterable[bytes]) -> None:
    path = harmless_path(path)
    try:
        (destination / path).parent.mkdir(parents=True, exist_ok=True)
        target = destination / free_path(path, TakenNames(lambda path: os.path.lexists(destination / path)))
        with target.open("xb") as file:
            file.writelines(blocks)
    except OSError as error:
        raise SourceError(path, "This file can't be written: {why}.", why=reason(error)) from error


def size_error(name: str) -> SourceError:
    """Return the error for an upload over the limits."""
    return SourceError(
        name,
        "This is too large, or unpacks to far more data than notes should (the limit is {size} MB or {n} files). "
        "Import it in parts, or unpack it and import the folder.",
        size=MAX_UNPACKED // 2**20,
        n=MAX_ENTRIES,
    )


def name_of(path: Path) -> str:
    """Return a name for a base made from a folder, archive or export. Meaningless names from Notion become "Notion"."""
    name = path.stem if path.name.lower().endswith(SUFFIXES) else path.name
    return "Notion" if EXPORT.fullmatch(name) else name


def write(importer: Importer, destination: Path) -> tuple[list[Failed], list[Failed]]:
    """Write an export's notes as Markdown files.

    Return the notes that can't be read, and what is missing from the rest.

    Files that notes link to go into the folder `LINKED`. Raises SourceError if there are too many notes or none.
    """
    failed = []
    lacking = []
    total = 0
    room = MAX_UNPACKED
    for count, note in enumerate(importer.notes(), start=1):
        if isinstance(note, Failed):
            failed.append(note)
            continue
        data = note.text.encode("utf-8", "replace")
        total += len(data)
        if count > MAX_ENTRIES or total > MAX_UNPACKED:
            raise size_error(importer.name)
        if not is_safe(note.path):
            raise SourceError(ascii(note.path), "This name could point outside the folder, so nothing was imported.")
        _write(destination, note.path, [data])
        lacking += [Failed(note.path, omission.explanation) for omission in note.left_out]
        for address, part in note.files.items():
            path = f"{LINKED}/{address}"
            if (destination / path).exists():
                continue
            room -= part.size
            if room < 0:
                lacking.append(Failed(note.path, Omission("attachment", 1, address).explanation))
            else:
                _write(destination, path, [part.read()])
    if not total:
        first = next(iter(failed), Failed(importer.name, message("This is an export without notes.")))
        raise SourceError(first.path, first.error)
    return failed, lacking


# Name of the subfolder of a staging folder for files that notes link to. It is hidden, so a sync skips it.
LINKED = ".linked"


# The program that a filled staging folder's notes come from (or ""), the files that failed, and the skipped
# files.
Staged = tuple[str, list[Failed], list[Failed]]


def stage(files: Iterable[tuple[str, bytes]], into: Path) -> Staged:
    """Write an upload's notes and documents to a folder. Raises SourceError if the upload contains none."""
    pairs = list(files)
    others = []
    names = [name for name, _ in pairs]
    whole = any(map(EXPORTED.search, names))
    for name, data in pairs:
        if name.lower().endswith(".zip"):
            others += unzip_from(io.BytesIO(data), into, name=name)
        else:
            others += unpack([(name, data)], into, whole=whole)
    return _rewrite_export(into, ", ".join(names), others)


def stage_file(file: Path, into: Path) -> Staged:
    """Write the notes and documents in an archive or export to a folder. Raises SourceError like `stage`."""
    others = []
    try:
        with open_user_file(file, MAX_UNPACKED) as stream:
            if file.name.lower().endswith(".zip"):
                others = unzip_from(stream, into, name=file.name)
            else:
                with (into / file.name).open("xb") as copy:
                    copy.writelines(_Allowance(file.name, MAX_UNPACKED).blocks(stream))
    except OSError as error:
        raise SourceError(str(file), "This file can't be read: {why}.", why=reason(error)) from error
    return _rewrite_export(into, file.name, others)


def _rewrite_export(staging: Path, name: str, skipped: list[Failed]) -> Staged:
    """Replace an export in a staging folder with its notes.

    If the folder contains no export, delete the files that were written only for an importer.
    """
    importer = importer_of(staging)
    if importer and not importer.keeps_files:
        with tempfile.TemporaryDirectory(prefix="tessera-export-", dir=staging.parent) as place:
            notes = Path(place)
            failed, lacking = write(importer, notes)
            for item in list(staging.iterdir()):
                shutil.rmtree(item) if item.is_dir() else item.unlink()
            for item in list(notes.iterdir()):
                item.rename(staging / item.name)
        return importer.name, failed, [*skipped, *lacking]
    for path in [path for path in files(staging) if not _is_wanted(path)]:
        (staging / path).unlink()
        skipped += _not_read(path)
    if next(files(staging), None):
        return "", [], skipped
    if len(skipped) == 1:
        raise SourceError(skipped[0].path, skipped[0].error)
    raise SourceError(name, nothing_read(other.path for other in skipped))


def text_of(importer: Importer, path: str) -> DocumentText:
    """Return the text of the note that an importer reads from a file. Raises SourceError."""
    imported = next(iter(importer.notes([path])))
    if isinstance(imported, Imported):
        return DocumentText(imported.text, Document("md", importer.name))
    raise SourceError(path, imported.error)
