"""Uploaded files and archives -> a staging folder, which a sync compares with a base.

Names come from outside. A name that could lead out of the folder refuses the whole upload.
"""

import io
import lzma
import re
import stat
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from core.errors import SourceError
from core.intake.notefile import is_note
from core.text import half_character

MAX_UNPACKED = 1024 * 1024 * 1024
MAX_ENTRIES = 100_000
MAX_RATIO = 200
RATIO_FLOOR = 10 * 1024 * 1024
"""Bytes that any archive may unpack to, because notes may be very repetitive; MAX_RATIO limits larger ones."""

_BLOCK = 1024 * 1024
_DAMAGE = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, RuntimeError, ValueError)
_UTF8_NAME = 0x800
_ENCRYPTED = 0x1


@dataclass(slots=True)
class _Allowance:
    """The number of bytes that may still be unpacked from an archive."""

    name: str
    left: int

    def blocks(self, source: IO[bytes]) -> Iterator[bytes]:
        while block := source.read(_BLOCK):
            self.left -= len(block)
            if self.left < 0:
                raise _too_much(self.name)
            yield block


def unpack(files: Iterable[tuple[str, bytes]], destination: Path) -> None:
    """Write the note files among uploaded (name, bytes) pairs below `destination`.

    Raises SourceError for a name that leads out of it, a repeated name, or too much data.
    """
    total = 0
    for count, (name, data) in enumerate(files, start=1):
        path = _checked(name)
        total += len(data)
        if count > MAX_ENTRIES or total > MAX_UNPACKED:
            raise _too_much(name)
        if is_note(path):
            _write(destination, path, [data])


def unzip(data: bytes, destination: Path, *, name: str = "the archive") -> None:
    """Write the note files of a zip archive below `destination`.

    The limits apply to the bytes that are unpacked, not to the sizes stated in the archive. Raises
    SourceError for a damaged or encrypted archive, a zip bomb, or a name that leads out of the folder.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            _unzip(archive, len(data), destination, name)
    except _DAMAGE as error:
        raise SourceError(
            name, "This zip archive is damaged or of an unknown kind ({reason}).", reason=str(error)
        ) from error


def members(data: bytes, *, name: str) -> dict[str, bytes]:
    """Return the files of a zip archive by their names, within the same limits; raises SourceError as `unzip` does."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if len(archive.infolist()) > MAX_ENTRIES:
                raise SourceError(name, "This archive holds more than {n} files.", n=MAX_ENTRIES)
            allowance = _Allowance(name, min(MAX_UNPACKED, max(len(data) * MAX_RATIO, RATIO_FLOOR)))
            files = {}
            for member in archive.infolist():
                with archive.open(member) as source:
                    files[_checked(_member_name(member))] = b"".join(allowance.blocks(source))
            return files
    except _DAMAGE as error:
        raise SourceError(
            name, "This zip archive is damaged or of an unknown kind ({reason}).", reason=str(error)
        ) from error


def _unzip(archive: zipfile.ZipFile, packed: int, destination: Path, name: str) -> None:
    members = [member for member in archive.infolist() if not member.filename.endswith("/")]
    if len(archive.infolist()) > MAX_ENTRIES:
        raise SourceError(name, "This archive holds more than {n} files.", n=MAX_ENTRIES)
    # All names are checked before the first file is written.
    paths = [_checked(_member_name(member)) for member in members]
    allowance = _Allowance(name, min(MAX_UNPACKED, max(packed * MAX_RATIO, RATIO_FLOOR)))
    for path, member in zip(paths, members, strict=True):
        if not is_note(path) or stat.S_ISLNK(member.external_attr >> 16):
            continue
        if member.flag_bits & _ENCRYPTED:
            raise SourceError(name, "'{path}' is encrypted. Unpack it yourself and import the folder.", path=path)
        with archive.open(member) as source:
            _write(destination, path, allowance.blocks(source))


def _member_name(member: zipfile.ZipInfo) -> str:
    """Decode a member's name; without the UTF-8 flag it may be UTF-8, GBK or cp437."""
    if member.flag_bits & _UTF8_NAME:
        return member.orig_filename
    raw = member.orig_filename.encode("cp437", "replace")
    for encoding in ("utf-8", "gbk"):
        try:
            return raw.decode(encoding)
        except UnicodeDecodeError:
            continue
    return member.orig_filename


def _checked(name: str) -> str:
    """Return the name; raises SourceError if it isn't a plain relative path."""
    parts = name.split("/")
    bad = (
        "\\" in name
        or re.match(r"[A-Za-z]:", name)
        or any(part.strip() in ("", ".", "..") for part in parts)
        or any(char < " " or char == "\x7f" for char in name)
        or half_character(name) is not None
    )
    if bad:
        shown = ascii(name) if not name.isprintable() else f"'{name}'"
        raise SourceError(shown, "This name could lead out of the folder; the whole upload is refused.")
    return name


def _write(destination: Path, path: str, blocks: Iterable[bytes]) -> None:
    target = destination / path
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("xb") as file:
            file.writelines(blocks)
    except FileExistsError as error:
        raise SourceError(path, "This name is in the upload twice. Rename one of the files.") from error
    except OSError as error:
        raise SourceError(path, "can't be written: {why}.", why=error.strerror or str(error)) from error


def _too_much(name: str) -> SourceError:
    return SourceError(
        name,
        "This unpacks to far more than notes would (the limit is {size} MB or {n} files).",
        size=MAX_UNPACKED // 2**20,
        n=MAX_ENTRIES,
    )
