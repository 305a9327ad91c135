"""Trial of this processor: is the built-in model faster in 8 bits on onnxruntime than on torch?"""

import json
import time
from collections.abc import Callable
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

from core.base import files
from core.base.errors import ModelError
from core.embedding import bundled, e5, onnx
from core.embedding.device import choose
from core.embedding.encoder import Encoder
from core.embedding.tokens import TYPICAL

FILE = "trial.json"
"""The result, beside the models: texts a second by name."""

SECONDS = 2.0
"""Length of the trial, without loading the models."""

CLEARLY = 1.2
"""Least speed-up of 8 bits to be chosen: their vectors differ from the model's by a cosine of 0.003."""


def choose_fastest() -> str:
    """Return `onnx` if that is clearly faster here, else `bundled`; the first call tries, and keeps the result.

    There is nothing to try with a graphics card, with a processor that calculates in bfloat16, which is faster than
    both, or without the packages of the extra `onnx`.
    """
    if not all(map(find_spec, onnx.PACKAGES)):
        return "bundled"
    file = e5.models_dir() / FILE
    speeds = _load_speeds(file)
    if speeds is None:
        device = choose()
        if (device.name, device.dtype) != ("cpu", "float32"):
            return "bundled"
        try:
            speeds = measure_speeds({"bundled": bundled.build(), "onnx": onnx.build()})
        except ModelError:  # a graph that can't be written here
            speeds = {"bundled": 1.0, "onnx": 0.0}
        _save_speeds(file, speeds)
    return "onnx" if speeds["onnx"] > CLEARLY * speeds["bundled"] else "bundled"


def measure_speeds(
    embedders: dict[str, Encoder], seconds: float = SECONDS, clock: Callable[[], float] = time.perf_counter
) -> dict[str, float]:
    """Return how many texts a second each embedder reads; they take turns, because other work comes and goes."""
    for embedder in embedders.values():
        embedder.embed(TYPICAL[:5], role="note")
    spent, texts = dict.fromkeys(embedders, 0.0), dict.fromkeys(embedders, 0)
    while sum(spent.values()) < seconds:
        for name, embedder in embedders.items():
            started = clock()
            embedder.embed(TYPICAL, role="note")
            spent[name] += clock() - started
            texts[name] += len(TYPICAL)
    return {name: texts[name] / spent[name] for name in embedders}


def _load_speeds(file: Path) -> dict[str, float] | None:
    try:
        return files.load(file, lambda speeds: {name: float(speeds[name]) for name in ("bundled", "onnx")}, aside=True)
    except OSError:
        return None


def _save_speeds(file: Path, speeds: dict[str, float]) -> None:
    """Write the result; a folder that can't be written only means another trial."""
    with suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        files.replace(file, json.dumps(speeds))
