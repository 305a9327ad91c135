"""A model behind a server with an OpenAI-compatible `/embeddings`: Ollama, vLLM, TEI, LM Studio, OpenAI."""

import base64
import re
from collections.abc import Sequence
from itertools import chain
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.config import EmbeddingsSettings
from core.config import settings as configured
from core.embedding import prompts
from core.model import Matrix, Role, Spans
from core.providers import Server
from core.text import CJK

SPECIAL_TOKENS = 2
"""A beginning and an end, which most models put around a text."""

VECTOR_BYTES = 1 << 18
"""The most that a vector takes in an answer: 8192 numbers of 32 characters each."""

# A server has no tokenizer to ask. Few tokenizers count more than these pieces: CJK as BERT has it, words cut
# short, capitals (which say base64, or shout) and the alphabets of neighbours, from é to Arabic, shorter still.
_TOKENS = re.compile(
    rf"[{CJK}]|[a-z]{{1,4}}|[A-Z][a-z]{{1,3}}|[A-Z]{{1,2}}|[0-9]{{1,2}}|(?:(?=[\u00c0-\u06ff])[^\W\d_]){{1,2}}|\S"
)


class OpenAICompatible:
    """The model `model` on the server of `[embeddings]`, else the model that is named there.

    Vectors of one model are taken to be comparable whichever server computed them, so a base outlives a
    move of its server; a name that stands for another model there must not be used twice. The dimension
    is learnt from the server, by one request, where the settings don't give it. Raises ConfigError where
    no server or no model is named.
    """

    def __init__(self, model: str = "", *, settings: EmbeddingsSettings | None = None) -> None:
        self._settings = configured().embeddings if settings is None else settings
        self._server = Server("embeddings", self._settings, model)
        self._dimension = self._settings.dimensions
        self._learning = Lock()
        family = prompts.of({}, self._server.model)
        asked, told = self._settings.query_prompt, self._settings.note_prompt
        self._prompts: dict[Role, str] = {
            "query": family["query"] if asked is None else asked,
            "note": family["note"] if told is None else told,
        }

    @property
    def fingerprint(self) -> str:
        """Raises ProviderError as `dimension` does."""
        return f"openai_compatible:{self._server.model}:{self.dimension}:{'|'.join(self._prompts.values())}"

    @property
    def dimension(self) -> int:
        """Raises ProviderError where the server must tell it and doesn't."""
        known = self._dimension
        return self.embed(["dimension"], role="query").shape[1] if known is None else known

    @property
    def input_tokens(self) -> int:
        longest = max(len(self.tokens(prompt)) for prompt in self._prompts.values())
        return self._settings.input_tokens - longest - SPECIAL_TOKENS

    def tokens(self, text: str) -> Spans:
        """Where each token stands, by a rule: one for each CJK character, four small letters, two digits, sign.

        1.0 to 1.5 times as many as multilingual-e5 counts in Chinese and English notes, and fewer only in
        base64 and emoji (four fifths).
        """
        spans = (match.span() for match in _TOKENS.finditer(text))
        return np.fromiter(chain.from_iterable(spans), np.int32).reshape(-1, 2)

    def embed(self, texts: Sequence[str], *, role: Role) -> Matrix:
        """Return one vector a text; raises ProviderError where the server fails or its answer can't be used."""
        size = self._settings.batch_size
        batches = [self._batch(texts[start : start + size], role) for start in range(0, len(texts), size)]
        return np.concatenate(batches) if batches else np.empty((0, self.dimension), np.float32)

    def warm(self) -> None:
        """Have the server load the model, and learn its dimension."""
        self.embed(["warm"], role="query")

    def _batch(self, texts: Sequence[str], role: Role) -> Matrix:
        # Servers refuse an empty text.
        body: dict[str, Any] = {
            "model": self._server.model,
            "input": [self._prompts[role] + text or " " for text in texts],
            "encoding_format": "float",
        }
        if self._settings.dimensions is not None:
            body["dimensions"] = self._settings.dimensions
        answer = self._server.post("embeddings", body, limit=(len(texts) + 1) * VECTOR_BYTES)
        vectors = np.array(self._rows(answer, len(texts)))
        with self._learning:
            if self._dimension is None:
                self._dimension = vectors.shape[1]
        if vectors.shape[1] != self._dimension:
            raise self._server.unusable(f"gave vectors of {vectors.shape[1]} numbers where {self._dimension} were due")
        # Divided by the largest number first, so that no square overflows.
        vectors /= np.abs(vectors).max(axis=1, keepdims=True)
        unit: Matrix = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
        return unit

    def _rows(self, answer: Any, count: int) -> list[NDArray[np.float64]]:
        """The vectors of an answer in the order of the texts, of one length."""
        data = answer.get("data") if isinstance(answer, dict) else None
        if not isinstance(data, list) or not all(isinstance(row, dict) for row in data):
            raise self._server.unusable("answered without a list of vectors")
        if len(data) != count:
            raise self._server.unusable(f"gave {len(data)} vectors for {count} texts")
        # Some servers leave the numbers out, and none of those changes the order.
        if any("index" in row for row in data):
            places = {row["index"]: row for row in data if type(row.get("index")) is int}
            if sorted(places) != list(range(count)):
                raise self._server.unusable("numbered its vectors wrongly")
            data = [places[index] for index in range(count)]
        rows = [_numbers(row.get("embedding")) for row in data]
        if any(row is None for row in rows):
            raise self._server.unusable("gave a vector that isn't made of numbers, or of zeros only")
        vectors = [row for row in rows if row is not None]
        if len({len(row) for row in vectors}) > 1:
            raise self._server.unusable("gave vectors of different lengths for one model")
        return vectors


def _numbers(embedding: object) -> NDArray[np.float64] | None:
    """A vector out of a list, or out of the base64 of little-endian float32; None where it is no direction."""
    try:
        if isinstance(embedding, str):
            vector = np.frombuffer(base64.b64decode(embedding, validate=True), "<f4").astype(np.float64)
        elif isinstance(embedding, list) and all(type(number) in (float, int) for number in embedding):
            vector = np.array(embedding, np.float64)
        else:
            return None
    except (ValueError, OverflowError):  # no base64, half a number, or an integer of 400 digits
        return None
    return vector if np.isfinite(vector).all() and vector.any() else None
