"""A question and its candidates -> how well each answers: the protocol every reranker has, and their table."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from core import registry
from core.model import Bits
from core.registry import Entry


@dataclass(frozen=True, slots=True)
class Candidate:
    """A chunk to be judged: the text of its best window, and the bits of all its tokens where they are kept."""

    text: str
    bits: Bits | None = None


class Reranker(Protocol):
    """Judges candidates against a question; made light, its model is loaded at the first `score` or `warm`."""

    @property
    def fingerprint(self) -> str:
        """Model and version: equal where scores may be compared and cached."""
        ...

    @property
    def reads_bits(self) -> bool:
        """Whether a candidate's bits are enough, so that its text may be left out."""
        ...

    def score(self, query: str, candidates: Sequence[Candidate]) -> list[float | None]:
        """Return a score from 0 to 1 for each, in the same order; None where the time ran out for it.

        Raises ModelError or ProviderError where it fails.
        """
        ...

    def warm(self) -> None:
        """Load what `score` needs, so that the first question doesn't wait for it."""
        ...


RERANKERS = {
    "late-interaction": Entry(
        "core.reranking.late_interaction:LateInteraction",
        "the best token of a chunk for each token of the question, from bits kept at import: a few milliseconds",
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
"""The name that means: leave the order as it is."""

_built: dict[str, Reranker] = {}


def check(name: str) -> None:
    """Raise UnknownChoice, or MissingDependency, for a name that stands for no reranker here."""
    registry.load(RERANKERS, "reranker", name.partition(":")[0])


def build(name: str) -> Reranker:
    """Return the reranker that `name` or `name:argument` stands for; one object a name, for a model is large.

    Late interaction is made of a base's own embedder and centre instead: `late_interaction.LateInteraction`.

    Raises UnknownChoice, ConfigError for a missing argument, ModelError for a folder that isn't a model.
    """
    return registry.build(RERANKERS, "reranker", name, _built)


def make(name: str) -> Reranker:
    """Return a reranker of its own, which goes when nobody holds it; raises as `build` does."""
    made: Reranker = registry.make(RERANKERS, "reranker", name)
    return made


def built(name: str) -> Reranker | None:
    """Return what `build` made for this name, None where nobody asked for it yet."""
    return _built.get(name)
