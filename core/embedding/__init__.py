"""Texts -> vectors: the protocol every embedder has, and the table of those there are."""

from collections.abc import Sequence
from typing import Protocol

from core import registry
from core.model import Matrix, Role, Spans
from core.registry import Entry


class Embedder(Protocol):
    """Turns texts into vectors; made light, its model is loaded at the first `embed` or `warm`."""

    @property
    def fingerprint(self) -> str:
        """Model, revision, dimension and prompts: equal where vectors may be compared."""
        ...

    @property
    def dimension(self) -> int: ...

    @property
    def input_tokens(self) -> int:
        """Tokens of text one vector can read, prompt and special tokens taken off."""
        ...

    def tokens(self, text: str) -> Spans:
        """Where each token of `text` stands; needs the tokenizer only, never the model."""
        ...

    def embed(self, texts: Sequence[str], *, role: Role) -> Matrix:
        """Return float32 vectors of unit length, one a text, in the same order.

        Raises ModelError where the model can't be loaded or fails, ProviderError where its server does.
        """
        ...

    def warm(self) -> None:
        """Load what `embed` needs, so that the first question doesn't wait for it."""
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
"""The name that means: the best that is on this machine; a base stores what it was resolved to."""


def resolve(name: str) -> str:
    """Return `name`, and for `auto` the bundled model where it is on this machine, else `tfidf`, which needs none."""
    if name != AUTO:
        return name
    from core.embedding import bundled

    return "bundled" if bundled.installed() else "tfidf"


_built: dict[str, Embedder] = {}


def build(name: str) -> Embedder:
    """Return the embedder a base names, `name` or `name:argument`; one object a name, for a model is large.

    Raises UnknownChoice, ConfigError for a missing argument, ModelError for a folder that isn't a model.
    """
    return registry.build(EMBEDDERS, "embedder", name, _built)


def make(name: str) -> Embedder:
    """Return an embedder of its own, which goes when nobody holds it; raises as `build` does."""
    made: Embedder = registry.make(EMBEDDERS, "embedder", name)
    return made


def built(name: str) -> Embedder | None:
    """Return what `build` made for this name, None where nobody asked for it yet."""
    return _built.get(name)
