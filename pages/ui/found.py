"""The answer to a question, from what was understood of it down to why a note is no hit."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.model import SearchResult
from core.workspace import SearchOptions, Workspace
from pages.ui import asking, contextbox, hits, lostview, narrowing, parts, relaxing, rerankers, understood
from pages.ui.safe import plain
from pages.ui.sentences import said
from pages.ui.text import t


def draw(workspace: Workspace, text: str, options: SearchOptions, *, several: bool) -> None:
    """Ask a question and draw the answer; where reranking takes long, first the hits as they are before it."""
    now = SearchOptions(**{**options, "wait": False})
    # A place for each: what comes and goes doesn't move the elements behind it.
    chips, before, answer = st.container(), st.empty(), st.empty()
    asked = (text, repr(sorted(options.items(), key=lambda item: item[0])))
    early = None
    if rerankers.slow(workspace, options) and st.session_state.get("reranked") != asked:
        early = workspace.search(text, **SearchOptions(**{**now, "reranker": rerankers.NONE}))
        with chips:
            understood.chips(text, early, options)
        answer.empty()
        with before.container():
            st.caption(f":material/hourglass_top: {_told(early)} · {t('search.reranking')}")
            with _beside(early):
                hits.preliminary(workspace, early, base=several)
    with st.spinner(t("search.searching")):
        result = workspace.search(text, **now)
    if "model_loading" not in result.notices:
        st.session_state["reranked"] = asked
    asking.remember(workspace, text)
    if early is None:
        with chips:
            understood.chips(text, result, options)
    before.empty()
    with answer.container():
        _summary(workspace, result)
        with _beside(result, text):
            _hits(workspace, text, result, options, several=several)


def _beside(result: SearchResult, text: str = "") -> DeltaGenerator:
    """Return the place for the hits, beside the facets where there are some; they are drawn for a question."""
    if not (result.facets and result.hits):
        return st.container()
    left, right = st.columns([2, 9], gap="medium")
    if text:
        with left:
            narrowing.facets(text, result.facets)
    return right


def _hits(workspace: Workspace, text: str, result: SearchResult, options: SearchOptions, *, several: bool) -> None:
    parts.section(result)
    if result.hits:
        hits.listed(workspace, text, result, options, base=several)
        contextbox.section(workspace, text, options)
    else:
        relaxing.no_hits(workspace, text, result, options)
    lostview.lost(workspace, text, options)
    lostview.why_not(workspace, text, options)


def _told(result: SearchResult) -> str:
    mode = t("mode.listed") if "listed" in result.notices else t(f"mode.{result.mode}")
    return t("search.took", n=len(result.hits), mode=mode, ms=round(result.took_ms))


def _summary(workspace: Workspace, result: SearchResult) -> None:
    """Say how many hits there are, how they were found, and what should be known about that."""
    by = [t("search.reranked", name=rerankers.called(result.reranker))] if result.reranker else []
    kept = [t("search.cached")] if result.cached else []
    st.caption(plain(" · ".join([_told(result), *by, *kept])))
    if result.rerank_problem:
        st.warning(f"**{t('search.not_reranked')}** {plain(said(result.rerank_problem))}", icon=":material/warning:")
    for notice in result.notices if result.hits else ():
        st.info(t(f"notice.{_notice(workspace, result, notice)}"), icon=":material/info:")
    if "model_loading" in result.notices and result.mode != "keyword":
        _wait_for_reranker(workspace)


def _wait_for_reranker(workspace: Workspace) -> None:
    """Draw the page anew when the reranker is there: its loading began with this search, unseen by the side bar."""
    drawn = []

    @st.fragment(run_every=1.0)
    def part() -> None:
        if drawn and not workspace.jobs.running("warm_reranker"):
            st.rerun()
        drawn.append(True)

    part()


def _notice(workspace: Workspace, result: SearchResult, notice: str) -> str:
    """The text for what the search says, by what the person can know of it."""
    if notice != "model_loading":
        return notice
    if result.mode != "keyword":
        return "reranker_loading"
    warm = workspace.jobs.get("warm")
    return "model_failed" if warm is not None and warm.state == "failed" else "model_loading"
