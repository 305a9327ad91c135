"""A small transformer that reads a question together with a hit, and scores each of the hit's units as an answer.

Its input is the question's token vectors and the hit's stored token bits (headings, text, and rows with their column
names). No text has to be encoded again. `python -m benchmarks.training DATA` trains the reader.
docs/decisions/0059-excerpts-and-a-reader.md lists its accuracy.
"""

import logging
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.base import memory
from core.embedding.graphs import FUSED, Graph
from core.embedding.tokens import unit as unit_length
from core.embedding.tokens import unpack_signs
from core.model import Matrix, Spans
from core.retrieval.highlights import TokenizedHit

_LOG = logging.getLogger(__name__)
Mask = NDArray[np.bool_]
Tokens = NDArray[np.int64]

WEIGHTS = Path(__file__).with_name("reader.safetensors")
# Metadata key in the weights file whose value is the fingerprint of the embedder used in training.
MODEL = "model"
# Maximum number of tokens to score at once. The passages used in training are about this long.
TOKENS = 256
HEADS = 4
_EPSILON = 1e-5
# Maximum log weight of a token in its unit. It must be the same as in training.
_STEEPEST = 15.0
_TINY = 1e-6
# Constants for operators: axis 0 (rows), axis 1 (columns), and the end of a slice that goes up to the last row.
_ROWS = np.array([0])
_NUMBERS = np.array([1])
_END = np.array([np.iinfo(np.int64).max])
# Values for a question token in place of a hit token's mean cosine and two marks, which it doesn't have.
_NO_MARKS = np.array([0, -1, -1], np.float32)


@dataclass(eq=False)
class ReaderEnsemble:
    """Several snapshots from one training run, whose scores are averaged (Huang et al., 'Snapshot Ensembles', 2017)."""

    _networks: Sequence["ReaderNetwork"]

    def scores(self, read: TokenizedHit, part: Tokens, units: Mask) -> list[float]:
        """Return the log odds that each unit answers the question.

        `part` contains the indices of the hit tokens to read. `units`, shape (units, hit tokens), says whether each
        token is in the unit.
        """
        assert read.compared is not None, "the bits are those of the text"
        places, _ = read.compared
        question = unit_length(read.question - read.centre)
        signs = 2 * unpack_signs(read.bits[part], question.shape[1]) - 1
        inputs = question, signs, places[part][:, 0] < 0, units[:, part]
        scores: list[float] = np.mean([network.scores(*inputs) for network in self._networks], axis=0).tolist()
        return scores


