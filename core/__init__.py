"""Tessera's engine: everything except the user interface.

The names in `__all__` are the public interface of the library, which is also installed as `tessera` (docs/library.md).
All other modules are internal.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from core.base.errors import Conflict, ModelError, NoteNotFound, TesseraError, UnknownChoice, WorkspaceLocked
    from core.embedding import Embedder
    from core.reranking import Candidate, Reranker
    from core.retrieval.images import ImageEmbedder
    from core.settings.config import Settings
    from core.workspace import Workspace

__all__ = [
    "Candidate",
    "Conflict",
    "Embedder",
    "ImageEmbedder",
    "ModelError",
    "NoteNotFound",
    "Reranker",
    "Settings",
    "TesseraError",
    "UnknownChoice",
    "Workspace",
    "WorkspaceLocked",
]

_MODULES = {
    "Candidate": "core.reranking",
    "Embedder": "core.embedding",
    "ImageEmbedder": "core.retrieval.images",
    "Reranker": "core.reranking",
    "Settings": "core.settings.config",
    "Workspace": "core.workspace",
}
"""The module of each public name that isn't an error. It is imported when the name is first used."""


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULES.get(name, "core.base.errors")), name)
