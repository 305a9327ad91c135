"""The reranker of a search: its choice, its name on the screen, and whether it keeps a person waiting."""

import streamlit as st

from core.model import Filters, KnowledgeBase
from core.workspace import SearchOptions, Workspace
from pages.ui.text import TEXT, t

NONE = "none"
QUICK = (NONE, "late-interaction")
"""Rerankers that are done in a moment."""
AS_SET = ""
"""The choice of a reranker that leaves it to the base, else the settings."""


def choice(workspace: Workspace, base: KnowledgeBase | None) -> str | None:
    """Draw the choice of a reranker and return it, None for what the base, where it is one, else the settings say."""
    names = [AS_SET, NONE, *workspace.rerankers()]
    labels = {name: called(name) for name in names}
    labels[AS_SET] = t("search.rerank.default", name=called(_set_to(workspace, base)))
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


def _set_to(workspace: Workspace, base: KnowledgeBase | None) -> str:
    return (base and base.reranker) or workspace.settings.search.reranker


def slow(workspace: Workspace, options: SearchOptions) -> bool:
    """Tell whether reranking takes so long that the hits are worth seeing before it."""
    asked = options["reranker"]
    bases = (options["filters"] or Filters()).bases
    base = workspace.base(bases[0]) if len(bases) == 1 else None
    by_default = _set_to(workspace, base) if options["mode"] in ("auto", "hybrid") else NONE
    return (by_default if asked is None else asked) not in QUICK
