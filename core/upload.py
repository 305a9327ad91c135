"""Uploaded files and archives -> a staging folder, where a sync can plan them.

Names come from outside: one that could lead out of the folder refuses the whole upload.
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
from core.notefile import NOTE_SUFFIXES

MAX_UNPACKED = 1024 * 1024 * 1024
MAX_ENTRIES = 100_000
MAX_RATIO = 200
RATIO_FLOOR = 10 * 1024 * 1024
"""Small archives may hold very repetitive notes: the ratio counts beyond this many bytes."""

_BLOCK = 1024 * 1024
_DAMAGE = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, RuntimeError, ValueError)
_UTF8_NAME = 0x800
_ENCRYPTED = 0x1


@dataclass(frozen=True, slots=True)
class Unpacked:
    """The note files that were written, by their paths in the folder, and the names left out."""

    written: tuple[str, ...]
    skipped: tuple[str, ...]


@dataclass(slots=True)
class _Allowance:
    """How many bytes may still come out of an archive."""

    name: str
    left: int

    def blocks(self, source: IO[bytes]) -> Iterator[bytes]:
        while block := source.read(_BLOCK):
            self.left -= len(block)
            if self.left < 0:
                raise _too_much(self.name)
            yield block


def unpack(files: Iterable[tuple[str, bytes]], destination: Path) -> Unpacked:
    """Write uploaded (name, bytes) pairs below `destination`, note files only.

    Raises SourceError for a name that leads out of it, twice the same name, or too much data.
    """
    written: list[str] = []
    skipped: list[str] = []
    total = 0
    for count, (name, data) in enumerate(files, start=1):
        path = _checked(name)
        total += len(data)
        if count > MAX_ENTRIES or total > MAX_UNPACKED:
            raise _too_much(name)
        if _is_note(path):
            _write(destination, path, [data])
            written.append(path)
        else:
            skipped.append(path)
    return Unpacked(tuple(written), tuple(skipped))


def unzip(data: bytes, destination: Path, *, name: str = "the archive") -> Unpacked:
    """Write the note files of a zip archive below `destination`.

    What counts against the limits is what really comes out, not what the archive claims. Raises
    SourceError for a damaged or encrypted archive, a bomb, or a name that leads out of the folder.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return _unzip(archive, len(data), destination, name)
    except _DAMAGE as error:
        raise SourceError(name, f"This zip archive is damaged or of an unknown kind ({error}).") from error


def _unzip(archive: zipfile.ZipFile, packed: int, destination: Path, name: str) -> Unpacked:
    members = [member for member in archive.infolist() if not member.is_dir()]
    if len(archive.infolist()) > MAX_ENTRIES:
        raise SourceError(name, f"This archive holds more than {MAX_ENTRIES:,} files.")
    named = [(_checked(_member_name(member)), member) for member in members]
    written: list[str] = []
    skipped: list[str] = []
    allowance = _Allowance(name, min(MAX_UNPACKED, max(packed * MAX_RATIO, RATIO_FLOOR)))
    for path, member in named:
        if not _is_note(path) or stat.S_ISLNK(member.external_attr >> 16):
            skipped.append(path)
            continue
        if member.flag_bits & _ENCRYPTED:
            raise SourceError(name, f"'{path}' is encrypted. Unpack it yourself and import the folder.")
        with archive.open(member) as source:
            _write(destination, path, allowance.blocks(source))
        written.append(path)
    return Unpacked(tuple(written), tuple(skipped))


def _member_name(member: zipfile.ZipInfo) -> str:
    """The name as its maker saw it: without the UTF-8 flag it may be UTF-8, GBK or cp437."""
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
    """Return the name, or raise SourceError where it isn't a plain relative path."""
    parts = name.split("/")
    bad = (
        "\\" in name
        or re.match(r"[A-Za-z]:", name)
        or any(part.strip() in ("", ".", "..") for part in parts)
        or any(char < " " or char == "\x7f" or "\ud800" <= char <= "\udfff" for char in name)
    )
    if bad:
        shown = ascii(name) if not name.isprintable() else f"'{name}'"
        raise SourceError(shown, "This name could lead out of the folder; the whole upload is refused.")
    return name


def _is_note(path: str) -> bool:
    hidden = any(part.startswith(".") or part == "__MACOSX" for part in path.split("/"))
    return path.lower().endswith(NOTE_SUFFIXES) and not hidden


def _write(destination: Path, path: str, blocks: Iterable[bytes]) -> None:
    target = destination / path
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("xb") as file:
            file.writelines(blocks)
    except FileExistsError as error:
        raise SourceError(path, "This name is in the upload twice. Rename one of the files.") from error
    except OSError as error:
        raise SourceError(path, f"can't be written: {error.strerror or error}.") from error


def _too_much(name: str) -> SourceError:
    limit = f"{MAX_UNPACKED // 2**20:,} MB or {MAX_ENTRIES:,} files"
    return SourceError(name, f"This unpacks to far more than notes would (the limit is {limit}).")
