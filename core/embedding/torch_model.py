"""The forward pass of a sentence-transformers model on torch, in batches of texts of similar length."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import cache
from typing import Any

import numpy as np

from core.base.errors import ModelError
from core.embedding.device import Turns
from core.embedding.loading import explain_failure, to_device, weight_bytes
from core.embedding.model_folder import ModelFacts
from core.model import Device, Matrix, Running

BATCH_TOKENS = {"cpu": 2048, "cuda": 32768, "mps": 8192}
"""Tokens in a forward pass, with padding, by device. On a processor the speeds with 2048 to 8192 are within 4 % of
each other. A question during an import waits for one pass, so the smallest is best."""

COUNTED_AT_ONCE = 1024
"""Texts whose tokens are counted in one call of the tokenizer."""


class TorchModel:
    """A loaded SentenceTransformer; one thread at a time runs it."""

    def __init__(self, model: Any, tokenizer: Any, facts: ModelFacts, name: str, device: Device) -> None:
        self.model = model
        self.running = Running(device, weight_bytes(model))
        self._tokenizer = tokenizer
        self._facts = facts
        self._name = name
        self._turns = Turns()

    def embed(
        self, texts: Sequence[str], prompt: str, frame: tuple[int, int] | None, *, short: bool
    ) -> tuple[Matrix, list[Matrix]]:
        """Return one vector per text, and with a `frame` one per token between the frame's two numbers of tokens.

        `short`: the texts are questions, which one thread runs. Raises ModelError if the model fails.
        """
        vectors = np.empty((len(texts), self._facts.dimension), np.float32)
        tokens: list[Matrix] = [np.empty((0, 0), np.float32)] * len(texts)
        for rows in self._batches(texts, prompt):
            with self._turns.take(), _one_thread() if short else nullcontext():
                vectors[rows], token_vectors = self._forward([texts[row] for row in rows], prompt, frame)
            for row, matrix in zip(rows, token_vectors, strict=frame is not None):
                tokens[row] = matrix
        return vectors, tokens

    def _batches(self, texts: Sequence[str], prompt: str) -> Iterator[list[int]]:
        """Yield the indices of texts of similar length, so that a batch has little padding."""
        if len(texts) < 2:
            if texts:
                yield [0]
            return
        sizes: list[int] = []
        for start in range(0, len(texts), COUNTED_AT_ONCE):
            encodings = self._tokenizer.encode_batch_fast(
                [prompt + text for text in texts[start : start + COUNTED_AT_ONCE]]
            )
            sizes += (min(len(encoding.ids), self._facts.max_tokens) for encoding in encodings)
        budget = BATCH_TOKENS[self.model.device.type]
        rows: list[int] = []
        for row in sorted(range(len(texts)), key=sizes.__getitem__, reverse=True):
            if rows and (len(rows) + 1) * sizes[rows[0]] > budget:
                yield rows
                rows = []
            rows.append(row)
        yield rows

    def _forward(self, texts: list[str], prompt: str, frame: tuple[int, int] | None) -> tuple[Matrix, list[Matrix]]:
        import torch

        # The steps of SentenceTransformer.encode that change the vectors; the others would slow a short question.
        with explain_failure(self._name, len(texts)), torch.inference_mode():
            output = self.model(to_device(self.model.preprocess(texts, prompt=prompt or None), self.model.device))
            vectors: Matrix = _unit(output["sentence_embedding"])
            tokens = _text_tokens(output, *frame) if frame else []
        if vectors.shape != (len(texts), self._facts.dimension):
            raise ModelError(
                "The model '{name}' gives {n} numbers for a text, but its folder says {due}. Copy or "
                "download it again.",
                name=self._name,
                n=vectors.shape[-1],
                due=self._facts.dimension,
            )
        return vectors, tokens


def _text_tokens(output: Any, before: int, suffix: int) -> list[Matrix]:
    """Return the token vectors of each text without padding and the tokens of its frame."""
    masks = output["attention_mask"].bool()
    return [
        _unit(vectors[mask][before : int(mask.sum()) - suffix])
        for vectors, mask in zip(output["token_embeddings"], masks, strict=True)
    ]


@contextmanager
def _one_thread() -> Iterator[None]:
    """Run torch in one thread.

    More threads don't speed up a question, and the keyword search runs in another thread at the same time. On two
    cores, a search of 100,000 chunks takes 70 ms in the median with two threads and 56 ms with one
    (benchmarks.scale).
    """
    import torch

    usual = _threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(usual)


@cache
def _threads() -> int:
    """Return torch's usual number of threads, cached before `_one_thread` changes it for the first time."""
    import torch

    return torch.get_num_threads()


def _unit(vectors: Any) -> Matrix:
    """Return a tensor's rows as a numpy array of float32, each of unit length."""
    import torch

    unit: Matrix = torch.nn.functional.normalize(vectors.float(), dim=-1).cpu().numpy()
    return unit
