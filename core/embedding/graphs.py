"""Build neural networks for onnxruntime, such as BERT encoders, operator by operator with weights in memory.

They embed a few passages at a time without torch. Loading torch takes 4 to 9 s and half a gigabyte (decision 66).
"""

import json
import os
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController

from core.base import memory
from core.base.errors import ModelError
from core.base.frozen import ValueMap
from core.base.messages import message
from core.embedding.loading import first_line
from core.embedding.model_folder import Config, ModelFacts, pooling_modes, read_json
from core.embedding.tokens import WithTokens
from core.model import Device, Ids, Matrix, Running

if TYPE_CHECKING:
    from onnx import TensorProto, ValueInfoProto

Array = NDArray[Any]
# The size of each dimension: a number, or a name if the size may vary.
Shape = Sequence[int | str]
# Version of the standard operators (https://onnx.ai/onnx/operators). `Gelu` was added in version 20.
OPERATORS = 20
# Domain of onnxruntime's own operators, included in every CPU build.
FUSED = "com.microsoft"
_FORMAT = 9
# The file name declared for the weights. onnxruntime gets the weights in memory, and never opens such a file.
_TOGETHER = "weights"


class Graph:
    """A network under construction, with its operators and their weights."""

    def __init__(self) -> None:
        self._nodes: list[Any] = []
        self._weights: dict[str, Array] = {}

    def add(self, operator: str, *inputs: str | float | Array, domain: str = "", **attributes: Any) -> str:
        """Add an operator, and return the name of its output.

        An input is another output's name, or a weight of any numeric type.
        """
        from onnx import helper

        names = []
        for given in inputs:
            name = given if isinstance(given, str) else f"weight {len(self._weights)}"
            names.append(name)
            if not isinstance(given, str):
                values = np.asarray(given)
                kept = values.dtype in (np.int8, np.int64)
                self._weights[name] = np.asarray(values, values.dtype if kept else np.float32, order="C")
        output = f"{operator} {len(self._nodes)}"
        self._nodes.append(helper.make_node(operator, names, [output], domain=domain, **attributes))
        return output

    def multiply(self, values: str, weight: Array, bias: Array) -> str:
        """Multiply by a weight in 8 bits, add a bias, and return the name of the output.

        The weight has the shape (columns of `values`, outputs). On a processor without VNNI instructions, this takes
        half the time of a multiplication in float32. Only 7 of the weight's 8 bits are used, because such a processor
        adds two products in 16 bits, which 8-bit weights could overflow.
        """
        scale = np.abs(weight).max(axis=0) / 63
        scale[scale == 0] = 1  # a column of zeros stays zero
        whole = np.round(weight / scale).astype(np.int8)
        return self.add(
            "DynamicQuantizeMatMul", values, whole, scale, np.zeros(len(scale), np.int8), bias, domain=FUSED
        )

    def open(self, name: str, inputs: Mapping[str, Shape], output: str, *, threads: int) -> "Session":
        """Return a session that runs the network with `threads` threads.

        `name` is the model's name. `inputs` maps input names to shapes. Raises ValueError if weights don't fit their
        operators.
        """
        from onnx import TensorProto, helper
        from onnxruntime import OrtValue

        def describe(part: str, shape: Shape | None) -> "ValueInfoProto":
            return helper.make_tensor_value_info(part, TensorProto.FLOAT, shape)

        graph = helper.make_graph(
            self._nodes,
            "network",
            [describe(part, shape) for part, shape in inputs.items()],
            [describe(output, None)],
            initializer=[_describe(weight, values) for weight, values in self._weights.items()],
        )
        model = helper.make_model(
            graph,
            opset_imports=[helper.make_opsetid("", OPERATORS), helper.make_opsetid(FUSED, 1)],
            ir_version=_FORMAT,
        )
        weights = {
            weight: OrtValue.ortvalue_from_numpy(values)
            for weight, values in self._weights.items()
            if values.dtype != np.int64
        }
        return Session(name, model.SerializeToString(), weights, threads=threads)

    @property
    def size(self) -> int:
        """Size of the weights in bytes."""
        return sum(values.nbytes for values in self._weights.values())


