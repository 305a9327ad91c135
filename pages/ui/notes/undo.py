"""The last changes, and the button that undoes them one after the other."""

from collections.abc import Callable

import streamlit as st

from core.model import Note
from core.workspace import Workspace
from pages.ui.shared import shell, widgets
from pages.ui.shared.safe import plain
from pages.ui.shared.text import t

_DONE = "notes_done"
_OFFERED = "notes_offered"
_SEEN = "notes_seen"
_MOST = 20
"""Changes that can be undone."""


def offer_undo(text: str, undo: Callable[[], object]) -> None:
    """Show a text about a change in the next run, with a button that undoes the change."""
    st.session_state[_OFFERED] = True
    st.session_state[_DONE] = [*st.session_state.get(_DONE, []), (text, undo)][-_MOST:]


def offer_text_undo(workspace: Workspace, note: Note) -> None:
    """Offer to undo what the user wrote to a note since it was read here last, unless that is offered already."""
    seen: dict[str, int] = st.session_state.setdefault(_SEEN, {})
    before, seen[note.id] = seen.get(note.id, note.version), note.version
    if st.session_state.pop(_OFFERED, False) or note.version <= before:
        return
    last = workspace.notes.history(note.id)[0]
    if (last.kind, last.author) == ("update", "person"):
        text = t("'{title}' is saved as version {n}.", title=plain(note.title), n=note.version)
        offer_undo(text, lambda: workspace.notes.revert(note.id, before, expected_version=note.version))
        st.session_state.pop(_OFFERED)


def draw_undo() -> None:
    """Draw the last change that isn't undone."""
    if not st.session_state.get(_DONE):
        return
    text, undo = st.session_state[_DONE][-1]
    with st.container(horizontal=True, vertical_alignment="center", key="notes_done"):
        st.caption(text, width="content")
        widgets.small(t("Undo"), "notes_undo", "undo", on_click=shell.guarded(_undo), args=(undo,))
        widgets.close("notes_done_close", t("Close"), on_click=clear_undo)


def _undo(undo: Callable[[], object]) -> None:
    st.session_state[_DONE].pop()
    st.session_state[_OFFERED] = True
    undo()


def clear_undo() -> None:
    """Forget the changes: they can't undo later changes of another kind."""
    st.session_state.pop(_DONE, None)
