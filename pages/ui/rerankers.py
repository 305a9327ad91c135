"""The reranker of a search: its choice, its name on the screen, and whether it keeps a person waiting."""

import streamlit as st

from core.workspace import SearchOptions, Workspace
from pages.ui.text import TEXT, t

NONE = "none"
QUICK = (NONE, "late-interaction")
"""Rerankers that are done in a moment."""
AS_SET = ""
"""The choice of a reranker that leaves it to the settings."""


def choice(workspace: Workspace) -> str | None:
    """Draw the choice of a reranker and return it, None for what the settings say."""
    names = [AS_SET, NONE, *workspace.rerankers()]
    labels = {name: called(name) for name in names}
    labels[AS_SET] = t("search.rerank.default", name=called(workspace.settings.search.reranker))
    if st.session_state.get("reranker") not in names:
        st.session_state["reranker"] = AS_SET
    chosen = st.selectbox(
        t("search.rerank"),
        names,
        format_func=labels.__getitem__,
        key="reranker",
        help=t("search.rerank.help"),
        persist_state="session",
    )
    return None if chosen == AS_SET else chosen


def called(reranker: str) -> str:
    """Return what a reranker is called on the screen."""
    kind, _, model = reranker.partition(":")
    key = f"reranker.{kind.replace('-', '_')}"
    return " · ".join([t(key) if key in TEXT else kind, *([model] if model else [])])


def slow(workspace: Workspace, options: SearchOptions) -> bool:
    """Tell whether reranking takes so long that the hits are worth seeing before it."""
    by_default = workspace.settings.search.reranker if options["mode"] in ("auto", "hybrid") else NONE
    asked = options["reranker"]
    return (by_default if asked is None else asked) not in QUICK
