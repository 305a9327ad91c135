"""The built-in cross-encoder: layers of the bundled model, with weights from a file.

The file is installed with Tessera, or in a folder. It has the weights of the heads in 16 bits, and the weights of the
layers if they differ from the bundled model's. The network shares the bundled model's word embeddings in memory.
docs/benchmarks.md has measurements.
"""

import copy
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core import embedding
from core.base.errors import ModelError
from core.base.frozen import frozen
from core.embedding.e5 import PROMPTS
from core.embedding.model_folder import digest
from core.model import Device

if TYPE_CHECKING:
    import torch
    from sentence_transformers import SentenceTransformer
    from torch import Tensor
    from transformers import PreTrainedTokenizerFast


@frozen
class NetworkShape:
    """The bundled model's layers in use, by number; the first `apart` layers read question and passage separately."""

    layers: tuple[int, ...]
    apart: int


class Network:
    """Transformer layers and heads on top of an encoder's word embeddings.

    The embeddings are shared with the encoder if device and number format are the same, else copied. The heads have
    random weights until `parts.load_state_dict`.
    """

    def __init__(
        self,
        encoder: "SentenceTransformer",
        tokenizer: "PreTrainedTokenizerFast",
        shape: NetworkShape,
        *,
        device: "torch.device | str",
        dtype: "torch.dtype",
        tokens: int,
    ) -> None:
        import torch

        bert = encoder[0].model
        self.shape, self.device, self.max_seq_length = shape, torch.device(device), tokens
        self.tokenizer = tokenizer
        places = bert.embeddings.position_embeddings.weight
        same = places.device == self.device and places.dtype == dtype
        self.embeddings = bert.embeddings if same else copy.deepcopy(bert.embeddings).to(self.device, dtype)
        layers = [copy.deepcopy(bert.encoder.layer[number]) for number in shape.layers]
        self.parts = torch.nn.ModuleDict(
            {
                "layer": torch.nn.ModuleList(layers).to(self.device, dtype),
                "weigh": torch.nn.Linear(bert.config.hidden_size, 1).to(self.device),
                "whole": torch.nn.Linear(bert.config.hidden_size, 1).to(self.device),
                "scale": torch.nn.Linear(1, 1).to(self.device),
                "centre": torch.nn.Linear(bert.config.hidden_size, 1, bias=False).to(self.device),
            }
        ).eval()

    @property
    def weight_bytes(self) -> int:
        """Size of the layers and heads in bytes, without the embeddings."""
        return sum(weights.numel() * weights.element_size() for weights in self.parts.parameters())

    def preprocess(self, pairs: Sequence[tuple[str, str]]) -> dict[str, "Tensor"]:
        """Tokenize pairs into three tensors of shape (pairs, tokens): `input_ids`, `places` and `whose`.

        `places` are positions within the question or the passage. `whose` is 1 for tokens of the question, 2 for tokens
        of the passage, 0 for padding.
        """
        import torch

        half = self.max_seq_length // 2
        questions = self._ids([PROMPTS["query"] + question for question, _ in pairs], self.max_seq_length - 8)
        passages = self._ids([PROMPTS["document"] + text for _, text in pairs], self.max_seq_length)
        rows = []
        for question, passage in zip(questions, passages, strict=True):
            question = question[: max(half, self.max_seq_length - len(passage))]
            rows.append((question, passage[: self.max_seq_length - len(question)]))
        longest = max(len(question) + len(passage) for question, passage in rows)
        ids = torch.zeros((len(rows), longest), dtype=torch.long)
        places, whose = torch.zeros_like(ids), torch.zeros_like(ids)
        for row, (question, passage) in enumerate(rows):
            end = len(question) + len(passage)
            ids[row, :end] = torch.tensor(question + passage)
            places[row, :end] = torch.tensor([*range(len(question)), *range(len(passage))])
            whose[row, : len(question)], whose[row, len(question) : end] = 1, 2
        return {"input_ids": ids, "places": places, "whose": whose}

    def _ids(self, texts: Sequence[str], limit: int) -> list[list[int]]:
        ids: list[list[int]] = self.tokenizer(list(texts), truncation=True, max_length=limit)["input_ids"]
        return ids

    def __call__(self, features: Mapping[str, "Tensor"]) -> dict[str, "Tensor"]:
        """Return the `scores` of pairs as logits, shape (pairs, 1)."""
        return {"scores": self.scores(self.states(features), features["whose"])}

    def states(self, features: Mapping[str, "Tensor"]) -> "Tensor":
        """Return the states of the tokens after the last layer, shape (pairs, tokens, hidden size)."""
        import torch

        whose = features["whose"]
        states: Tensor = self.embeddings(input_ids=features["input_ids"], position_ids=features["places"])
        present = (whose > 0)[:, None, None, :]
        # Padding attends to padding: a row that attends to nothing becomes NaN.
        same_text = whose[:, None, :, None] == whose[:, None, None, :]
        # The attention masks are added to the logits of attention. They are made once for all layers.
        separate = torch.zeros(same_text.shape, dtype=states.dtype, device=states.device)
        separate = separate.masked_fill_(~same_text, -1e4)
        together = None
        if not bool(present.all()):
            together = torch.zeros_like(present, dtype=states.dtype).masked_fill_(~present, -1e4)
        layers: Any = self.parts["layer"]
        for number, layer in enumerate(layers):
            states = layer(states, separate if number < self.shape.apart else together)
            states = states[0] if isinstance(states, tuple) else states
        return states

    def scores(self, states: "Tensor", whose: "Tensor") -> "Tensor":
        """Return the logits of pairs, shape (pairs, 1), from the states of their tokens."""
        import torch

        heads: Any = self.parts
        states = states.float()
        question, passage = (whose == 1).float(), (whose == 2).float()
        vectors = torch.nn.functional.normalize(states - heads["centre"].weight, dim=-1)
        longest = int(question.sum(1).max())
        cosines = vectors[:, :longest] @ vectors.transpose(1, 2)
        nearest = cosines.masked_fill(passage[:, None, :] == 0, -1.0).amax(-1)
        weights = heads["weigh"](states[:, :longest])[..., 0].exp() * question[:, :longest]
        similarity = (nearest * weights).sum(1, keepdim=True) / weights.sum(1, keepdim=True)
        present = (question + passage)[..., None]
        whole = heads["whole"]((states * present).sum(1) / present.sum(1))
        logits: Tensor = heads["scale"](similarity) + whole
        return logits


