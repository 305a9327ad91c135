"""The similarity that questions about other things reach in each base; derived, so the file can be deleted."""

import json
import math
import threading
from contextlib import suppress
from dataclasses import asdict, astuple
from pathlib import Path
from typing import Any

from core import files
from core.faults import translated
from core.model import Floor, KnowledgeBase

FILE = "floors.json"


class Floors:
    """The floor of each base, in a file of the workspace. Only the process that may write calls `set`."""

    def __init__(self, folder: Path, *, readonly: bool) -> None:
        self._file = folder / FILE
        self._readonly = readonly
        self._lock = threading.Lock()

    def get(self, base: KnowledgeBase) -> Floor | None:
        """Return the floor of a base, None before it is measured with the base's model."""
        with suppress(OSError, KeyError):
            stored = self._read()[base.id]
            return Floor(**stored["floor"]) if stored["fingerprint"] == base.fingerprint else None
        return None

    def set(self, base: KnowledgeBase, floor: Floor) -> None:
        self._write(base, {"fingerprint": base.fingerprint, "floor": asdict(floor)})

    def drop(self, base: KnowledgeBase) -> None:
        """Delete the floor of a base whose similarities have changed."""
        self._write(base, {})

    def _write(self, base: KnowledgeBase, entry: dict[str, Any]) -> None:
        with self._lock, translated(self._file.parent):
            files.replace(self._file, json.dumps(self._read() | {base.id: entry}))

    def _read(self) -> dict[str, Any]:
        return files.load(self._file, _checked, aside=not self._readonly) or {}


def _checked(stored: dict[str, Any]) -> dict[str, Any]:
    """Return floors as they were stored; raises ValueError, TypeError and LookupError."""
    for entry in filter(None, stored.values()):
        floor = astuple(Floor(**entry["floor"]))
        if not isinstance(entry["fingerprint"], str) or not all(map(_is_number, floor)):
            raise ValueError("no floor")
    return stored


def _is_number(value: object) -> bool:
    return type(value) in (int, float) and math.isfinite(value)  # type: ignore[arg-type]
