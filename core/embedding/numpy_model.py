"""The forward pass of a BERT encoder in numpy: vectors of a few texts without importing torch, which takes 9 s.

On multilingual-e5-small the vectors differ from torch's in float32 by at most 2e-7 a number, and from those in
bfloat16 by a cosine of 2e-5.
"""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Lock
from typing import Any
from weakref import finalize

import numpy as np

from core.base.errors import ModelError
from core.base.messages import message
from core.embedding.model_folder import Config, ModelFacts, read_json
from core.model import Device, Ids, Matrix, Running

LARGEST = 200 << 20
"""Bytes of the largest layers in float32 that numpy runs: beyond, torch is faster by more than its import takes."""

IN_NUMPY = Device("cpu", "float32", message("questions are read on the processor"))

_PARTS = ("attention.output.dense", "attention.output.LayerNorm", "intermediate.dense", "output.dense")
_WORDS = "embeddings.word_embeddings.weight"
_HALF_ROOT = np.float32(2**-0.5)
_ERF = [np.float32(value) for value in (0.3275911, 0.254829592, -0.284496736, 1.421413741, -1.453152027, 1.061405429)]


class NumpyModel:
    """A BERT encoder whose layers are in memory in float32; rows of its word vectors are read as they are needed.

    Several threads may run it at once.
    """

    def __init__(self, facts: ModelFacts) -> None:
        """Read the weights; raises an error of the files for a model of another make."""
        config = read_json(facts.folder / "config.json")
        self._pooling = _pooling(facts.folder, config)
        self._heads = config["num_attention_heads"]
        self._epsilon = np.float32(config["layer_norm_eps"])
        read, self._word_row = _weights(facts.folder / "model.safetensors")
        depth, width, inner = config["num_hidden_layers"], config["hidden_size"], config["intermediate_size"]
        if depth * (4 * width * width + 2 * width * inner) * 4 > LARGEST:
            raise ValueError("too large")
        self._positions = read("embeddings.position_embeddings.weight")
        if not self._positions.shape[1] == width == facts.dimension:
            raise ValueError("the files disagree")
        self._type = read("embeddings.token_type_embeddings.weight")[0]
        self._first_norm = read("embeddings.LayerNorm.weight"), read("embeddings.LayerNorm.bias")
        self._layers = [_layer(read, f"encoder.layer.{number}.") for number in range(depth)]
        size = sum(array.nbytes for layer in self._layers for array in layer) + self._positions.nbytes
        self.running = Running(IN_NUMPY, size)

    def run(self, texts: Sequence[Ids]) -> tuple[Matrix, list[Matrix]]:
        """Return the vector of each text, as the ids of its tokens, and the vectors of its tokens."""
        ends = np.cumsum([len(ids) for ids in texts])
        spans = [slice(end - len(ids), end) for ids, end in zip(texts, ends.tolist(), strict=True)]
        words = np.stack([self._word_row(number) for ids in texts for number in ids]).astype(np.float32)
        positions = np.concatenate([self._positions[: len(ids)] for ids in texts])
        states = self._normalize_layer(words + positions + self._type, *self._first_norm)
        for mixing, mixing_bias, out, out_bias, *norm, wide, wide_bias, narrow, narrow_bias, gain, bias in self._layers:
            mixed = self._attend(states @ mixing + mixing_bias, spans)
            states = self._normalize_layer(states + mixed @ out + out_bias, *norm)
            states = self._normalize_layer(states + gelu(states @ wide + wide_bias) @ narrow + narrow_bias, gain, bias)
        tokens = [states[span] for span in spans]
        return np.stack([rows[0] if self._pooling == "cls" else rows.mean(axis=0) for rows in tokens]), tokens

    def _attend(self, projected: Matrix, spans: Sequence[slice]) -> Matrix:
        """Return each token's mean of the values of its text's tokens, by their likeness to it."""
        width = projected.shape[1] // 3
        result = np.empty((len(projected), width), np.float32)
        for span in spans:
            split = projected[span].reshape(-1, 3, self._heads, width // self._heads).transpose(1, 2, 0, 3)
            likeness = split[0] @ split[1].transpose(0, 2, 1)
            likeness *= np.float32((width // self._heads) ** -0.5)
            likeness -= likeness.max(axis=-1, keepdims=True)
            np.exp(likeness, out=likeness)
            likeness /= likeness.sum(axis=-1, keepdims=True)
            result[span] = (likeness @ split[2]).transpose(1, 0, 2).reshape(-1, width)
        return result

    def _normalize_layer(self, states: Matrix, gain: Matrix, bias: Matrix) -> Matrix:
        centred: Matrix = states - states.mean(axis=-1, keepdims=True)
        centred /= np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + self._epsilon)
        centred *= gain
        centred += bias
        return centred


def load_supported(facts: ModelFacts) -> NumpyModel | None:
    """Return the model of a folder, or None if numpy doesn't run its kind; torch says what is wrong with a folder."""
    from safetensors import SafetensorError

    try:
        return NumpyModel(facts)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, SafetensorError):
        return None


def _pooling(folder: Path, config: Config) -> str:
    """Return `mean` or `cls`; raises ValueError for a model that is not plain BERT, one of these and unit length."""
    modules = {str(module["type"]).rpartition(".")[2]: module["path"] for module in read_json(folder / "modules.json")}
    pooling = read_json(folder / modules["Pooling"] / "config.json")
    mode = pooling.get("pooling_mode") or [
        key.removeprefix("pooling_mode_").removesuffix("_tokens").removesuffix("_token")
        for key, value in pooling.items()
        if key.startswith("pooling_mode_") and value is True
    ]
    mode = mode[0] if isinstance(mode, list) and len(mode) == 1 else mode
    lowered = folder / "sentence_bert_config.json"
    plain = (
        set(modules) <= {"Transformer", "Pooling", "Normalize"}
        and modules["Transformer"] == ""
        and (config["model_type"], config["hidden_act"]) == ("bert", "gelu")
        and config.get("position_embedding_type", "absolute") == "absolute"
        and mode in ("mean", "cls")
        and pooling.get("include_prompt", True)
        and not (lowered.is_file() and read_json(lowered).get("do_lower_case"))
    )
    if not plain:
        raise ValueError("not a plain BERT encoder")
    return str(mode)


def _weights(file: Path) -> tuple[Callable[[str], Matrix], Callable[[int], Matrix]]:
    """Return two readers of a file of weights: of a tensor, in float32, and of a row of the word vectors, as it is."""
    from safetensors import safe_open

    opened: Any = safe_open(file, "numpy")
    dtype, width = opened.get_slice(_WORDS)[:1].dtype, opened.get_slice(_WORDS).get_shape()[1]
    # Not by a map of the file, which ends the program where somebody copies the model over itself.
    source, turn = file.open("rb", buffering=0), Lock()
    length = int.from_bytes(source.read(8), "little")
    start = 8 + length + json.loads(source.read(length))[_WORDS]["data_offsets"][0]

    def word_row(number: int) -> Matrix:
        with turn:
            source.seek(start + number * width * dtype.itemsize)
            data = source.read(width * dtype.itemsize)
        if len(data) < width * dtype.itemsize:
            raise ModelError("{file} is damaged. Copy or download the model again.", file=str(file))
        return np.frombuffer(data, dtype)

    finalize(word_row, source.close)
    return lambda name: opened.get_tensor(name).astype(np.float32), word_row


def _layer(read: Callable[[str], Matrix], prefix: str) -> list[Matrix]:
    """Return a layer's weights in the order of their use, each laid out for a product from the left."""
    mixing = [f"{prefix}attention.self.{name}" for name in ("query", "key", "value")]
    result = [
        # In this order, for numpy's own choice takes half as long again.
        np.concatenate([read(f"{name}.weight") for name in mixing]).T.copy("C"),
        np.concatenate([read(f"{name}.bias") for name in mixing]),
    ]
    for name in (*_PARTS, "output.LayerNorm"):
        result += [np.ascontiguousarray(read(f"{prefix}{name}.weight").T), read(f"{prefix}{name}.bias")]
    return result


def gelu(values: Matrix) -> Matrix:
    """Return x times the normal distribution's share below x (Abramowitz and Stegun 7.1.26, error below 2e-7)."""
    scale, *factors = _ERF
    absolute = np.abs(values)
    size = absolute * _HALF_ROOT
    step = scale * size
    step += 1
    np.divide(1, step, out=step)
    above = factors[-1] * step
    for factor in reversed(factors[:-1]):
        above += factor
        above *= step
    size *= size
    np.exp(np.negative(size, out=size), out=size)
    above *= size
    above *= np.float32(0.5)
    above *= absolute
    result: Matrix = np.maximum(values, 0) - above
    return result
