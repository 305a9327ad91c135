"""Reranking with a cross-encoder, which reads the question and a passage together.

The cross-encoder is either built in or from sentence-transformers. The built-in one uses layers from the bundled model
and shares that model's word embeddings in memory. Its weights file, installed with Tessera or found in a folder, holds
the heads with 16-bit weights. It also holds the layers if they differ from the bundled model's. For measurements, see
docs/benchmarks.md.
"""

import copy
import os
import time
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any

from core import embedding
from core.base.app_paths import expand_home
from core.base.blobs import Span
from core.base.errors import ModelError
from core.base.frozen import frozen
from core.base.messages import message
from core.base.registry import lazy
from core.base.text import fold, query_keywords
from core.embedding import hub
from core.embedding.e5 import PROMPTS
from core.embedding.loading import Turns, choose_device, explain_failure, load, to_device, weight_bytes
from core.embedding.model_folder import explain_read_error, max_tokens, parts_of, read_json, weights
from core.embedding.sentence import SURROGATES, FindFolder, on_hub
from core.model import Device, Running
from core.reranking import Candidate, Judged

if TYPE_CHECKING:
    import sentence_transformers
    import torch
    from torch import Tensor
    from transformers import PreTrainedTokenizerFast

# Building pairs of question and passage that fit into a cross-encoder's input.

# Maximum number of characters in a passage to search for the passage's best piece.
PASSAGE_CHARACTERS = 8000


