"""Candidates for a reranker: for each chunk its token bits or the text of one window."""

from collections.abc import Mapping

from core.embedding import Embedder
from core.embedding.windows import windows_of
from core.model import Chunk, KnowledgeBase, Matrix, NoteCard
from core.reranking import Candidate
from core.store import Store


def candidates(
    store: Store,
    base: KnowledgeBase,
    embedder: Embedder,
    vector: Matrix | None,
    chunks: Mapping[int, Chunk],
    cards: Mapping[str, NoteCard],
    *,
    with_bits: bool,
    characters: int,
) -> dict[int, Candidate]:
    """Return chunks of a base as candidates, in the order of `chunks`; `cards` are those of their notes.

    A chunk without bits has the text of the window nearest to the question's `vector`, or of the first window
    without a vector, cut to `characters`.
    """
    bits = store.vectors.bits(chunks, base.fingerprint) if with_bits else {}
    read = [rowid for rowid in chunks if rowid not in bits]
    nearest = {} if vector is None else store.chunks.nearest_windows(base, vector, read)
    result = {rowid: Candidate("", rows) for rowid, rows in bits.items()}
    for rowid in read:
        windows = windows_of([chunks[rowid]], cards[chunks[rowid].note_id].title, embedder)
        result[rowid] = Candidate(windows[min(nearest.get(rowid, 0), len(windows) - 1)].text[:characters])
    return {rowid: result[rowid] for rowid in chunks}
