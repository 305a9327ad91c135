"""Undoing the last chunk edits, step by step."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import streamlit as st

from core.model import Edit, Note
from pages.ui.shared import widgets
from pages.ui.shared.server import workspace
from pages.ui.shared.text import t

_STEPS = "chunk_edits"
_MOST = 20
"""Maximum number of edits to keep for undo."""


@dataclass
class EditStep:
    """An action on a note's chunks: its description, and the note's edits before and after it (None until then)."""

    note_id: str
    text: str
    before: Sequence[Edit]
    after: Sequence[Edit] | None = None

    def run(self, act: Callable[[], object]) -> None:
        """Run the action; it may run in a job."""
        try:
            act()
        finally:
            self.after = workspace.chunks.edits(self.note_id)


def begin(note: Note, text: str) -> EditStep:
    """Return the undo step for an action on a note, for the caller to run; `text` describes the action."""
    step = EditStep(note.id, text, workspace.chunks.edits(note.id))
    st.session_state[_STEPS] = [*st.session_state.get(_STEPS, []), step][-_MOST:]
    return step


def draw(note: Note, *, shut: bool) -> None:
    """Draw the last step with a button that undoes it, if nothing has changed since."""
    steps: list[EditStep] = [step for step in st.session_state.get(_STEPS, []) if step.note_id == note.id]
    if not steps or steps[-1].after in (None, steps[-1].before) or steps[-1].after != workspace.chunks.edits(note.id):
        return
    last = steps[-1]

    def take_back() -> None:
        workspace.chunks.revert(note.id, last.before, expected=last.after or ())
        st.session_state[_STEPS] = [step for step in st.session_state.get(_STEPS, []) if step is not last]

    with widgets.row("chunks_done"):
        st.caption(last.text, width="content")
        widgets.small(t("Undo"), "chunks_undo", "undo", on_click=take_back, disabled=shut)
        widgets.close("chunks_done_close", t("Close"), on_click=st.session_state.pop, args=(_STEPS, None))
