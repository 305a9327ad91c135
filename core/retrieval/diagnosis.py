"""Why right passages are in no hit of a search, each by the chunks that hold it."""

from collections.abc import Iterable, Mapping, Sequence

from core.anchors import Span
from core.model import Chunk, Diagnosis, GoldSpan, MissedAt, NoteCard
from core.retrieval.reasons import Reasons
from core.store import Store
from core.text import query_keywords

TOLD: dict[MissedAt, str] = {
    "gone": "It stands in no note any more: its note is gone, or was changed in this place.",
    "not_indexed": "Most of it is in no chunk: what stood there was deleted, or something else was written over it.",
    "cut_apart": "It was cut apart, so that no chunk holds half of it.",
    "filters": "The filters don't let its chunk through.",
    "phrase": "Its chunk doesn't hold the phrase as it stands.",
    "excluded": "Its chunk holds a word that is excluded.",
    "pending": "Its chunk waits to be embedded, and holds no word of the question.",
    "pool": "Others are nearer in meaning and in words: its chunk became no candidate.",
    "threshold": "Its chunk is less near in meaning than the least that is asked for.",
    "fusion": "One way of searching had its chunk among the first; with both counted, others are better.",
    "reranking": "Its chunk was among the first until the reranker put others before it.",
    "limit": "Its chunk is a candidate, but more hits than are shown are better.",
    "duplicate": "Its chunk says the same as a hit, which stands for it.",
}
"""What is said of each stage."""


def of(store: Store, reasons: Reasons, golds: Sequence[tuple[int, GoldSpan]], found_share: float) -> list[Diagnosis]:
    """Return why right passages, each with its number in the question, were missed; found ones are left out.

    A passage is found, and a chunk holds it, from `found_share` of its characters on. Where several chunks do,
    the one that went furthest is told of.
    """
    cards = store.notes.cards_of({gold.note_id for _, gold in golds})
    chunks = {note_id: store.chunks.by_rowid(store.chunks.rowids_of(note_id)) for note_id in cards}
    missed = []
    for number, gold in golds:
        if gold.flagged or gold.note_id not in cards:
            missed.append(Diagnosis(number, "gone", TOLD["gone"]))
            continue
        shown = [(hit.passage.start, hit.passage.end) for hit in reasons.hits if hit.note.id == gold.note_id]
        if _share(gold, shown) < found_share:
            missed.append(_missed(reasons, cards[gold.note_id], chunks[gold.note_id], number, gold, found_share))
    return missed


def _missed(
    reasons: Reasons, note: NoteCard, chunks: Mapping[int, Chunk], number: int, gold: GoldSpan, found_share: float
) -> Diagnosis:
    """Why a passage is in no hit whose note is there, by the note's chunks."""
    holding = {rowid: chunk for rowid, chunk in chunks.items() if _holds(chunk, gold, found_share)}
    shares = {chunk.id: _share(gold, [(chunk.start, chunk.end)]) for chunk in holding.values()}
    most = min(holding.values(), key=lambda chunk: (-shares[chunk.id], chunk.index), default=None)
    if most is None or _share(gold, ((chunk.start, chunk.end) for chunk in holding.values())) < found_share:
        held = (shares[most.id], most.id) if most else ()
        return Diagnosis(number, "not_indexed", TOLD["not_indexed"], *held)
    # Any chunk with enough of it would have been the answer; where there is none, those with most are told of.
    enough = min(found_share, shares[most.id])
    outcome = reasons.of(note, {rowid: chunk for rowid, chunk in holding.items() if shares[chunk.id] >= enough})
    stage: MissedAt = "cut_apart" if enough < found_share or outcome.stage is None else outcome.stage
    chunk = outcome.chunk or most
    return Diagnosis(number, stage, TOLD[stage], shares[chunk.id], chunk.id, outcome.scores)


def _holds(chunk: Chunk, gold: GoldSpan, found_share: float) -> bool:
    """Whether a chunk has anything of a passage: what a person wrote may be another text, or nearly the same."""
    start, end = max(chunk.start, gold.start), min(chunk.end, gold.end)
    if start >= end:
        return False
    piece = gold.quote[start - gold.start : end - gold.start]
    if not chunk.edited or piece in chunk.text:
        return True
    words = _words(piece)
    return len(words & _words(chunk.text)) >= found_share * len(words)


def _words(text: str) -> set[str]:
    return set(query_keywords(text, limit=len(text)))


def _share(gold: GoldSpan, spans: Iterable[Span]) -> float:
    """The share of a passage's characters that spans of its note hold together."""
    held, reached = 0, gold.start
    for start, end in sorted(spans):
        end = min(end, gold.end)
        held += max(0, end - max(start, reached))
        reached = max(reached, end)
    return held / (gold.end - gold.start)
