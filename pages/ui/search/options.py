"""The options of a search: a person's choices; the base and the settings decide the others."""

from typing import Any, cast

import streamlit as st

from core.model import CompleteSettings, KnowledgeBase, SearchOptions
from core.workspace import Workspace
from pages.ui.shared import knobs, widgets
from pages.ui.shared.text import t, text_of

FILTERS = ("search_bases", "search_tags")
DRAWN = tuple(name for column in knobs.OF_SEARCHES for name in column)
"""The options that follow the base, else the settings, until a person chooses a value."""


def popover(workspace: Workspace, bases: list[str]) -> SearchOptions:
    """Draw the options and return them."""
    tags = list(workspace.notes.tags())
    changed = _changed(_set_up(workspace, bases, tags))
    label = t("Options · {n}", n=changed) if changed else t("Options")
    with st.popover(label, icon=":material/tune:", key="options"), st.container(key="options_body"):
        chosen = _drawn(workspace, bases, tags)
        if changed:
            widgets.small(t("Reset to the defaults"), "reset_options", "undo", on_click=reset)
    return chosen


def _drawn(workspace: Workspace, bases: list[str], tags: list[str]) -> SearchOptions:
    filters: list[list[str]] = []
    chosen: dict[str, Any] = {}
    texts = ((t("Knowledge bases"), t("All"), bases), (t("With all of these tags"), t("Any"), tags))
    columns = zip(st.columns(2, gap="medium"), knobs.OF_SEARCHES, texts, FILTERS, strict=True)
    for column, (first, *_), (label, none, there), key in columns:
        with column:
            chosen[first] = _choice(first)
            filters.append(st.multiselect(label, there, key=key, placeholder=none, persist_state="session"))
    base = workspace.bases.get(filters[0][0]) if len(filters[0]) == 1 else None
    chosen["reranker"] = _reranker(workspace, base)
    with st.expander(t("Advanced"), key="advanced_options"):
        for column, (_, *others) in zip(st.columns(2, gap="medium"), knobs.OF_SEARCHES, strict=True):
            with column:
                chosen |= {name: _choice(name) for name in others}
    chosen["filters"] = workspace.searching.filters(bases=filters[0], tags=filters[1])
    return cast(SearchOptions, chosen)


def _reranker(workspace: Workspace, base: KnowledgeBase | None) -> str | None:
    """Draw the choice of a reranker and return it, None for the one of the base, else of the settings."""
    texts = knobs.offered(workspace, "reranker", base)
    widgets.begin_with("reranker", texts, knobs.AS_SET)
    about = text_of(knobs.HELPS["reranker"])
    chosen = widgets.select(t("Re-check"), texts, "reranker", help=about, persist_state="session")
    return None if chosen == knobs.AS_SET else chosen


def _choice(name: str) -> Any:
    """Draw a widget and return the person's choice, None while the widget shows the value of the base or the settings."""
    value = knobs.draw(name, key=name, on_change=_chose, args=(name,), persist_state="session")
    return value if name in st.session_state["own_options"] else None


def _chose(name: str) -> None:
    st.session_state["own_options"] = st.session_state["own_options"] | {name}


def _changed(usual: CompleteSettings) -> int:
    """Return the number of options, filters aside, that differ from the base's or the settings' values."""
    own = [st.session_state[name] != knobs.value(usual, name) for name in st.session_state["own_options"]]
    return sum(map(bool, [*own, st.session_state["reranker"] != knobs.AS_SET]))


def reset() -> None:
    """Give all options but the filters their default values; for callbacks."""
    st.session_state.update(reranker=knobs.AS_SET, own_options=frozenset())


def choose(name: str, value: object) -> None:
    """Choose an option for a person; for callbacks."""
    st.session_state[name] = value
    _chose(name)


def _set_up(workspace: Workspace, bases: list[str], tags: list[str]) -> CompleteSettings:
    """Give every option a valid value, and return the settings of the base if there is one, else of the program."""
    st.session_state.setdefault("own_options", frozenset())
    st.session_state.setdefault("reranker", knobs.AS_SET)
    for key, there in zip(FILTERS, (bases, tags), strict=True):
        st.session_state[key] = [name for name in st.session_state.get(key, []) if name in there]
    chosen = st.session_state[FILTERS[0]]
    usual = workspace.bases.search_settings(workspace.bases.get(chosen[0]) if len(chosen) == 1 else None)
    for name in DRAWN:
        if name not in st.session_state["own_options"]:
            st.session_state[name] = knobs.value(usual, name)
    return usual


def drop_filter(key: str, name: str) -> None:
    """Remove one filter beside the question; for callbacks."""
    st.session_state[key] = [other for other in st.session_state[key] if other != name]