class Session:
    """A graph loaded in onnxruntime. Several threads may run it at once."""

    def __init__(self, name: str, graph: bytes | Path, weights: ValueMap | None = None, *, threads: int) -> None:
        """Open a graph from bytes or a file. Raises ValueError if onnxruntime rejects it."""
        import onnxruntime

        self._name = name
        onnxruntime.disable_telemetry_events()
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        if weights:
            options.add_external_initializers([*weights], [*weights.values()])
        try:
            self._session = onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
        except Exception as error:  # onnxruntime's errors have no common base class
            raise ValueError(first_line(error)) from error

    def run(self, inputs: Mapping[str, Array]) -> list[Matrix]:
        """Return the graph's outputs. Raises ModelError, which names the model, if onnxruntime fails."""
        try:
            found: list[Matrix] = self._session.run(None, dict(inputs))
        except Exception as error:  # onnxruntime's errors have no common base class
            raise ModelError(
                (
                    "The model '{name}' failed in onnxruntime: {why}. If memory ran out, close other "
                    "programs or choose a smaller model."
                ),
                name=self._name,
                why=first_line(error),
            ) from error
        return found


def thread_count() -> int:
    """Return the number of threads for embedding questions, and limit numpy's matrix multiplication to that number.

    On an idle machine, a second thread makes a network a third faster. For a question of ten words, more threads make
    no difference. A lower limit set by the user is kept.
    """
    core_count()  # cached before numpy's threads are limited
    pools = ThreadpoolController().select(internal_api="openblas")
    count: int = min([2, *(pool.num_threads for pool in pools.lib_controllers)])
    pools.limit(limits=count)
    return count


@cache
def core_count() -> int:
    """Return the number of threads for embedding many notes: the number of cores, or numpy's limit if set."""
    pools = ThreadpoolController().select(internal_api="openblas")
    return min((pool.num_threads for pool in pools.lib_controllers), default=os.cpu_count() or 1)


def _describe(name: str, values: Array) -> "TensorProto":
    """Return a weight's entry in the graph.

    64-bit integers stay inside the graph, because operators' shapes depend on them. For all other values, the entry has
    only the name, type and shape.
    """
    from onnx import TensorProto, helper, numpy_helper

    if values.dtype == np.int64:
        return numpy_helper.from_array(values, name)
    tensor = TensorProto(name=name, data_type=helper.np_dtype_to_tensor_dtype(values.dtype), dims=values.shape)
    tensor.data_location = TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value=_TOGETHER)
    return tensor


# BERT encoders. For multilingual-e5-small, components differ from torch's float32 results by at most 8e-7. Vectors
# differ from torch's bfloat16 results by 2e-5 in cosine.

# Maximum size of all layers in float32, in bytes. For larger models, torch is faster despite its import time.
LARGEST = 200 << 20

ON_PROCESSOR = Device("cpu", "float32", message("this is fast enough for questions"))

_WORDS = "embeddings.word_embeddings.weight"
_STATES = "states"


