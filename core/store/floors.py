"""The similarity that questions about other things reach in each base; derived, so the file can be deleted."""

import json
import threading
from dataclasses import asdict
from pathlib import Path
from typing import Any

from core import files
from core.faults import translated
from core.model import Floor, KnowledgeBase

FILE = "floors.json"


class Floors:
    """The floor of each base, in a file of the workspace. Only the process that may write calls `set`."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / FILE
        self._lock = threading.Lock()

    def get(self, base: KnowledgeBase) -> Floor | None:
        """Return the floor of a base, None before it is measured with the base's model."""
        try:
            stored = self._read()[base.id]
            return Floor(**stored["floor"]) if stored["fingerprint"] == base.fingerprint else None
        except (KeyError, TypeError):
            return None

    def set(self, base: KnowledgeBase, floor: Floor) -> None:
        self._write(base, {"fingerprint": base.fingerprint, "floor": asdict(floor)})

    def drop(self, base: KnowledgeBase) -> None:
        """Forget the floor of a base whose vectors compare otherwise now."""
        self._write(base, {})

    def _write(self, base: KnowledgeBase, entry: dict[str, Any]) -> None:
        with self._lock, translated(self._file.parent):
            files.replace(self._file, json.dumps(self._read() | {base.id: entry}))

    def _read(self) -> dict[str, Any]:
        try:
            floors = json.loads(self._file.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}  # not measured yet, or damaged: it is measured again
        return floors if isinstance(floors, dict) else {}
