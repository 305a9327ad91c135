"""The registry of embedders. An embedder turns text into vectors."""

from core.base.messages import message
from core.base.registry import Entry, Registry
from core.embedding.protocol import Embedder as Embedder
from core.settings.config import settings

EMBEDDERS: Registry[Embedder] = Registry(
    message("model for searching by meaning"),
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
build = EMBEDDERS.build
built = EMBEDDERS.get_built
make = EMBEDDERS.make


def batch_size(embedder: Embedder) -> int | None:
    """Return the number of texts per request for a model on a server, or None for a model in this process."""
    return getattr(embedder, "batch_size", None)


# The name that stands for the best embedder on this machine. A base stores what `resolve` returns for it.
AUTO = "auto"


def resolve(name: str) -> str:
    """Return `name`, or the name of the best available embedder if `name` is `auto`.

    The server in the section `[embeddings]` is preferred to the built-in model, and the built-in model to `tfidf`,
    which needs no model.
    """
    if name != AUTO:
        return name
    if settings().embeddings.is_set_up:
        return "openai_compatible"
    from core.embedding import sentence

    return "bundled" if sentence.is_bundled_installed() else "tfidf"


def is_built_in(name: str) -> bool:
    """Return whether a model is part of this installation, and therefore needs no network, server or further file."""
    from core.embedding import onnx, sentence

    return name == "tfidf" or (
        sentence.is_bundled_installed() and (name == "bundled" or (name == "onnx" and not onnx.missing_package()))
    )
