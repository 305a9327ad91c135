"""The view of the Bases page, kept in its address: all bases, one base, or the form for a new one."""

import streamlit as st

from core.workspace import Workspace
from pages.ui.shared import links, widgets
from pages.ui.shared.text import t

NEW = "\0new"
"""The view with the form for a new base; no base can have this name."""
_OPEN, _ADDING = "open_base", "adding_to_base"


def settle(workspace: Workspace) -> str:
    """Return the name of the base that is open, NEW, or "" for all."""
    if links.arrived("new"):
        st.session_state.update({_OPEN: NEW, "new_name": st.query_params.get("name", "")})
    elif (linked := links.arrived("base")) is not None:
        st.session_state[_OPEN] = linked
    elif links.known("base") and "base" not in st.query_params:
        st.session_state[_OPEN] = ""  # a click on the page in the side bar
    chosen: str = st.session_state.get(_OPEN, "")
    if chosen != NEW and chosen not in {base.name for base in workspace.bases.all()}:
        chosen = st.session_state[_OPEN] = ""
    links.say("base", "" if chosen == NEW else chosen)
    links.say("new", "yes" if chosen == NEW else "")
    links.say("name", "")
    return chosen


def go(base: str, *, adding: bool = False) -> None:
    """Open a base, NEW, or all with "", in the next run; for callbacks. `adding` unfolds the ways to add notes."""
    st.session_state.update({_OPEN: base, _ADDING: adding})


def is_adding() -> bool:
    """Whether the base was opened to add notes to it."""
    return bool(st.session_state.get(_ADDING))


def back() -> None:
    """Draw the way back to all bases."""
    widgets.small(t("All knowledge bases"), "all_bases", "arrow_back", on_click=go, args=("",))
