"""The best hits -> candidates: what of each chunk a reranker is shown."""

from collections.abc import Mapping

from core.embedding import Embedder
from core.embedding.windows import windows_of
from core.model import Chunk, KnowledgeBase, Matrix
from core.reranking import Candidate
from core.store import Store


def candidates(
    store: Store,
    base: KnowledgeBase,
    embedder: Embedder,
    vector: Matrix | None,
    chunks: Mapping[int, Chunk],
    titles: Mapping[str, str],
    *,
    with_bits: bool,
    characters: int,
) -> dict[int, Candidate]:
    """Return chunks of a base as candidates; `titles` are those of their notes.

    The text is the window that is nearest to the question's `vector`, the first where there is none,
    and at most so many characters of it; it is left out where bits speak for the chunk.
    """
    bits = store.encoded.bits(chunks, base.fingerprint) if with_bits else {}
    read = [rowid for rowid in chunks if rowid not in bits]
    nearest = {} if vector is None else store.chunks.nearest_windows(base, vector, read)
    found = {rowid: Candidate("", rows) for rowid, rows in bits.items()}
    for rowid in read:
        chunk = chunks[rowid]
        windows = windows_of([chunk], titles[chunk.note_id], embedder)
        found[rowid] = Candidate(windows[min(nearest.get(rowid, 0), len(windows) - 1)].text[:characters])
    return {rowid: found[rowid] for rowid in chunks}
