"""A change of a base's search settings, tried on the questions of its last check before it is made."""

from collections.abc import Callable

import streamlit as st

from core.model import KnowledgeBase, SearchSettings
from core.workspace import Workspace
from pages.ui.shared import widgets
from pages.ui.shared.safe import plain
from pages.ui.shared.text import t, t_plural


def wish(base: KnowledgeBase, search: SearchSettings) -> None:
    """Let a change of a base's search settings be tried in the next run, before it is made; for callbacks."""
    st.session_state[_key(base)] = search


def trial_settings(base: KnowledgeBase) -> SearchSettings | None:
    """Return the search settings that are tried, None where none are."""
    wished: SearchSettings | None = st.session_state.get(_key(base))
    return wished


def guard(workspace: Workspace, base: KnowledgeBase) -> None:
    """Make the change of settings that was wished; one that loses more than chance explains is shown first."""
    search = trial_settings(base)
    if search is None:
        return
    key = f"{_key(base)}_loses"
    if st.session_state.get(key, (None,))[0] != search:
        with st.spinner(t("Trying the change on questions of the last check…")):
            trial = workspace.findability.try_settings(base.name, search)
        st.session_state[key] = search, trial
    trial = st.session_state[key][1]

    def settle(change: Callable[[], object] | None = None) -> None:
        st.session_state.pop(_key(base), None)
        st.session_state.pop(key, None)
        if change:
            change()

    def take() -> None:
        settle(lambda: workspace.bases.update(base.name, search=search))

    if trial is None or not trial.loses:
        take()
        st.rerun()
    counts = t_plural(
        "With this change {n} of {of} questions leads to its note later, or not at all: more than chance explains.",
        "With this change {n} of {of} questions lead to their note later, or not at all: more than chance explains.",
        n=trial.comparison.losses,
        of=trial.comparison.questions,
    )
    st.warning(plain(counts), icon=":material/trending_down:")
    with st.container(horizontal=True):
        widgets.button(t("Keep the old model"), f"keep_{base.id}", "undo", type="primary", on_click=settle)
        widgets.button(t("Change it anyway"), f"take_{base.id}", "check", on_click=take)
    with st.expander(t("These questions"), key="trial_lost"):
        widgets.lines(trial.lost)


def _key(base: KnowledgeBase) -> str:
    return f"wished_search_{base.id}"
