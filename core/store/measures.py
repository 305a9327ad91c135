"""What is measured of each base; derived, so a file of it can be deleted."""

import json
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any, Generic, TypeVar

from core.base import files
from core.base.codec import decode, to_plain
from core.base.faults import translate_errors
from core.model import AnswerThreshold, Floor, KnowledgeBase

T = TypeVar("T")


class Measures(Generic[T]):
    """A noun of each base, in the file `{name}s.json` of the workspace. Only the process that may write calls `set`."""

    def __init__(self, folder: Path, noun: type[T], name: str, *, readonly: bool) -> None:
        self._noun, self._name = noun, name
        self._file = folder / f"{self._name}s.json"
        self._readonly = readonly
        self._lock = threading.Lock()

    def get(self, base: KnowledgeBase) -> T | None:
        """Return the measure of a base, None before it is measured with the base's model."""
        with suppress(OSError, KeyError):
            stored = self._read()[base.id]
            measure: T | None = decode(self._noun, stored[self._name])
            return measure if stored["fingerprint"] == base.fingerprint else None
        return None

    def set(self, base: KnowledgeBase, measure: T) -> None:
        self._write(base, {"fingerprint": base.fingerprint, self._name: to_plain(measure)})

    def drop(self, base: KnowledgeBase) -> None:
        """Delete the measure of a base whose similarities have changed."""
        self._write(base, {})

    def _write(self, base: KnowledgeBase, entry: dict[str, Any]) -> None:
        with self._lock, translate_errors(self._file.parent):
            files.replace(self._file, json.dumps(self._read() | {base.id: entry}))

    def _read(self) -> dict[str, Any]:
        return files.load(self._file, self._checked, aside=not self._readonly) or {}

    def _checked(self, stored: dict[str, Any]) -> dict[str, Any]:
        """Return measures as they were stored; raises DAMAGE."""
        for entry in filter(None, stored.values()):
            measure = decode(self._noun, entry[self._name])
            if not (isinstance(entry["fingerprint"], str) and getattr(measure, "possible", True)):
                raise ValueError(f"no {self._name}")
        return stored


def measures(folder: Path, *, readonly: bool) -> tuple[Measures[Floor], Measures[AnswerThreshold]]:
    """Return the floors and the answer thresholds of a workspace."""
    return Measures(folder, Floor, "floor", readonly=readonly), Measures(
        folder, AnswerThreshold, "bar", readonly=readonly
    )


def drop(base: KnowledgeBase, *every: Measures[Any]) -> None:
    """Delete the measures of a base whose similarities have changed."""
    for item in every:
        item.drop(base)
