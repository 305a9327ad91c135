"""Texts -> vectors: the protocol of an embedder, and the table of the embedders."""

from collections.abc import Sequence
from typing import Protocol

from core.messages import message
from core.model import Matrix, Role, Spans
from core.registry import Entry, Table


class Embedder(Protocol):
    """Turns texts into vectors. Building one is cheap: the first `embed` or `warm` loads the model."""

    @property
    def fingerprint(self) -> str:
        """Model, revision, dimension and prompts: equal for embedders whose vectors are comparable."""

    @property
    def dimension(self) -> int: ...

    @property
    def input_tokens(self) -> int:
        """Tokens of text that one vector covers, without the prompt and special tokens."""

    def tokens(self, text: str) -> Spans:
        """Return the character span of each token, shape (tokens, 2); uses the tokenizer only, never the model."""

    def embed(self, texts: Sequence[str], *, role: Role) -> Matrix:
        """Return float32 vectors of unit length, shape (texts, dimension), in the order of the texts.

        Raises ModelError if the model can't be loaded or fails, ProviderError if its server fails.
        """

    def warm(self) -> None:
        """Load what `embed` needs, so that the first question is not delayed by it."""


EMBEDDERS: Table[Embedder] = Table(
    message("model for meaning"),
    {
        "bundled": Entry("core.embedding.bundled:build"),
        "sentence": Entry("core.embedding.sentence:build"),
        "onnx": Entry("core.embedding.onnx:build"),
        "tfidf": Entry("core.embedding.tfidf:Tfidf"),
        "openai_compatible": Entry("core.embedding.openai_compatible:OpenAICompatible"),
    },
)
build, built, make = EMBEDDERS.build, EMBEDDERS.built, EMBEDDERS.make


def batch_size(embedder: Embedder) -> int | None:
    """Return how many texts a model on a server takes in a request, None for a model in this process."""
    return getattr(embedder, "batch_size", None)


AUTO = "auto"
"""The name of the best embedder on this machine. A base stores the name that `resolve` returns for it."""


def resolve(name: str) -> str:
    """Return `name`; for `auto`, the built-in model as it runs fastest here, else `tfidf`, which needs no model.

    Imports torch to know the processor. Raises ModelError if the built-in model can't be written.
    """
    if name != AUTO:
        return name
    from core.embedding import bundled, trial

    return trial.fastest() if bundled.installed() else "tfidf"


def presumed(name: str) -> str:
    """Return the name that `resolve` most likely returns, at no cost: to load it ahead."""
    if name != AUTO:
        return name
    from core.embedding import bundled

    return "bundled" if bundled.installed() else "tfidf"


def is_built_in(name: str) -> bool:
    """Whether a model is part of this installation, so that it asks for no network, no server and no file."""
    from core.embedding import bundled, onnx

    return name == "tfidf" or (bundled.installed() and (name == "bundled" or (name == "onnx" and not onnx.lacking())))
