"""Embed text with the OpenAI-compatible `/embeddings` endpoint of Ollama, vLLM, TEI, LM Studio or OpenAI."""

import re
from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from core.base.errors import UnknownChoice
from core.base.frozen import Values
from core.base.messages import message
from core.base.text import CJK
from core.base.threads import DaemonPool
from core.embedding import model_folder
from core.embedding.tokens import span_rows
from core.model import Matrix, Role, Spans
from core.providers import REACH_SECONDS, ProviderServer
from core.settings.config import settings as configured
from core.settings.sections import EmbeddingServer

# Number of start and end tokens that most models add to a text.
SPECIAL_TOKENS = 2

# Maximum size of a vector in a response, in bytes. It allows 8192 numbers of 32 characters each.
VECTOR_BYTES = 1 << 18

# The server's tokenizer isn't available, so tokens are estimated. Few tokenizers produce more than one token per CJK
# character (as BERT does), per 4 letters of a word, per 2 capitals (base64, acronyms), or per 2 letters in the range
# from é to Arabic.
_TOKENS = re.compile(
    rf"[{CJK}]|[a-z]{{1,4}}|[A-Z][a-z]{{1,3}}|[A-Z]{{1,2}}|[0-9]{{1,2}}|(?:(?=[\u00c0-\u06ff])[^\W\d_]){{1,2}}|\S"
)


class OpenAICompatible:
    """An embedder that uses the server in the section `[embeddings]`. `model` defaults to the section's own model.

    Vectors from models with the same name are treated as comparable, whichever server computed them. A base can
    therefore move to another server, but different models must have different names. If the settings state no
    dimension, it is taken from the server's first response. Raises ConfigError if the settings name no server or no
    model.
    """

    def __init__(
        self, model: str = "", *, settings: EmbeddingServer | None = None, section: str = "embeddings"
    ) -> None:
        self._settings = settings = settings or configured().embeddings
        self.batch_size = settings.batch_size * settings.requests_at_once
        self._server = ProviderServer(section, settings, model)
        self._questions = ProviderServer(section, settings, model, reach_seconds=REACH_SECONDS)
        self._dimension = settings.dimensions
        self._prompts = model_folder.model_prompts({}, self._server.model)
        if settings.query_prompt is not None:
            self._prompts["query"] = settings.query_prompt
        if settings.note_prompt is not None:
            self._prompts["note"] = settings.note_prompt

    @property
    def fingerprint(self) -> str:
        """The model's fingerprint. Raises the same ProviderErrors as `dimension`."""
        return f"openai_compatible:{self._server.model}:{self.dimension}:{'|'.join(self._prompts.values())}"

    @property
    def dimension(self) -> int:
        """The vectors' dimension.

        If the dimension isn't known yet, a request to the server determines it. Raises ProviderError if the request
        fails.
        """
        return self._dimension or self.embed(["dimension"], role="query").shape[1]

    @property
    def input_tokens(self) -> int:
        prompt_tokens = max(len(self.tokens(prompt)) for prompt in self._prompts.values())
        return self._settings.input_tokens - prompt_tokens - SPECIAL_TOKENS

    def tokens(self, text: str) -> Spans:
        """Return the spans of estimated tokens: a CJK character, four lowercase letters, two digits, or a sign.

        For Chinese and English notes, the estimate is 1.0 to 1.5 times multilingual-e5's token count. For base64 and
        emoji, it is only four fifths of that count.
        """
        return span_rows(match.span() for match in _TOKENS.finditer(text))

    def embed(self, texts: Sequence[str], *, role: Role) -> Matrix:
        """Return one vector per text. Raises ProviderError if the server fails or its response can't be used."""
        size = self._settings.batch_size
        at_once = self._settings.requests_at_once
        parts = [texts[start : start + size] for start in range(0, len(texts), size)]
        if at_once == 1 or len(parts) < 2:
            batches = [self._batch(part, role) for part in parts]
        else:
            with DaemonPool(at_once, "embed") as pool:
                futures = [pool.submit(partial(self._batch, part, role)) for part in parts]
                batches = [future.result() for future in futures]
        return np.concatenate(batches) if batches else np.empty((0, self.dimension), np.float32)

    def warm(self) -> None:
        """Send a request that makes the server load the model, and store the model's dimension."""
        self.embed(["warm"], role="query")

    def _batch(self, texts: Sequence[str], role: Role) -> Matrix:
        # Servers reject empty text.
        body: Values = {
            "model": self._server.model,
            "input": [self._prompts[role] + text or " " for text in texts],
            "encoding_format": "float",
        }
        if self._settings.dimensions:
            body["dimensions"] = self._settings.dimensions
        server = self._questions if role == "query" else self._server
        vectors = self._rows(server.post("embeddings", body, limit=(len(texts) + 1) * VECTOR_BYTES), len(texts))
        self._dimension = self._dimension or vectors.shape[1]
        if vectors.shape[1] != self._dimension:
            raise self._server.unusable(
                "returned {n} numbers per text instead of {due}", n=vectors.shape[1], due=self._dimension
            )
        # Dividing by the largest number first prevents the squares from overflowing.
        vectors /= np.abs(vectors).max(axis=1, keepdims=True)
        unit: Matrix = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
        return unit

    def _rows(self, answer: object, count: int) -> NDArray[np.float64]:
        """Return the vectors in a response, in the order of the texts.

        Raises ProviderError if the response is unusable.
        """
        data = answer.get("data") if isinstance(answer, dict) else None
        rows = [row for row in data if isinstance(row, dict)] if isinstance(data, list) and len(data) == count else []
        # Some servers leave out the index, and return vectors in the order of the texts.
        if any("index" in row for row in rows):
            places = {row["index"]: row for row in rows if type(row.get("index")) is int}
            rows = [places[index] for index in range(count) if index in places]
        vectors = [vector for row in rows if (vector := _numbers(row.get("embedding"))) is not None]
        if len(vectors) < count or len({len(vector) for vector in vectors}) > 1:
            raise self._server.unusable("didn't return one list of numbers for each text, all of the same length")
        return np.array(vectors)


def build_named(name: str = "") -> OpenAICompatible:
    """Return an embedder for the server `[embeddings.NAME]`. Raises UnknownChoice if there is no such section."""
    servers = configured().embeddings.servers
    if name not in servers:
        raise UnknownChoice(message("model server"), name, servers)
    return OpenAICompatible(settings=servers[name], section=f"embeddings.{name}")


def _numbers(embedding: object) -> NDArray[np.float64] | None:
    """Return a list of numbers as a vector, or None if a number is invalid or all are zero."""
    if not (isinstance(embedding, list) and all(type(number) in (float, int) for number in embedding)):
        return None
    try:
        vector = np.array(embedding, np.float64)
    except OverflowError:  # an integer of 400 digits
        return None
    return vector if np.isfinite(vector).all() and vector.any() else None