class ReaderNetwork:
    """A reader network with its float32 weights in memory. Thread-safe."""

    def __init__(self, weights: Mapping[str, Matrix]) -> None:
        """Build the network that is defined in `benchmarks/training/network.py`.

        Raises KeyError or ValueError if the weights don't fit the network.
        """
        self._places = weights["pos.weight"].astype(np.float32)
        self._asked_places = weights["qpos.weight"].astype(np.float32)
        graph = Graph()
        add = graph.add
        width, dimension = weights["wp.weight"].shape

        def linear(name: str, values: str) -> str:
            bias = [weights[f"{name}.bias"]] if f"{name}.bias" in weights else []
            return add("Gemm", values, weights[f"{name}.weight"], *bias, transB=1)

        def multiplied(name: str, values: str, part: slice = slice(None)) -> str:
            bias = weights.get(f"{name}.bias", np.zeros(len(weights[f"{name}.weight"])))
            return graph.multiply(values, weights[f"{name}.weight"][part].T, bias[part])

        def normed(name: str, values: str) -> str:
            return add(
                "LayerNormalization", values, weights[f"{name}.weight"], weights[f"{name}.bias"], epsilon=_EPSILON
            )

        root = dimension**0.5
        cosines = add("Div", add("MatMul", "signs", add("Transpose", "question")), root)
        aligned = add("MatMul", add("Softmax", add("Mul", cosines, weights["tau"])), "question")
        about = [add(operator, cosines, _NUMBERS) for operator in ("ReduceMax", "ReduceMean")]
        tokens = add(
            "Sum",
            multiplied("wp", "signs"),
            multiplied("wa", add("Mul", aligned, root)),
            linear("feat", add("Concat", *about, "marks", axis=1)),
            "places",
        )
        nearest = add("Transpose", add("ReduceMax", cosines, _ROWS))
        asked = add(
            "Sum",
            multiplied("wq", add("Mul", "question", root)),
            linear("feat", add("Concat", nearest, "no marks", axis=1)),
            "asked places",
        )
        states = add("Concat", asked, tokens, axis=0)
        for number in range(sum(name.endswith("qkv.weight") for name in weights)):
            layer = f"layers.{number}."
            mixed = add("Unsqueeze", normed(f"{layer}n1", states), _ROWS)
            mixing = [multiplied(f"{layer}qkv", mixed, slice(start, start + width)) for start in (0, width, 2 * width)]
            attended = add("Squeeze", add("MultiHeadAttention", *mixing, num_heads=HEADS, domain=FUSED), _ROWS)
            states = add("Add", states, multiplied(f"{layer}o", attended))
            inner = add("Gelu", multiplied(f"{layer}f1", normed(f"{layer}n2", states)))
            states = add("Add", states, multiplied(f"{layer}f2", inner))
        states = add("Slice", normed("norm", states), add("Shape", "question", end=1), _END, _ROWS)
        weight = add("Exp", add("Clip", linear("att", states), -_STEEPEST, _STEEPEST))
        shares = add("Mul", "units", add("Transpose", weight))
        mean = add("Div", add("MatMul", shares, states), add("Add", add("ReduceSum", shares, _NUMBERS), _TINY))
        top = add("Log", add("Add", add("ReduceMax", shares, _NUMBERS), _TINY))
        scores = linear("out.2", add("Gelu", linear("out.0", add("Concat", mean, top, axis=1))))
        inputs = {
            "question": ("asked", dimension),
            "signs": ("tokens", dimension),
            "marks": ("tokens", 2),
            "no marks": ("asked", len(_NO_MARKS)),
            "places": ("tokens", width),
            "asked places": ("asked", width),
            "units": ("units", "tokens"),
        }
        # One thread is enough, because several parts are scored at the same time.
        self._session = graph.open(WEIGHTS.stem, inputs, scores, threads=1)

    def scores(self, question: Matrix, signs: Matrix, heading: Mask, masks: Mask) -> Matrix:
        """Return each unit's score.

        `question` contains the question's token vectors, scaled to unit length. `signs`, shape (tokens, dimension), are
        -1 or 1. `heading` says whether each token is in a heading. `masks`, shape (units, tokens), says whether each
        token is in the unit.
        """
        question = question[: len(self._asked_places)]
        begins = np.zeros(len(signs), bool)
        begins[masks.argmax(axis=1)] = True
        (scores,) = self._session.run(
            {
                "question": question,
                "signs": signs,
                "marks": np.stack([heading, begins], axis=1).astype(np.float32),
                "no marks": np.tile(_NO_MARKS, (len(question), 1)),
                "places": self._places[: len(signs)],
                "asked places": self._asked_places[: len(question)],
                "units": masks.astype(np.float32),
            }
        )
        return scores[:, 0]


@cache
def shipped(fingerprint: str) -> ReaderEnsemble | None:
    """Load the reader for an embedder, given the embedder's fingerprint.

    Return None if Tessera ships no reader for the embedder, or if the file is damaged.
    """
    from safetensors import SafetensorError, safe_open

    networks = defaultdict[str, dict[str, Matrix]](dict)
    try:
        with safe_open(WEIGHTS, "numpy") as file:
            if (file.metadata() or {}).get(MODEL) != fingerprint:
                return None
            for name in file.keys():  # noqa: SIM118 it isn't a mapping
                number, _, weight = name.partition(".")
                networks[number][weight] = file.get_tensor(name)
        ensemble = ReaderEnsemble(list(map(ReaderNetwork, networks.values())))
    except (OSError, SafetensorError, KeyError, ValueError) as error:
        _LOG.warning("The reader of answers can't be used: %s", type(error).__name__)
        return None
    memory.give_back()
    return ensemble


def parts(places: Spans) -> Iterator[Tokens]:
    """Yield the indices of a hit's tokens in parts of at most TOKENS. A part starts with its window's heading.

    `places` contains the tokens' spans in the text, which are negative for a token in a heading. Short windows, such as
    rows, share a part.
    """
    heading = places[:, 0] < 0
    starts = [0, *(np.flatnonzero(heading[1:] & ~heading[:-1]) + 1).tolist(), len(places)]
    together = list[Tokens]()
    for start, end in pairwise(starts):
        if sum(map(len, together)) + end - start > TOKENS and together:
            yield np.concatenate(together)
            together = []
        text = start + [*heading[start:end].tolist(), False].index(False)
        titles = np.arange(max(start, text - TOKENS // 2), text)
        room = TOKENS - min(text - start, TOKENS // 2)
        if end - text <= room:
            together += [titles, np.arange(text, end)]
            continue
        for at in range(text, end, room):
            yield np.concatenate([titles, np.arange(at, min(at + room, end))])
    if together:
        yield np.concatenate(together)
