"""Texts -> vectors: the protocol of an embedder, and the table of the embedders."""

from collections.abc import Sequence
from typing import Protocol

from core import registry
from core.messages import message
from core.model import Matrix, Role, Spans
from core.registry import Entry


class Embedder(Protocol):
    """Turns texts into vectors.

    Building one is cheap: the first `embed` or `warm` loads the model.
    """

    @property
    def fingerprint(self) -> str:
        """Model, revision, dimension and prompts: equal for embedders whose vectors are comparable."""
        ...

    @property
    def dimension(self) -> int: ...

    @property
    def input_tokens(self) -> int:
        """Tokens of text that one vector covers, without the prompt and special tokens."""
        ...

    def tokens(self, text: str) -> Spans:
        """Return the character span of each token, shape (tokens, 2); uses the tokenizer only, never the model."""
        ...

    def embed(self, texts: Sequence[str], *, role: Role) -> Matrix:
        """Return float32 vectors of unit length, shape (texts, dimension), in the order of the texts.

        Raises ModelError if the model can't be loaded or fails, ProviderError if its server fails.
        """
        ...

    def warm(self) -> None:
        """Load what `embed` needs, so that the first question is not delayed by it."""
        ...


EMBEDDERS = {
    "bundled": Entry(
        "core.embedding.bundled:build",
        "multilingual-e5-small from an installed package: Chinese, English and about 100 more, no download",
    ),
    "sentence": Entry(
        "core.embedding.sentence:build",
        "any sentence-transformers model: sentence:NAME, sentence:/path/to/folder or sentence:pkg:PACKAGE",
    ),
    "onnx": Entry(
        "core.embedding.onnx:build",
        "a sentence-transformers model in 8 bits on onnxruntime: onnx for the bundled one, onnx:NAME as for sentence",
        extra="onnx",
    ),
    "tfidf": Entry(
        "core.embedding.tfidf:Tfidf",
        "words without meaning and without a model, for a machine that can't run one",
    ),
    "openai_compatible": Entry(
        "core.embedding.openai_compatible:OpenAICompatible",
        "a model behind an OpenAI-compatible server (Ollama, vLLM, TEI, LM Studio, OpenAI): openai_compatible:MODEL",
    ),
}


AUTO = "auto"
"""The name of the best embedder on this machine. A base stores the name that `resolve` returns for it."""


def resolve(name: str) -> str:
    """Return `name`; for `auto`, `bundled` if that model is on this machine, else `tfidf`, which needs no model."""
    if name != AUTO:
        return name
    from core.embedding import bundled

    return "bundled" if bundled.installed() else "tfidf"


_built: dict[str, Embedder] = {}


def build(name: str) -> Embedder:
    """Return the shared embedder for `name` or `name:argument`. Models are large, so each name has one object.

    Raises UnknownChoice, ConfigError for a missing argument, ModelError for a folder without a model.
    """
    return registry.build(EMBEDDERS, message("embedder"), name, _built)


def make(name: str) -> Embedder:
    """Return an unshared embedder; the caller owns it. Raises the errors of `build`."""
    embedder: Embedder = registry.make(EMBEDDERS, message("embedder"), name)
    return embedder


def built(name: str) -> Embedder | None:
    """Return the embedder that `build` made for this name, or None if it was never built."""
    return _built.get(name)
