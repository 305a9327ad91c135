"""A small transformer that reads a question together with a hit and scores how well each unit of the hit answers it.

Its input are the vectors of the question's tokens and the stored token bits of the hit: headings, text, and rows with
their column names. So nothing is encoded again, and it runs in numpy whatever runs the embedder.
`python -m benchmarks.training DATA` trains it; its figures are in docs/decisions/0059-excerpts-and-a-reader.md.
"""

import logging
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.embedding.numpy_model import gelu
from core.embedding.tokens import unit as unit_length
from core.embedding.tokens import unpack_signs
from core.features.answers.units import Unit
from core.model import Matrix, Spans
from core.retrieval.highlights import TokenizedHit

_LOG = logging.getLogger(__name__)
Mask = NDArray[np.bool_]
Tokens = NDArray[np.int64]

WEIGHTS = Path(__file__).with_name("reader.safetensors")
MODEL = "model"
"""Key of the file's metadata with the fingerprint of the embedder whose tokens the reader knows."""
TOKENS = 256
"""Most tokens that are read at once, about as many as the passages have that the reader is trained on."""
HEADS = 4
_EPSILON = np.float32(1e-5)
_STEEPEST = 15.0
"""Largest logarithm of a token's share in its unit; the reader was trained with this limit."""
_TINY = np.float32(1e-6)


class ReaderEnsemble:
    """The mean of some networks: snapshots of one training (Huang et al., 'Snapshot Ensembles', 2017)."""

    def __init__(self, networks: Sequence["ReaderNetwork"]) -> None:
        self._networks = networks

    def scores(self, read: TokenizedHit, part: Tokens, units: Mask) -> list[float]:
        """Return how well each unit answers, as a logarithm of odds.

        `part` are the tokens of the hit that are read, `units` (units, tokens of the hit) those of each unit.
        """
        assert read.compared is not None, "the bits are those of the text"
        places, _ = read.compared
        question = unit_length(read.question - read.centre)
        signs = 2 * unpack_signs(read.bits[part], question.shape[1]) - 1
        inputs = question, signs, places[part][:, 0] < 0, units[:, part]
        scores: list[float] = np.mean([network.scores(*inputs) for network in self._networks], axis=0).tolist()
        return scores


