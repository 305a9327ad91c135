"""The right passages of a question: where each stands in its note, and the search for another."""

from collections.abc import Sequence

import streamlit as st

from core.model import GoldSpan, Hit, Question, QuestionSet, SearchResult
from core.workspace import SearchOptions, Workspace, filters_of, is_within
from pages.ui import cards, hits, marks, shell
from pages.ui.evaluation import marking
from pages.ui.safe import html, marked, plain
from pages.ui.text import t

SHOWN = 20
"""Right passages of a question that are drawn; the rest is counted."""
FOUND = 8
"""Hits among which a right passage is looked for."""
LINES = 6
LONG = 300
"""Characters of a passage from which on a part of it may be meant: half of it must be retrieved to count as found."""


def listed(workspace: Workspace, kept: QuestionSet, one: Question, key: str) -> None:
    """Draw a question's right passages, each with where it stands."""
    st.html(f'<div class="t-name">{html(t("questions.passages.n", n=len(one.spans)))}</div>')
    if not one.spans:
        st.caption(t("questions.negative"))
    for number, gold in enumerate(one.spans[:SHOWN]):
        with st.container(border=True, gap="xxsmall", key=f"gold_{number}_{key}"), shell.errors():
            _passage(workspace, kept, one, gold, f"remove_{number}_{key}")
    if len(one.spans) > SHOWN:
        st.caption(t("more", n=len(one.spans) - SHOWN))


def _passage(workspace: Workspace, kept: QuestionSet, one: Question, gold: GoldSpan, key: str) -> None:
    with st.container(horizontal=True, wrap=False, vertical_alignment="center", key=f"gold_head_{key}"):
        if gold.flagged:
            tag = f'<span class="t-tag t-gone">{html(t("questions.state.gone"))}</span>'
            st.html(f'<div class="t-head"><span class="t-crumb">{html(gold.path)}</span>{tag}</div>')
        else:
            place = _place(workspace, gold)
            _link(gold.path, gold.note_id, place)
        st.button(
            "",
            key=key,
            icon=":material/close:",
            type="tertiary",
            help=t("questions.remove"),
            on_click=marking.guarded,
            args=(key, lambda: workspace.question_sets.remove_passage(kept, one.id, gold)),
            disabled=workspace.readonly,
        )
    marking.problem(key)
    st.html(f'<div class="t-hit">{_text(gold.quote)}</div>')
    if gold.flagged:
        st.caption(t("questions.gone"))
    elif len(gold.quote) > LONG:
        _narrowing(workspace, kept, one, gold, f"narrow_{key}")


def _narrowing(workspace: Workspace, kept: QuestionSet, one: Question, gold: GoldSpan, key: str) -> None:
    """Draw how a long passage becomes the part of it that answers."""
    with st.popover(t("questions.narrow"), icon=":material/content_cut:", type="tertiary"):
        st.caption(t("questions.narrow.help"))
        st.text_area(t("questions.narrow"), gold.quote, height=240, key=f"{key}_text", label_visibility="collapsed")
        st.button(
            t("editor.save"),
            key=key,
            on_click=marking.guarded,
            args=(
                key,
                lambda: workspace.question_sets.narrow_passage(kept, one.id, gold, st.session_state[f"{key}_text"]),
            ),
            disabled=workspace.readonly,
        )
    marking.problem(key)


def _text(text: str, words: Sequence[str] = ()) -> str:
    """A text as HTML, a long one shortened, with all of it on demand."""
    shown, whole = cards.excerpt(text, words, LINES)
    if whole:
        return shown
    all_of_it = f'<div class="t-text">{marked(text, marks.find(text, words))}</div>'
    return f"{shown}<details><summary>{html(t('questions.whole', n=len(text)))}</summary>{all_of_it}</details>"


def _place(workspace: Workspace, gold: GoldSpan) -> int | None:
    """The number of the chunk that holds the most of a right passage."""
    chunks = workspace.chunks(gold.note_id)
    held = {chunk.index: min(chunk.end, gold.end) - max(chunk.start, gold.start) for chunk in chunks}
    return max(held, key=held.__getitem__, default=None)


def _link(name: str, note_id: str, chunk: int | None) -> None:
    """Draw the way to a place in a note."""
    st.page_link(
        "pages/2_chunks.py",
        label=plain(name),
        icon=":material/splitscreen:",
        help=t("hit.to_chunks"),
        query_params={"note": note_id, **({} if chunk is None else {"chunk": str(chunk)})},
        width="stretch",
    )


# the search for another


def find(workspace: Workspace, base: str, kept: QuestionSet, one: Question, key: str) -> None:
    """Draw a search of the base, at first for the question itself, whose hits can be marked as right."""
    # Open at first where there is none yet, and then for as long as a person likes.
    st.session_state.setdefault(f"find_{key}", not one.gold)
    box = st.expander(t("questions.find"), icon=":material/search:", key=f"find_{key}", on_change="rerun")
    if not box.open:
        return
    with box, shell.errors():
        text = st.text_input(
            t("questions.find.for"),
            value=one.text,
            key=f"find_text_{key}",
            icon=":material/search:",
            label_visibility="collapsed",
        )
        with st.spinner(t("search.searching")):
            result = _search(workspace, base, (text or "").strip() or one.text)
        if not result.hits:
            st.caption(t("search.no_hits"))
        for notice in result.notices if "model_loading" in result.notices else ():
            st.caption(t(f"notice.{notice}"))
        words = hits.words_of(workspace, result)
        for hit in result.hits:
            with st.container(border=True, gap="xsmall", key=f"found_{hit.rank}"):
                _hit(workspace, kept, one, hit, words[hit.asked])


def _search(workspace: Workspace, base: str, text: str) -> SearchResult:
    # The base is asked as it is set; what was found before comes from the search's own cache.
    return workspace.search(text, **SearchOptions(filters=filters_of(bases=[base]), limit=FOUND, wait=False))


def _hit(workspace: Workspace, kept: QuestionSet, one: Question, hit: Hit, words: Sequence[str]) -> None:
    right = [gold for gold in one.spans if is_within(gold, hit)]

    def act() -> None:
        for gold in right:
            workspace.question_sets.remove_passage(kept, one.id, gold)
        if not right:
            workspace.question_sets.add_passage(kept, one.id, hit)

    with st.container(horizontal=True, wrap=False, vertical_alignment="center", key=f"gold_head_found_{hit.rank}"):
        name = " › ".join([hit.note.path or hit.note.title, *cards.section(hit.note, hit.chunk)[-1:]])
        _link(name, hit.note.id, hit.chunk.index)
        marking.toggle(workspace, hit, marked=bool(right), told=t("questions.mark.here"), act=act)
    st.html(f'<div class="t-hit">{_text(hit.chunk.text, words)}</div>')
