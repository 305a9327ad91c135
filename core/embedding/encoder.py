"""A sentence-transformers folder -> tokens and vectors; what the embedders here are made of."""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from itertools import chain
from pathlib import Path
from threading import Lock, RLock
from typing import Any

import numpy as np

from core.embedding.device import Device, choose
from core.embedding.folder import Facts, facts
from core.errors import ModelError
from core.model import Matrix, Role, Spans

SEGMENT = 1 << 16
"""Characters tokenised at once: a token costs about 100 bytes while it is held."""

BATCH_TOKENS = {"cpu": 2048, "cuda": 32768, "mps": 8192}
"""Tokens in a forward pass, padding counted. On a processor 2048 to 8192 are within 4 % of each other
(benchmarks/embedding.py), and a question waits for one pass."""

PLAN = 1024
"""Texts counted at once."""

SPARE = 1
"""Tokens by which a text may count more behind its prompt than alone."""

SURROGATES = re.compile("[\ud800-\udfff]")


class Encoder:
    """Tokenises and embeds with the model that `folder` finds, each loaded when it is first needed.

    Safe to share between threads: one runs the model at a time, and a question that comes during an
    import waits for one batch, not for the import.
    """

    def __init__(self, name: str, folder: Callable[[], Path], *, device: Device | None = None) -> None:
        self.name = name
        self._folder = folder
        self._device = device
        self._loading = RLock()
        self._queue = Lock()
        self._running = Lock()

    @cached_property
    def facts(self) -> Facts:
        with self._loading:
            return facts(self._folder(), self.name)

    @property
    def fingerprint(self) -> str:
        facts = self.facts
        prompts = "|".join(facts.prompts[role] for role in ("query", "note"))
        return f"{self.name}@{facts.digest}:{facts.dimension}:{prompts}"

    @cached_property
    def _tokenizer(self) -> Any:
        from tokenizers import Tokenizer

        path = self.facts.tokenizer
        try:
            tokenizer = Tokenizer.from_file(str(path))
        except Exception as error:  # tokenizers raises nothing narrower
            raise ModelError(f"{path} is damaged ({error}). Copy or download the model again.") from error
        tokenizer.no_truncation()
        tokenizer.no_padding()
        return tokenizer

    @cached_property
    def input_tokens(self) -> int:
        longest = max(len(self._tokenizer.encode(prompt).ids) for prompt in self.facts.prompts.values())
        return self.facts.max_tokens - longest - SPARE

    def tokens(self, text: str) -> Spans:
        """Where each token of `text` stands; linear in time, and in memory but for the spans."""
        found = [
            _spans(self._tokenizer.encode(text[start:end], add_special_tokens=False), start)
            for start, end in _segments(_clean(text))
        ]
        return np.concatenate(found) if found else np.empty((0, 2), np.int32)

    def _loaded(self) -> Any:
        with self._loading:
            return self._model

    @cached_property
    def _model(self) -> Any:
        import torch
        from sentence_transformers import SentenceTransformer

        where = self._device or choose()
        folder = self.facts.folder
        try:
            with _quiet():
                model = SentenceTransformer(
                    str(folder),
                    device=where.name,
                    local_files_only=True,
                    trust_remote_code=False,
                    model_kwargs={"dtype": getattr(torch, where.dtype)},
                )
        except Exception as error:  # whatever a strange folder makes torch or transformers raise
            raise ModelError(
                f"The model '{self.name}' in {folder} can't be loaded: {_first_line(error)}. "
                "Copy or download it again, or choose another model."
            ) from error
        model.max_seq_length = self.facts.max_tokens
        return model.eval()

    def warm(self) -> None:
        """Load the model and run it once, which is slower than any later time."""
        self.embed(["warm"], "query")

    def embed(self, texts: Sequence[str], role: Role) -> Matrix:
        """Return one vector a text. Raises ModelError where the model can't be loaded or fails."""
        vectors = np.empty((len(texts), self.facts.dimension), np.float32)
        prompt = self.facts.prompts[role]
        clean = [_clean(text) for text in texts]
        model = self._loaded()
        for rows in self._batches(clean, prompt):
            with self._turn():
                vectors[rows] = self._forward(model, [clean[row] for row in rows], prompt)
        return vectors

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """One after the other: a plain lock would let a loop of batches take it again and again."""
        with self._queue:
            self._running.acquire()
        try:
            yield
        finally:
            self._running.release()

    def _batches(self, texts: list[str], prompt: str) -> Iterator[list[int]]:
        """Rows of texts of about one length, so that hardly a token of a batch is padding."""
        if len(texts) < 2:
            if texts:
                yield [0]
            return
        sizes: list[int] = []
        for start in range(0, len(texts), PLAN):
            encodings = self._tokenizer.encode_batch_fast([prompt + text for text in texts[start : start + PLAN]])
            sizes += (min(len(encoding.ids), self.facts.max_tokens) for encoding in encodings)
        budget = BATCH_TOKENS[self._model.device.type]
        rows: list[int] = []
        for row in sorted(range(len(texts)), key=sizes.__getitem__, reverse=True):
            if rows and (len(rows) + 1) * sizes[rows[0]] > budget:
                yield rows
                rows = []
            rows.append(row)
        yield rows

    def _forward(self, model: Any, texts: list[str], prompt: str) -> Matrix:
        import torch

        # The steps of SentenceTransformer.encode without what a short question spends on the rest.
        try:
            with torch.inference_mode():
                features = model.preprocess(texts, prompt=prompt or None)
                features = {
                    key: value.to(model.device) if isinstance(value, torch.Tensor) else value
                    for key, value in features.items()
                }
                pooled = model(features)["sentence_embedding"].float()
                vectors: Matrix = torch.nn.functional.normalize(pooled, dim=1).cpu().numpy()
        except (RuntimeError, ValueError, IndexError) as error:
            raise ModelError(
                f"The model '{self.name}' failed on {len(texts)} texts: {_first_line(error)}. "
                "If memory ran out, close other programs or choose a smaller model."
            ) from error
        if vectors.shape != (len(texts), self.facts.dimension):
            raise ModelError(
                f"The model '{self.name}' gives {vectors.shape[-1]} numbers a text where its folder says "
                f"{self.facts.dimension}. Copy or download it again."
            )
        if not np.isfinite(vectors).all():
            raise ModelError(
                f"The model '{self.name}' gave vectors that aren't numbers: its weights are damaged. "
                "Copy or download it again."
            )
        return vectors


def _clean(text: str) -> str:
    """Half characters can't be tokenised; the replacement is as long, so that spans stay right."""
    return text if text.isascii() else SURROGATES.sub("\ufffd", text)


def _segments(text: str) -> Iterator[tuple[int, int]]:
    """Pieces of at most SEGMENT characters, ended by a line, else before a space, else anywhere."""
    start = 0
    while start < len(text):
        end = start + SEGMENT
        if end < len(text):
            half = start + SEGMENT // 2
            end = next((at for at in (text.rfind("\n", half, end) + 1, text.rfind(" ", half, end)) if at > 0), end)
        else:
            end = len(text)
        yield start, end
        start = end


def _spans(encoding: Any, start: int) -> Spans:
    spans = np.fromiter(chain.from_iterable(encoding.offsets), np.int32).reshape(-1, 2)
    return spans[spans[:, 1] > spans[:, 0]] + np.int32(start)


def _first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".")


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep transformers' progress bar and load report off the terminal."""
    from transformers.utils import logging

    level, bar = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if bar:
            logging.enable_progress_bar()
