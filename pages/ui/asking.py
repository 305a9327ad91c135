"""The search box, its options, and what is said about a search."""

from dataclasses import dataclass
from typing import Any, get_args

import streamlit as st

from core.model import Filters, Mode, SearchResult
from core.workspace import Workspace
from pages.ui import links
from pages.ui.safe import plain
from pages.ui.sentences import said
from pages.ui.text import TEXT, t

LIMITS = [5, 10, 20, 50]
FILTERS = ("search_bases", "search_tags")
DEFAULT = ""
"""The choice of a reranker that leaves it to the settings."""


@dataclass(frozen=True, slots=True)
class Options:
    """How a search is made: the keyword arguments of `Workspace.search`."""

    mode: Mode
    filters: Filters
    limit: int
    semantic_weight: float
    expansion_size: int
    reranker: str | None

    @property
    def arguments(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__}


def question() -> str | None:
    """Draw the box and return what is asked, None where nothing is; the address's question is asked at once."""
    if (linked := links.arrived("q")) is not None:
        st.session_state["q"] = st.session_state["asked"] = linked
    with st.form("ask", border=False), st.container(horizontal=True, vertical_alignment="bottom"):
        typed = st.text_input(
            t("search.box"), key="q", placeholder=t("search.box"), label_visibility="collapsed", persist_state="session"
        )
        if st.form_submit_button(t("search.go"), type="primary", icon=":material/search:"):
            st.session_state["asked"] = typed.strip()
            if not typed.strip():
                return ""
    asked: str = st.session_state.get("asked", "")
    links.say("q", asked)
    return asked or None


def options(workspace: Workspace, bases: list[str]) -> Options:
    """Draw mode and options and return them."""
    defaults = workspace.settings.search
    tags = list(workspace.tags())
    _set_up(bases, tags, defaults.limit, defaults.semantic_weight)
    modes = {name: t(f"mode.{name}") for name in get_args(Mode)}
    with st.container(horizontal=True, vertical_alignment="center"):
        mode = st.segmented_control(
            t("search.mode"),
            list(modes),
            format_func=modes.__getitem__,
            key="mode",
            required=True,
            label_visibility="collapsed",
            persist_state="session",
        )
        with st.popover(t("search.options"), icon=":material/tune:"):
            chosen_bases = st.multiselect(
                t("search.bases"), bases, key="search_bases", placeholder=t("search.bases.all"), persist_state="session"
            )
            chosen_tags = st.multiselect(
                t("search.tags"), tags, key="search_tags", placeholder=t("search.tags.any"), persist_state="session"
            )
            limit = st.select_slider(
                t("search.limit"), sorted({*LIMITS, defaults.limit}), key="limit", persist_state="session"
            )
            expansion = st.select_slider(t("search.expansion"), range(4), key="expansion", persist_state="session")
            weight = st.slider(
                t("search.weight"),
                0.0,
                1.0,
                step=0.05,
                key="weight",
                help=t("search.weight.help"),
                persist_state="session",
            )
            reranker = _reranker(workspace)
        if chosen_bases or chosen_tags:
            told = [t("search.in", names=", ".join(chosen_bases))] if chosen_bases else []
            told += [t("search.tagged", names=", ".join(chosen_tags))] if chosen_tags else []
            st.caption(plain(" · ".join(told)), width="content")
            st.button(t("search.clear"), key="clear", type="tertiary", icon=":material/close:", on_click=_clear)
    filters = Filters(bases=tuple(chosen_bases), tags=tuple(chosen_tags))
    return Options(mode, filters, limit, weight, expansion, reranker)


def _reranker(workspace: Workspace) -> str | None:
    """Draw the choice of a reranker and return it, None for what the settings say."""
    names = [DEFAULT, "none", *workspace.rerankers()]
    labels = {name: called(name) for name in names}
    labels[DEFAULT] = t("search.rerank.default", name=called(workspace.settings.search.reranker))
    if st.session_state.get("reranker") not in names:
        st.session_state["reranker"] = DEFAULT
    chosen = st.selectbox(
        t("search.rerank"),
        names,
        format_func=labels.__getitem__,
        key="reranker",
        help=t("search.rerank.help"),
        persist_state="session",
    )
    return None if chosen == DEFAULT else chosen


def called(reranker: str) -> str:
    """Return what a reranker is called on the screen."""
    kind, _, model = reranker.partition(":")
    key = f"reranker.{kind.replace('-', '_')}"
    return " · ".join([t(key) if key in TEXT else kind, *([model] if model else [])])


def _set_up(bases: list[str], tags: list[str], limit: int, weight: float) -> None:
    """Give every option a value that there is."""
    for key, value in {"mode": "auto", "limit": limit, "expansion": 0, "weight": weight}.items():
        st.session_state.setdefault(key, value)
    for key, there in zip(FILTERS, (bases, tags), strict=True):
        st.session_state[key] = [name for name in st.session_state.get(key, []) if name in there]


def _clear() -> None:
    for key in FILTERS:
        st.session_state[key] = []


def summary(workspace: Workspace, result: SearchResult) -> None:
    """Say how many hits there are, how they were found, and what should be known about that."""
    took = t("search.took", n=len(result.hits), mode=t(f"mode.{result.mode}"), ms=round(result.took_ms))
    by = [t("search.reranked", name=called(result.reranker))] if result.reranker else []
    st.caption(plain(" · ".join([took, *by])))
    if result.rerank_problem:
        st.warning(f"**{t('search.not_reranked')}** {plain(said(result.rerank_problem))}", icon=":material/warning:")
    for notice in result.notices:
        st.info(t(f"notice.{_notice(workspace, result, notice)}"), icon=":material/info:")


def _notice(workspace: Workspace, result: SearchResult, notice: str) -> str:
    """The text for what the search says, by what the person can know of it."""
    if notice != "model_loading":
        return notice
    if result.mode != "keyword":
        return "reranker_loading"
    warm = workspace.jobs.get("warm")
    return "model_failed" if warm is not None and warm.state == "failed" else "model_loading"


def nothing_yet() -> None:
    """Say that there are no notes, and where they come from."""
    st.info(t("search.nothing"), icon=":material/search_off:")
    with st.container(horizontal=True):
        st.page_link("app.py", label=t("home.try"), icon=":material/play_arrow:")
        st.page_link("pages/1_notes.py", label=t("home.import"), icon=":material/folder_open:")


def examples(samples: bool) -> None:
    """Say what can be asked; with the sample notes, offer questions that they answer."""
    st.caption(t("search.start"))
    if samples:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption(t("search.try"), width="content")
            for number in (1, 2, 3):
                text = t(f"search.example.{number}")
                st.page_link("pages/3_search.py", label=text, icon=":material/arrow_outward:", query_params={"q": text})


def no_hits(result: SearchResult, options: Options) -> None:
    """Say that nothing was found, and what to relax."""
    st.warning(t("search.no_hits"), icon=":material/search_off:")
    advice = []
    if options.filters.bases or options.filters.tags:
        advice.append("search.relax.filters")
    if "model_loading" in result.notices:
        advice.append("search.relax.loading")
    elif result.mode == "keyword":
        advice.append("search.relax.keyword")
    st.markdown("\n".join(f"- {t(key)}" for key in [*advice, "search.relax.words"]))
