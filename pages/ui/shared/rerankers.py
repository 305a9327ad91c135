"""The reranker of a search: its choice, its name on the screen, and whether it is slow."""

import streamlit as st

from core.model import DEFAULTS, KnowledgeBase, reranker_name
from core.workspace import Workspace
from pages.ui.shared import widgets
from pages.ui.shared.text import t, text_of

NONE = "none"
QUICK = (NONE, DEFAULTS.reranker)
"""Rerankers without a noticeable wait."""
AS_SET = ""
"""The choice that leaves the reranker to the base, else to the settings."""


def choice(workspace: Workspace, base: KnowledgeBase | None) -> str | None:
    """Draw the choice of a reranker and return it, None for the one of the base, else of the settings."""
    texts = {AS_SET: t("Default: {value}", value=called(workspace.bases.search_settings(base).reranker))}
    texts |= {name: called(name) for name in (NONE, *workspace.models.rerankers())}
    if st.session_state.get("reranker") not in texts:
        st.session_state["reranker"] = AS_SET
    about = t(
        "The best hits are compared with the whole question once more. The default applies only "
        "to a search by both meaning and words."
    )
    chosen = widgets.select(t("Second look"), texts, "reranker", help=about, persist_state="session")
    return None if chosen == AS_SET else chosen


def called(reranker: str) -> str:
    """Return the name of a reranker on the screen."""
    return text_of(reranker_name(reranker))
