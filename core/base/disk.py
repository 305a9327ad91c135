"""How much of a disk is left."""

import shutil
from pathlib import Path

_NEARLY_FULL = 0.05, 2_000_000_000
"""Share and bytes of a disk that are left where it is nearly full; the smaller one counts."""


def disk(folder: Path) -> tuple[int, int]:
    """Return the free and all bytes of the disk of a folder."""
    usage = shutil.disk_usage(folder)
    return usage.free, usage.total


def nearly_full(free: int, total: int) -> bool:
    """Whether so little of a disk is left that the user should make space."""
    share, most = _NEARLY_FULL
    return free < min(share * total, most)


def low_space_bytes(folder: Path) -> int:
    """Return the bytes that are left of the disk of a folder if it is nearly full, else 0."""
    free, total = disk(folder)
    return free if nearly_full(free, total) else 0
