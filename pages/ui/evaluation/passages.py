"""The right passages of a question: where each stands in its note, and the search for another."""

from collections.abc import Sequence

import streamlit as st

from core.model import GoldSpan, Hit, Question, QuestionSet, SearchOptions, SearchResult
from core.workspace import Workspace
from pages.ui.evaluation import marking
from pages.ui.search import answer, hits
from pages.ui.shared import cards, marks, shell
from pages.ui.shared.safe import html, marked, plain
from pages.ui.shared.text import said, t, t_plural

SHOWN = 20
"""Right passages of a question that are drawn; the rest is counted."""
FOUND = 8
"""Hits among which a right passage is looked for."""
LINES = 6
LONG = 300
"""Characters of a passage from which on a part of it may be meant: half of it must be retrieved to count as found."""


def listed(workspace: Workspace, kept: QuestionSet, one: Question, key: str) -> None:
    """Draw a question's right passages, each with where it stands."""
    st.html(f'<div class="t-name">{html(t_plural("{n} right passage", "{n} right passages", n=len(one.spans)))}</div>')
    if not one.spans:
        st.caption(
            t(
                "Without a right passage this is a question your notes don't answer. If they do answer it, find the "
                "passage below."
            )
        )
    for number, gold in enumerate(one.spans[:SHOWN]):
        with st.container(border=True, gap="xxsmall", key=f"gold_{number}_{key}"), shell.errors():
            _passage(workspace, kept, one, gold, f"remove_{number}_{key}")
    if len(one.spans) > SHOWN:
        st.caption(t("and {n} more", n=len(one.spans) - SHOWN))


def _passage(workspace: Workspace, kept: QuestionSet, one: Question, gold: GoldSpan, key: str) -> None:
    with st.container(horizontal=True, wrap=False, vertical_alignment="center", key=f"gold_head_{key}"):
        if gold.flagged:
            tag = f'<span class="t-tag t-gone">{html(t("Passage gone"))}</span>'
            st.html(f'<div class="t-head"><span class="t-crumb">{html(gold.path)}</span>{tag}</div>')
        else:
            place = _place(workspace, gold)
            _link(gold.path, gold.note_id, place)
        st.button(
            "",
            key=key,
            icon=":material/close:",
            type="tertiary",
            help=t("Remove"),
            on_click=marking.guarded,
            args=(key, lambda: workspace.questions.remove_passage(kept, one.id, gold)),
            disabled=workspace.readonly,
        )
    marking.problem(key)
    st.html(f'<div class="t-hit">{_text(gold.quote)}</div>')
    if gold.flagged:
        st.caption(
            t(
                "The note was deleted, or this text in it was changed. Runs don't ask the question until you remove "
                "this passage."
            )
        )
    elif len(gold.quote) > LONG:
        _narrowing(workspace, kept, one, gold, f"narrow_{key}")


def _narrowing(workspace: Workspace, kept: QuestionSet, one: Question, gold: GoldSpan, key: str) -> None:
    """Draw how a long passage becomes the part of it that answers."""
    with st.popover(t("Shorten"), icon=":material/content_cut:", type="tertiary"):
        st.caption(
            t(
                "Delete what doesn't answer the question. The passage counts as found when half of what is left is "
                "retrieved; a whole chunk would favour the present split."
            )
        )
        st.text_area(t("Shorten"), gold.quote, height=240, key=f"{key}_text", label_visibility="collapsed")
        st.button(
            t("Save"),
            key=key,
            on_click=marking.guarded,
            args=(
                key,
                lambda: workspace.questions.narrow_passage(kept, one.id, gold, st.session_state[f"{key}_text"]),
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
    return f"{shown}<details><summary>{html(t('Whole passage, {n} characters', n=len(text)))}</summary>{all_of_it}</details>"


def _place(workspace: Workspace, gold: GoldSpan) -> int | None:
    """The number of the chunk that holds the most of a right passage."""
    chunks = workspace.chunks.of_note(gold.note_id)
    held = {chunk.index: min(chunk.end, gold.end) - max(chunk.start, gold.start) for chunk in chunks}
    return max(held, key=held.__getitem__, default=None)


def _link(name: str, note_id: str, chunk: int | None) -> None:
    """Draw the way to a place in a note."""
    st.page_link(
        "chunks.py",
        label=plain(name),
        icon=":material/splitscreen:",
        help=t("Open in Chunks"),
        query_params={"note": note_id, **({} if chunk is None else {"chunk": str(chunk)})},
        width="stretch",
    )


# the search for another


def find(workspace: Workspace, base: str, kept: QuestionSet, one: Question, key: str) -> None:
    """Draw a search of the base, at first for the question itself, whose hits can be marked as right."""
    # Open at first where there is none yet, and then for as long as a person likes.
    st.session_state.setdefault(f"find_{key}", not one.gold)
    box = st.expander(t("Find a passage"), icon=":material/search:", key=f"find_{key}", on_change="rerun")
    if not box.open:
        return
    with box, shell.errors():
        text = st.text_input(
            t("Search for"),
            value=one.text,
            key=f"find_text_{key}",
            icon=":material/search:",
            label_visibility="collapsed",
        )
        with st.spinner(t("Searching…")):
            result = _search(workspace, base, (text or "").strip() or one.text)
        if not result.hits:
            st.caption(t("Nothing was found for this question."))
        if "model_loading" in result.notices:
            st.caption(said(answer.NOTICES["model_loading"]))
        words = hits.words_of(workspace, result)
        for hit in result.hits:
            with st.container(border=True, gap="xsmall", key=f"found_{hit.rank}"):
                _hit(workspace, kept, one, hit, words[hit.asked])


def _search(workspace: Workspace, base: str, text: str) -> SearchResult:
    # The base is asked as it is set; what was found before comes from the search's own cache.
    return workspace.search(
        text, **SearchOptions(filters=workspace.searching.filters(bases=[base]), limit=FOUND, wait=False)
    )


def _hit(workspace: Workspace, kept: QuestionSet, one: Question, hit: Hit, words: Sequence[str]) -> None:
    right = [gold for gold in one.spans if gold.is_within(hit)]

    def act() -> None:
        for gold in right:
            workspace.questions.remove_passage(kept, one.id, gold)
        if not right:
            workspace.questions.add_passage(kept, one.id, hit)

    with st.container(horizontal=True, wrap=False, vertical_alignment="center", key=f"gold_head_found_{hit.rank}"):
        name = " › ".join([hit.note.path or hit.note.title, *cards.section(hit.note, hit.chunk)[-1:]])
        _link(name, hit.note.id, hit.chunk.index)
        marking.toggle(
            workspace,
            hit,
            marked=bool(right),
            told=t("Makes it a right passage of this question; a second click takes that back."),
            act=act,
        )
    st.html(f'<div class="t-hit">{_text(hit.chunk.text, words)}</div>')
