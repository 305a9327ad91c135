"""The page of a hit whose text runs over several pages of its document: that of the sentence that answers."""

from dataclasses import replace

from core.indexing.models import Models
from core.model import Hit, SearchResult
from core.retrieval.highlights import highlights, tokenize_hits
from core.store import Store


def with_pages(result: SearchResult, store: Store, models: Models) -> SearchResult:
    """Return a result whose hits have the page of their sentence; one on a single page has it already."""
    spread = [hit for hit in result.hits if _runs_on(hit)]
    if not spread:
        return result
    part = replace(result, hits=tuple(spread))
    seen = highlights(part, store, tokenize_hits(part, store, models))
    pages = {
        hit.chunk.id: hit.chunk.page_at(hit.note.document, hit.chunk.start + sentence[0])
        for hit in spread
        if (sentence := seen[hit.chunk.id].sentence)
    }
    hits = tuple(replace(hit, page=pages.get(hit.chunk.id, hit.page)) for hit in result.hits)
    return replace(result, hits=hits)


def _runs_on(hit: Hit) -> bool:
    """Whether the text of a hit's chunk, as the document has it, ends on another page than it begins on."""
    document, chunk = hit.note.document, hit.chunk
    return chunk.page_at(document, chunk.start) != chunk.page_at(document, chunk.end - 1)
