"""Diagnosis of missed right passages by the chunks that contain them."""

from collections.abc import Iterable, Mapping, Sequence

from core.base.text import query_keywords
from core.features.evaluation.metrics import FOUND_SHARE
from core.indexing.anchors import Span
from core.model import Chunk, Diagnosis, GoldSpan, MissedAt, NoteSummary
from core.retrieval.reasons import Reasons
from core.store import Store


def diagnose(store: Store, reasons: Reasons, golds: Sequence[tuple[int, GoldSpan]]) -> list[Diagnosis]:
    """Diagnose missed right passages, each with its number in the question; found ones are left out.

    A hit or chunk must contain `FOUND_SHARE` of a passage's characters. Of several such chunks, the diagnosis is of the
    one that went furthest.
    """
    cards = store.notes.cards_of({gold.note_id for _, gold in golds})
    chunks = {note_id: store.chunks.by_rowid(store.chunks.rowids_of(note_id)) for note_id in cards}
    missed = []
    for number, gold in golds:
        if gold.flagged or gold.note_id not in cards:
            missed.append(Diagnosis(number, "gone"))
            continue
        hits = [(hit.passage.start, hit.passage.end) for hit in reasons.hits if hit.note.id == gold.note_id]
        if _share(gold, hits) < FOUND_SHARE:
            missed.append(_missed(reasons, cards[gold.note_id], chunks[gold.note_id], number, gold))
    return missed


def _missed(reasons: Reasons, note: NoteSummary, chunks: Mapping[int, Chunk], number: int, gold: GoldSpan) -> Diagnosis:
    """Diagnose a missed passage by the chunks of its note."""
    holding = {rowid: chunk for rowid, chunk in chunks.items() if _holds(chunk, gold)}
    shares = {chunk.id: _share(gold, [(chunk.start, chunk.end)]) for chunk in holding.values()}
    most = min(holding.values(), key=lambda chunk: (-shares[chunk.id], chunk.index), default=None)
    if most is None or _share(gold, ((chunk.start, chunk.end) for chunk in holding.values())) < FOUND_SHARE:
        held = (shares[most.id], most.id) if most else ()
        return Diagnosis(number, "not_indexed", *held)
    # Any chunk with enough of the passage would be an answer; without one, take those with the most of it.
    enough = min(FOUND_SHARE, shares[most.id])
    outcome = reasons.outcome_for(
        note, {rowid: chunk for rowid, chunk in holding.items() if shares[chunk.id] >= enough}
    )
    stage: MissedAt = "cut_apart" if enough < FOUND_SHARE or outcome.stage is None else outcome.stage
    chunk = outcome.chunk or most
    return Diagnosis(number, stage, shares[chunk.id], chunk.id, outcome.scores)


def _holds(chunk: Chunk, gold: GoldSpan) -> bool:
    """Whether a chunk contains a part of a passage; a person's text may differ from the note's."""
    start, end = max(chunk.start, gold.start), min(chunk.end, gold.end)
    if start >= end:
        return False
    piece = gold.quote[start - gold.start : end - gold.start]
    if not chunk.edited or piece in chunk.text:
        return True
    words = _words(piece)
    return len(words & _words(chunk.text)) >= FOUND_SHARE * len(words)


def _words(text: str) -> set[str]:
    return set(query_keywords(text, limit=len(text)))


def _share(gold: GoldSpan, spans: Iterable[Span]) -> float:
    """Return the share of a passage's characters in the union of some spans."""
    held, reached = 0, gold.start
    for start, end in sorted(spans):
        end = min(end, gold.end)
        held += max(0, end - max(start, reached))
        reached = max(reached, end)
    return held / (gold.end - gold.start)
