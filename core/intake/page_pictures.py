"""Pictures in a folder: pages to be read, or what the notes beside them show."""

from collections.abc import Collection
from dataclasses import replace

from core.base.errors import SourceError
from core.documents.kinds import PICTURES, kind_of
from core.documents.unread import nothing_read, why_not_read
from core.intake.folder import Scan
from core.model import Failed

_SHOWING = frozenset("md markdown html htm xhtml canvas excalidraw org rst tex latex ipynb mediawiki wiki".split())
"""Kinds of notes that show pictures beside them."""
_LEAST_BYTES = 10_000
"""Size of a picture below which it is no page but an icon."""


def pages_only(scanned: Scan, known: Collection[str], *, whole: bool) -> Scan:
    """Return a scan of which only those pictures are documents that are pages, the others are files that aren't read.

    Where there is no note that could show it, a picture is a page. One that is a note already, among the paths of
    `known`, stays one. Raises SourceError for a `whole` folder of which nothing is left.
    """
    pictures = [file for file in scanned.files if kind_of(file.path) in PICTURES]
    paths = (*known, *(file.path for file in scanned.files))
    may_show = any(kind_of(path) in _SHOWING for path in paths)
    others = {file.path for file in pictures if file.path not in known and (may_show or file.size < _LEAST_BYTES)}
    files = tuple(file for file in scanned.files if file.path not in others)
    failed, away = (
        tuple(item for item in item if not may_show or kind_of(item.path) not in PICTURES)
        for item in (scanned.failed, scanned.not_downloaded)
    )
    skipped = (*scanned.skipped, *(Failed(path, why_not_read(path)) for path in sorted(others)))
    if whole and not (files or failed or away):
        raise SourceError(str(scanned.folder), nothing_read(item.path for item in skipped))
    return replace(scanned, files=files, failed=failed, not_downloaded=away, skipped=skipped)
