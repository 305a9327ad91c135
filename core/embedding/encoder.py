"""A sentence-transformers folder -> tokens and vectors.

The embedders `bundled`, `sentence` and `onnx` are Encoders. An `encoding` is the result of the tokenizer for one text.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import cache, cached_property
from itertools import chain
from pathlib import Path
from threading import Lock, RLock
from typing import Any

import numpy as np

from core.embedding.device import Turns, choose
from core.embedding.loading import failing, sentence_transformer, to_device, weight_bytes
from core.embedding.model_folder import Facts, facts
from core.errors import ModelError
from core.model import Device, Matrix, Role, Running, Spans

SEGMENT = 1 << 16
"""Characters tokenised at once: an encoding takes about 100 bytes of memory per token."""

BATCH_TOKENS = {"cpu": 2048, "cuda": 32768, "mps": 8192}
"""Tokens in a forward pass, with padding, by device. On a processor the speeds with 2048 to 8192 are within 4 % of
each other (benchmarks/embedding.py). A question during an import waits for one pass, so the smallest is best."""

COUNTED_AT_ONCE = 1024
"""Texts whose tokens are counted in one call of the tokenizer."""

CACHED_QUESTIONS, CACHED_CHARACTERS = 64, 1000
"""Size of the cache of question vectors, and the longest question in it. The vector of a token takes 1.5 to 4 KB."""

SPARE = 1
"""Tokens that a text may gain when it stands behind its prompt."""

SURROGATES = re.compile("[\ud800-\udfff]")


class Encoder:
    """Tokenizer and model of the folder that `folder` returns, each loaded at its first use.

    `known`: fingerprint and dimension, for a model whose folder may not be written yet. `load`: loads the model from
    its folder. `suffix`: ends the fingerprint, for a `load` that changes the vectors. Safe to share between threads:
    one thread at a time runs the model, and a question during an import waits for one batch only.
    """

    def __init__(
        self,
        name: str,
        folder: Callable[[], Path],
        *,
        device: Device | None = None,
        load: Callable[[Facts, str, Device], Any] = sentence_transformer,
        known: tuple[str, int] | None = None,
        suffix: str = "",
    ) -> None:
        self.name = name
        self._known = known
        self._suffix = suffix
        self.running: Running | None = None
        self._folder = folder
        self._device = device
        self._load = load
        self._loading = RLock()
        self._turns = Turns()
        self._questions_lock = Lock()
        self._questions: dict[str, tuple[Matrix, list[Matrix]]] = {}

    @cached_property
    def facts(self) -> Facts:
        with self._loading:
            return facts(self._folder(), self.name)

    @property
    def dimension(self) -> int:
        return self._known[1] if self._known else self.facts.dimension

    @property
    def fingerprint(self) -> str:
        if self._known:
            return self._known[0]
        facts = self.facts
        prompts = "|".join(facts.prompts[role] for role in ("query", "note"))
        return f"{self.name}@{facts.digest}:{facts.dimension}:{prompts}{self._suffix}"

    @cached_property
    def _tokenizer(self) -> Any:
        from tokenizers import Tokenizer

        path = self.facts.tokenizer
        try:
            tokenizer = Tokenizer.from_file(str(path))
        except Exception as error:  # tokenizers raises nothing narrower
            raise ModelError(
                "{file} is damaged ({why}). Copy or download the model again.", file=str(path), why=str(error)
            ) from error
        tokenizer.no_truncation()
        tokenizer.no_padding()
        return tokenizer

    @cached_property
    def input_tokens(self) -> int:
        longest = max(len(self._tokenizer.encode(prompt).ids) for prompt in self.facts.prompts.values())
        return self.facts.max_tokens - longest - SPARE

    def tokens(self, text: str) -> Spans:
        """Return the character span of each token; linear time, constant memory beside the spans."""
        text = _clean(text)
        spans = [
            _spans(self._tokenizer.encode(text[start:end], add_special_tokens=False), start)
            for start, end in _segments(text)
        ]
        return np.concatenate(spans) if spans else np.empty((0, 2), np.int32)

    def loaded(self) -> Any:
        """Return the SentenceTransformer; the first call loads it. Raises ModelError."""
        with self._loading:
            return self._model

    @cached_property
    def _model(self) -> Any:
        device = self._device or choose()
        model = self._load(self.facts, self.name, device)
        self.running = Running(device, weight_bytes(model))
        return model

    def warm(self) -> None:
        """Load the model and run it once: the first run is the slowest."""
        self.embed(["warm"], role="query")

    def embed(self, texts: Sequence[str], *, role: Role) -> Matrix:
        """Return one vector per text. Raises ModelError if the model can't be loaded or fails."""
        if role == "query" and len(texts) == 1:
            return self._question(texts[0])[0]
        return self._embed(texts, role, None)

    def embed_tokens(self, texts: Sequence[str], *, role: Role) -> tuple[Matrix, list[Matrix]]:
        """Return one vector per text and, from the same pass, one per token. Raises the errors of `embed`.

        Token vectors have unit length. The tokens of the prompt and special tokens have none.
        """
        if role == "query" and len(texts) == 1:
            return self._question(texts[0])
        tokens: list[Matrix] = [np.empty((0, 0), np.float32)] * len(texts)
        return self._embed(texts, role, tokens), tokens

    def _question(self, text: str) -> tuple[Matrix, list[Matrix]]:
        """Return the cached vectors of a question, which several stages of one search need."""
        with self._questions_lock:
            vectors = self._questions.get(text)
        if vectors is None:
            tokens = [np.empty((0, 0), np.float32)]
            vectors = self._embed([text], "query", tokens), tokens
            if len(text) > CACHED_CHARACTERS:
                return vectors
            with self._questions_lock:
                self._questions[text] = vectors
                if len(self._questions) > CACHED_QUESTIONS:
                    del self._questions[next(iter(self._questions))]
        return vectors

    def _embed(self, texts: Sequence[str], role: Role, tokens: list[Matrix] | None) -> Matrix:
        vectors = np.empty((len(texts), self.facts.dimension), np.float32)
        prompt = self.facts.prompts[role]
        clean = [_clean(text) for text in texts]
        model = self.loaded()
        for rows in self._batches(clean, prompt):
            with self._turns.take(), _one_thread() if role == "query" else nullcontext():
                batch = [clean[row] for row in rows]
                vectors[rows], token_vectors = self._forward(model, batch, prompt, tokens is not None)
            if tokens is not None:
                for row, matrix in zip(rows, token_vectors, strict=True):
                    tokens[row] = matrix
        return vectors

    def _batches(self, texts: list[str], prompt: str) -> Iterator[list[int]]:
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
            sizes += (min(len(encoding.ids), self.facts.max_tokens) for encoding in encodings)
        budget = BATCH_TOKENS[self._model.device.type]
        rows: list[int] = []
        for row in sorted(range(len(texts)), key=sizes.__getitem__, reverse=True):
            if rows and (len(rows) + 1) * sizes[rows[0]] > budget:
                yield rows
                rows = []
            rows.append(row)
        yield rows

    def _forward(self, model: Any, texts: list[str], prompt: str, with_tokens: bool) -> tuple[Matrix, list[Matrix]]:
        import torch

        # The steps of SentenceTransformer.encode that change the vectors; the others would slow a short question.
        with failing(self.name, len(texts)), torch.inference_mode():
            output = model(to_device(model.preprocess(texts, prompt=prompt or None), model.device))
            vectors: Matrix = _unit(output["sentence_embedding"])
            tokens = self._text_tokens(output, prompt) if with_tokens else []
        if vectors.shape != (len(texts), self.facts.dimension):
            raise ModelError(
                "The model '{name}' gives {n} numbers a text where its folder says {due}. Copy or download it again.",
                name=self.name,
                n=vectors.shape[-1],
                due=self.facts.dimension,
            )
        if not np.isfinite(vectors).all():
            raise ModelError(
                "The model '{name}' gave results that aren't numbers: its weights are damaged. Copy or download "
                "it again.",
                name=self.name,
            )
        return vectors, tokens

    def _text_tokens(self, output: Any, prompt: str) -> list[Matrix]:
        """Return the token vectors of each text without prompt, special tokens and padding."""
        before, behind = self._frame(prompt)
        masks = output["attention_mask"].bool()
        return [
            _unit(vectors[mask][before : int(mask.sum()) - behind])
            for vectors, mask in zip(output["token_embeddings"], masks, strict=True)
        ]

    def _frame(self, prompt: str) -> tuple[int, int]:
        """Count the tokens before and behind a text: the special ones and those of the prompt."""
        # The space that ends a prompt is a token only if no word follows it.
        special = self._tokenizer.encode(prompt.rstrip() or "a").special_tokens_mask
        behind = special[::-1].index(0)
        return (len(special) - behind if prompt else special.index(0)), behind


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


def _clean(text: str) -> str:
    """Replace lone surrogates, which the tokenizer refuses. The replacement has the same length: spans stay right."""
    return text if text.isascii() else SURROGATES.sub("\ufffd", text)


def _segments(text: str) -> Iterator[tuple[int, int]]:
    """Yield pieces of at most SEGMENT characters, which end at a line, else before a space, else anywhere."""
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
