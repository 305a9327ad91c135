"""A trial of a base: a question, and its hits by the settings of the base."""

import streamlit as st

from core.model import MODES, KnowledgeBase
from core.workspace import Workspace
from pages.ui.search import hits
from pages.ui.shared import choice, shell, widgets
from pages.ui.shared.text import t, t_plural, text_of


def section(workspace: Workspace, base: KnowledgeBase) -> None:
    """Draw the box for a question to a base, and its answer by the settings of the base."""
    left, right = st.columns([5, 6], gap="large")
    key = f"tried_{base.id}"
    with left, st.form(f"try_{base.id}", border=False):
        typed = st.text_area(t("Question"), key=f"{key}_text", height=120)
        if widgets.submit(t("Ask this base"), f"{key}_ask", "search", type="primary"):
            st.session_state[key] = (typed or "").strip()
    with right, shell.errors():
        if text := st.session_state.get(key):
            _answer(workspace, base, text)
        else:
            st.caption(t("The hits stand here, as a search of this base alone finds them."))


def _answer(workspace: Workspace, base: KnowledgeBase, text: str) -> None:
    with st.spinner(t("Searching…")):
        result = workspace.search(text, bases=base.name, wait=False)
    count = t_plural("{n} hit", "{n} hits", n=len(result.hits))
    took = t("{ms} ms", ms=round(result.took_ms))
    st.caption(f"{count} · {text_of(MODES[result.mode])} · {took}")
    choice.section(result)
    if result.hits and not result.confident:
        st.caption(t("Nothing close. The nearest:"))
    hits.preliminary(workspace, result, base=False)
