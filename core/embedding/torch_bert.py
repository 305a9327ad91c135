"""The forward pass of a BERT encoder in torch: vectors of many texts without the libraries around it.

Importing sentence-transformers and loading its second tokenizer take 5 s and half a gigabyte. The vectors are its own.
"""

import json
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.embedding.loading import Turns, choose_device, explain_failure, free_garbage, one_thread, to_numpy
from core.embedding.model_folder import ModelFacts, read_json
from core.embedding.numpy_model import PARTS, pooling
from core.model import Device, Matrix, Running

_BATCH = 2048
"""Tokens in a forward pass, with padding. The speeds with 2048 to 8192 are within 4 % of each other, and another
text waits for one pass."""
_STEP = 16
"""Lengths to which texts are padded are its multiples: each new shape takes time, and memory for good."""
_FEW = 128
"""Tokens of a question, which one thread runs."""


class _Rows:
    """A matrix in a file of weights, of which no row stays in memory."""

    def __init__(self, path: Path, name: str) -> None:
        """Find the matrix; raises ValueError for numbers that numpy doesn't know."""
        self._path = path
        with path.open("rb") as file:
            length = int.from_bytes(file.read(8), "little")
            entry = json.loads(file.read(length))[name]
        (self._count, self.width), self._start = entry["shape"], 8 + length + entry["data_offsets"][0]
        if entry["dtype"] not in ("F16", "F32"):
            raise ValueError("unknown numbers")
        self._dtype = np.dtype("<f" + str(int(entry["dtype"][1:]) // 8))

    def read(self, numbers: NDArray[np.int64]) -> Matrix:
        """Return the rows of these numbers, shape (*numbers.shape, width)."""
        distinct, places = np.unique(numbers, return_inverse=True)
        rows = np.empty((len(distinct), self.width), self._dtype)
        with self._path.open("rb", buffering=0) as file:
            for row, number in zip(rows, distinct.tolist(), strict=True):
                if number >= self._count:
                    raise IndexError(number)
                file.seek(self._start + number * row.nbytes)
                file.readinto(row)
        found: Matrix = rows[places.reshape(numbers.shape)]
        return found


class TorchBert:
    """A BERT encoder on the processor. The words' vectors stay in their file."""

    def __init__(self, facts: ModelFacts, name: str, device: Device) -> None:
        """Read the weights; raises an error of the files for a model of another make."""
        import torch
        from safetensors import safe_open

        config = read_json(facts.folder / "config.json")
        self._pooling = pooling(facts.folder, config)
        self._heads, self._epsilon = config["num_attention_heads"], config["layer_norm_eps"]
        self._name, self._dtype, self._turns = name, getattr(torch, device.dtype), Turns()
        opened: Any = safe_open(facts.folder / "model.safetensors", "pt")

        def read(name: str) -> Any:
            return opened.get_tensor(name).to(self._dtype)

        def pair(name: str) -> tuple[Any, Any]:
            return read(f"{name}.weight"), read(f"{name}.bias")

        self._words = _Rows(facts.folder / "model.safetensors", "embeddings.word_embeddings.weight")
        self._positions = read("embeddings.position_embeddings.weight")
        self._type = read("embeddings.token_type_embeddings.weight")[0]
        if not self._positions.shape[1] == self._words.width == config["hidden_size"] == facts.dimension:
            raise ValueError("the files disagree")
        self._first_norm = pair("embeddings.LayerNorm")
        self._layers = []
        for number in range(config["num_hidden_layers"]):
            prefix = f"encoder.layer.{number}."
            mixing = [pair(f"{prefix}attention.self.{part}") for part in ("query", "key", "value")]
            parts = [pair(f"{prefix}{part}") for part in (*PARTS, "output.LayerNorm")]
            self._layers.append([tuple(map(torch.cat, zip(*mixing, strict=True))), *parts])
        tensors = [self._positions, *(tensor for layer in self._layers for both in layer for tensor in both)]
        self.running = Running(device, sum(tensor.nbytes for tensor in tensors))
        free_garbage()

    def run(self, texts: Sequence[Sequence[int]]) -> tuple[Matrix, list[Matrix]]:
        """Return the vector of each text, as the ids of its tokens, and the vectors of its tokens."""
        import torch

        vectors = np.empty((len(texts), self._words.width), np.float32)
        tokens: list[Matrix] = [vectors] * len(texts)
        for rows in _batches([len(ids) for ids in texts]):
            batch = [texts[row] for row in rows]
            few = sum(map(len, batch)) <= _FEW
            with explain_failure(self._name, len(batch)), torch.inference_mode():
                with self._turns.take(), one_thread() if few else nullcontext():
                    pooled, states = self._forward(batch)
                vectors[rows] = to_numpy(pooled)
                for row, found in zip(rows, states, strict=True):
                    tokens[row] = to_numpy(found[: len(texts[row])])
        return vectors, tokens

    def _forward(self, texts: Sequence[Sequence[int]]) -> tuple[Any, Any]:
        """Return the vectors of some texts, and those of their tokens with padding."""
        import torch
        from torch.nn import functional

        lengths = torch.tensor([len(ids) for ids in texts])
        width, size = self._words.width, min(-(-int(lengths.max()) // _STEP) * _STEP, len(self._positions))
        ids = torch.zeros(len(texts), size, dtype=torch.long)
        for row, numbers in zip(ids, texts, strict=True):
            row[: len(numbers)] = torch.tensor(numbers)
        real = torch.arange(size) < lengths[:, None]
        mask = None if real.all() else real[:, None, None, :]

        def normalize(states: Any, norm: tuple[Any, Any]) -> Any:
            return functional.layer_norm(states, (width,), *norm, self._epsilon)

        words = torch.from_numpy(self._words.read(ids.numpy())).to(self._dtype)
        states = normalize(words + self._type + self._positions[:size], self._first_norm)
        for mixing, out, out_norm, wide, narrow, norm in self._layers:
            query, key, value = (
                functional.linear(states, *mixing).view(*ids.shape, 3, self._heads, -1).permute(2, 0, 3, 1, 4)
            )
            mixed = functional.scaled_dot_product_attention(query, key, value, mask).transpose(1, 2).flatten(2)
            states = normalize(functional.linear(mixed, *out) + states, out_norm)
            inner = functional.gelu(functional.linear(states, *wide))
            states = normalize(functional.linear(inner, *narrow) + states, norm)
        if self._pooling == "cls":
            return states[:, 0], states
        return (states * real[..., None]).sum(1) / lengths[:, None].to(self._dtype), states


def load_supported(facts: ModelFacts, name: str, device: Device | None) -> TorchBert | None:
    """Return the model of a folder, or None if it is of another kind or for a graphics card."""
    from safetensors import SafetensorError

    device = device or choose_device()
    try:
        return TorchBert(facts, name, device) if device.name == "cpu" else None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, SafetensorError):
        return None


def _batches(sizes: Sequence[int]) -> Iterator[list[int]]:
    """Yield the indices of texts of similar length, so that a batch has little padding."""
    rows: list[int] = []
    for row in sorted(range(len(sizes)), key=sizes.__getitem__, reverse=True):
        if rows and (len(rows) + 1) * sizes[rows[0]] > _BATCH:
            yield rows
            rows = []
        rows.append(row)
    yield rows
