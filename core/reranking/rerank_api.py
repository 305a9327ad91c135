"""Reranking by a server with a `/rerank` endpoint: Cohere, Jina, vLLM, llama.cpp, TEI."""

import math
from collections.abc import Sequence
from typing import Any

from core.base.errors import ProviderError
from core.base.messages import message
from core.providers import ProviderServer
from core.reranking import REACH_SECONDS, Candidate
from core.settings.config import settings as configured
from core.settings.sections import RerankSettings

STYLES = ("cohere", "tei", "jina")
"""Formats of a request, in the order in which `auto` tries them."""

ANSWER_BYTES = 1 << 20
"""Largest size of an answer without the texts, which some servers send back."""

LARGEST = 1e9
"""Bound of a plausible logit; a larger score is an error."""

ROUNDING = 1e-3
"""Rounding error by which a score may be outside of 0 to 1 without being a logit."""


class RerankApi:
    """The model `model` on the server of the section `[rerank]`; without a name, the model of that section.

    With the style `auto` the first request tries the formats in turn: if the server refuses one as malformed (HTTP 400
    or 422), the next one follows, and later requests use the first format that works. Scores outside of 0 to 1 are
    logits; after the first of them, all scores of that server count as logits. Raises ConfigError if the settings name
    no server or no model.
    """

    reads_bits = False

    def __init__(self, model: str = "", *, settings: RerankSettings | None = None) -> None:
        self._settings = configured().rerank if settings is None else settings
        self._server = ProviderServer("rerank", self._settings, model, reach_seconds=REACH_SECONDS)
        self._styles: tuple[str, ...] = STYLES if self._settings.style == "auto" else (self._settings.style,)
        self._logits = False

    @property
    def fingerprint(self) -> str:
        return f"rerank-api:{self._server.model}"

    def score(self, query: str, candidates: Sequence[Candidate]) -> list[float | None]:
        """Return a score from 0 to 1 per candidate; raises ProviderError if the server fails."""
        scores: list[float] = []
        size = self._settings.batch_size
        for start in range(0, len(candidates), size):
            texts = [candidate.text or " " for candidate in candidates[start : start + size]]
            scores += self._scores(self._answer(query, texts), len(texts))
        if any(not -ROUNDING <= score <= 1 + ROUNDING for score in scores):
            self._logits = True
        # A sigmoid by tanh, because exp would overflow.
        return [0.5 + 0.5 * math.tanh(score / 2) if self._logits else min(1.0, max(0.0, score)) for score in scores]

    def warm(self) -> None:
        """Do nothing: there is no model to load, and a request may cost money."""

    def _answer(self, query: str, texts: list[str]) -> Any:
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
        """Return the scores of an answer of any style, in the order of the texts."""
        rows = answer.get("results") if isinstance(answer, dict) else answer
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            raise self._server.unusable(message("answered without a list of scores"))
        scores: dict[int, float] = {}
        for row in rows:
            index, score = row.get("index"), row.get("relevance_score", row.get("score"))
            if type(index) is not int or not 0 <= index < count or index in scores:
                raise self._server.unusable(message("numbered its scores wrongly"))
            if type(score) not in (int, float) or not abs(score) < LARGEST:
                raise self._server.unusable(message("gave a score that isn't a number"))
            scores[index] = score
        if len(scores) < count:
            raise self._server.unusable(message("gave {n} scores for {texts} texts", n=len(scores), texts=count))
        return [scores[index] for index in range(count)]
