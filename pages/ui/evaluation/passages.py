"""The right passages of a question: the place of each in its note, and the search for another."""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from core.model import NOTICES, GoldSpan, Hit, Question, QuestionSet, SearchOptions
from core.workspace import Workspace
from pages.ui.evaluation import marking
from pages.ui.shared import cards, shell, widgets
from pages.ui.shared.safe import Span, html, plain
from pages.ui.shared.text import t, t_plural, text_of

SHOWN = 20
"""Right passages of a question that are drawn; the others are counted."""
FOUND = 8
"""Hits of the search for another passage."""
LINES = 6
LONG = 300
"""Characters from which on a passage can be shortened: half of it must be retrieved to count as found."""


def draw_passages(workspace: Workspace, question_set: QuestionSet, question: Question, key: str) -> None:
    """Draw a question's right passages, each with its place."""
    st.html(
        f'<div class="t-name">{html(t_plural("{n} right passage", "{n} right passages", n=len(question.spans)))}</div>'
    )
    if not question.spans:
        st.caption(
            t(
                "Without a right passage this is a question your notes don't answer. If they do answer it, find the "
                "passage below."
            )
        )
    for number, gold in enumerate(question.spans[:SHOWN]):
        with st.container(border=True, gap="xxsmall", key=f"gold_{number}_{key}"), shell.errors():
            _passage(workspace, question_set, question, gold, f"remove_{number}_{key}")
    widgets.more(len(question.spans) - SHOWN)


def _passage(workspace: Workspace, question_set: QuestionSet, question: Question, gold: GoldSpan, key: str) -> None:
    with st.container(horizontal=True, wrap=False, vertical_alignment="center", key=f"gold_head_{key}"):
        if gold.flagged:
            tag = f'<span class="t-tag t-gone">{html(t("Passage gone"))}</span>'
            st.html(f'<div class="t-head"><span class="t-crumb">{html(gold.path)}</span>{tag}</div>')
        else:
            _link(gold.path, gold.note_id, _place(workspace, gold))
        act = partial(workspace.questions.remove_passage, question_set, question.id, gold)
        widgets.close(key, t("Remove"), on_click=shell.guarded(act, key), disabled=workspace.readonly)
    shell.problem_of(key)
    st.html(_text(gold.quote))
    if gold.flagged:
        st.caption(
            t(
                "The note was deleted, or this text in it was changed. Runs don't ask the question until you remove "
                "this passage."
            )
        )
    elif len(gold.quote) > LONG:
        _narrowing(workspace, question_set, question, gold, f"narrow_{key}")


def _narrowing(workspace: Workspace, question_set: QuestionSet, question: Question, gold: GoldSpan, key: str) -> None:
    """Draw the form that shortens a long passage to the part that answers."""

    def narrow() -> None:
        workspace.questions.narrow_passage(question_set, question.id, gold, st.session_state[f"{key}_text"])

    with st.popover(t("Shorten"), icon=":material/content_cut:", type="tertiary"):
        st.caption(
            t(
                "Delete what doesn't answer the question. The passage counts as found when half of what "
                "is left comes back; a whole chunk would favour the present split."
            )
        )
        st.text_area(t("Shorten"), gold.quote, height=240, key=f"{key}_text", label_visibility="collapsed")
        st.button(t("Save"), key=key, on_click=shell.guarded(narrow, key), disabled=workspace.readonly)
    shell.problem_of(key)


def _text(text: str, words: Sequence[Span] = ()) -> str:
    """Return a passage as HTML, a long one shortened, with the whole on demand."""
    title = t("Whole passage, {n} characters", n=len(text))
    return f'<div class="t-hit">{cards.foldable(text, words, title, LINES)}</div>'


def _place(workspace: Workspace, gold: GoldSpan) -> int | None:
    """Return the index of the chunk that holds the most of a right passage."""
    chunks = workspace.chunks.all(gold.note_id)
    held = {chunk.index: min(chunk.end, gold.end) - max(chunk.start, gold.start) for chunk in chunks}
    return max(held, key=held.__getitem__, default=None)


def _link(name: str, note_id: str, chunk: int | None) -> None:
    widgets.chunk_link(note_id, chunk, plain(name), help=t("Open in Chunks"), width="stretch")


# the search for another


def find(workspace: Workspace, base: str, question_set: QuestionSet, question: Question, key: str) -> None:
    """Draw a search of the base, at first for the question itself; a click makes a hit a right passage."""
    # Without a right passage it is open at first; then the user opens and closes it.
    st.session_state.setdefault(f"find_{key}", not question.gold)
    box = st.expander(t("Find a passage"), icon=":material/search:", key=f"find_{key}", on_change="rerun")
    if not box.open:
        return
    with box, shell.errors():
        icon, key = ":material/search:", f"find_text_{key}"
        text = st.text_input(t("Search for"), question.text, key=key, icon=icon, label_visibility="collapsed")
        with st.spinner(t("Searching…")):
            # The base's own settings; a repeated search comes from the cache.
            filters = workspace.searching.filters(bases=[base])
            options = SearchOptions(filters=filters, limit=FOUND, wait=False, choose=False)
            result = workspace.search((text or "").strip() or question.text, **options)
        if not result.hits:
            st.caption(t("Nothing was found for this question."))
        if "model_loading" in result.notices:
            st.caption(text_of(NOTICES["model_loading"]))
        seen = workspace.searching.highlights(result)
        for hit in result.hits:
            with st.container(border=True, gap="xsmall", key=f"found_{hit.rank}"):
                _hit(workspace, question_set, question, hit, seen[hit.chunk.id].words)


def _hit(workspace: Workspace, question_set: QuestionSet, question: Question, hit: Hit, words: Sequence[Span]) -> None:
    right = [gold for gold in question.spans if gold.is_within(hit)]

    def act() -> None:
        for gold in right:
            workspace.questions.remove_passage(question_set, question.id, gold)
        if not right:
            workspace.questions.add_passage(question_set, question.id, hit)

    with st.container(horizontal=True, wrap=False, vertical_alignment="center", key=f"gold_head_found_{hit.rank}"):
        name = " › ".join([hit.note.path or hit.note.title, *cards.section(hit.note, hit.chunk)[-1:]])
        _link(name, hit.note.id, hit.chunk.index)
        about = t("Makes it a right passage of this question; a second click takes that back.")
        marking.toggle(workspace, hit, marked=bool(right), about=about, act=act)
    st.html(_text(hit.chunk.text, words))
