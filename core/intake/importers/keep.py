"""Notes of Google Keep, as an export (Takeout) has them in JSON: labels, boxes of lists, links, dates."""

from collections.abc import Collection
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Any

from core.intake.importers import (
    Imported,
    ImportedNotes,
    add_front_matter,
    file_name,
    files,
    objects,
    read_json,
    text_of,
    unique,
)
from core.model import Omission

_FILES = frozenset(".json .html .txt .jpg .jpeg .png .gif .webp .3gp .amr .m4a .aac .awb".split())
"""Suffixes of an export of Keep alone."""
_EDITED, _CREATED = "userEditedTimestampUsec", "createdTimestampUsec"


class Keep:
    """Reads the notes of a folder that holds nothing else; those in Keep's trash are left out."""

    name = "Google Keep"
    keeps_files = False

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @property
    def knows(self) -> bool:
        """Whether all files are those of an export of Keep, and one of the first holds a note."""
        paths = [*files(self._folder)]
        is_export = {PurePosixPath(path).suffix.lower() for path in paths} <= _FILES
        first = [path for path in paths if path.endswith(".json")][:9] if is_export else ()
        return any(self._note(path) for path in first)

    def notes(self, paths: Collection[str] = ()) -> ImportedNotes:
        """Yield the notes as Markdown, by the names of their files."""
        taken: set[str] = set()
        for path in files(self._folder):
            note = self._note(path) if path.endswith(".json") else {}
            if note and note.get("isTrashed") is not True:
                yield _to_imported(note, unique(f"{file_name(PurePosixPath(path).stem)}.md", taken))

    def _note(self, path: str) -> dict[str, Any]:
        """Return the note in a file, empty for another file."""
        note = read_json(self._folder, path)
        return note if isinstance(note, dict) and _EDITED in note else {}


def _to_imported(note: dict[str, Any], path: str) -> Imported:
    lines = [
        f"- [{'x' if item.get('isChecked') is True else ' '}] {text_of(item, 'text')}"
        for item in objects(note, "listContent")
    ]
    links = [f"[{text_of(link, 'title')}]({text_of(link, 'url')})" for link in objects(note, "annotations")]
    attached = [text_of(file, "filePath") for file in objects(note, "attachments")]
    shown = "\n".join(f"- [[{name}]]" for name in attached if name)
    body = "\n\n".join(filter(None, (text_of(note, "textContent"), "\n".join(lines), "\n".join(links), shown)))
    fields = {
        "title": text_of(note, "title"),
        "tags": ["-".join(text_of(label, "name").split()) for label in objects(note, "labels")],
        "status": "archived" if note.get("isArchived") is True else "",
        "created": _time(note.get(_CREATED)),
        "updated": _time(note.get(_EDITED)),
    }
    left_out = (Omission("attachment", len(attached)),) if attached else ()
    return Imported(path, add_front_matter(fields, f"{body}\n"), left_out)


def _time(microseconds: Any) -> str:
    try:
        return datetime.fromtimestamp(int(microseconds) // 1_000_000, UTC).isoformat()
    except (TypeError, ValueError, OverflowError, OSError):
        return ""
