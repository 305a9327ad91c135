"""The search options: the user's choices, by default the values of the base or the settings."""

from collections.abc import Sequence
from typing import cast

import streamlit as st

from core.model import CompleteSettings, SearchOptions
from pages.ui.shared import knobs, widgets
from pages.ui.shared.server import workspace
from pages.ui.shared.text import t, text_of

FILTERS = ("search_bases", "search_tags")
OPEN = "options_open"
DRAWN = ("mode", *(name for column in knobs.OF_SEARCHES for name in column))
"""Options that have the value of the base, else of the settings, until the user chooses one."""


def button(bases: list[str]) -> SearchOptions:
    """Draw the button that opens and closes the options, and return the chosen options."""
    usual = _set_up(bases)
    own = [st.session_state[name] != knobs.value(usual, name) for name in st.session_state["own_options"]]
    changed = sum(map(bool, [*own, st.session_state["reranker"] != knobs.AS_SET]))
    label = t("Options · {n}", n=changed) if changed else t("Options")
    widgets.button(label, "options", "tune", **widgets.toggling(OPEN))
    state = st.session_state
    chosen: dict[str, object] = {name: state[name] if name in state["own_options"] else None for name in DRAWN}
    chosen["reranker"] = None if state["reranker"] == knobs.AS_SET else state["reranker"]
    of_bases, tags = (state[key] for key in FILTERS)
    chosen["filters"] = workspace.searching.filters(bases=of_bases, tags=tags)
    return cast(SearchOptions, chosen)


def panel(bases: list[str]) -> None:
    """Draw the options if they are open; a change runs the search again."""
    if OPEN not in widgets.toggled():
        return
    texts = (
        (t("Knowledge bases"), t("All"), bases),
        (t("With all of these tags"), t("Any"), list(workspace.vocabulary.tags())),
    )
    with st.container(border=True, key="options_body"):
        _draw("mode", offered=knobs.WAYS)
        for column, (label, none, there), key in zip(st.columns(2, gap="medium"), texts, FILTERS, strict=True):
            column.multiselect(label, there, key=key, placeholder=none, persist_state="session")
        with st.expander(t("Advanced"), key="advanced_options"):
            chosen = st.session_state[FILTERS[0]]
            rerankers = knobs.value_labels("reranker", workspace.bases.get(chosen[0]) if len(chosen) == 1 else None)
            widgets.begin_with("reranker", rerankers, knobs.AS_SET)
            about = text_of(knobs.HELPS["reranker"])
            widgets.select(t("Rerank"), rerankers, "reranker", help=about, persist_state="session")
            for column, names in zip(st.columns(2, gap="medium"), knobs.OF_SEARCHES, strict=True):
                with column:
                    for name in names:
                        _draw(name)
        if st.session_state["own_options"] or st.session_state["reranker"] != knobs.AS_SET:
            widgets.small(t("Reset to the defaults"), "reset_options", "undo", on_click=reset)


def _draw(name: str, offered: Sequence[str] = ()) -> None:
    """Draw the widget for an option, which has the value of the base or the settings until the user chooses one."""
    knobs.draw(name, key=name, offered=offered, on_change=_mark_own, args=(name,), persist_state="session")


def _mark_own(name: str) -> None:
    st.session_state["own_options"] = st.session_state["own_options"] | {name}


def reset() -> None:
    """Reset all options, except filters, to their defaults; for callbacks."""
    st.session_state.update(reranker=knobs.AS_SET, own_options=frozenset())


def choose(name: str, value: object) -> None:
    """Set an option; for callbacks."""
    st.session_state[name] = value
    _mark_own(name)


def _set_up(bases: list[str]) -> CompleteSettings:
    """Give all options valid values; return the search settings of the chosen base, else those of the program."""
    st.session_state.setdefault("own_options", frozenset())
    st.session_state.setdefault("reranker", knobs.AS_SET)
    of_bases, tags = (st.session_state.setdefault(key, []) for key in FILTERS)
    st.session_state[FILTERS[0]] = [name for name in of_bases if name in bases]
    if tags:
        present = workspace.vocabulary.tags()
        st.session_state[FILTERS[1]] = [name for name in tags if name in present]
    chosen = st.session_state[FILTERS[0]]
    usual = workspace.bases.search_settings(workspace.bases.get(chosen[0]) if len(chosen) == 1 else None)
    for name in DRAWN:
        if name not in st.session_state["own_options"]:
            st.session_state[name] = knobs.value(usual, name)
    return usual


def drop_filter(key: str, name: str) -> None:
    """Remove a filter that was set in the options; for callbacks."""
    st.session_state[key] = [other for other in st.session_state[key] if other != name]
