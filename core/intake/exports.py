"""Recognition of other programs' exports in a folder, by file names."""

import re
import zipfile
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from core.intake import importers
from core.intake.notefile import is_skipped

SUFFIXES = (".zip", ".enex", ".jex")
"""Suffixes of archives and exports that consist of a single file."""
EXPORTED = re.compile(
    r"(?i)\.jex$|(?:^|/)(?:users|result)\.json$|(?:^|/)(?:takeout/[^/]+|keep)/[^/]+\.json$|^[^/]+\.json$"
)
"""Paths of export files that aren't notes themselves but from which an importer can make notes."""

FileStates = list[tuple[str, int, int]]
"""The paths of files with their sizes and times."""


def exports_in(folder: Path) -> list[Path]:
    """Return the exports directly in a folder."""
    with suppress(OSError):
        return [place for place in sorted(folder.iterdir()) if not is_skipped(place.name) and is_export(place)]
    return []


def is_export(place: Path) -> bool:
    """Return whether a file or folder is an export; reads few files, only those with names that occur in exports."""
    with suppress(OSError, zipfile.BadZipFile, ValueError):
        if place.is_symlink():
            return False
        if place.is_dir():
            names = [f"{place.name}/{inside.name}" for inside in place.iterdir()]
            named = any(EXPORTED.search(name) or EXPORTED.search(f"{name}/0.json") for name in names)
            importer = importers.importer_of(place) if named else None
            return importer is not None and not importer.keeps_files
        if place.suffix.lower() == ".zip":
            return _packs_export(place, place.stat().st_mtime_ns)
        return place.suffix.lower() in SUFFIXES
    return False


@lru_cache(100)
def _packs_export(file: Path, _: int) -> bool:
    """Return whether an archive contains an export; the second argument, its mtime, invalidates the cache."""
    with zipfile.ZipFile(file) as archive:
        return any(map(EXPORTED.search, archive.namelist()))


def state_of(place: Path) -> FileStates:
    """Return the state of an export's files, for detecting changes."""
    states: FileStates = []
    for file in [place / path for path in importers.files(place)] if place.is_dir() else [place]:
        with suppress(OSError):
            state = file.stat()
            states.append((str(file), state.st_size, state.st_mtime_ns))
    return states
