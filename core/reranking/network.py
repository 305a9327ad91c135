"""Our own cross-encoder: it begins as late interaction of the bundled model's layers, and learns to read a pair.

The first layers read question and passage apart, as the bundled model was trained to; the others read
them together. Each of the question's tokens then looks for the passage's nearest one (ColBERT's MaxSim,
Khattab and Zaharia 2020), and the score is their weighted mean with something learned of the whole pair. So
it ranks before it is trained, and little training is enough.
"""

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.embedding.e5 import PROMPTS

HEAT = 16.0
"""What a cosine is multiplied by, to begin with, to be a logit."""


@dataclass(frozen=True, slots=True)
class Shape:
    """Which of the bundled model's layers there are, and how many of them read question and passage apart."""

    layers: tuple[int, ...]
    apart: int


class Network:
    """The trained layers and heads over an encoder's own embeddings, which it shares where device and numbers allow."""

    def __init__(self, encoder: Any, shape: Shape, *, device: Any, dtype: Any, tokens: int) -> None:
        import torch

        bert = encoder[0].model
        self.shape, self.device, self.max_seq_length = shape, torch.device(device), tokens
        self.tokenizer = encoder.tokenizer
        own = bert.embeddings.word_embeddings.weight
        same = own.device == self.device and own.dtype == dtype
        self.embeddings = bert.embeddings if same else copy.deepcopy(bert.embeddings).to(self.device, dtype)
        chosen = [copy.deepcopy(bert.encoder.layer[number]) for number in shape.layers]
        self.parts = torch.nn.ModuleDict(
            {
                "layer": torch.nn.ModuleList(chosen).to(self.device, dtype),
                "weigh": torch.nn.Linear(bert.config.hidden_size, 1).to(self.device),
                "whole": torch.nn.Linear(bert.config.hidden_size, 1).to(self.device),
                "scale": torch.nn.Linear(1, 1).to(self.device),
                "centre": torch.nn.Linear(bert.config.hidden_size, 1, bias=False).to(self.device),
            }
        ).eval()
        for name in ("weigh", "whole", "scale", "centre"):
            for weights in self.parts[name].parameters():
                torch.nn.init.constant_(weights, HEAT if name == "scale" and weights.dim() == 2 else 0.0)

    @property
    def weight_bytes(self) -> int:
        """The bytes of what is its own."""
        return sum(one.numel() * one.element_size() for one in self.parts.parameters())

    def preprocess(self, pairs: Sequence[tuple[str, str]]) -> dict[str, Any]:
        """Return the tokens of each pair, of each its place in its text, and whose it is: 1, 2, or 0 for padding."""
        import torch

        half = self.max_seq_length // 2
        first = self._ids([PROMPTS["query"] + question for question, _ in pairs], self.max_seq_length - 8)
        rows = []
        for question, passage in zip(
            first, self._ids([PROMPTS["document"] + text for _, text in pairs], self.max_seq_length), strict=True
        ):
            room = max(half, self.max_seq_length - len(passage))
            question = question[:room]
            rows.append((question, passage[: self.max_seq_length - len(question)]))
        long = max(len(question) + len(passage) for question, passage in rows)
        ids = torch.zeros((len(rows), long), dtype=torch.long)
        places, whose = torch.zeros_like(ids), torch.zeros_like(ids)
        for row, (question, passage) in enumerate(rows):
            end = len(question) + len(passage)
            ids[row, :end] = torch.tensor(question + passage)
            places[row, :end] = torch.tensor([*range(len(question)), *range(len(passage))])
            whose[row, : len(question)], whose[row, len(question) : end] = 1, 2
        return {"input_ids": ids, "places": places, "whose": whose}

    def _ids(self, texts: Sequence[str], most: int) -> list[list[int]]:
        found: list[list[int]] = self.tokenizer(list(texts), truncation=True, max_length=most)["input_ids"]
        return found

    def __call__(self, features: Mapping[str, Any]) -> dict[str, Any]:
        """Return the `scores` of pairs, shape (pairs, 1), as logits."""
        return {"scores": self.scores(self.states(features), features["whose"])}

    def states(self, features: Mapping[str, Any]) -> Any:
        import torch

        whose = features["whose"]
        states = self.embeddings(input_ids=features["input_ids"], position_ids=features["places"])
        there = (whose > 0)[:, None, None, :]
        # Padding reads padding, for a row without anything to read is no number.
        apart = whose[:, None, :, None] == whose[:, None, None, :]
        # Where attention is barred, the least number is added; made once, for it would be made in every layer.
        barred = torch.zeros(apart.shape, dtype=states.dtype, device=states.device).masked_fill_(~apart, -1e4)
        padded = None if bool(there.all()) else torch.zeros_like(there, dtype=states.dtype).masked_fill_(~there, -1e4)
        layers: Any = self.parts["layer"]
        for number, layer in enumerate(layers):
            states = layer(states, barred if number < self.shape.apart else padded)
            states = states[0] if isinstance(states, tuple) else states
        return states

    def scores(self, states: Any, whose: Any) -> Any:
        import torch

        states = states.float()
        asked, told = (whose == 1).float(), (whose == 2).float()
        vectors = torch.nn.functional.normalize(states - self.parts["centre"].weight, dim=-1)
        long = int(asked.sum(1).max())
        cosines = vectors[:, :long] @ vectors.transpose(1, 2)
        nearest = cosines.masked_fill(told[:, None, :] == 0, -1.0).amax(-1)
        weights = self.parts["weigh"](states[:, :long])[..., 0].exp() * asked[:, :long]
        met = (nearest * weights).sum(1, keepdim=True) / weights.sum(1, keepdim=True)
        there = (asked + told)[..., None]
        whole = self.parts["whole"]((states * there).sum(1) / there.sum(1))
        return self.parts["scale"](met) + whole

    def settle_level(self, pairs: Sequence[tuple[str, str]]) -> None:
        """Let pairs such as these score one half on average, so that a sigmoid keeps the good ones apart."""
        import torch

        with torch.inference_mode():
            features = {name: value.to(self.device) for name, value in self.preprocess(pairs).items()}
            mean = self(features)["scores"].mean()
        self.parts["whole"].bias.data -= mean.clone()

    def settle_centre(self, texts: Sequence[str]) -> None:
        """Take token vectors against their mean over some texts: without it they all point one way."""
        import torch

        with torch.inference_mode():
            features = self.preprocess([(text, text) for text in texts])
            states = self.states({name: value.to(self.device) for name, value in features.items()}).float()
            mean = states[features["whose"] == 2].mean(0)
        self.parts["centre"].weight.data = mean[None].clone()
