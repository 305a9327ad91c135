"""The start of a search: unknown words get their nearest spelling, questions their vectors, bases their rerankers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Self

from core.base.errors import ConfigError, EmbeddingMismatch, ModelError, ProviderError
from core.base.messages import Message
from core.base.registry import lazy
from core.base.text import query_keywords
from core.embedding import Embedder
from core.embedding.windows import fit
from core.indexing.models import Models
from core.model import KnowledgeBase, Matrix, Notice, Query, ResultMode, SubQuery
from core.query.spelling import Spelling, correct
from core.reranking import NONE, Reranker
from core.store import Store


@dataclass(frozen=True)
class BaseReranker:
    """The reranker of a base, with the embedder of its windows and tokens."""

    reranker: Reranker
    embedder: Embedder


@dataclass(frozen=True)
class SearchRequest:
    """A part of a question, ready to be searched.

    `vectors` are those of its text by the fingerprint of the bases' models, `rerankers` by the id of the base.
    """

    query: Query
    sub_query: SubQuery
    bases: Sequence[KnowledgeBase]
    mode: ResultMode
    spelling: Spelling
    vectors: Mapping[str, Matrix] = field(default_factory=dict)
    rerankers: Mapping[str, BaseReranker] = field(default_factory=dict)
    rerank_problem: Message | None = None
    notices: tuple[Notice, ...] = ()

    @property
    def vector_bases(self) -> list[KnowledgeBase]:
        """The bases that answer by meaning."""
        return [base for base in self.bases if base.has_vectors]

    @lazy
    def words(self) -> list[str]:
        """The words that keyword search looks for."""
        return query_keywords(self.spelling.text)

    @property
    def has_meaning(self) -> bool:
        """Whether the text is compared by its meaning."""
        return self.mode != "keyword" and bool(self.query.text.strip())

    def with_notice(self, notice: Notice) -> Self:
        return replace(self, notices=tuple(dict.fromkeys((*self.notices, notice))))

    def by_words(self, notice: Notice) -> Self:
        """Return the request by words only, with the reason."""
        return replace(self, mode="keyword").with_notice(notice)

    def with_vector(self, fingerprint: str, vector: Matrix, *, whole: bool) -> Self:
        """Return the request with its vector of a model, which may have read the beginning of the text only."""
        embedded = replace(self, vectors={**self.vectors, fingerprint: vector})
        return embedded if whole else embedded.with_notice("query_cut")


def start_search(
    store: Store, models: Models, query: Query, bases: Sequence[KnowledgeBase], parts: Sequence[SubQuery], *, wait: bool
) -> list[SearchRequest]:
    """Return a request for each part of a question, without rerankers; nothing is searched yet.

    Without `wait` a model that still loads is skipped, with a notice. Raises ModelError, and EmbeddingMismatch for a
    base of another model unless the mode is `auto`.
    """
    mode: ResultMode = "hybrid" if query.settings.mode == "auto" else query.settings.mode
    words = store.words
    requests = []
    for part in parts:
        text = part.text
        spelling = Spelling(text) if query.as_typed else correct(text, words.indexed_words, words.counts)
        requests.append(SearchRequest(replace(query, text=text), part, bases, mode, spelling))
    with words.read_ahead([word for request in requests if request.mode != "semantic" for word in request.words]):
        embedded = iter(_embed(models, [request for request in requests if request.has_meaning], wait=wait))
    return [next(embedded) if request.has_meaning else request for request in requests]


def _embed(models: Models, requests: Sequence[SearchRequest], *, wait: bool) -> Sequence[SearchRequest]:
    """Return the requests with their vectors; each model of the bases embeds all questions at once."""
    for base in requests[0].vector_bases if requests else ():
        if base.fingerprint in requests[0].vectors:
            continue
        if not (wait or models.ready(base)):
            return [request.by_words("model_loading") for request in requests]
        try:
            embedder = models.embedder(base)
        except EmbeddingMismatch:
            if requests[0].query.settings.mode != "auto":
                raise
            return [request.by_words("other_model") for request in requests]
        fitted = [fit(request.query.text, embedder) for request in requests]
        vectors = embedder.embed([text for text, _ in fitted], role="query")
        requests = [
            request.with_vector(base.fingerprint, vector, whole=whole)
            for request, vector, (_, whole) in zip(requests, vectors, fitted, strict=True)
        ]
    return requests


def load_rerankers(models: Models, request: SearchRequest, *, wait: bool, cached: bool) -> SearchRequest:
    """Return a request with the reranker of each base; if one of them fails or still loads, none is used.

    Without `cached` rerankers judge every question again.
    """
    name = request.query.settings.reranker
    if name == NONE or "model_loading" in request.notices:
        return request
    rerankers: dict[str, BaseReranker] = {}
    try:
        for base in request.vector_bases:
            if not (wait or (models.reranker_ready(base, name) and models.ready(base))):
                return request.with_notice("model_loading")
            rerankers[base.id] = BaseReranker(models.reranker(base, name, cached=cached), models.embedder(base))
    except (ConfigError, ModelError, ProviderError, EmbeddingMismatch) as error:
        return replace(request, rerank_problem=error.message)
    return replace(request, rerankers=rerankers)
