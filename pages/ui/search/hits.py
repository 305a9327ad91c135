"""The list of hits: a person can widen each in place, open it in its note, and judge it."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import get_args

import streamlit as st

from core.messages import message
from core.model import Hit, SearchResult, Verdict
from core.workspace import Workspace
from pages.ui.evaluation import marking
from pages.ui.shared import cards, shell, style, widgets
from pages.ui.shared.text import t, text_of

VERDICTS = {"helpful": message("Helpful"), "not_helpful": message("Not helpful"), "harmful": message("Misleading")}

WIDTHS = (1, 2, 3)
"""Neighbours on each side that a hit can be shown with."""


def tones(result: SearchResult) -> dict[str, str]:
    """Return a colour for each part of a question that was broken down."""
    parts = dict.fromkeys(part.sub_query.text for part in result.asked)
    return {text: style.TILES[number % len(style.TILES)] for number, text in enumerate(parts)}


def words_of(workspace: Workspace, result: SearchResult) -> dict[str, list[str]]:
    """Return the words to mark in the hits of each part of the question.

    A phrase is marked as a whole; its words are marked by themselves only where it is nowhere.
    """
    required = () if "phrase_not_found" in result.notices else result.understood.phrases
    phrases = (*required, *result.understood.emphasised)
    words = {}
    for part in {hit.asked for hit in result.hits}:
        text = part or result.understood.text
        for written, marked in (*((phrase, " ") for phrase in phrases), *result.spelled.items()):
            text = text.replace(written, marked)
        words[part] = [*phrases, *workspace.searching.words(text)]
    return words


def preliminary(workspace: Workspace, result: SearchResult, *, base: bool) -> None:
    """Draw the hits before the second look."""
    words, extremes = words_of(workspace, result), cards.ranges(result.hits)
    for hit in result.hits:
        with st.container(border=True):
            st.html(cards.body(hit, words[hit.asked], extremes, base=base))


def listed(workspace: Workspace, text: str, result: SearchResult, *, base: bool) -> None:
    """Draw the hits of a question."""
    words, extremes, colours = words_of(workspace, result), cards.ranges(result.hits), tones(result)
    # The base of a question set is its filter: its questions have no filters of their own.
    marked = marking.Marks(workspace, result.understood.text or text)
    first = result.settings.expansion_size
    for hit in result.hits:
        body = partial(
            cards.body, words=words[hit.asked], extremes=extremes, base=base, tone=colours.get(hit.asked, "")
        )
        _card(workspace, text, marked, hit, body, first)


def _card(
    workspace: Workspace, text: str, marked: marking.Marks, hit: Hit, body: Callable[[Hit], str], first: int
) -> None:
    """Draw a hit; `body` returns its HTML, `first` is the number of neighbours that it came with."""
    key = f"around_{first}_{hit.chunk.id}"
    st.session_state.setdefault(key, first or None)

    @st.fragment
    def part() -> None:
        with st.container(border=True, key=f"hit_{hit.rank}"), shell.errors():
            size = st.session_state.get(key) or 0
            st.html(body(hit if size == first else replace(hit, passage=workspace.searching.passage(hit, size))))
            with st.container(horizontal=True, vertical_alignment="center", gap="xsmall", key=f"actions_{hit.rank}"):
                widgets.chunk_link(hit.note.id, hit.chunk.index)
                widgets.note_link(hit.note.id)
                marked.button(hit)
                st.space("stretch")
                st.segmented_control(t("Neighbouring chunks"), WIDTHS, format_func="±{}".format, key=key)
                _verdict(workspace, text, hit)

    part()


def _verdict(workspace: Workspace, text: str, hit: Hit) -> None:
    """Draw the person's verdict on a hit; a second click on it takes it back."""
    key = f"verdict_{hit.chunk.id}"
    names = {name: text_of(VERDICTS[name]) for name in get_args(Verdict)}
    verdicts = {one.chunk_id: one.verdict for one in workspace.history.judged(query=text)}
    st.session_state[key] = verdicts.get(hit.chunk.id)

    def judge() -> None:
        workspace.history.judge(text, hit.note.id, hit.chunk.id, st.session_state[key])

    widgets.pills(t("Was it of use?"), names, key, on_change=judge, disabled=workspace.readonly)
