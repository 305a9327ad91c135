"""The list of hits: each can be widened in place, opened in its note, and judged."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import get_args

import streamlit as st

from core.model import Hit, SearchResult, Verdict
from core.workspace import SearchOptions, Workspace
from pages.ui import cards, look, shell
from pages.ui.evaluation import marking
from pages.ui.text import t

WIDTHS = (1, 2, 3)
"""Neighbours on each side that a hit can be shown with."""


def tones(result: SearchResult) -> dict[str, str]:
    """Return a colour for each part that the question was taken apart into."""
    parts = dict.fromkeys(asked.sub_query.text for asked in result.asked)
    return {text: look.TILES[number % len(look.TILES)] for number, text in enumerate(parts)}


def words_of(workspace: Workspace, result: SearchResult) -> dict[str, list[str]]:
    """Return the words to be marked in the hits of each part of the question.

    A phrase is marked as a whole, and its words by themselves only where it stands nowhere.
    """
    phrases = () if "phrase_not_found" in result.notices else result.understood.phrases
    words = {}
    for asked in {hit.asked for hit in result.hits}:
        text = asked or result.understood.text
        for phrase in phrases:
            text = text.replace(phrase, " ")
        words[asked] = [*phrases, *workspace.words(text)]
    return words


def preliminary(workspace: Workspace, result: SearchResult, *, base: bool) -> None:
    """Draw the hits as they are before they are reranked."""
    words, extremes = words_of(workspace, result), cards.ranges(result.hits)
    for hit in result.hits:
        cards.plainly(hit, words[hit.asked], extremes, base=base)


def listed(workspace: Workspace, text: str, result: SearchResult, options: SearchOptions, *, base: bool) -> None:
    """Draw the hits of a question."""
    words, extremes, colours = words_of(workspace, result), cards.ranges(result.hits), tones(result)
    # A question set has its filter in its base: what was asked without filters is what it asks.
    kept = marking.Marks(workspace, result.understood.text or text)
    for hit in result.hits:
        _card(
            workspace,
            text,
            kept,
            hit,
            words[hit.asked],
            extremes,
            colours.get(hit.asked, ""),
            options.get("expansion_size", 0),
            base=base,
        )


def _card(
    workspace: Workspace,
    text: str,
    kept: marking.Marks,
    hit: Hit,
    words: Sequence[str],
    extremes: Mapping[str, cards.Range],
    tone: str,
    first: int,
    *,
    base: bool,
) -> None:
    key = f"around_{first}_{hit.chunk.id}"
    st.session_state.setdefault(key, first or None)

    @st.fragment
    def part() -> None:
        with st.container(border=True, key=f"hit_{hit.rank}"), shell.errors():
            size = st.session_state.get(key) or 0
            shown = hit if size == first else replace(hit, passage=workspace.passage(hit, size))
            st.html(cards.body(shown, words, extremes, base=base, tone=tone))
            with st.container(horizontal=True, vertical_alignment="center", gap="xsmall", key=f"actions_{hit.rank}"):
                _links(hit)
                kept.button(hit)
                st.space("stretch")
                _around(key)
                _verdict(workspace, text, hit)

    part()


def _links(hit: Hit) -> None:
    place = {"note": hit.note.id, "chunk": str(hit.chunk.index)}
    st.page_link("pages/2_chunks.py", label=t("hit.to_chunks"), icon=":material/splitscreen:", query_params=place)
    st.page_link(
        "pages/1_notes.py",
        label=t("hit.to_note"),
        icon=":material/description:",
        query_params={"note": hit.note.id},
    )


def _around(key: str) -> None:
    st.segmented_control(
        t("hit.around"),
        list(WIDTHS),
        format_func=lambda size: f"±{size}",
        key=key,
    )


def _verdict(workspace: Workspace, text: str, hit: Hit) -> None:
    """Draw what the person said of a hit; a second click on it takes it back."""
    key = f"verdict_{hit.chunk.id}"
    names = {name: t(f"verdict.{name}") for name in get_args(Verdict)}
    given = {said.chunk_id: said.verdict for said in workspace.judged(text=text)}
    st.session_state[key] = given.get(hit.chunk.id)
    st.pills(
        t("verdict"),
        list(names),
        format_func=names.__getitem__,
        key=key,
        on_change=lambda: workspace.judge(text, hit, st.session_state[key]),
        disabled=workspace.readonly,
        label_visibility="collapsed",
    )
