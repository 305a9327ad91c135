"""What is no hit, and why: the candidates that fell behind, and a note that was expected."""

from collections import Counter
from collections.abc import Sequence
from typing import get_args

import streamlit as st

from core.model import Lost, LostAt, NoteCard, SearchOptions, WhyNot
from core.workspace import Workspace
from pages.ui.shared import cards, names, shell
from pages.ui.shared.safe import html
from pages.ui.shared.text import said, t

SHOWN = 15
"""Candidates of a stage that are shown."""
LISTED = 300
"""Notes among which one is chosen by name; from more of them, a part of the name is asked for first."""
EXCERPT = 2


def lost(workspace: Workspace, text: str, options: SearchOptions) -> None:
    """Draw the candidates that are no hits; they are asked for when this is opened."""

    @st.fragment
    def part() -> None:
        box = st.expander(t("Also considered"), icon=":material/filter_list_off:", key="lost_box", on_change="rerun")
        if box.open:
            with box, shell.errors():
                _lost(workspace, text, options)

    part()


def _lost(workspace: Workspace, text: str, options: SearchOptions) -> None:
    result = workspace.search(text, **SearchOptions(**{**options, "explain": True, "wait": False}))
    if not result.lost:
        st.caption(t("Every chunk that was considered is a hit."))
        return
    words = workspace.searching.words(result.understood.text)
    extremes = cards.ranges([*result.hits, *(one.hit for one in result.lost)])
    several = len({hit.note.base_id for hit in result.hits}) > 1
    counted = Counter(one.stage for one in result.lost)
    st.caption(t("Chunks that were considered and aren't among the hits, by where they dropped out."))
    for stage in (stage for stage in get_args(LostAt) if counted[stage]):
        fell = sorted((one for one in result.lost if one.stage == stage), key=lambda one: one.hit.rank)
        rows = "".join(_row(one, words, extremes, base=several) for one in fell[:SHOWN])
        more = f'<div class="t-dim t-small">{html(t("and {n} more", n=counted[stage] - SHOWN))}</div>'
        st.html(
            f'<div class="t-lost"><div class="t-lost-head"><b>{html(said(names.LOST[stage]))}</b> '
            f'<span class="t-dim">{counted[stage]:,}</span></div>{rows}{more if counted[stage] > SHOWN else ""}</div>'
        )


def _row(one: Lost, words: Sequence[str], extremes: dict[str, cards.Range], *, base: bool) -> str:
    hit = one.hit
    place = " › ".join([*([hit.note.base] if base else []), hit.note.title, *cards.section(hit.note, hit.chunk)])
    return (
        f'<div class="t-fell"><div><span class="t-dim">{hit.rank}</span> {html(place)}</div>'
        f"{cards.excerpt(hit.chunk.text, words, EXCERPT)[0]}{cards.stages(hit.scores, extremes)}</div>"
    )


def why_not(workspace: Workspace, text: str, options: SearchOptions) -> None:
    """Draw the choice of a note, and why it is no hit."""

    @st.fragment
    def part() -> None:
        box = st.expander(
            t("Why not this note?"), icon=":material/contact_support:", key="why_not_box", on_change="rerun"
        )
        if box.open:
            with box, shell.errors():
                if card := _note(workspace):
                    _told(workspace, workspace.searching.why_not(text, card.id, **options), text)

    part()


def _note(workspace: Workspace) -> NoteCard | None:
    notes = workspace.notes.cards()
    if len(notes) > LISTED:
        typed = st.text_input(
            t("A part of its title or path"), key="why_not_part", icon=":material/filter_alt:"
        ).strip()
        if not typed:
            return None
        notes = workspace.notes.cards(text=typed)[:LISTED]
    called = {card.id: f"{card.title} · {card.path}" if card.path else card.title for card in notes}
    if st.session_state.get("why_not_note") not in called:
        st.session_state["why_not_note"] = None
    chosen = st.selectbox(
        t("The note"),
        list(called),
        index=None,
        format_func=called.__getitem__,
        key="why_not_note",
        placeholder=t("Choose the note that you expected"),
    )
    return next((card for card in notes if card.id == chosen), None)


def _told(workspace: Workspace, told: WhyNot, text: str) -> None:
    stage = said(names.LOST[told.stage]) if told.stage else t("It is among the hits")
    st.html(
        f'<div class="t-reason chosen"><b>{html(stage)}</b>{html(said(told.message))}</div>{cards.stages(told.scores, {})}'
    )
    if told.chunk is None:
        return
    place = " › ".join([told.note.title, *cards.section(told.note, told.chunk)])
    shown = cards.excerpt(told.chunk.text, workspace.searching.words(text), EXCERPT * 2)[0]
    st.html(f'<div class="t-fell"><div>{html(place)}</div>{shown}</div>')
    st.page_link(
        "chunks.py",
        label=t("Open in Chunks"),
        icon=":material/splitscreen:",
        query_params={"note": told.note.id, "chunk": str(told.chunk.index)},
    )
