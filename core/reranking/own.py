"""Cross-encoders that this program trained: the one that comes with it, and those of `tessera models train-reranker`.

A file holds what was trained, in 16 bits: the heads, and the layers where they were. The rest is the bundled
model's, and the embeddings of words are shared with it in memory. benchmarks/reranker.py made and measured the
one that comes along (docs/benchmarks.md).
"""

from pathlib import Path
from typing import Any

from core import embedding
from core.embedding.device import Device
from core.embedding.folder import digest
from core.errors import ModelError
from core.reranking.network import Network, Shape

FILE = "reranker.safetensors"
WEIGHTS = Path(__file__).with_name(FILE)
NAME = "own"
LAYERS = "layer."

READ_TOKENS = 192
"""Tokens of a pair that are read: whole windows ranked no better, and take twice the time (docs/benchmarks.md)."""


def shipped() -> bool:
    """Whether weights came with this installation."""
    return WEIGHTS.is_file()


def trained(folder: Path) -> bool:
    """Whether a folder holds a cross-encoder that this program trained."""
    return (folder / FILE).is_file()


def fingerprint(folder: Path) -> str:
    """Return what is equal where the weights and the bundled model are."""
    return f"{digest([folder / FILE])}:{embedding.build('bundled').fingerprint}"


def load(folder: Path, device: Device) -> Network:
    """Return the network in a folder; raises ModelError where it or the bundled model can't be loaded."""
    import torch
    from safetensors import SafetensorError, safe_open

    encoder: Any = embedding.build("bundled")
    try:
        with safe_open(folder / FILE, "pt") as opened:
            told = opened.metadata() or {}
            shape = Shape(tuple(int(number) for number in told["layers"].split(",")), int(told["apart"]))
            tensors = {name: opened.get_tensor(name) for name in opened.keys()}  # noqa: SIM118 it is no mapping
        network = Network(
            encoder.loaded(), shape, device=device.name, dtype=getattr(torch, device.dtype), tokens=READ_TOKENS
        )
        if not any(name.startswith(LAYERS) for name in tensors):
            tensors |= {name: value for name, value in network.parts.state_dict().items() if name.startswith(LAYERS)}
        network.parts.load_state_dict(tensors)
    except (OSError, SafetensorError, KeyError, ValueError, IndexError, RuntimeError) as error:
        raise ModelError(
            f"The cross-encoder in {folder} is damaged, or was made of another model than the bundled one. "
            "Copy it again, or train it again: tessera models train-reranker"
        ) from error
    return network


def save(network: Network, folder: Path, *, layers: bool = True) -> None:
    """Write the weights of a network into a folder, without the `layers` where those are still the bundled model's.

    Raises OSError.
    """
    import torch
    from safetensors.torch import save_file

    tensors = {
        name: value.detach().to("cpu", torch.float16).contiguous()
        for name, value in network.parts.state_dict().items()
        if layers or not name.startswith(LAYERS)
    }
    shape = network.shape
    told = {"layers": ",".join(map(str, shape.layers)), "apart": str(shape.apart)}
    save_file(tensors, folder / FILE, metadata=told)
    (folder / FILE).chmod(0o644)  # safetensors writes 0o600
