"""Hits as cards: the place of a passage, the scores of its stages, and its words."""

import re
from collections.abc import Mapping, Sequence

from core.model import STAGES, Chunk, Hit, NoteCard, StageScore
from pages.ui.shared import marks, style
from pages.ui.shared.safe import Span, facts, folded, html, marked
from pages.ui.shared.text import t, t_plural, text_of

COLOURS = {
    "vector": style.TILES[0],
    "keyword": style.TILES[1],
    "fused": style.TILES[3],
    "boosted": style.TILES[5],
    "rerank": style.TILES[4],
    "final": style.TILES[2],
    "literal": style.TILES[2],
}
"""The colour of each stage of a search."""

LINES = 9
"""Lines of an excerpt at most."""

Range = tuple[float, float]

_BLANK = re.compile(r"\n\s*\n")
"""The blank lines of an excerpt, which are left out."""


def tags(names: Sequence[str]) -> str:
    """Return tags as HTML."""
    if not names:
        return ""
    return f'<div class="t-tags">{"".join(f"""<span class="t-tag">{html(name)}</span>""" for name in names)}</div>'


def ranges(hits: Sequence[Hit]) -> dict[str, Range]:
    """Return the lowest and the highest score of each stage among the hits."""
    scores = {stage: [hit.scores[stage].score for hit in hits if stage in hit.scores] for stage in COLOURS}
    return {stage: (min(these), max(these)) for stage, these in scores.items() if these}


def body(hit: Hit, words: Sequence[str], extremes: Mapping[str, Range], *, base: bool, tone: str = "") -> str:
    """Return a hit as HTML; `tone` is the colour of the part of the question that found it."""
    count = len(hit.joined)
    places = [
        hit.note.base if base else "",
        hit.note.path or "",
        t("chunk {index} of {total}", index=hit.chunk.index + 1, total=hit.chunk.total),
        t_plural("with {n} chunk that overlaps it", "with {n} chunks that overlap it", n=count) if count else "",
    ]
    place = " · ".join(filter(None, places))
    crumb = " › ".join(section(hit.note, hit.chunk))
    return (
        f'<div class="t-hit"><div class="t-head"><span class="t-rank">{hit.rank}</span>'
        f'<span class="t-name">{html(hit.note.title)}</span>{_edited(hit)}{_asked(hit, tone)}</div>'
        f'<div class="t-crumb">{html(crumb)}</div>'
        f"{_text(hit, words)}{stages(hit.scores, extremes)}"
        f'<div class="t-facts t-place"><span>{html(place)}</span>{tags(hit.note.tags)}</div>{_copies(hit)}</div>'
    )


def section(note: NoteCard, chunk: Chunk) -> tuple[str, ...]:
    """Return a chunk's chain of titles, without the first where that only says the note's again."""
    return chunk.section[chunk.section[:1] == (note.title,) :]


def dot(tone: str) -> str:
    """Return a small sign in a colour as HTML."""
    return f'<i class="t-part" style="background: {tone}"></i>'


def _edited(hit: Hit) -> str:
    return f'<span class="t-tag t-edited">{html(t("edited"))}</span>' if hit.chunk.edited else ""


def _asked(hit: Hit, tone: str) -> str:
    if not hit.asked or not tone:
        return ""
    return f'<span class="t-by" title="{html(t("The part of the question that found it"))}">{dot(tone)}{html(hit.asked)}</span>'


def _copies(hit: Hit) -> str:
    if not hit.copies:
        return ""
    names = []
    for note in (copy.note for copy in hit.copies):
        place = " · ".join(filter(None, [note.base if note.base_id != hit.note.base_id else "", note.path]))
        names.append(f"{note.title} ({place})" if place else note.title)
    return facts([t("Also in {names}", names=names)])


def stages(scores: Mapping[str, StageScore], extremes: Mapping[str, Range]) -> str:
    """Return the score of each stage as a bar in HTML, which runs from the lowest to the highest of the `extremes`."""
    bars = []
    for stage, tile in COLOURS.items():
        if stage not in scores:
            continue
        one = scores[stage]
        low, high = extremes.get(stage, (0.0, 1.0))
        share = min(1.0, max(0.0, (one.score - low) / (high - low) if high > low else float(one.score > 0)))
        rank = f"#{one.rank:,}" if one.rank else t("not among the first")
        bars.append(
            f'<span class="t-stage" title="{html(t("Score {score}, rank {rank}. The bar runs from the lowest to the highest of the hits shown.", score=f"{one.score:.4f}", rank=rank))}">'
            f"{html(text_of(STAGES[stage]))}"
            f'<span class="t-bar"><i style="width: {8 + 92 * share:.0f}%; background: {tile}"></i></span>'
            f'<b>{one.score:.2f}</b><span class="t-dim">{html(rank)}</span></span>'
        )
    return f'<div class="t-stages">{"".join(bars)}</div>' if bars else ""


def excerpt(text: str, words: Sequence[str], lines: int) -> str:
    """Return the lines of a text that hold most of the words as HTML, with the words marked."""
    return _clipped(text, marks.find(text, words), lines)[0]


def foldable(text: str, spans: Sequence[Span], title: str, lines: int = LINES) -> str:
    """Return the lines of a text that hold most of its spans as HTML; the whole text unfolds below its title."""
    shown, whole = _clipped(text, spans, lines)
    return shown if whole else shown + folded(title, f'<div class="t-text">{marked(text, spans)}</div>')


def _clipped(text: str, spans: Sequence[Span], most: int) -> tuple[str, bool]:
    start, end = marks.excerpt(text, spans)
    lines = _BLANK.sub("\n", marked(text[start:end].rstrip(), marks.within(spans, start, end))).split("\n")
    whole = (start, end) == (0, len(text)) and len(lines) <= most
    shown = "\n".join(lines[:most])
    return f'<div class="t-text">{"… " if start else ""}{shown}{"" if whole else " …"}</div>', whole


def _text(hit: Hit, words: Sequence[str]) -> str:
    passage, text = hit.passage, hit.chunk.text
    if (passage.start, passage.end) != (hit.chunk.start, hit.chunk.end):
        return _context(hit, words)
    return foldable(text, marks.find(text, words), t("Whole chunk, {n} characters", n=len(text)))


def _context(hit: Hit, words: Sequence[str]) -> str:
    """Return a hit in full with its neighbours as HTML; of these, the nearest lines are in sight."""
    passage, chunk = hit.passage, hit.chunk
    # Where a person edited a chunk of the passage, offsets of the note aren't those of its text.
    guess = chunk.start - passage.start
    start = guess if passage.text.startswith(chunk.text, guess) else max(0, passage.text.find(chunk.text))
    end = start + len(chunk.text)
    before, own, after = passage.text[:start], passage.text[start:end], passage.text[end:]
    parts = [
        f'<div class="t-around t-before"><div>{html(before.strip())}</div></div>' if before.strip() else "",
        f'<div class="t-own">{marked(own, marks.find(own, words))}</div>',
        f'<div class="t-around">{html(after.strip())}</div>' if after.strip() else "",
    ]
    return f'<div class="t-context t-text">{"".join(parts)}</div>'
