"""A sentence-transformers folder -> tokens and vectors; what the embedders here are made of."""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import cache, cached_property
from itertools import chain
from pathlib import Path
from threading import Lock, RLock
from typing import Any

import numpy as np

from core.embedding.device import Device, Running, Turns, choose
from core.embedding.folder import Facts, facts
from core.embedding.loading import failing, moved, sentence_transformer, weight_bytes
from core.errors import ModelError
from core.model import Matrix, Role, Spans

SEGMENT = 1 << 16
"""Characters tokenised at once: a token costs about 100 bytes while it is held."""

BATCH_TOKENS = {"cpu": 2048, "cuda": 32768, "mps": 8192}
"""Tokens in a forward pass, padding counted. On a processor 2048 to 8192 are within 4 % of each other
(benchmarks/embedding.py), and a question waits for one pass."""

PLAN = 1024
"""Texts counted at once."""

ASKED, ASKED_CHARACTERS = 64, 1000
"""Questions whose vectors are kept, if they are no longer than this: a token's vector takes 1.5 to 4 KB."""

SPARE = 1
"""Tokens by which a text may count more behind its prompt than alone."""

SURROGATES = re.compile("[\ud800-\udfff]")


class Encoder:
    """Tokenises and embeds with the model that `folder` finds, each loaded when it is first needed.

    `known` are the fingerprint and dimension of a model whose folder needn't be there to tell them; a
    `suffix` of the fingerprint tells apart what `load` makes of the same folder.
    Safe to share between threads: one runs the model at a time, and a question that comes during an
    import waits for one batch, not for the import.
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
        self._asking = Lock()
        self._asked: dict[str, tuple[Matrix, list[Matrix]]] = {}

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
        text = _clean(text)
        found = [
            _spans(self._tokenizer.encode(text[start:end], add_special_tokens=False), start)
            for start, end in _segments(text)
        ]
        return np.concatenate(found) if found else np.empty((0, 2), np.int32)

    def loaded(self) -> Any:
        """Return the SentenceTransformer, loaded at the first call; raises ModelError."""
        with self._loading:
            return self._model

    @cached_property
    def _model(self) -> Any:
        device = self._device or choose()
        model = self._load(self.facts, self.name, device)
        self.running = Running(device, weight_bytes(model))
        return model

    def warm(self) -> None:
        """Load the model and run it once, which is slower than any later time."""
        self.embed(["warm"], role="query")

    def embed(self, texts: Sequence[str], *, role: Role) -> Matrix:
        """Return one vector a text. Raises ModelError where the model can't be loaded or fails."""
        if role == "query" and len(texts) == 1:
            return self._question(texts[0])[0]
        return self._embed(texts, role, None)

    def embed_tokens(self, texts: Sequence[str], *, role: Role) -> tuple[Matrix, list[Matrix]]:
        """Return one vector a text and, of the same pass, one for each of its tokens; raises as `embed` does.

        Token vectors have unit length; those of the prompt and of special tokens are left out.
        """
        if role == "query" and len(texts) == 1:
            return self._question(texts[0])
        tokens: list[Matrix] = [np.empty((0, 0), np.float32)] * len(texts)
        return self._embed(texts, role, tokens), tokens

    def _question(self, text: str) -> tuple[Matrix, list[Matrix]]:
        """What the stages of one search ask for one after the other, and a person asks for again."""
        with self._asking:
            found = self._asked.get(text)
        if found is None:
            tokens = [np.empty((0, 0), np.float32)]
            found = self._embed([text], "query", tokens), tokens
            if len(text) > ASKED_CHARACTERS:
                return found
            with self._asking:
                self._asked[text] = found
                if len(self._asked) > ASKED:
                    del self._asked[next(iter(self._asked))]
        return found

    def _embed(self, texts: Sequence[str], role: Role, tokens: list[Matrix] | None) -> Matrix:
        vectors = np.empty((len(texts), self.facts.dimension), np.float32)
        prompt = self.facts.prompts[role]
        clean = [_clean(text) for text in texts]
        model = self.loaded()
        for rows in self._batches(clean, prompt):
            with self._turns.take(), _one_thread() if role == "query" else nullcontext():
                vectors[rows], found = self._forward(model, [clean[row] for row in rows], prompt, tokens is not None)
            if tokens is not None:
                for row, matrix in zip(rows, found, strict=True):
                    tokens[row] = matrix
        return vectors

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

    def _forward(self, model: Any, texts: list[str], prompt: str, with_tokens: bool) -> tuple[Matrix, list[Matrix]]:
        import torch

        # The steps of SentenceTransformer.encode without what a short question spends on the rest.
        with failing(self.name, len(texts)), torch.inference_mode():
            output = model(moved(model.preprocess(texts, prompt=prompt or None), model.device))
            vectors: Matrix = _unit(output["sentence_embedding"])
            tokens = self._own_tokens(output, prompt) if with_tokens else []
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
        return vectors, tokens

    def _own_tokens(self, output: Any, prompt: str) -> list[Matrix]:
        """The vectors of each text's own tokens; padding stands behind or before them."""
        before, behind = self._frame(prompt)
        masks = output["attention_mask"].bool()
        return [
            _unit(vectors[mask][before : int(mask.sum()) - behind])
            for vectors, mask in zip(output["token_embeddings"], masks, strict=True)
        ]

    def _frame(self, prompt: str) -> tuple[int, int]:
        """How many tokens stand before and behind those of a text: special ones, and the prompt's."""
        # The space at the prompt's end is a token by itself, and none before a word.
        special = self._tokenizer.encode(prompt.rstrip() or "a").special_tokens_mask
        behind = special[::-1].index(0)
        return (len(special) - behind if prompt else special.index(0)), behind


@contextmanager
def _one_thread() -> Iterator[None]:
    """Calculate in one thread.

    A question gains nothing by more, and its words are read in another meanwhile: with two on two cores a search
    of 100,000 chunks takes 70 ms in the median, with one 56 (benchmarks.scale).
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
    """How many threads there are for what isn't a question: asked before that is changed for the first time."""
    import torch

    return torch.get_num_threads()


def _unit(vectors: Any) -> Matrix:
    """A tensor's rows as float32 of unit length, in this process's memory."""
    import torch

    unit: Matrix = torch.nn.functional.normalize(vectors.float(), dim=-1).cpu().numpy()
    return unit


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
