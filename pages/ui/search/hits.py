"""The list of hits: each can be widened in place, opened in its note, and judged."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import get_args

import streamlit as st

from core.messages import message
from core.model import Hit, SearchResult, Verdict
from core.workspace import Workspace
from pages.ui.evaluation import marking
from pages.ui.shared import cards, shell, style
from pages.ui.shared.text import said, t

VERDICTS = {
    "helpful": message("Helpful"),
    "not_helpful": message("Not helpful"),
    "harmful": message("Misleading"),
}

WIDTHS = (1, 2, 3)
"""Neighbours on each side that a hit can be shown with."""


def tones(result: SearchResult) -> dict[str, str]:
    """Return a colour for each part that the question was taken apart into."""
    parts = dict.fromkeys(asked.sub_query.text for asked in result.asked)
    return {text: style.TILES[number % len(style.TILES)] for number, text in enumerate(parts)}


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
        words[asked] = [*phrases, *workspace.searching.words(text)]
    return words


def preliminary(workspace: Workspace, result: SearchResult, *, base: bool) -> None:
    """Draw the hits as they are before they are reranked."""
    words, extremes = words_of(workspace, result), cards.ranges(result.hits)
    for hit in result.hits:
        cards.plainly(hit, words[hit.asked], extremes, base=base)


def listed(workspace: Workspace, text: str, result: SearchResult, *, base: bool) -> None:
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
            result.settings.expansion_size,
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
            shown = hit if size == first else replace(hit, passage=workspace.searching.passage(hit, size))
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
    st.page_link("chunks.py", label=t("Open in Chunks"), icon=":material/splitscreen:", query_params=place)
    st.page_link(
        "notes.py",
        label=t("Read the note"),
        icon=":material/description:",
        query_params={"note": hit.note.id},
    )


def _around(key: str) -> None:
    st.segmented_control(
        t("Neighbouring chunks"),
        list(WIDTHS),
        format_func=lambda size: f"±{size}",
        key=key,
    )


def _verdict(workspace: Workspace, text: str, hit: Hit) -> None:
    """Draw what the person said of a hit; a second click on it takes it back."""
    key = f"verdict_{hit.chunk.id}"
    names = {name: said(VERDICTS[name]) for name in get_args(Verdict)}
    given = {one.chunk_id: one.verdict for one in workspace.history.judged(query=text)}
    st.session_state[key] = given.get(hit.chunk.id)
    st.pills(
        t("Was it of use?"),
        list(names),
        format_func=names.__getitem__,
        key=key,
        on_change=lambda: workspace.history.judge(text, hit.note.id, hit.chunk.id, st.session_state[key]),
        disabled=workspace.readonly,
        label_visibility="collapsed",
    )
