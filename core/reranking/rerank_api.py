"""A reranker behind a server with a `/rerank` endpoint: Cohere, Jina, vLLM, llama.cpp, TEI."""

import math
from collections.abc import Sequence
from typing import Any

from core.config import RerankSettings
from core.config import settings as configured
from core.errors import ProviderError
from core.providers import Server
from core.reranking import Candidate

STYLES = ("cohere", "tei", "jina")
"""Forms of a request, in the order in which `auto` tries them."""

ANSWER_BYTES = 1 << 20
"""What an answer has beside the texts, which some servers send back."""

LARGEST = 1e9
"""No logit is larger."""

ROUNDING = 1e-3
"""How far a score may be outside of 0 to 1 and yet be no logit."""


class RerankApi:
    """The model `model` on the server of `[rerank]`, else the model that is named there.

    With the style `auto` the first request finds out which form the server takes: one that is refused as
    malformed (HTTP 400 or 422) is asked in the next form, and the form that is answered is kept. Scores
    outside of 0 to 1 are taken for logits, and so are all further ones of that server. Raises
    ConfigError where no server or no model is named.
    """

    reads_bits = False

    def __init__(self, model: str = "", *, settings: RerankSettings | None = None) -> None:
        self._settings = configured().rerank if settings is None else settings
        self._server = Server("rerank", self._settings, model)
        self._styles: tuple[str, ...] = STYLES if self._settings.style == "auto" else (self._settings.style,)
        self._logits = False

    @property
    def fingerprint(self) -> str:
        return f"rerank-api:{self._server.model}"

    def score(self, query: str, candidates: Sequence[Candidate]) -> list[float | None]:
        """Return a score from 0 to 1 for each; raises ProviderError where the server fails."""
        scores: list[float] = []
        size = self._settings.batch_size
        for start in range(0, len(candidates), size):
            texts = [candidate.text or " " for candidate in candidates[start : start + size]]
            scores += self._scores(self._ask(query, texts), len(texts))
        if any(not -ROUNDING <= score <= 1 + ROUNDING for score in scores):
            self._logits = True
        # tanh, for exp overflows.
        return [0.5 + 0.5 * math.tanh(score / 2) if self._logits else min(1.0, max(0.0, score)) for score in scores]

    def warm(self) -> None:
        """Nothing is loaded here, and a request may cost money."""

    def _ask(self, query: str, texts: list[str]) -> Any:
        limit = ANSWER_BYTES + 8 * sum(map(len, texts))
        refusals: list[ProviderError] = []
        for style in self._styles:
            try:
                answer = self._server.post("rerank", self._body(style, query, texts), limit=limit)
            except ProviderError as error:
                if error.status not in (400, 422):
                    raise
                refusals.append(error)
            else:
                self._styles = (style,)
                return answer
        raise refusals[0]

    def _body(self, style: str, query: str, texts: list[str]) -> dict[str, Any]:
        if style == "tei":
            return {"query": query, "texts": texts, "raw_scores": False, "truncate": True}
        body = {"model": self._server.model, "query": query, "top_n": len(texts)}
        if style == "jina":
            return body | {"documents": [{"text": text} for text in texts], "return_documents": False}
        return body | {"documents": texts}

    def _scores(self, answer: Any, count: int) -> list[float]:
        """The scores of an answer in the order of the texts, whichever style it is in."""
        rows = answer.get("results") if isinstance(answer, dict) else answer
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            raise self._server.unusable("answered without a list of scores")
        found: dict[int, float] = {}
        for row in rows:
            index, score = row.get("index"), row.get("relevance_score", row.get("score"))
            if type(index) is not int or not 0 <= index < count or index in found:
                raise self._server.unusable("numbered its scores wrongly")
            if type(score) not in (int, float) or not abs(score) < LARGEST:
                raise self._server.unusable("gave a score that isn't a number")
            found[index] = score
        if len(found) < count:
            raise self._server.unusable(f"gave {len(found)} scores for {count} texts")
        return [found[index] for index in range(count)]
