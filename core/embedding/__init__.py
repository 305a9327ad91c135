"""Texts -> vectors: the protocol every embedder has, and the table of those there are."""

from collections.abc import Sequence
from threading import Lock
from typing import Protocol

from core.model import Matrix, Role, Spans
from core.registry import Entry, load


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

        Raises ModelError where the model can't be loaded or fails.
        """
        ...

    def warm(self) -> None:
        """Load what `embed` needs, so that the first question doesn't wait for it."""
        ...


EMBEDDERS = {
    "bundled": Entry(
        "core.embedding.bundled:Bundled",
        "multilingual-e5-small from an installed package: Chinese, English and about 100 more, no download",
    ),
    "sentence": Entry(
        "core.embedding.sentence:Sentence",
        "any sentence-transformers model: sentence:NAME or sentence:/path/to/folder",
    ),
}


_built: dict[str, Embedder] = {}
_building = Lock()


def build(name: str) -> Embedder:
    """Return the embedder a base names, `name` or `name:argument`; one object a name, for a model is large.

    Raises UnknownChoice, ConfigError for a missing argument, ModelError for a folder that isn't a model.
    """
    with _building:
        if name not in _built:
            kind, _, argument = name.partition(":")
            constructor = load(EMBEDDERS, "embedder", kind)
            _built[name] = constructor(argument) if argument else constructor()
        return _built[name]
