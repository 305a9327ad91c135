"""A question and its candidates -> scores: the protocol of a reranker, and the table of the rerankers."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from core import registry
from core.messages import message
from core.model import Bits
from core.registry import Entry


@dataclass(frozen=True, slots=True)
class Candidate:
    """A chunk to score: the text of its best window, and the bits of all its tokens if they are stored."""

    text: str
    bits: Bits | None = None


class Reranker(Protocol):
    """Scores candidates against a question.

    Building one is cheap: the first `score` or `warm` loads the model.
    """

    @property
    def fingerprint(self) -> str:
        """Model and version: equal for rerankers with the same scores, which may share a cache."""
        ...

    @property
    def reads_bits(self) -> bool:
        """Whether the reranker scores a candidate by its bits, so that its text may be empty."""
        ...

    def score(self, query: str, candidates: Sequence[Candidate]) -> list[float | None]:
        """Return a score from 0 to 1 per candidate, in the same order; None for candidates beyond the time limit.

        Raises ModelError or ProviderError.
        """
        ...

    def warm(self) -> None:
        """Load what `score` needs, so that the first question is not delayed by it."""
        ...


RERANKERS = {
    "late-interaction": Entry(
        "core.reranking.late_interaction:LateInteraction",
        "the best token of a chunk for each token of the question, from bits kept at import: a few milliseconds",
        reads_tokens=True,
    ),
    "cross-encoder": Entry(
        "core.reranking.cross_encoder:CrossEncoder",
        "a sentence-transformers cross-encoder: cross-encoder:NAME or cross-encoder:/path/to/folder",
    ),
    "rerank-api": Entry(
        "core.reranking.rerank_api:RerankApi",
        "a server with a /rerank endpoint as of Cohere, Jina or TEI: rerank-api:MODEL",
    ),
    "llm": Entry(
        "core.reranking.llm:Llm",
        "a language model behind an OpenAI-compatible chat server, the last resort: llm:MODEL",
    ),
}

NONE = "none"
"""The name for a search without a reranker."""

_built: dict[str, Reranker] = {}


def check(name: str) -> None:
    """Raise UnknownChoice or MissingDependency for a name without a usable reranker."""
    registry.load(RERANKERS, message("reranker"), name.partition(":")[0])


def build(name: str) -> Reranker:
    """Return the shared reranker for `name` or `name:argument`. Models are large, so each name has one object.

    A reranker that reads tokens needs the embedder of a base: use `make`.

    Raises UnknownChoice, ConfigError for a missing argument, ModelError for a folder without a model.
    """
    return registry.build(RERANKERS, message("reranker"), name, _built)


def make(name: str, *parts: object) -> Reranker:
    """Return an unshared reranker; the caller owns it. Raises the errors of `build`.

    `parts`: for a reranker that reads tokens, the embedder with token vectors and their centre.
    """
    reranker: Reranker = registry.make(RERANKERS, message("reranker"), name, *parts)
    return reranker


def reads_tokens(name: str) -> bool:
    """Whether a reranker works on the token vectors of an embedder; raises the errors of `check`."""
    check(name)
    return RERANKERS[name.partition(":")[0]].reads_tokens


def built(name: str) -> Reranker | None:
    """Return the reranker that `build` made for this name, or None if it was never built."""
    return _built.get(name)
