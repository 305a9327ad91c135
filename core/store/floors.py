"""Background similarity of each base, stored in a file that can be deleted; then it is measured again."""

import json
import threading
from contextlib import suppress
from pathlib import Path

from core.base import files
from core.base.codec import decode, to_plain
from core.base.faults import translate_errors
from core.model import Floor, KnowledgeBase


class Floors:
    """The measured background similarities in the workspace's `floors.json`. Only the writing process calls `set`."""

    def __init__(self, folder: Path, *, readonly: bool) -> None:
        self._file = folder / "floors.json"
        self._readonly = readonly
        self._lock = threading.Lock()

    def get(self, base: KnowledgeBase) -> Floor | None:
        """Return a base's background similarity, None if it isn't measured for the base's current model."""
        with suppress(OSError, KeyError):
            stored = self._read()[base.id]
            floor: Floor = decode(Floor, stored["floor"])
            return floor if stored["fingerprint"] == base.fingerprint else None
        return None

    def set(self, base: KnowledgeBase, floor: Floor) -> None:
        self._write(base, {"fingerprint": base.fingerprint, "floor": to_plain(floor)})

    def drop(self, base: KnowledgeBase) -> None:
        """Delete the background similarity of a base whose vectors' similarities have changed."""
        self._write(base, {})

    def _write(self, base: KnowledgeBase, entry: dict[str, object]) -> None:
        with self._lock, translate_errors(self._file.parent):
            files.replace(self._file, json.dumps(self._read() | {base.id: entry}))

    def _read(self) -> dict[str, dict[str, object]]:
        return files.load(self._file, _checked, aside=not self._readonly) or {}


def _checked(stored: dict[str, dict[str, object]]) -> dict[str, dict[str, object]]:
    """Validate and return stored background similarities; raises DAMAGE for other content."""
    for entry in filter(None, stored.values()):
        decode(Floor, entry["floor"])
        if not isinstance(entry["fingerprint"], str):
            raise TypeError("no floor")
    return stored
