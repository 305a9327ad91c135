"""Pictures and other files that the notes in an export link to, next to the export or in its archive."""

import re
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from core.base.text import link_address
from core.intake.importers import Imported, file_name
from core.intake.importers.file_parts import FilePart
from core.model import Omission

FOLDER = "attachments"
"""Name of the folder for these files among the workspace's files."""
_MOST_NAMES = 200
"""Maximum number of characters in the list of missing files."""
_PICTURES = frozenset(".png .jpg .jpeg .gif .webp .avif .bmp .svg".split())


@dataclass(slots=True)
class NoteFiles:
    """The files that a note links to: imported files by address, and the names of missing ones."""

    parts: dict[str, FilePart] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)

    def address(self, part: FilePart | None, name: str, elsewhere: str = "") -> str:
        """Return the address for a link to a file, with its hash; for a missing file, `elsewhere` or its name."""
        path = PurePosixPath(file_name(name))
        if not part or not (digest := part.digest()):
            self.missing.append(name)
            return elsewhere or link_address(str(path))
        stem = re.sub(r"[^\w-]+", "-", path.stem).strip("-")[:40]
        address = f"{FOLDER}/{stem or 'file'}-{digest}{path.suffix.lower()}"
        self.parts[address] = part
        return link_address(address)

    def link(self, part: FilePart | None, name: str, elsewhere: str = "") -> str:
        """Return a link to a file; a picture is embedded."""
        label = file_name(name)
        shown = "!" if PurePosixPath(label).suffix.lower() in _PICTURES else ""
        return f"{shown}[{label}]({self.address(part, name, elsewhere)})"

    def note(self, path: str, text: str) -> Imported:
        """Return the note together with its files."""
        names = ", ".join(self.missing)[:_MOST_NAMES]
        left_out = (Omission("attachment", len(self.missing), names),) if self.missing else ()
        return Imported(path, text, left_out, self.parts)