def fit_pairs(model: "sentence_transformers.CrossEncoder", query: str, texts: Sequence[str]) -> list[tuple[str, str]]:
    """Pair the question with each passage so that the pairs fit into the model's input.

    A long passage is reduced to the piece that contains the most words from the question.

    The question is truncated only if it takes up more than half of the tokens and the passages need the space.
    """
    room = model.max_seq_length - model.tokenizer.num_special_tokens_to_add(pair=True)
    query = SURROGATES.sub("\ufffd", query)
    clean = [SURROGATES.sub("\ufffd", text[:PASSAGE_CHARACTERS]) for text in texts]
    passages = _spans(model.tokenizer, clean, None)
    most = max(1, room // 2, room - max(map(len, passages)))
    (spans,) = _spans(model.tokenizer, [query], most)
    question = query[: spans[-1][1]] if len(spans) == most else query
    room = max(1, room - len(spans))
    words = query_keywords(query)
    return [(question, _piece(text, spans, room, words)) for text, spans in zip(clean, passages, strict=True)]


def _piece(text: str, spans: Sequence[Span], room: int, words: Sequence[str]) -> str:
    """Return the best piece of the text that fits. A short first line (the breadcrumb) is put before the piece."""
    if len(spans) <= room:
        return text
    line = text.find("\n", 0, spans[-1][1]) + 1
    first = bisect_left(spans, line, key=lambda span: span[0])
    if first > room // 4:
        line = first = 0
    left = room - first
    starts = [*range(first, len(spans) - left, max(1, left // 2)), len(spans) - left]
    pieces = [text[spans[start][0] : spans[start + left - 1][1]] for start in starts]
    return text[:line] + max(pieces, key=lambda piece: sum(word in fold(piece) for word in words))


def _spans(tokenizer: "PreTrainedTokenizerFast", texts: Sequence[str], tokens: int | None) -> list[list[Span]]:
    """Return the character spans of each text's tokens, up to `tokens` per text, or all if `tokens` is None."""
    cut = {} if tokens is None else {"truncation": True, "max_length": tokens}
    spans: list[list[Span]] = tokenizer(
        list(texts), add_special_tokens=False, return_offsets_mapping=True, verbose=False, **cut
    )["offset_mapping"]
    return spans


# The built-in cross-encoder.


class Network:
    """Transformer layers and heads on top of an encoder's word embeddings.

    `layers` are the numbers of the encoder layers to use. In the first `apart` of these layers, question and passage
    don't attend to each other.

    The embeddings are shared with the encoder if the device and number format are the same, and copied otherwise. The
    heads have random weights until `parts.load_state_dict` is called.
    """

    def __init__(
        self,
        encoder: "sentence_transformers.SentenceTransformer",
        tokenizer: "PreTrainedTokenizerFast",
        layers: Sequence[int],
        apart: int,
        *,
        device: "torch.device | str",
        dtype: "torch.dtype",
        tokens: int,
    ) -> None:
        import torch

        bert = encoder[0].model
        self.apart = apart
        self.device = torch.device(device)
        self.max_seq_length = tokens
        self.tokenizer = tokenizer
        places = bert.embeddings.position_embeddings.weight
        same = places.device == self.device and places.dtype == dtype
        self.embeddings = bert.embeddings if same else copy.deepcopy(bert.embeddings).to(self.device, dtype)
        linear = partial(torch.nn.Linear, out_features=1, device=self.device)
        self.parts = torch.nn.ModuleDict(
            {
                "layer": torch.nn.ModuleList(copy.deepcopy(bert.encoder.layer[number]) for number in layers).to(
                    self.device, dtype
                ),
                "weigh": linear(bert.config.hidden_size),
                "whole": linear(bert.config.hidden_size),
                "scale": linear(1),
                "centre": linear(bert.config.hidden_size, bias=False),
            }
        ).eval()

    def preprocess(self, pairs: Sequence[tuple[str, str]]) -> dict[str, "Tensor"]:
        """Tokenize pairs into three tensors of shape (pairs, tokens): `input_ids`, `places` and `whose`.

        `places` holds positions within the question or the passage. `whose` is 1 for question tokens, 2 for passage
        tokens and 0 for padding.
        """
        import torch

        most = self.max_seq_length
        half = most // 2
        questions, passages = (
            self.tokenizer(texts, truncation=True, max_length=limit)["input_ids"]
            for texts, limit in (
                ([PROMPTS["query"] + question for question, _ in pairs], most - 8),
                ([PROMPTS["document"] + text for _, text in pairs], most),
            )
        )
        rows = []
        for question, passage in zip(questions, passages, strict=True):
            question = question[: max(half, most - len(passage))]
            rows.append((question, passage[: most - len(question)]))
        longest = max(len(question) + len(passage) for question, passage in rows)
        ids = torch.zeros((len(rows), longest), dtype=torch.long)
        places = torch.zeros_like(ids)
        whose = torch.zeros_like(ids)
        for row, (question, passage) in enumerate(rows):
            middle = len(question)
            end = middle + len(passage)
            ids[row, :end] = torch.tensor(question + passage)
            places[row, :end] = torch.tensor([*range(middle), *range(len(passage))])
            whose[row, :middle] = 1
            whose[row, middle:end] = 2
        return {"input_ids": ids, "places": places, "whose": whose}

    def __call__(self, features: Mapping[str, "Tensor"]) -> dict[str, "Tensor"]:
        """Return the pairs' `scores` as logits of shape (pairs, 1)."""
        return {"scores": self.scores(self.states(features), features["whose"])}

    def states(self, features: Mapping[str, "Tensor"]) -> "Tensor":
        """Return the token states after the last layer, with shape (pairs, tokens, hidden size)."""
        import torch

        whose = features["whose"]
        states: Tensor = self.embeddings(input_ids=features["input_ids"], position_ids=features["places"])
        present = (whose > 0)[:, None, None, :]
        # Padding attends to padding, because a row that attends to nothing would become NaN.
        same_text = whose[:, None, :, None] == whose[:, None, None, :]
        # These masks are added to the attention logits. They are built once for all layers.
        separate = torch.zeros(same_text.shape, dtype=states.dtype, device=states.device)
        separate = separate.masked_fill_(~same_text, -1e4)
        together = None
        if not bool(present.all()):
            together = torch.zeros_like(present, dtype=states.dtype).masked_fill_(~present, -1e4)
        layers: Any = self.parts["layer"]
        for number, layer in enumerate(layers):
            states = layer(states, separate if number < self.apart else together)
            states = states[0] if isinstance(states, tuple) else states
        return states

    def scores(self, states: "Tensor", whose: "Tensor") -> "Tensor":
        """Compute the pairs' logits, of shape (pairs, 1), from their token states."""
        import torch

        heads: Any = self.parts
        states = states.float()
        question = (whose == 1).float()
        passage = (whose == 2).float()
        vectors = torch.nn.functional.normalize(states - heads["centre"].weight, dim=-1)
        longest = int(question.sum(1).max())
        cosines = vectors[:, :longest] @ vectors.transpose(1, 2)
        nearest = cosines.masked_fill(passage[:, None, :] == 0, -1.0).amax(-1)
        weights = heads["weigh"](states[:, :longest])[..., 0].exp() * question[:, :longest]
        similarity = (nearest * weights).sum(1, keepdim=True) / weights.sum(1, keepdim=True)
        present = (question + passage)[..., None]
        logits: Tensor = heads["scale"](similarity) + heads["whole"]((states * present).sum(1) / present.sum(1))
        return logits


FILE = "reranker.safetensors"
WEIGHTS = Path(__file__).with_name(FILE)
NAME = "own"
LAYERS = "layer."

# Maximum number of tokens per pair. Reading whole windows ranked no better and took twice as long (decision 62).
_BUILT_IN_TOKENS = 192


def load_built_in(folder: Path, device: Device) -> Network:
    """Load the network from a folder. Raises ModelError if the network or the bundled model can't be loaded."""
    import torch
    from safetensors import SafetensorError, safe_open
    from transformers import AutoTokenizer

    encoder: Any = embedding.build("bundled")
    try:
        with safe_open(folder / FILE, "pt") as file:
            metadata = file.metadata() or {}
            layers = [int(number) for number in metadata["layers"].split(",")]
            apart = int(metadata["apart"])
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 not a mapping
        network = Network(
            encoder.loaded(),
            AutoTokenizer.from_pretrained(str(encoder.facts.folder), local_files_only=True),
            layers,
            apart,
            device=device.name,
            dtype=getattr(torch, device.dtype),
            tokens=_BUILT_IN_TOKENS,
        )
        if not any(name.startswith(LAYERS) for name in tensors):
            tensors |= {name: value for name, value in network.parts.state_dict().items() if name.startswith(LAYERS)}
        network.parts.load_state_dict(tensors)
    except (OSError, SafetensorError, KeyError, ValueError, IndexError, RuntimeError) as error:
        raise ModelError(
            (
                "The model for precise reranking in {folder} is damaged, or was made from a different model than "
                "the built-in one. Copy the model again."
            ),
            folder=folder,
        ) from error
    return network


# Cross-encoders from sentence-transformers.


# Recommended models, with their download size in MB and language codes. `multilingual` means about 100 languages.
RECOMMENDED = {
    "BAAI/bge-reranker-v2-m3": (2300, ("multilingual",)),
    "cross-encoder/mmarco-mMiniLMv2-L12-H384-v1": (470, tuple("zh en ar nl fr de hi id it ja pt ru es vi".split())),
    "cross-encoder/ms-marco-MiniLM-L6-v2": (90, ("en",)),
}

_EXAMPLE = "cross-encoder:BAAI/bge-reranker-v2-m3"

DEFAULT_OWNER = "cross-encoder"

# Maximum number of tokens per pair. Some models can read 8192, but the cost of attention grows quadratically.
READ_TOKENS = 1024

# Time limit per call, in seconds. Candidates are scored in order until the limit is reached.
SECONDS = 10.0

# Number of pairs per forward pass, by device. The time limit is checked between passes.
BATCH = {"cpu": 8, "cuda": 64, "mps": 16}


@frozen
class CrossEncoderFacts:
    """A cross-encoder's properties, as read from its folder."""

    folder: Path
    max_tokens: int


class CrossEncoder:
    """A cross-encoder, given by model name (`BAAI/bge-reranker-v2-m3`) or folder. The default is the built-in one.

    Raises ModelError if a folder contains no cross-encoder. Safe to share between threads, because only one thread at a
    time runs the model.
    """

    reads_bits = False

    running: Running | None = None

    def __init__(self, name: str = "") -> None:
        unnamed = not name.strip()
        folder = WEIGHTS.parent if unnamed else expand_home(name)
        known = "" if unnamed else on_hub(name, DEFAULT_OWNER)
        self.name = NAME if unnamed else known or folder.name
        self._folder: FindFolder = (lambda: hub.snapshot(known, "cross-encoder")) if known else (lambda: folder)
        self._loading = RLock()
        self._turns = Turns()
        if not known:
            _ = self._facts

    @lazy
    def _facts(self) -> CrossEncoderFacts:
        with self._loading:
            return vars(self).get("_facts") or facts(self._folder())

    def warm(self) -> None:
        """Load the model and run it once, because a model's first run is the slowest."""
        self.score("warm", [Candidate("warm")])

    def score(self, query: str, candidates: Sequence[Candidate]) -> Judged:
        """Score candidates from 0 to 1. Once the time limit is reached, the remaining scores are None.

        Raises ModelError if the model can't be loaded or fails.
        """
        if not candidates:
            return []
        with self._loading:
            model = self._model
        scores: Judged = []
        size = BATCH[model.device.type]
        started = time.monotonic()
        for start in range(0, len(candidates), size):
            if scores and time.monotonic() - started > SECONDS:
                break
            with self._turns.take():
                scores += self._forward(
                    model, query, [candidate.text for candidate in candidates[start : start + size]]
                )
        return scores + [None] * (len(candidates) - len(scores))

    @lazy
    def _model(self) -> "sentence_transformers.CrossEncoder":
        device = choose_device()
        folder = self._facts.folder
        if (folder / FILE).is_file():
            model: Any = load_built_in(folder, device)
        else:
            model = load("CrossEncoder", folder, self.name, device)
            if model.num_labels != 1:
                raise _labels(folder, model.num_labels)
            import torch

            model.max_seq_length = self._facts.max_tokens
            # Make the last layer compute in float32, because a bfloat16 score has only three significant digits.
            heads = [
                layer for layer in model.modules() if isinstance(layer, torch.nn.Linear) and layer.out_features == 1
            ]
            for layer in heads[-1:]:
                layer.float()
                layer.register_forward_pre_hook(lambda _, inputs: tuple(value.float() for value in inputs))
        self.running = Running(device, weight_bytes(getattr(model, "parts", model)))
        return model

    def _forward(self, model: "sentence_transformers.CrossEncoder", query: str, texts: Sequence[str]) -> list[float]:
        import torch

        with explain_failure(self.name, len(texts)), torch.inference_mode():
            features = to_device(model.preprocess(fit_pairs(model, query, texts)), model.device)
            logits = model(features)["scores"].double().reshape(len(texts), -1)[:, 0]
        if not torch.isfinite(logits).all():
            raise ModelError(
                (
                    "The model '{name}' returned scores that aren't numbers because its weights are damaged. Copy "
                    "or download the model again."
                ),
                name=self.name,
            )
        # The model's own sigmoid has 16-bit precision, which would round the scores of all the best candidates to 1.
        return torch.sigmoid(logits).tolist()


def facts(folder: Path) -> CrossEncoderFacts:
    """Describe the cross-encoder in `folder`. Raises ModelError if it is incomplete or outputs more than one score."""
    if not os.path.isdir(folder):  # noqa: PTH112 Path.is_dir raises for a path that is too long
        raise ModelError(
            "There is no folder {folder}. Choose the folder that contains the model's config.json.", folder=folder
        )
    with explain_read_error(folder):
        if (folder / FILE).is_file():
            return CrossEncoderFacts(folder, _BUILT_IN_TOKENS)
        if not any((folder / file).is_file() for file in ("modules.json", "config.json")):
            raise ModelError(
                "{folder} is not a model for precise reranking: {reason}. Choose the model's own folder.",
                folder=folder,
                reason=message("it has no config.json") if any(folder.iterdir()) else message("it is empty"),
            )
        parts = parts_of(folder)
        config = read_json(parts[0] / "config.json")
        architecture = (config.get("architectures") or [""])[0]
        options = folder / "config_sentence_transformers.json"
        kind = read_json(options).get("model_type") if options.is_file() else None
        if architecture.endswith("ForSequenceClassification"):
            # If there are two labels, transformers writes neither key.
            labels = len(config["id2label"]) if "id2label" in config else config.get("num_labels", 2)
            if labels != 1:
                raise _labels(folder, labels)
        elif kind != "sentence_transformers.CrossEncoder":
            raise ModelError(
                "The model in {folder} is a {kind}, which doesn't compare a question with a passage. "
                "Choose a model for precise reranking, such as {example}.",
                folder=folder,
                kind=architecture or message("model without a named architecture"),
                example=_EXAMPLE,
            )
        weights(folder, parts)  # raises if there are none
        return CrossEncoderFacts(folder, min(max_tokens(parts[0], config), READ_TOKENS))


def _labels(folder: Path, labels: object) -> ModelError:
    return ModelError(
        (
            "The model in {folder} returns {n} scores instead of one because it classifies text. Choose a "
            "model for precise reranking, such as {example}."
        ),
        folder=folder,
        n=labels,
        example=_EXAMPLE,
    )