FILE = "reranker.safetensors"
WEIGHTS = Path(__file__).with_name(FILE)
NAME = "own"
LAYERS = "layer."

READ_TOKENS = 192
"""Maximum number of tokens per pair; whole windows ranked no better and take twice the time (decision 62)."""


def shipped() -> bool:
    """Return whether the weights are included in this installation."""
    return WEIGHTS.is_file()


def has_weights(folder: Path) -> bool:
    """Return whether a folder has weights for the built-in cross-encoder."""
    return (folder / FILE).is_file()


def fingerprint(folder: Path) -> str:
    """Return an id for the weights in a folder and the bundled model."""
    return f"{digest([folder / FILE])}:{embedding.build('bundled').fingerprint}"


def load(folder: Path, device: Device) -> Network:
    """Load the network from a folder; raises ModelError if it or the bundled model can't be loaded."""
    import torch
    from safetensors import SafetensorError, safe_open
    from transformers import AutoTokenizer

    encoder: Any = embedding.build("bundled")
    try:
        with safe_open(folder / FILE, "pt") as file:
            metadata = file.metadata() or {}
            shape = NetworkShape(tuple(int(number) for number in metadata["layers"].split(",")), int(metadata["apart"]))
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 it is no mapping
        model, dtype = encoder.loaded(), getattr(torch, device.dtype)
        tokenizer = AutoTokenizer.from_pretrained(str(encoder.facts.folder), local_files_only=True)
        network = Network(model, tokenizer, shape, device=device.name, dtype=dtype, tokens=READ_TOKENS)
        if not any(name.startswith(LAYERS) for name in tensors):
            tensors |= {name: value for name, value in network.parts.state_dict().items() if name.startswith(LAYERS)}
        network.parts.load_state_dict(tensors)
    except (OSError, SafetensorError, KeyError, ValueError, IndexError, RuntimeError) as error:
        raise ModelError(
            (
                "The model for close reading in {folder} is damaged, or was made from a different "
                "model than the built-in one. Copy it again."
            ),
            folder=str(folder),
        ) from error
    return network
