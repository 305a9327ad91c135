"""Hits as cards: where a passage stands, why it is there, and its words."""

import re
from collections.abc import Sequence

import streamlit as st

from core.model import Hit
from pages.ui import look, marks
from pages.ui.safe import html, marked
from pages.ui.text import t

STAGES = {
    "vector": look.TILES[0],
    "keyword": look.TILES[1],
    "fused": look.TILES[3],
    "rerank": look.TILES[4],
    "final": look.TILES[2],
}
"""The stages of a search in their order, each with its colour."""

LINES = 9
"""Lines of an excerpt at most."""

Range = tuple[float, float]

_BLANK = re.compile(r"\n\s*\n")
"""An excerpt is read in passing: its blank lines go."""


def tags(names: Sequence[str]) -> str:
    """Return tags as HTML."""
    if not names:
        return ""
    return f'<div class="t-tags">{"".join(f"""<span class="t-tag">{html(name)}</span>""" for name in names)}</div>'


def ranges(hits: Sequence[Hit]) -> dict[str, Range]:
    """Return the lowest and the highest score of each stage among the hits."""
    scores = {stage: [hit.scores[stage].score for hit in hits if stage in hit.scores] for stage in STAGES}
    return {stage: (min(said), max(said)) for stage, said in scores.items() if said}


def hit(hit: Hit, words: Sequence[str], extremes: dict[str, Range], *, base: bool) -> None:
    """Draw a hit."""
    place = " · ".join(
        [
            *([hit.note.base] if base else []),
            hit.note.path or "",
            t("hit.place", index=hit.chunk.index + 1, total=hit.chunk.total),
        ]
    )
    crumb = " › ".join(hit.chunk.section)
    with st.container(border=True, key=f"hit_{hit.rank}"):
        st.html(
            f'<div class="t-hit"><div class="t-head"><span class="t-rank">{hit.rank}</span>'
            f'<span class="t-name">{html(hit.note.title)}</span>{_edited(hit)}</div>'
            f'<div class="t-crumb">{html(crumb)}</div>'
            f"{_text(hit, words)}{_stages(hit, extremes)}"
            f'<div class="t-facts t-place"><span>{html(place)}</span>{tags(hit.note.tags)}</div></div>'
        )
        with st.container(horizontal=True):
            link = {"note": hit.note.id, "chunk": str(hit.chunk.index)}
            st.page_link(
                "pages/2_chunks.py", label=t("hit.to_chunks"), icon=":material/splitscreen:", query_params=link
            )
            st.page_link(
                "pages/1_notes.py",
                label=t("hit.to_note"),
                icon=":material/description:",
                query_params={"note": hit.note.id},
            )


def _edited(hit: Hit) -> str:
    return f'<span class="t-tag t-edited">{html(t("hit.edited"))}</span>' if hit.chunk.edited else ""


def _stages(hit: Hit, extremes: dict[str, Range]) -> str:
    bars = []
    for stage, tile in STAGES.items():
        if stage not in hit.scores:
            continue
        said = hit.scores[stage]
        low, high = extremes[stage]
        share = 8 + 92 * ((said.score - low) / (high - low) if high > low else float(said.score > 0))
        rank = f"#{said.rank}" if said.rank else t("stage.unranked")
        bars.append(
            f'<span class="t-stage" title="{html(t("stage.help", score=f"{said.score:.4f}", rank=rank))}">'
            f"{html(t(f'stage.{stage}'))}"
            f'<span class="t-bar"><i style="width: {share:.0f}%; background: {tile}"></i></span>'
            f'<b>{said.score:.2f}</b><span class="t-dim">{html(rank)}</span></span>'
        )
    return f'<div class="t-stages">{"".join(bars)}</div>'


def _text(hit: Hit, words: Sequence[str]) -> str:
    passage = hit.passage
    if (passage.start, passage.end) != (hit.chunk.start, hit.chunk.end):
        return _context(hit, words)
    text = hit.chunk.text
    spans = marks.find(text, words)
    start, end = marks.excerpt(text, spans)
    shown = marked(text[start:end].rstrip(), marks.within(spans, start, end))
    lines = _BLANK.sub("\n", shown).split("\n")
    whole = (start, end) == (0, len(text)) and len(lines) <= LINES
    shown = "\n".join(lines[:LINES])
    excerpt = f'<div class="t-text">{"… " if start else ""}{shown}{"" if whole else " …"}</div>'
    if whole:
        return excerpt
    label = t("hit.whole", n=len(text))
    return f'{excerpt}<details><summary>{label}</summary><div class="t-text">{marked(text, spans)}</div></details>'


def _context(hit: Hit, words: Sequence[str]) -> str:
    """The passage around a hit: the hit in full, its neighbours beside it, the nearest lines of them in sight."""
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
