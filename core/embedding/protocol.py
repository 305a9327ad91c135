"""The interface implemented by every embedder."""

from collections.abc import Sequence
from typing import Protocol

from core.model import Matrix, Role, Spans


class Embedder(Protocol):
    """Computes vectors for texts.

    Creating an embedder is cheap. The first call of `embed` or `warm` loads the model.
    """

    @property
    def fingerprint(self) -> str:
        """A string that identifies the model, revision, dimension and prompts.

        Vectors with equal fingerprints are comparable.
        """

    @property
    def dimension(self) -> int: ...

    @property
    def input_tokens(self) -> int:
        """Maximum number of text tokens covered by one vector, not counting the prompt and special tokens."""

    def tokens(self, text: str) -> Spans:
        """Return the character span of each token, shape (tokens, 2). This needs only the tokenizer, not the model."""

    def embed(self, texts: Sequence[str], *, role: Role) -> Matrix:
        """Return float32 vectors of unit length, shape (texts, dimension), in the order of the texts.

        Raises ModelError if the model can't be loaded or fails, and ProviderError if its server fails.
        """

    def warm(self) -> None:
        """Load what `embed` needs, so that the first question isn't delayed."""
