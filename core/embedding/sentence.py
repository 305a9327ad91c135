"""Any sentence-transformers model, by its name on the hub, its folder, or the installed package it is in."""

import re
from collections.abc import Callable
from pathlib import Path

from core.base.errors import ConfigError
from core.embedding import hub, packaged
from core.embedding.encoder import Encoder
from core.model import Device

DEFAULT_OWNER = "sentence-transformers"
PACKAGE = "pkg:"


def build(name: str = "", *, device: Device | None = None) -> Encoder:
    """Return the model `name`: `BAAI/bge-m3`, `all-MiniLM-L6-v2`, a folder's path, or `pkg:` and a package's name.

    Raises ConfigError for an empty name, and ModelError for a path or package without a model.
    """
    if not name.removeprefix(PACKAGE).strip():
        raise ConfigError(
            "'sentence' needs a model: sentence:BAAI/bge-m3, sentence:/path/to/folder or sentence:pkg:PACKAGE"
        )
    model_name, folder = find(name)
    encoder = Encoder(model_name, folder, device=device)
    if is_local(name):
        _ = encoder.facts
    return encoder


def find(name: str, kind: hub.Kind = "sentence") -> tuple[str, Callable[[], Path]]:
    """Return the model's name in its fingerprint, and a function that returns its folder and may download it."""
    if name.startswith(PACKAGE):
        package = name.removeprefix(PACKAGE)
        return package.lower().replace("-", "_"), lambda: packaged.folder_of(package)
    if is_local(name):
        folder = Path(name).expanduser()
        return folder.name, lambda: folder
    full = on_hub(name)
    return full, lambda: hub.snapshot(full, kind)


def on_hub(name: str, owner: str = DEFAULT_OWNER) -> str:
    """Return `owner/model` for a name on the hub, and an empty string for a local model."""
    return "" if is_local(name) else name if "/" in name else f"{owner}/{name}"


def is_local(name: str) -> bool:
    """Whether a name stands for a package or a path; `owner/model` is a path only if there is such a folder."""
    if name.startswith((PACKAGE, "/", ".", "~")) or "\\" in name or name.count("/") > 1 or re.match("[A-Za-z]:", name):
        return True
    return Path(name).expanduser().is_dir()
