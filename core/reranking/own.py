"""Files of the built-in cross-encoder: the one that is installed with Tessera, or another in a folder.

A file contains the weights of the heads in 16 bits, and those of the layers if they differ from the bundled model's.
The network shares the word embeddings with the bundled model in memory. Decision 62 has measurements.
"""

from pathlib import Path
from typing import Any

from core import embedding
from core.base.errors import ModelError
from core.embedding.model_folder import digest
from core.model import Device
from core.reranking.network import Network, NetworkShape

FILE = "reranker.safetensors"
WEIGHTS = Path(__file__).with_name(FILE)
NAME = "own"
LAYERS = "layer."

READ_TOKENS = 192
"""Most tokens of a pair: whole windows ranked no better and take twice the time (decision 62)."""


def shipped() -> bool:
    """Whether the weights are in this installation."""
    return WEIGHTS.is_file()


def has_weights(folder: Path) -> bool:
    """Whether a folder has weights for the built-in cross-encoder."""
    return (folder / FILE).is_file()


def fingerprint(folder: Path) -> str:
    """Return a string that is equal for equal weights and an equal bundled model."""
    return f"{digest([folder / FILE])}:{embedding.build('bundled').fingerprint}"


def load(folder: Path, device: Device) -> Network:
    """Return the network of a folder; raises ModelError if it or the bundled model can't be loaded."""
    import torch
    from safetensors import SafetensorError, safe_open

    encoder: Any = embedding.build("bundled")
    try:
        with safe_open(folder / FILE, "pt") as file:
            metadata = file.metadata() or {}
            shape = NetworkShape(tuple(int(number) for number in metadata["layers"].split(",")), int(metadata["apart"]))
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 it is no mapping
        network = Network(
            encoder.loaded(), shape, device=device.name, dtype=getattr(torch, device.dtype), tokens=READ_TOKENS
        )
        if not any(name.startswith(LAYERS) for name in tensors):
            tensors |= {name: value for name, value in network.parts.state_dict().items() if name.startswith(LAYERS)}
        network.parts.load_state_dict(tensors)
    except (OSError, SafetensorError, KeyError, ValueError, IndexError, RuntimeError) as error:
        raise ModelError(
            "The model for close reading in {folder} is damaged, or was made of another model than the built-in "
            "one. Copy it again.",
            folder=str(folder),
        ) from error
    return network
