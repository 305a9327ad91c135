"""The best hits -> candidates: what of each chunk a reranker is shown."""

from collections.abc import Iterable

from core.embedding import Embedder
from core.embedding.windows import windows_of
from core.model import KnowledgeBase, Matrix
from core.reranking import Candidate
from core.store import Store


def candidates(
    store: Store,
    base: KnowledgeBase,
    embedder: Embedder,
    vector: Matrix | None,
    rowids: Iterable[int],
    *,
    with_bits: bool,
    characters: int,
) -> dict[int, Candidate]:
    """Return the chunks of a base among `rowids` as candidates, in their order.

    The text is the window that is nearest to the question's `vector`, the first where there is none,
    and at most so many characters of it; it is left out where bits speak for the chunk.
    """
    chunks = store.chunks.by_rowid(rowids)
    cards = store.notes.cards_of({chunk.note_id for chunk in chunks.values()})
    own = [rowid for rowid in rowids if rowid in chunks and cards[chunks[rowid].note_id].base_id == base.id]
    bits = store.encoded.bits(own, base.fingerprint) if with_bits else {}
    read = [rowid for rowid in own if rowid not in bits]
    nearest = {} if vector is None else store.chunks.nearest_windows(base, vector, read)
    found = {}
    for rowid in own:
        text = ""
        if rowid not in bits:
            chunk = chunks[rowid]
            windows = windows_of([chunk], cards[chunk.note_id].title, embedder)
            text = windows[min(nearest.get(rowid, 0), len(windows) - 1)].text[:characters]
        found[rowid] = Candidate(text, bits.get(rowid))
    return found
