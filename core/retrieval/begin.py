"""The start of a search: unknown words get their nearest spelling, questions their vectors, bases their rerankers."""

from collections.abc import Sequence
from dataclasses import replace

from core.base.errors import ConfigError, EmbeddingMismatch, ModelError, ProviderError
from core.embedding.windows import fit
from core.indexing.models import Models
from core.model import KnowledgeBase, Notice, Query, ResultMode, SubQuery
from core.query import spelling
from core.reranking import NONE
from core.retrieval.state import SearchState
from core.store import Store


def start_search(
    store: Store,
    models: Models,
    query: Query,
    bases: Sequence[KnowledgeBase],
    parts: Sequence[SubQuery],
    *,
    wait: bool,
    cached: bool,
) -> list[SearchState]:
    """Return a search for each part of a question; nothing is searched yet.

    Without `wait` a model that still loads is skipped, with a notice. Without `cached` rerankers judge every question
    again. Raises ModelError, and EmbeddingMismatch for a base of another model unless the mode is `auto`.
    """
    mode: ResultMode = "hybrid" if query.settings.mode == "auto" else query.settings.mode
    words = store.words
    searches = []
    for part in parts:
        spelled = (part.text, {}) if query.as_typed else spelling.corrected(part.text, words.known, words.counts)
        searches.append(SearchState(replace(query, text=part.text), part, bases, mode, *spelled))
    with words.read_ahead([word for search in searches if search.mode != "semantic" for word in search.words]):
        _embed(models, searches, wait=wait)
    for search in searches:
        _load_rerankers(models, search, wait=wait, cached=cached)
    return searches


def _embed(models: Models, searches: Sequence[SearchState], *, wait: bool) -> None:
    """Embed all questions at once, for each model of the bases."""
    meant = [search for search in searches if search.mode != "keyword" and search.query.text.strip()]
    for base in searches[0].vector_bases if meant else ():
        if base.fingerprint in meant[0].vectors:
            continue
        if not (wait or models.ready(base)):
            _by_words(meant, "model_loading")
            return
        try:
            embedder = models.embedder(base)
        except EmbeddingMismatch:
            if searches[0].query.settings.mode != "auto":
                raise
            _by_words(meant, "other_model")
            return
        fitted = [fit(search.query.text, embedder) for search in meant]
        rows = embedder.embed([text for text, _ in fitted], role="query")
        for search, row, (_, whole) in zip(meant, rows, fitted, strict=True):
            search.vectors[base.fingerprint] = row
            if not whole:
                search.say("query_cut")


def _load_rerankers(models: Models, search: SearchState, *, wait: bool, cached: bool) -> None:
    """Load the reranker of each base; if one of them fails or still loads, none is used."""
    name = search.query.settings.reranker
    if name == NONE or "model_loading" in search.notices:
        return
    try:
        for base in search.vector_bases:
            if not (wait or (models.reranker_ready(base, name) and models.ready(base))):
                search.say("model_loading")
                search.rerankers.clear()
                return
            search.rerankers[base.id] = models.reranker(base, name, cached=cached), models.embedder(base)
    except (ConfigError, ModelError, ProviderError, EmbeddingMismatch) as error:
        search.rerankers.clear()
        search.rerank_problem = error.message


def _by_words(searches: Sequence[SearchState], notice: Notice) -> None:
    """Let searches go on by words only, and say why."""
    for search in searches:
        search.mode = "keyword"
        search.say(notice)
