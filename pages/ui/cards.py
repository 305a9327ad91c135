"""Hits as cards: where a passage stands, why it is there, and its words."""

from collections.abc import Sequence

import streamlit as st

from core.model import Hit
from pages.ui import look, marks
from pages.ui.safe import html, marked
from pages.ui.text import t

STAGES = {"vector": look.TILES[0], "keyword": look.TILES[1], "fused": look.TILES[3]}

Range = tuple[float, float]


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
            f'<span class="t-name">{html(hit.note.title)}</span></div>'
            f'<div class="t-crumb">{html(crumb)}</div>'
            f"{_text(hit, words)}{_stages(hit, extremes)}"
            f'<div class="t-facts"><span>{html(place)}</span></div>{tags(hit.note.tags)}</div>'
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
    excerpt = f'<div class="t-text">{"… " if start else ""}{shown}{" …" if end < len(text) else ""}</div>'
    if (start, end) == (0, len(text)):
        return excerpt
    whole = t("hit.whole", n=len(text))
    return f'{excerpt}<details><summary>{whole}</summary><div class="t-text">{marked(text, spans)}</div></details>'


def _context(hit: Hit, words: Sequence[str]) -> str:
    """The passage around a hit, with the hit itself told apart from its neighbours."""
    passage, chunk = hit.passage, hit.chunk
    start, end = chunk.start - passage.start, chunk.end - passage.start
    before, own, after = passage.text[:start], passage.text[start:end], passage.text[end:]
    return (
        f'<div class="t-context t-text"><span class="t-around">{html(before)}</span>'
        f'<span class="t-own">{marked(own, marks.find(own, words))}</span><span class="t-around">{html(after)}</span></div>'
    )
