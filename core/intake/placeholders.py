"""Files that can't be read yet, such as sync programs' placeholders, locked files, and empty files."""

import errno
import re
import sys
from contextlib import suppress
from dataclasses import replace
from os import stat_result
from pathlib import Path

from core.base.errors import SourceError
from core.base.files import reason
from core.base.messages import message
from core.model import Failed

PLACEHOLDER = message("This file isn't downloaded. Download it in the program that syncs the folder.")
MOVED = message(
    "This file is missing, and a file with the same name isn't downloaded yet, so it may have been moved. Its note "
    "is kept until this is clear."
)
EMPTIED = message(
    "This file is empty, but it had text at the last update. Its note is kept. To remove the note, delete the file."
)

# Names of the placeholders created by iCloud, Nextcloud, ownCloud, OpenCloud and Resilio.
_PLACES = (".{}.icloud", "{}.nextcloud", "{}.owncloud", "{}.opencloud", "{}.rsls")
# Windows: FILE_ATTRIBUTE_OFFLINE, _RECALL_ON_OPEN, _RECALL_ON_DATA_ACCESS (OneDrive, Dropbox, Google Drive).
_RECALLED = 0x1000 | 0x40000 | 0x400000
# macOS: SF_DATALESS, set by File Provider.
_DATALESS = 0x40000000
# macOS: UF_COMPRESSED, for files whose contents aren't stored in blocks.
_COMPRESSED = 0x20
_HELD = {errno.EACCES, errno.EPERM, errno.EAGAIN, errno.EBUSY, errno.EDEADLK, errno.ETXTBSY, errno.ETIMEDOUT}


class NotDownloaded(SourceError):
    """A file hasn't been downloaded yet, or is locked by another program. Its note, if any, stays unchanged."""


class EmptyFile(SourceError):
    """A file is empty, so nothing is lost if it is skipped."""

    def __init__(self, path: str) -> None:
        super().__init__(path, "This file is empty.")


def with_note(failure: Failed) -> Failed:
    """Return a failure with a sentence added to its reason, which says that the file's note stays as it is for now."""
    return replace(failure, error=message("{reason} Until then, its note stays unchanged.", reason=failure.error))


def placeholder_target(name: str) -> str:
    """Return the name of the file represented by a placeholder, or "" if `name` isn't the name of a placeholder."""
    match = re.fullmatch(r"(?is)\.(.+)\.icloud|(.+)\.(?:nextcloud|owncloud|opencloud|rsls)", name)
    return match[1] or match[2] if match else ""


def is_evicted(file: Path) -> bool:
    """Return whether a file is missing but has a placeholder."""
    with suppress(OSError, ValueError):  # the name may be too long for a file
        return not file.exists() and any(file.with_name(place.format(file.name)).exists() for place in _PLACES)
    return False


def is_placeholder(status: stat_result) -> bool:
    """Return whether reading a file would download it first.

    A file without blocks is a placeholder only on macOS, where Dropbox created such files before it used File Provider.
    Other systems store small files without blocks.
    """
    flags = getattr(status, "st_flags", 0)
    if getattr(status, "st_file_attributes", 0) & _RECALLED or flags & _DATALESS:
        return True
    has_blocks = getattr(status, "st_blocks", 1) > 0 or flags & _COMPRESSED
    return sys.platform == "darwin" and status.st_size > 0 and not has_blocks


def lock_error(error: Exception, path: str) -> NotDownloaded | None:
    """Return the error for a file that is locked or not downloaded, or None if `error` has another cause."""
    if not isinstance(error, OSError):
        return None
    # Windows: the errors ERROR_CLOUD_FILE_*.
    if getattr(error, "winerror", None) in range(358, 405):
        return NotDownloaded(path, PLACEHOLDER)
    if error.errno not in _HELD:
        return None
    return NotDownloaded(
        path,
        message(
            "This file can't be read: {why}. Close the program that uses it, or give Tessera permission to read it.",
            why=reason(error),
        ),
    )