class ReaderNetwork:
    """The weights of one network, in memory in float32."""

    def __init__(self, weights: Mapping[str, Matrix]) -> None:
        self._weights = {name: value.astype(np.float32) for name, value in weights.items()}
        self._layers = range(sum(name.endswith("qkv.weight") for name in weights))
        self._question_tokens = len(weights["qpos.weight"])

    def scores(self, question: Matrix, signs: Matrix, heading: Mask, masks: Mask) -> Matrix:
        """Return the score of each unit.

        `question` are unit vectors of its tokens, `signs` (tokens, dimension) are -1 or 1, `heading` says which tokens
        are of a heading, and `masks` (units, tokens) which are in which unit.
        """
        question = question[: self._question_tokens]
        root = np.float32(question.shape[1] ** 0.5)
        cosines = signs @ question.T / root
        aligned = _softmax(cosines * self._weights["tau"]) @ question
        begins = np.zeros(len(signs), np.float32)
        begins[masks.argmax(axis=1)] = 1
        about = np.stack([cosines.max(axis=1), cosines.mean(axis=1), heading, begins], axis=1)
        nothing = np.zeros(len(question), np.float32)
        about_question = np.stack([cosines.max(axis=0), nothing, nothing - 1, nothing - 1], axis=1)
        tokens = (
            self._linear("wp", signs)
            + aligned @ self._weights["wa.weight"].T * root
            + self._linear("feat", about.astype(np.float32))
            + self._weights["pos.weight"][: len(signs)]
        )
        asked = (
            self._linear("wq", question * root)
            + self._linear("feat", about_question)
            + self._weights["qpos.weight"][: len(question)]
        )
        states = np.concatenate([asked, tokens])
        for number in self._layers:
            states = self._layer(f"layers.{number}.", states)
        return self._pooled(self._normed("norm", states)[len(question) :], masks)

    def _layer(self, name: str, states: Matrix) -> Matrix:
        count, width = states.shape
        mixed = self._linear(f"{name}qkv", self._normed(f"{name}n1", states))
        query, key, value = mixed.reshape(count, 3, HEADS, width // HEADS).transpose(1, 2, 0, 3)
        shares = _softmax(query @ key.transpose(0, 2, 1) * np.float32((width // HEADS) ** -0.5))
        attended = (shares @ value).transpose(1, 0, 2).reshape(count, width)
        states = states + self._linear(f"{name}o", attended)
        inner = gelu(self._linear(f"{name}f1", self._normed(f"{name}n2", states)))
        return states + self._linear(f"{name}f2", inner)

    def _pooled(self, states: Matrix, masks: Mask) -> Matrix:
        weight = np.exp(self._linear("att", states)[:, 0].clip(-_STEEPEST, _STEEPEST))
        weights = masks * weight
        mean = weights @ states / (weights.sum(axis=1, keepdims=True) + _TINY)
        top = np.log(weights.max(axis=1, keepdims=True) + _TINY)
        hidden = gelu(self._linear("out.0", np.concatenate([mean, top], axis=1)))
        scores: Matrix = self._linear("out.2", hidden)[:, 0]
        return scores

    def _linear(self, name: str, values: Matrix) -> Matrix:
        result: Matrix = values @ self._weights[f"{name}.weight"].T + self._weights[f"{name}.bias"]
        return result

    def _normed(self, name: str, values: Matrix) -> Matrix:
        centred = values - values.mean(axis=1, keepdims=True)
        centred /= np.sqrt((centred * centred).mean(axis=1, keepdims=True) + _EPSILON)
        result: Matrix = centred * self._weights[f"{name}.weight"] + self._weights[f"{name}.bias"]
        return result


@cache
def shipped(fingerprint: str) -> ReaderEnsemble | None:
    """Return the reader that knows the tokens of an embedder; None where none is shipped for it, or it is damaged."""
    from safetensors import SafetensorError, safe_open

    networks: dict[str, dict[str, Matrix]] = defaultdict(dict)
    try:
        with safe_open(WEIGHTS, "numpy") as file:
            if (file.metadata() or {}).get(MODEL) != fingerprint:
                return None
            for name in file.keys():  # noqa: SIM118 it is no mapping
                number, _, weight = name.partition(".")
                networks[number][weight] = file.get_tensor(name)
        return ReaderEnsemble([*map(ReaderNetwork, networks.values())])
    except (OSError, SafetensorError, KeyError) as error:
        _LOG.warning("The reader of answers can't be used: %s", type(error).__name__)
        return None


def parts(places: Spans) -> Iterator[Tokens]:
    """Yield the tokens of a hit in parts of at most TOKENS, each below the heading of its window.

    `places` are those of the tokens in the text, negative for a heading. Short windows, as those of rows, share a part.
    """
    heading = places[:, 0] < 0
    starts = [0, *(np.flatnonzero(heading[1:] & ~heading[:-1]) + 1).tolist(), len(places)]
    together: list[Tokens] = []
    for start, end in pairwise(starts):
        if sum(map(len, together)) + end - start > TOKENS and together:
            yield np.concatenate(together)
            together = []
        text = start + int(heading[start:end].argmin()) if not heading[start:end].all() else end
        room = TOKENS - min(text - start, TOKENS // 2)
        if end - text <= room:
            together.append(np.arange(max(start, text - TOKENS // 2), end))
            continue
        for at in range(text, end, room):
            yield np.concatenate([np.arange(max(start, text - TOKENS // 2), text), np.arange(at, min(at + room, end))])
    if together:
        yield np.concatenate(together)


def tokens_of(unit: Unit, places: Spans) -> Mask:
    """Return which tokens are in a unit or its lead."""
    inside = np.zeros(len(places), dtype=bool)
    for start, end in unit.spans:
        inside |= (places[:, 0] >= start) & (places[:, 1] <= end)
    return inside


def _softmax(values: Matrix) -> Matrix:
    shares = np.exp(values - values.max(axis=-1, keepdims=True))
    result: Matrix = shares / shares.sum(axis=-1, keepdims=True)
    return result
