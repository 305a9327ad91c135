"""What is measured of each base; derived, so a file of it can be deleted."""

import json
import math
import threading
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, Generic, TypeVar, get_args, get_type_hints

from core.base import files
from core.base.faults import translate_errors
from core.model import AnswerThreshold, Floor, KnowledgeBase

T = TypeVar("T")


class Measures(Generic[T]):
    """A noun of each base, in the file `{name}s.json` of the workspace. Only the process that may write calls `set`."""

    def __init__(self, folder: Path, noun: type[T], name: str, *, readonly: bool) -> None:
        self._noun, self._name = noun, name
        self._file = folder / f"{self._name}s.json"
        self._types = get_type_hints(noun)
        self._readonly = readonly
        self._lock = threading.Lock()

    def get(self, base: KnowledgeBase) -> T | None:
        """Return the measure of a base, None before it is measured with the base's model."""
        with suppress(OSError, KeyError):
            stored = self._read()[base.id]
            return self._noun(**stored[self._name]) if stored["fingerprint"] == base.fingerprint else None
        return None

    def set(self, base: KnowledgeBase, measure: T) -> None:
        self._write(base, {"fingerprint": base.fingerprint, self._name: asdict(measure)})  # type: ignore[call-overload]

    def drop(self, base: KnowledgeBase) -> None:
        """Delete the measure of a base whose similarities have changed."""
        self._write(base, {})

    def _write(self, base: KnowledgeBase, entry: dict[str, Any]) -> None:
        with self._lock, translate_errors(self._file.parent):
            files.replace(self._file, json.dumps(self._read() | {base.id: entry}))

    def _read(self) -> dict[str, Any]:
        return files.load(self._file, self._checked, aside=not self._readonly) or {}

    def _checked(self, stored: dict[str, Any]) -> dict[str, Any]:
        """Return measures as they were stored; raises ValueError, TypeError and LookupError."""
        for entry in filter(None, stored.values()):
            measure = self._noun(**entry[self._name])
            fits = all(_fits(value, self._types[name]) for name, value in asdict(measure).items())  # type: ignore[call-overload]
            if not (isinstance(entry["fingerprint"], str) and fits and getattr(measure, "possible", True)):
                raise ValueError(f"no {self._name}")
        return stored


def measures(folder: Path, *, readonly: bool) -> tuple[Measures[Floor], Measures[AnswerThreshold]]:
    """Return the floors and the bars of a workspace."""
    return Measures(folder, Floor, "floor", readonly=readonly), Measures(
        folder, AnswerThreshold, "bar", readonly=readonly
    )


def drop(base: KnowledgeBase, *every: Measures[Any]) -> None:
    """Delete the measures of a base whose similarities have changed."""
    for item in every:
        item.drop(base)


def _fits(value: object, kind: Any) -> bool:
    if kind in (int, float):
        return type(value) in (int, float) and math.isfinite(value)  # type: ignore[arg-type]
    return value in get_args(kind)