class BertModel:
    """A BERT encoder with its layers in memory as float32. Word vectors are read from the file on demand.

    Several threads may run it at once.
    """

    def __init__(self, facts: ModelFacts, threads: int) -> None:
        """Read the weights. If the model isn't supported, one of the errors caught by `load_supported` is raised."""
        config = read_json(facts.folder / "config.json")
        self._pooling = _pooling(facts, config)
        read, self._word_row = _weights(facts.folder / "model.safetensors")
        depth = config["num_hidden_layers"]
        width = config["hidden_size"]
        if depth * (4 * width * width + 2 * width * config["intermediate_size"]) * 4 > LARGEST:
            raise ValueError("too large")
        self._places = read("embeddings.position_embeddings.weight").astype(np.float32)
        if not self._places.shape[1] == width == facts.dimension:
            raise ValueError("the files disagree")
        self._places += read("embeddings.token_type_embeddings.weight")[0]
        graph = Graph()
        add = graph.add
        epsilon = {"epsilon": config["layer_norm_eps"]}
        norm = [read(f"embeddings.LayerNorm.{part}") for part in ("weight", "bias")]
        states = add("LayerNormalization", _STATES, *norm, **epsilon)
        for number in range(depth):
            layer = partial(_read_parts, read, f"encoder.layer.{number}.")
            attended = add(
                "Attention",
                states,
                *layer("attention.self.query", "attention.self.key", "attention.self.value"),
                num_heads=config["num_attention_heads"],
                domain=FUSED,
            )
            weight, bias = layer("attention.output.dense")
            mixed = add("MatMul", attended, weight)
            norm = [*layer("attention.output.LayerNorm"), bias]
            states = add("SkipLayerNormalization", states, mixed, *norm, domain=FUSED, **epsilon)
            weight, bias = layer("intermediate.dense")
            wide = add("BiasGelu", add("MatMul", states, weight), bias, domain=FUSED)
            weight, bias = layer("output.dense")
            narrow = add("MatMul", wide, weight)
            norm = [*layer("output.LayerNorm"), bias]
            states = add("SkipLayerNormalization", states, narrow, *norm, domain=FUSED, **epsilon)
        self._session = graph.open(facts.folder.name, {_STATES: (1, "tokens", width)}, states, threads=threads)
        self.running = Running(ON_PROCESSOR, graph.size + self._places.nbytes)

    def run(self, texts: Sequence[Ids]) -> WithTokens:
        """Return each text's vector and the vectors of its tokens. A text is given as token ids."""
        tokens = []
        for ids in texts:
            words = np.stack([self._word_row(number) for number in ids]).astype(np.float32)
            (states,) = self._session.run({_STATES: (words + self._places[: len(ids)])[None]})
            tokens.append(states[0])
        return np.stack([rows[0] if self._pooling == "cls" else rows.mean(axis=0) for rows in tokens]), tokens


def load_supported(facts: ModelFacts, threads: int) -> BertModel | None:
    """Load the model in a folder, or return None if it isn't supported.

    torch then loads the model, or reports what is wrong with it.
    """
    from safetensors import SafetensorError

    try:
        model = BertModel(facts, threads)
        model.run([[0]])  # fails if weights have the wrong size
    except (OSError, ValueError, KeyError, TypeError, AttributeError, SafetensorError, ModelError):
        return None
    memory.give_back()
    return model


def _pooling(facts: ModelFacts, config: Config) -> str:
    """Return the pooling mode, `mean` or `cls`.

    Raises ValueError if the model pools in any other mode or isn't plain BERT.
    """
    modules = {
        str(module["type"]).rpartition(".")[2]: module["path"] for module in read_json(facts.folder / "modules.json")
    }
    pooling = read_json(facts.folder / modules["Pooling"] / "config.json")
    modes = pooling_modes(pooling)
    plain = (
        set(modules) <= {"Transformer", "Pooling", "Normalize"}
        and modules["Transformer"] == ""
        and (config["model_type"], config["hidden_act"]) == ("bert", "gelu")
        and config.get("position_embedding_type", "absolute") == "absolute"
        and modes in (["mean"], ["cls"])
        and pooling.get("include_prompt", True)
        and not facts.lower_case
    )
    if not plain:
        raise ValueError("not a plain BERT encoder")
    return str(modes[0])


def _weights(file: Path) -> tuple[Callable[[str], Array], Callable[[int], Array]]:
    """Return two functions that read a weights file.

    One returns a tensor by name, the other a word vector by token id.
    """
    from safetensors import safe_open

    opened: Any = safe_open(file, "numpy")
    dtype = opened.get_slice(_WORDS)[:1].dtype
    width = opened.get_slice(_WORDS).get_shape()[1]
    with file.open("rb") as source:
        length = int.from_bytes(source.read(8), "little")
        start = 8 + length + json.loads(source.read(length))[_WORDS]["data_offsets"][0]

    def word_row(number: int) -> Array:
        # With a memory map, the program would crash if the file were overwritten.
        row = np.fromfile(file, dtype, width, offset=start + number * width * dtype.itemsize)
        if len(row) < width:
            raise ModelError("{file} is damaged. Copy or download the model again.", file=file)
        return row

    return opened.get_tensor, word_row


def _read_parts(read: Callable[[str], Array], prefix: str, *names: str) -> tuple[Array, Array]:
    """Return the weights and biases of several parts of a layer.

    The weights are joined side by side, ready to multiply.
    """
    weights, biases = ([read(f"{prefix}{name}.{kind}") for name in names] for kind in ("weight", "bias"))
    return np.concatenate(weights).T, np.concatenate(biases)
