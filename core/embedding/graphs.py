"""Networks on onnxruntime, built operator by operator with weights from memory.

They compute a few texts without torch, which takes 4 to 9 s and half a gigabyte to load (decision 66).
"""

import os
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController

from core.base.errors import ModelError
from core.embedding.loading import first_line
from core.model import Matrix

if TYPE_CHECKING:
    from onnx import TensorProto, ValueInfoProto

Array = NDArray[Any]
Shape = Sequence[int | str]
"""Sizes of dimensions, each a number, or a name if it may vary."""
OPERATORS = 20
"""Version of the standard operators (https://onnx.ai/onnx/operators), which include `Gelu` since 20."""
FUSED = "com.microsoft"
"""Domain of onnxruntime's own operators, which every CPU build has."""
_FORMAT = 9
_TOGETHER = "weights"
"""The declared file of the weights, which onnxruntime never opens: it gets them from memory."""


class Graph:
    """A network under construction: its operators and their weights."""

    def __init__(self) -> None:
        self._nodes: list[Any] = []
        self._weights: dict[str, Array] = {}

    def add(self, operator: str, *inputs: str | float | Array, domain: str = "", **attributes: Any) -> str:
        """Add an operator; return the name of its output. An input is a name, or a weight of any number format."""
        from onnx import helper

        names = [given if isinstance(given, str) else self._add_weight(given) for given in inputs]
        output = f"{operator} {len(self._nodes)}"
        self._nodes.append(helper.make_node(operator, names, [output], domain=domain, **attributes))
        return output

    def _add_weight(self, given: float | Array) -> str:
        name = f"weight {len(self._weights)}"
        values = np.asarray(given)
        self._weights[name] = np.asarray(values, np.int64 if values.dtype.kind == "i" else np.float32, order="C")
        return name

    def open(self, name: str, inputs: Mapping[str, Shape], output: str, *, threads: int) -> "Session":
        """Return the network as a session on `threads` threads; `name`: the model's name, `inputs`: shapes by name.

        Raises ValueError if weights don't fit their operators.
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
        versions = [helper.make_opsetid("", OPERATORS), helper.make_opsetid(FUSED, 1)]
        model = helper.make_model(graph, opset_imports=versions, ir_version=_FORMAT)
        weights = {
            weight: OrtValue.ortvalue_from_numpy(values)
            for weight, values in self._weights.items()
            if _is_external(values)
        }
        return Session(name, model.SerializeToString(), weights, threads=threads)

    @property
    def size(self) -> int:
        """Size of the weights in bytes."""
        return sum(values.nbytes for values in self._weights.values())


class Session:
    """A graph on onnxruntime; errors contain its model's name. Several threads may run it at once."""

    def __init__(
        self, name: str, graph: bytes | Path, weights: Mapping[str, object] | None = None, *, threads: int
    ) -> None:
        """Open a graph from bytes or a file; raises ValueError if onnxruntime refuses it."""
        import onnxruntime

        self._name = name
        onnxruntime.disable_telemetry_events()
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        options.enable_cpu_mem_arena = False
        if weights:
            options.add_external_initializers([*weights], [*weights.values()])
        source = str(graph) if isinstance(graph, Path) else graph
        try:
            self._session = onnxruntime.InferenceSession(source, options, providers=["CPUExecutionProvider"])
        except Exception as error:  # onnxruntime's errors have no common base class
            raise ValueError(first_line(error)) from error

    def run(self, inputs: Mapping[str, Array]) -> list[Matrix]:
        """Return the outputs of the graph; raises ModelError if onnxruntime fails."""
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
    """Return the number of threads of a network for questions, and limit numpy's multiplications to that number.

    On an idle machine, a second thread adds a third to the speed; more threads add nothing for ten words. A lower limit
    set by the user is kept.
    """
    core_count()  # before numpy's threads are limited
    pools = ThreadpoolController().select(internal_api="openblas")
    count: int = min([2, *(pool.num_threads for pool in pools.lib_controllers)])
    pools.limit(limits=count)
    return count


@cache
def core_count() -> int:
    """Return the number of threads of a network for many notes: the cores, or numpy's limit from the environment."""
    pools = ThreadpoolController().select(internal_api="openblas")
    return min((pool.num_threads for pool in pools.lib_controllers), default=os.cpu_count() or 1)


def _is_external(values: Array) -> bool:
    """Return whether a weight is stored outside the graph. Integers stay inside, because shapes depend on them."""
    return values.dtype != np.int64


def _describe(name: str, values: Array) -> "TensorProto":
    """Return the entry of a weight in the graph: name, type and shape, since its values are in memory."""
    from onnx import TensorProto, helper, numpy_helper

    if not _is_external(values):
        return numpy_helper.from_array(values, name)
    tensor = TensorProto(name=name, data_type=helper.np_dtype_to_tensor_dtype(values.dtype), dims=values.shape)
    tensor.data_location = TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value=_TOGETHER)
    return tensor
