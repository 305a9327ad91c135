"""A BERT encoder as a graph: computes vectors of a few texts without torch, whose import takes 9 s.

For multilingual-e5-small, the numbers differ from torch's in float32 by at most 8e-7, and the vectors from torch's in
bfloat16 by a cosine of 2e-5.
"""

import json
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any
from weakref import finalize

import numpy as np

from core.base import memory
from core.base.errors import ModelError
from core.base.messages import message
from core.embedding.graphs import FUSED, Array, Graph
from core.embedding.model_folder import Config, ModelFacts, pooling_modes, read_json
from core.embedding.tokens import WithTokens
from core.model import Device, Ids, Matrix, Running

LARGEST = 200 << 20
"""Maximum size of all layers in float32, in bytes; for larger models torch is faster, despite its import."""

ON_PROCESSOR = Device("cpu", "float32", message("questions are processed on the CPU"))

_WORDS = "embeddings.word_embeddings.weight"
_STATES = "states"


class BertModel:
    """A BERT encoder with its layers in memory in float32; rows of word vectors are read from the file on demand.

    Several threads may run it at once.
    """

    def __init__(self, facts: ModelFacts, threads: int) -> None:
        """Read the weights; raises an error from reading the files if the model isn't supported."""
        config = read_json(facts.folder / "config.json")
        self._pooling = _pooling(facts.folder, config)
        read, self._word_row = _weights(facts.folder / "model.safetensors")
        depth, width, inner = config["num_hidden_layers"], config["hidden_size"], config["intermediate_size"]
        if depth * (4 * width * width + 2 * width * inner) * 4 > LARGEST:
            raise ValueError("too large")
        self._places = read("embeddings.position_embeddings.weight").astype(np.float32)
        if not self._places.shape[1] == width == facts.dimension:
            raise ValueError("the files disagree")
        self._places += read("embeddings.token_type_embeddings.weight")[0]
        graph = Graph()
        epsilon = {"epsilon": config["layer_norm_eps"]}
        norm = [read(f"embeddings.LayerNorm.{part}") for part in ("weight", "bias")]
        states = graph.add("LayerNormalization", _STATES, *norm, **epsilon)
        for number in range(depth):
            layer = partial(_read_parts, read, f"encoder.layer.{number}.")
            mixing = layer("attention.self.query", "attention.self.key", "attention.self.value")
            heads = config["num_attention_heads"]
            attended = graph.add("Attention", states, *mixing, num_heads=heads, domain=FUSED)
            weight, bias = layer("attention.output.dense")
            mixed = graph.add("MatMul", attended, weight)
            norm = [*layer("attention.output.LayerNorm"), bias]
            states = graph.add("SkipLayerNormalization", states, mixed, *norm, domain=FUSED, **epsilon)
            weight, bias = layer("intermediate.dense")
            wide = graph.add("BiasGelu", graph.add("MatMul", states, weight), bias, domain=FUSED)
            weight, bias = layer("output.dense")
            narrow = graph.add("MatMul", wide, weight)
            norm = [*layer("output.LayerNorm"), bias]
            states = graph.add("SkipLayerNormalization", states, narrow, *norm, domain=FUSED, **epsilon)
        self._session = graph.open(facts.folder.name, {_STATES: (1, "tokens", width)}, states, threads=threads)
        self.running = Running(ON_PROCESSOR, graph.size + self._places.nbytes)

    def run(self, texts: Sequence[Ids]) -> WithTokens:
        """Return the vector of each text, given as token ids, and the vectors of its tokens."""
        tokens = [self._run_one(ids) for ids in texts]
        return np.stack([rows[0] if self._pooling == "cls" else rows.mean(axis=0) for rows in tokens]), tokens

    def _run_one(self, ids: Ids) -> Matrix:
        words = np.stack([self._word_row(number) for number in ids]).astype(np.float32)
        (states,) = self._session.run({_STATES: (words + self._places[: len(ids)])[None]})
        result: Matrix = states[0]
        return result


def load_supported(facts: ModelFacts, threads: int) -> BertModel | None:
    """Return the model in a folder, None if it isn't supported; then torch reports what is wrong with the folder."""
    from safetensors import SafetensorError

    try:
        model = BertModel(facts, threads)
        model.run([[0]])  # weights of the wrong size fail here
    except (OSError, ValueError, KeyError, TypeError, AttributeError, SafetensorError, ModelError):
        return None
    memory.give_back()
    return model


def _pooling(folder: Path, config: Config) -> str:
    """Return the pooling, `mean` or `cls`; raises ValueError unless the model is plain BERT with one of these."""
    modules = {str(module["type"]).rpartition(".")[2]: module["path"] for module in read_json(folder / "modules.json")}
    pooling = read_json(folder / modules["Pooling"] / "config.json")
    modes = pooling_modes(pooling)
    lowered = folder / "sentence_bert_config.json"
    plain = (
        set(modules) <= {"Transformer", "Pooling", "Normalize"}
        and modules["Transformer"] == ""
        and (config["model_type"], config["hidden_act"]) == ("bert", "gelu")
        and config.get("position_embedding_type", "absolute") == "absolute"
        and modes in (["mean"], ["cls"])
        and pooling.get("include_prompt", True)
        and not (lowered.is_file() and read_json(lowered).get("do_lower_case"))
    )
    if not plain:
        raise ValueError("not a plain BERT encoder")
    return str(modes[0])


def _weights(file: Path) -> tuple[Callable[[str], Array], Callable[[int], Array]]:
    """Return two readers of a weights file: for tensors, and for single rows of the word vectors."""
    from safetensors import safe_open

    opened: Any = safe_open(file, "numpy")
    dtype, width = opened.get_slice(_WORDS)[:1].dtype, opened.get_slice(_WORDS).get_shape()[1]
    # Not with a memory map, which would crash the program if the file is overwritten.
    source, turn = file.open("rb", buffering=0), Lock()
    length = int.from_bytes(source.read(8), "little")
    start = 8 + length + json.loads(source.read(length))[_WORDS]["data_offsets"][0]

    def word_row(number: int) -> Array:
        with turn:
            source.seek(start + number * width * dtype.itemsize)
            data = source.read(width * dtype.itemsize)
        if len(data) < width * dtype.itemsize:
            raise ModelError("{file} is damaged. Copy or download the model again.", file=str(file))
        return np.frombuffer(data, dtype)

    finalize(word_row, source.close)
    return opened.get_tensor, word_row


def _read_parts(read: Callable[[str], Array], prefix: str, *names: str) -> tuple[Array, Array]:
    """Return the weights of several parts of a layer side by side, laid out for multiplication, and their biases."""
    weights, biases = ([read(f"{prefix}{name}.{kind}") for name in names] for kind in ("weight", "bias"))
    return np.concatenate(weights).T, np.concatenate(biases)
