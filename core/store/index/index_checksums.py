"""The seal of a closed index: the sizes and checksums of its files, in a file next to its folder.

An index in use has no seal, nor has one whose process was killed.
"""

import json
import zlib
from collections.abc import Mapping
from pathlib import Path

from core.base.errors import IndexDamaged
from core.base.files import delete, load, open_regular, replace

Files = Mapping[str, list[int]]
"""The size and the CRC-32 of each file of a folder, by its path: damage is to be seen, not forgery."""

_BLOCK = 1 << 20
_HOLLOW = 1 << 26
"""Bytes from which on a file is looked at for holes."""


def files(folder: Path) -> Files:
    """Return what the files of a folder are now.

    Raises IndexDamaged for what is neither a file nor a folder, and for a file that is mostly a hole: a killed writer
    of HNSW may leave one of 137 GB (chroma-core/chroma#7510).
    """
    present = sorted(file for file in folder.rglob("*") if not file.is_dir())
    if not all(file.is_file() for file in present):
        raise IndexDamaged("The files of the search index are not as they were when it was closed.")
    return {file.relative_to(folder).as_posix(): [file.stat().st_size, _checksum(file)] for file in present}


def put_on(folder: Path, present: Files, *, changed: bool) -> None:
    """Seal a folder; `changed` says that its files were written since they were known to be sound."""
    replace(file_of(folder), json.dumps({"changed": changed, "files": present}))


def take_off(folder: Path, present: Files) -> bool:
    """Delete the seal, and return whether the files are known to be sound.

    Raises IndexDamaged where something else has written to them since the folder was sealed.
    """
    file = file_of(folder)
    record = load(file, lambda stored: (stored["files"] == present, stored["changed"]), aside=True)
    same, changed = record or (True, True)
    delete(file)
    if not same:
        raise IndexDamaged("The files of the search index are not as they were when it was closed.")
    return not changed


def file_of(folder: Path) -> Path:
    """Return the path of a folder's seal."""
    return folder.with_name(f"{folder.name}.seal")


def _checksum(file: Path) -> int:
    stat = file.stat()
    if stat.st_size > _HOLLOW and getattr(stat, "st_blocks", stat.st_size) * 512 < stat.st_size / 2:
        raise IndexDamaged("A file of the search index is mostly a hole.")
    checksum = 0
    with open_regular(file) as stream:
        while block := stream.read(_BLOCK):
            checksum = zlib.crc32(block, checksum)
    return checksum
