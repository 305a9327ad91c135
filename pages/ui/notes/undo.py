"""The last changes, and the button that undoes them one after the other."""

from collections.abc import Callable

import streamlit as st

from pages.ui.shared import shell, widgets
from pages.ui.shared.text import t

_DONE = "notes_done"
_MOST = 20
"""Changes that can be undone."""


def offer(text: str, undo: Callable[[], object]) -> None:
    """Show a text about a change in the next run, with a button that undoes the change."""
    st.session_state[_DONE] = [*st.session_state.get(_DONE, []), (text, undo)][-_MOST:]


def draw() -> None:
    """Draw the last change that isn't undone."""
    if not st.session_state.get(_DONE):
        return
    text, undo = st.session_state[_DONE][-1]
    with st.container(horizontal=True, vertical_alignment="center", key="notes_done"):
        st.caption(text, width="content")
        widgets.small(t("Undo"), "notes_undo", "undo", on_click=shell.guarded(_undone), args=(undo,))
        widgets.close("notes_done_close", t("Close"), on_click=_closed)


def _undone(undo: Callable[[], object]) -> None:
    st.session_state[_DONE].pop()
    undo()


def _closed() -> None:
    st.session_state.pop(_DONE, None)
