"""A question and its candidates -> scores: the protocol of a reranker, and the table of the rerankers."""

from collections.abc import Sequence
from time import monotonic
from typing import Protocol

from core.base.cache import Cache
from core.base.errors import ProviderUnavailable
from core.base.frozen import frozen
from core.base.messages import message
from core.base.registry import Entry, Registry
from core.model import Bits


@frozen
class Candidate:
    """A chunk to score: the text of its best window, and the bits of all its tokens if they are stored."""

    text: str
    bits: Bits | None = None


Judged = list[float | None]
"""The score of each candidate, from 0 to 1; None for one that there was no time for."""


class Reranker(Protocol):
    """Scores candidates against a question. Building one is cheap: the first `score` or `warm` loads the model."""

    @property
    def fingerprint(self) -> str:
        """Model and version: equal for rerankers with the same scores, which may share a cache."""

    @property
    def reads_bits(self) -> bool:
        """Whether the reranker scores a candidate by its bits, so that its text may be empty."""

    def score(self, query: str, candidates: Sequence[Candidate]) -> Judged:
        """Return a score from 0 to 1 per candidate, in the same order; None for candidates beyond the time limit.

        Raises ModelError or ProviderError.
        """

    def warm(self) -> None:
        """Load what `score` needs, so that the first question is not delayed by it."""


RERANKERS: Registry[Reranker] = Registry(
    message("model for reranking"),
    {
        "late-interaction": Entry("core.reranking.late_interaction:LateInteraction", reads_tokens=True),
        "cross-encoder": Entry("core.reranking.cross_encoder:CrossEncoder"),
        "rerank-api": Entry("core.reranking.servers:RerankApi"),
        "llm": Entry("core.reranking.servers:Llm"),
    },
    group="tessera.rerankers",
    protocol=Reranker,
)
build, built, make = RERANKERS.build, RERANKERS.get_built, RERANKERS.make

NONE = "none"
"""The name for a search without a reranker."""


def check(name: str) -> None:
    """Raise UnknownChoice for a name without a reranker."""
    RERANKERS.constructor(name.partition(":")[0])


def reads_tokens(name: str) -> bool:
    """Whether a reranker works on the token vectors of an embedder; raises the errors of `check`."""
    check(name)
    return RERANKERS[name.partition(":")[0]].reads_tokens


def is_built_in(name: str) -> bool:
    """Whether a reranker is part of this installation, so that it asks for no network, no server and no file."""
    from core.embedding import sentence

    return name in (NONE, "late-interaction") or (name == "cross-encoder" and sentence.is_bundled_installed())


_REST_SECONDS = 60.0
"""How long a server isn't asked that gave no answer."""
_CACHE_SIZE = 10_000
"""Scores in the cache."""


class Cached:
    """A reranker that reads texts, with its scores cached by question and text.

    Where its server gave no answer, its error is raised again for a minute.
    """

    reads_bits = False

    def __init__(self, reranker: Reranker) -> None:
        self._reranker = reranker
        self._scores: Cache[tuple[str, str], float] = Cache(_CACHE_SIZE)
        self._failure: tuple[float, ProviderUnavailable] | None = None

    @property
    def fingerprint(self) -> str:
        return self._reranker.fingerprint

    def score(self, query: str, candidates: Sequence[Candidate]) -> Judged:
        known = {candidate.text: self._scores.get((query, candidate.text)) for candidate in candidates}
        missing = {candidate.text: candidate for candidate in candidates if known[candidate.text] is None}
        if missing:
            for text, score in zip(missing, self._request_scores(query, [*missing.values()]), strict=True):
                known[text] = score
                if score is not None:
                    self._scores.put((query, text), score)
        return [known[candidate.text] for candidate in candidates]

    def _request_scores(self, query: str, candidates: list[Candidate]) -> Judged:
        if self._failure and monotonic() < self._failure[0]:
            raise ProviderUnavailable(self._failure[1].message)
        try:
            scores = self._reranker.score(query, candidates)
        except ProviderUnavailable as error:
            if error.status is None:
                self._failure = monotonic() + _REST_SECONDS, error
            raise
        self._failure = None
        return scores

    def warm(self) -> None:
        self._reranker.warm()
