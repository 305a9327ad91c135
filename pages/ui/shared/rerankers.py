"""The reranker of a search: its choice, its name on the screen, and whether it keeps a person waiting."""

import streamlit as st

from core.model import DEFAULTS, KnowledgeBase, SearchOptions, reranker_name
from core.workspace import Workspace
from pages.ui.shared.text import said, t

NONE = "none"
QUICK = (NONE, DEFAULTS.reranker)
"""Rerankers that are done in a moment."""
AS_SET = ""
"""The choice of a reranker that leaves it to the base, else the settings."""


def choice(workspace: Workspace, base: KnowledgeBase | None) -> str | None:
    """Draw the choice of a reranker and return it, None for what the base, where it is one, else the settings say."""
    names = [AS_SET, NONE, *workspace.models.rerankers()]
    labels = {name: called(name) for name in names}
    labels[AS_SET] = t("As set: {name}", name=called(workspace.bases.search_settings(base).reranker))
    if st.session_state.get("reranker") not in names:
        st.session_state["reranker"] = AS_SET
    chosen = st.selectbox(
        t("Second look"),
        names,
        format_func=labels.__getitem__,
        key="reranker",
        help=t(
            "Each of the best hits is compared with the whole question once more. As set: only where meaning and "
            "words are both used."
        ),
        persist_state="session",
    )
    return None if chosen == AS_SET else chosen


def called(reranker: str) -> str:
    """Return what a reranker is called on the screen."""
    return said(reranker_name(reranker))


def slow(workspace: Workspace, options: SearchOptions) -> bool:
    """Tell whether reranking takes so long that the hits are worth seeing before it."""
    return workspace.searching.settings(options)["reranker"] not in QUICK
