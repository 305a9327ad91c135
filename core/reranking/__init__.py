"""Rerankers, which reorder a question's candidates: their protocol, their registry, and late interaction."""

from collections.abc import Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Protocol

from core.base.cache import Cache
from core.base.errors import ProviderUnavailable
from core.base.frozen import Pair, frozen
from core.base.messages import message
from core.base.registry import Entry, Registry
from core.embedding.tokens import TokenEmbedder, interaction, signs
from core.model import Bits, Matrix


@frozen
class Candidate:
    """A chunk to score. `text` is the text of its best window, and `bits` are its token bits if they are stored."""

    text: str
    bits: Bits | None = None


# The candidates' scores from 0 to 1, in order. The score is None if a candidate wasn't reached in time.
Judged = list[float | None]


class Reranker(Protocol):
    """Scores candidates for a question.

    Creating a reranker is cheap, because the model is loaded on first use.
    """

    @property
    def reads_bits(self) -> bool:
        """Whether candidates are scored by their bits alone. If so, their text may be empty."""

    def score(self, query: str, candidates: Sequence[Candidate]) -> Judged:
        """Score candidates from 0 to 1, in order. The score is None for candidates not reached within the time limit.

        Raises ModelError or ProviderError.
        """

    def warm(self) -> None:
        """Load the model now, so that the first `score` isn't delayed."""


RERANKERS: Registry[Reranker] = Registry(
    message("model for reranking"),
    {
        "late-interaction": Entry("core.reranking:LateInteraction", reads_tokens=True),
        "cross-encoder": Entry("core.reranking.cross_encoder:CrossEncoder"),
        "rerank-api": Entry("core.reranking.servers:RerankApi"),
        "llm": Entry("core.reranking.servers:Llm"),
    },
    group="tessera.rerankers",
    protocol=Reranker,
)
build = RERANKERS.build
built = RERANKERS.get_built
make = RERANKERS.make

# The reranker name that turns reranking off.
NONE = "none"


def check(name: str) -> None:
    """Raise UnknownChoice if the reranker is unknown."""
    RERANKERS.constructor(name.partition(":")[0])


def reads_tokens(name: str) -> bool:
    """Return whether a reranker uses an embedder's token vectors. Raises the same errors as `check`."""
    check(name)
    return RERANKERS[name.partition(":")[0]].reads_tokens


def is_built_in(name: str) -> bool:
    """Return whether a reranker comes with this installation and needs no network, server or extra file."""
    from core.embedding import sentence

    return name in (NONE, "late-interaction") or (name == "cross-encoder" and sentence.is_bundled_installed())


# Seconds to wait before calling an unresponsive server again.
_REST_SECONDS = 60.0
# Maximum number of scores in the cache.
_CACHE_SIZE = 10_000


class Cached:
    """A text reranker with a cache of scores by question and text.

    If the reranker's server doesn't respond, the same error is raised for a minute, without calling the server again.
    """

    reads_bits = False

    _failure: tuple[float, ProviderUnavailable] | None = None

    def __init__(self, reranker: Reranker) -> None:
        self._reranker = reranker
        self._scores: Cache[Pair, float] = Cache(_CACHE_SIZE)

    def score(self, query: str, candidates: Sequence[Candidate]) -> Judged:
        known = {candidate.text: self._scores.get((query, candidate.text)) for candidate in candidates}
        missing = {candidate.text: candidate for candidate in candidates if known[candidate.text] is None}
        if missing:
            if self._failure and monotonic() < self._failure[0]:
                raise ProviderUnavailable(self._failure[1].message)
            try:
                scores = self._reranker.score(query, [*missing.values()])
            except ProviderUnavailable as error:
                if error.status is None:
                    self._failure = monotonic() + _REST_SECONDS, error
                raise
            self._failure = None
            for text, score in zip(missing, scores, strict=True):
                known[text] = score
                if score is not None:
                    self._scores.put((query, text), score)
        return [known[candidate.text] for candidate in candidates]

    def warm(self) -> None:
        self._reranker.warm()


# Late interaction: find the best-matching chunk token for each question token, using bits stored at import.

# Time limit for computing missing bits, in seconds. It is enough for about 20 chunks on two CPU cores.
BUDGET_SECONDS = 1.0


@dataclass(eq=False)
class LateInteraction:
    """ColBERT's MaxSim over sign bits. The stored bits are relative to `_centre`, the mean token vector."""

    reads_bits = True
    _embedder: TokenEmbedder
    _centre: Matrix

    def score(self, query: str, candidates: Sequence[Candidate]) -> Judged:
        """Score candidates, computing missing bits in order until the time limit is reached."""
        _, (question,) = self._embedder.embed_tokens([query], role="query")
        passages = {}
        began = monotonic()
        for number, candidate in enumerate(candidates):
            if candidate.bits is not None:
                passages[number] = candidate.bits
            elif monotonic() - began <= BUDGET_SECONDS:
                _, (rows,) = self._embedder.embed_tokens([candidate.text], role="note")
                passages[number] = signs(rows, self._centre)
        scores: Judged = [None] * len(candidates)
        for number, cosine in zip(passages, interaction(question, self._centre, [*passages.values()]), strict=True):
            scores[number] = (1 + cosine) / 2
        return scores

    def warm(self) -> None:
        self._embedder.warm()
