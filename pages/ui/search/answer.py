"""The answer to a question: the understood parts, the hits, and why a note is no hit."""

from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.messages import Message, message
from core.model import NOTICES, Notice, SearchOptions, SearchResult
from core.workspace import Workspace
from pages.ui.search import context_block, facets, hits, lost, question_box, subqueries, suggestions, understood
from pages.ui.shared import rerankers, widgets
from pages.ui.shared.safe import plain
from pages.ui.shared.text import t, t_plural, text_of

FOUND_BY = {
    "semantic": message("by meaning"),
    "keyword": message("by words"),
    "hybrid": message("by meaning and words"),
    "listed": message("by filters"),
}
"""The ways to find hits."""

ABOUT_MODELS = {
    "model_failed": message("The model can't be used: these hits are by words only."),
    "reranker_loading": message(
        "The model for the second look is still loading: the hits are in the order before it. They refresh "
        "when it is ready."
    ),
}
"""Notices on a missing model that a search can't choose: it doesn't know whether one still loads, and which."""


def draw(workspace: Workspace, text: str, options: SearchOptions, *, several: bool) -> None:
    """Ask a question and draw the answer; if reranking is slow, first draw the hits before it."""
    now = SearchOptions(**{**options, "wait": False})
    # A container for each: one that comes or goes doesn't move the elements behind it.
    chips, before, answer = st.container(), st.empty(), st.empty()
    question = (text, repr(sorted(options.items(), key=lambda item: item[0])))
    early = None
    slow = workspace.searching.settings(options)["reranker"] not in rerankers.QUICK
    if slow and st.session_state.get("reranked") != question:
        early = workspace.search(text, **SearchOptions(**{**now, "reranker": rerankers.NONE}))
        with chips:
            understood.chips(text, early)
        answer.empty()
        with before.container():
            st.caption(f":material/hourglass_top: {_count(early)} · {t('Taking a second look…')}")
            with _beside(early):
                hits.preliminary(workspace, early, base=several)
    with st.spinner(t("Searching…")):
        result = workspace.search(text, **now)
    if "model_loading" not in result.notices:
        st.session_state["reranked"] = question
    question_box.remember(workspace, text)
    if early is None:
        with chips:
            understood.chips(text, result)
    before.empty()
    with answer.container():
        _summary(workspace, result)
        with _beside(result, text):
            _hits(workspace, text, result, options, several=several)


def _beside(result: SearchResult, text: str = "") -> DeltaGenerator:
    """Return the container for the hits, beside the column of facets if there are any; with a text, draw these."""
    if not (result.facets and result.hits):
        return st.container()
    left, right = st.columns([2, 9], gap="medium")
    if text:
        with left:
            facets.facets(text, result.facets)
    return right


def _hits(workspace: Workspace, text: str, result: SearchResult, options: SearchOptions, *, several: bool) -> None:
    subqueries.section(result)
    if result.hits:
        hits.listed(workspace, text, result, base=several)
        context_block.section(workspace, text, options)
    else:
        suggestions.no_hits(workspace, text, result)
    lost.lost(workspace, text, options)
    lost.why_not(workspace, text, options)


def _count(result: SearchResult) -> str:
    fields = {"n": len(result.hits), "mode": FOUND_BY[result.mode], "ms": round(result.took_ms)}
    return t_plural("{n} hit · {mode} · {ms} ms", "{n} hits · {mode} · {ms} ms", **fields)


def _summary(workspace: Workspace, result: SearchResult) -> None:
    """Draw the count of the hits, the way they were found, and the notices."""
    reranker = t("second look: {name}", name=rerankers.called(result.reranker)) if result.reranker else ""
    cached = t("from memory") if result.cached else ""
    st.caption(plain(" · ".join(filter(None, [_count(result), reranker, cached]))))
    if result.rerank_problem:
        st.warning(
            f"**{t('There was no second look: the hits are in the order before it.')}** {plain(text_of(result.rerank_problem))}",
            icon=":material/warning:",
        )
    _spelled(result)
    for notice in result.notices if result.hits else ():
        st.info(text_of(_notice(workspace, result, notice)), icon=":material/info:")
    if "model_loading" in result.notices and _is_by_meaning(result):
        _wait_for_reranker(workspace)


def _spelled(result: SearchResult) -> None:
    """Draw which words were looked for by another spelling, and the way back."""
    for word, nearest in result.spelled.items():
        with st.container(horizontal=True, vertical_alignment="center", key=f"spelled_{word}"):
            text = t("No note holds “{word}”: “{nearest}” was looked for too.", word=word, nearest=nearest)
            st.caption(f":material/spellcheck: {plain(text)}", width="content")
            only = partial(st.session_state.__setitem__, "as_typed", result.query)
            widgets.small(t("Only as typed"), f"as_typed_{word}", "undo", on_click=only)


def _is_by_meaning(result: SearchResult) -> bool:
    return result.mode in ("semantic", "hybrid")


def _wait_for_reranker(workspace: Workspace) -> None:
    """Draw the page anew when the reranker is loaded; the side bar doesn't see a loading that began with this search."""
    drawn = []

    @st.fragment(run_every=1.0)
    def part() -> None:
        if drawn and not workspace.jobs.running("warm_reranker"):
            st.rerun()
        drawn.append(True)

    part()


def _notice(workspace: Workspace, result: SearchResult, notice: Notice) -> Message:
    """Return the text of a notice; one on a model says which, and whether it still loads."""
    if notice != "model_loading":
        return NOTICES[notice]
    if _is_by_meaning(result):
        return ABOUT_MODELS["reranker_loading"]
    warm = workspace.jobs.get("warm")
    return ABOUT_MODELS["model_failed"] if warm is not None and warm.state == "failed" else NOTICES[notice]
