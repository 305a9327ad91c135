"""From texts to vectors: the table of embedders."""

from collections.abc import Sequence
from typing import Protocol

from core.base.messages import message
from core.base.registry import Entry, Registry
from core.model import Matrix, Role, Spans
from core.settings.config import settings


class Embedder(Protocol):
    """Computes the vectors of texts. Building one is cheap: the first `embed` or `warm` loads the model."""

    @property
    def fingerprint(self) -> str:
        """The model, revision, dimension and prompts; embedders with equal fingerprints have comparable vectors."""

    @property
    def dimension(self) -> int: ...

    @property
    def input_tokens(self) -> int:
        """Maximum number of text tokens that one vector covers, without the prompt and special tokens."""

    def tokens(self, text: str) -> Spans:
        """Return the character span of each token, shape (tokens, 2); uses only the tokenizer, never the model."""

    def embed(self, texts: Sequence[str], *, role: Role) -> Matrix:
        """Return float32 vectors of unit length, shape (texts, dimension), in the order of the texts.

        Raises ModelError if the model can't be loaded or fails, ProviderError if its server fails.
        """

    def warm(self) -> None:
        """Load what `embed` needs, so that the first question isn't delayed."""


EMBEDDERS: Registry[Embedder] = Registry(
    message("model for meaning"),
    {
        "bundled": Entry("core.embedding.sentence:build_bundled"),
        "sentence": Entry("core.embedding.sentence:build"),
        "onnx": Entry("core.embedding.onnx:build"),
        "tfidf": Entry("core.embedding.tfidf:Tfidf"),
        "openai_compatible": Entry("core.embedding.openai_compatible:OpenAICompatible"),
        "server": Entry("core.embedding.openai_compatible:build_named"),
    },
    group="tessera.embedders",
    protocol=Embedder,
)
build, built, make = EMBEDDERS.build, EMBEDDERS.get_built, EMBEDDERS.make


def batch_size(embedder: Embedder) -> int | None:
    """Return the number of texts per request for a model on a server, None for a model in this process."""
    return getattr(embedder, "batch_size", None)


AUTO = "auto"
"""The name for the best embedder on this machine. A base stores the name that `resolve` returns."""


def resolve(name: str) -> str:
    """Return `name`; for `auto`, the model of the server in the section `[embeddings]`.

    Without a server it is the built-in model, else `tfidf`, which needs no model.
    """
    if name != AUTO:
        return name
    if settings().embeddings.is_set_up:
        return "openai_compatible"
    from core.embedding import sentence

    return "bundled" if sentence.is_bundled_installed() else "tfidf"


def is_built_in(name: str) -> bool:
    """Return whether a model is part of this installation, so that it needs no network, server or file."""
    from core.embedding import onnx, sentence

    return name == "tfidf" or (
        sentence.is_bundled_installed() and (name == "bundled" or (name == "onnx" and not onnx.missing_package()))
    )
