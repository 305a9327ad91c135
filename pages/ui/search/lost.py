"""The candidates that are no hits, and the reason why a note is none."""

from collections import Counter
from collections.abc import Sequence
from typing import get_args

import streamlit as st

from core.model import LOST, DroppedCandidate, LostAt, NoteSummary, Prepared, SearchOptions, WhyNot
from core.workspace import Workspace
from pages.ui.shared import cards, shell, widgets
from pages.ui.shared.safe import html
from pages.ui.shared.text import t, text_of

SHOWN = 15
"""Candidates of a stage at most."""
LISTED = 300
"""Notes in the list at most; for more, a person first types a part of the name."""
EXCERPT = 2


def lost(workspace: Workspace, prepared: Prepared, options: SearchOptions) -> None:
    """Draw the candidates that are no hits, on demand."""
    shell.on_demand(t("Also considered"), "lost_box", "filter_list_off", lambda: _lost(workspace, prepared, options))


def _lost(workspace: Workspace, prepared: Prepared, options: SearchOptions) -> None:
    explained = SearchOptions(**{**options, "explain": True, "wait": False})
    result = workspace.searching.answer(workspace.searching.prepare(prepared.typed, explained, like=prepared))
    if not result.lost:
        st.caption(t("Every passage that was considered is a hit."))
        return
    words = workspace.searching.words(result.understood.text)
    several = len({hit.note.base_id for hit in result.hits}) > 1
    counted = Counter(item.stage for item in result.lost)
    st.caption(t("Passages that were considered and aren't among the hits, by where they dropped out."))
    for stage in (stage for stage in get_args(LostAt) if counted[stage]):
        candidates = sorted((item for item in result.lost if item.stage == stage), key=lambda item: item.hit.rank)
        rows = "".join(_row(candidate, words, base=several) for candidate in candidates[:SHOWN])
        more = f'<div class="t-dim t-small">{html(t("and {n} more", n=counted[stage] - SHOWN))}</div>'
        st.html(
            f'<div class="t-lost"><div class="t-lost-head"><b>{html(text_of(LOST[stage]))}</b> '
            f'<span class="t-dim">{counted[stage]:,}</span></div>{rows}{more if counted[stage] > SHOWN else ""}</div>'
        )


def _row(item: DroppedCandidate, words: Sequence[str], *, base: bool) -> str:
    hit = item.hit
    place = " › ".join([*([hit.note.base] if base else []), hit.note.title, *cards.section(hit.note, hit.chunk)])
    return (
        f'<div class="t-fell"><div><span class="t-dim">{hit.rank}</span> {html(place)}</div>'
        f"{cards.excerpt(hit.chunk.text, words, EXCERPT)}{cards.stages(hit.scores)}</div>"
    )


def why_not(workspace: Workspace, text: str, options: SearchOptions) -> None:
    """Draw the choice of a note, and why it is no hit."""

    def draw() -> None:
        if card := _note(workspace):
            _reason(workspace, workspace.searching.why_not(text, card.id, **options), text)

    shell.on_demand(t("Why not this note?"), "why_not_box", "contact_support", draw)


def _note(workspace: Workspace) -> NoteSummary | None:
    notes = workspace.notes.all()
    if len(notes) > LISTED:
        typed = st.text_input(t("A part of its title or path"), key="why_not_part", icon=":material/filter_alt:")
        if not typed.strip():
            return None
        notes = workspace.notes.all(text=typed.strip())[:LISTED]
    texts = {card.id: f"{card.title} · {card.path}" if card.path else card.title for card in notes}
    widgets.begin_with("why_not_note", texts, None)
    placeholder = t("Choose the note that you expected")
    chosen = widgets.select(t("The note"), texts, "why_not_note", index=None, placeholder=placeholder)
    return next((card for card in notes if card.id == chosen), None)


def _reason(workspace: Workspace, why: WhyNot, text: str) -> None:
    stage = text_of(LOST[why.stage]) if why.stage else t("It is among the hits")
    st.html(
        f'<div class="t-reason chosen"><b>{html(stage)}</b>{html(text_of(why.message))}</div>{cards.stages(why.scores)}'
    )
    if why.chunk is None:
        return
    place = " › ".join([why.note.title, *cards.section(why.note, why.chunk)])
    excerpt = cards.excerpt(why.chunk.text, workspace.searching.words(text), EXCERPT * 2)
    st.html(f'<div class="t-fell"><div>{html(place)}</div>{excerpt}</div>')
    widgets.chunk_link(why.note.id, why.chunk.index)
